"""Words of governance: who acts, who may see, what was decided. Plain values, no framework."""

from enum import StrEnum


class ActorKind(StrEnum):
    HUMAN = "human"
    AGENT = "agent"
    SYSTEM = "system"


class MembershipLevel(StrEnum):
    """What a human may do in a project, weakest first."""

    VIEWER = "viewer"
    MAINTAINER = "maintainer"
    OWNER = "owner"


class KeyScope(StrEnum):
    """What an agent's key may be used for. No scope lets a key decide anything."""

    CONTEXT_COMPILE = "context:compile"
    SESSION_WRITE = "session:write"
    EVENT_ATTEST = "event:attest"
    MEMORY_READ = "memory:read"
    MEMORY_PROPOSE = "memory:propose"
    EVIDENCE_READ = "evidence:read"
    PROPOSAL_CREATE = "proposal:create"
    CAPSULE_ISSUE = "capsule:issue"


class Audience(StrEnum):
    """Who may read a row: everyone in the project, holders of one role, or its owner alone."""

    PROJECT = "project"
    ROLE = "role"
    PRIVATE = "private"


class Destination(StrEnum):
    """Who will read what is compiled: a private window, the project, or outsiders."""

    PRIVATE = "private"
    PROJECT = "project"
    EXTERNAL = "external"


class Sensitivity(StrEnum):
    """How sensitive a content is, least first."""

    PUBLIC = "public"
    WORK = "work"
    PERSONAL = "personal"
    SECRET = "secret"


class Phase(StrEnum):
    PLAN = "plan"
    EXECUTE = "execute"
    ACCEPT = "accept"


class Risk(StrEnum):
    """Risk of a task or a request, lowest first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ContractKind(StrEnum):
    PERSONA = "persona"
    ROLE = "role"
    POLICY = "policy"
    SELF_PROFILE = "self_profile"
    BUDGET_PROFILE = "budget_profile"


class RevisionState(StrEnum):
    DRAFT = "draft"
    ACTIVE = "active"
    SUPERSEDED = "superseded"


class InboxKind(StrEnum):
    PROPOSAL = "proposal"
    CONFLICT = "conflict"
    CANDIDATE = "candidate"
    CAPSULE = "capsule"
    RESUME_FAILURE = "resume_failure"
    BUDGET_ALARM = "budget_alarm"


class InboxState(StrEnum):
    OPEN = "open"
    SNOOZED = "snoozed"
    DONE = "done"


def rank[E: StrEnum](value: E) -> int:
    """Return the position of `value` in its enumeration, for the ones whose order means something."""
    return list(type(value)).index(value)
