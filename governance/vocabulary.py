"""Words of governance: who acts, who may see, what was decided. Plain values, no framework."""

from collections.abc import Mapping
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


class Deed(StrEnum):
    """What a human may want to do in a project beyond reading it."""

    SPEAK = "speak"  # write a message, a correction or a constraint into a thread
    RETIRE_CONSTRAINT = "retire_constraint"
    OPEN_THREAD = "open_thread"
    RENAME_THREAD = "rename_thread"
    ARCHIVE_THREAD = "archive_thread"  # and open it again
    MERGE_THREAD = "merge_thread"  # and split one, and undo either
    EDIT_VISION = "edit_vision"
    CHANGE_TASKS = "change_tasks"
    PROPOSE_MEMORY = "propose_memory"
    DECIDE_MEMORY = "decide_memory"  # let one in or refuse it, settle a conflict, archive, restore, revoke
    ERASE_MEMORY = "erase_memory"
    PROPOSE_CONTRACT = "propose_contract"  # also to edit one, and to comment on it
    CHECK_LEDGER = "check_ledger"  # the whole of it, which costs more than looking at it
    RETRY_JOB = "retry_job"  # let what was put into quarantine run again
    TRIAGE_INBOX = "triage_inbox"  # claim, release and put off what waits there
    MANAGE_MEMBERS = "manage_members"
    MANAGE_AGENTS = "manage_agents"
    MANAGE_KEYS = "manage_keys"
    MANAGE_PROJECT = "manage_project"


class Language(StrEnum):
    """The languages that the project itself speaks, by their Django codes."""

    ZH_HANS = "zh-hans"
    EN = "en"


class RolePermission(StrEnum):
    """Lines of a role contract's permissions that the runtime itself obeys; every other line is its agent's to read."""

    PROJECT_STATE = "project_state"  # its packets hold how every thread of the project stands


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


class KeyPreset(StrEnum):
    """Sets of scopes for the two kinds of program that hold a key; PRESET_SCOPES says which."""

    AGENT = "agent"
    HARNESS = "harness"


# An agent's own program speaks for itself alone. A harness also vouches for what its user typed, so it attests;
# capsules leave the project, so a key that issues them is asked for by name.
AGENT_SCOPES = frozenset(KeyScope) - {KeyScope.EVENT_ATTEST, KeyScope.CAPSULE_ISSUE}
PRESET_SCOPES: Mapping[KeyPreset, frozenset[KeyScope]] = {
    KeyPreset.AGENT: AGENT_SCOPES,
    KeyPreset.HARNESS: AGENT_SCOPES | {KeyScope.EVENT_ATTEST},
}


class KeyState(StrEnum):
    """Whether a key opens anything, and why not."""

    LIVE = "live"
    LAPSED = "lapsed"
    REVOKED = "revoked"
    AGENT_INACTIVE = "agent inactive"


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


class ProposalKind(StrEnum):
    """What may be proposed: a change of a contract, a private memory for all to share, that a shared memory counts as
    less sensitive, or what is wanted of a thread.
    """

    PERSONA = "persona"
    ROLE = "role"
    POLICY = "policy"
    SELF_PROFILE = "self_profile"
    BUDGET_PROFILE = "budget_profile"
    MEMORY = "memory"
    SENSITIVITY = "sensitivity"
    VISION = "vision"


NO_CONTRACT = (ProposalKind.MEMORY, ProposalKind.SENSITIVITY, ProposalKind.VISION)  # what becomes no revision
type Proposable = ContractKind | ProposalKind  # members that are spelt alike are equal, and find the same entries


class RevisionState(StrEnum):
    DRAFT = "draft"
    ACTIVE = "active"
    SUPERSEDED = "superseded"


class ProposalState(StrEnum):
    DRAFT = "draft"
    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    CHANGES_REQUESTED = "changes_requested"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class DecisionVerb(StrEnum):
    """What a human said of a proposal."""

    APPROVE = "approve"
    EDIT_AND_APPROVE = "edit_and_approve"
    REQUEST_CHANGES = "request_changes"
    REJECT = "reject"


class DecisionReason(StrEnum):
    """Why a human decided so."""

    SOUND = "sound"
    UNCLEAR = "unclear"
    WRONG = "wrong"
    TOO_BROAD = "too_broad"
    UNSAFE = "unsafe"
    NOT_NEEDED = "not_needed"
    DUPLICATE = "duplicate"
    OTHER = "other"


class Matter(StrEnum):
    """What a change touches, where that says who may decide it."""

    PERSONA = "persona"
    ROLE = "role"
    IDENTITY_CORE = "identity_core"
    HARD_BOUNDARIES = "hard_boundaries"
    PERMISSIONS = "permissions"
    POLICY = "policy"
    PROFILE = "profile"  # a self profile or a budget profile
    SENSITIVITY_DOWNGRADE = "sensitivity_downgrade"
    PRIVATE_TO_SHARED = "private_to_shared"
    VISION = "vision"


class ProofKind(StrEnum):
    """How an account has shown that it is who it says."""

    PASSWORD = "password"
    TOTP = "totp"  # a code of an authenticator app
    RECOVERY_CODE = "recovery_code"
    PASSKEY = "passkey"
    PROVIDER = "provider"  # an OpenID Connect provider's word


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


class JobState(StrEnum):
    """Where work that waits for a worker stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    QUARANTINED = "quarantined"  # it was tried too often; only a person lets it run again


def rank[E: StrEnum](value: E) -> int:
    """Return the position of `value` in its enumeration, for the ones whose order means something."""
    return list(type(value)).index(value)
