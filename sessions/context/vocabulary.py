"""Words of the compiler: layers, groups, slots, fidelity, and reasons."""

from collections.abc import Mapping
from enum import StrEnum


class Layer(StrEnum):
    """What a token is spent on."""

    POLICY = "policy"
    ROLE = "role"
    PERSONA = "persona"
    PREFERENCES = "preferences"
    VISION = "vision"
    THREAD = "thread"
    PLAN = "plan"
    CONSTRAINTS = "constraints"
    SUMMARY = "summary"
    DIALOGUE = "dialogue"
    TOOL_RESULTS = "tool_results"
    HANDOFF = "handoff"
    MEMORIES = "memories"
    INPUT = "input"


class Group(StrEnum):
    """How layers share the input cap; what no group takes is headroom."""

    POLICY = "policy"
    PLAN = "plan"
    SELF = "self"
    EVIDENCE = "evidence"
    HEADROOM = "headroom"


GROUP_OF: Mapping[Layer, Group] = {
    Layer.POLICY: Group.POLICY,
    Layer.ROLE: Group.POLICY,
    Layer.CONSTRAINTS: Group.POLICY,
    Layer.THREAD: Group.PLAN,
    Layer.PLAN: Group.PLAN,
    Layer.PERSONA: Group.SELF,
    Layer.VISION: Group.SELF,
    Layer.PREFERENCES: Group.SELF,
    Layer.HANDOFF: Group.EVIDENCE,
    Layer.MEMORIES: Group.EVIDENCE,
    Layer.TOOL_RESULTS: Group.EVIDENCE,
    Layer.SUMMARY: Group.HEADROOM,
    Layer.DIALOGUE: Group.HEADROOM,
    Layer.INPUT: Group.HEADROOM,
}
"""The group whose share a layer draws on first."""


class Slot(StrEnum):
    """Named parts of a packet, in the order of the prompt."""

    PERSONA = "persona"
    VISION = "vision"
    THREAD = "thread"
    SESSION = "session"
    HANDOFF = "handoff"
    PROJECT_STATE = "project_state"
    RETRIEVED = "retrieved"
    USER_INPUT = "user_input"


class Fidelity(StrEnum):
    """must: in, or the compile is refused; should: in by priority; may: in by value per token."""

    MUST = "must"
    SHOULD = "should"
    MAY = "may"


class Step(StrEnum):
    """How much of an item stands in a prompt: all of it, its ends with a ref, or one line with a ref."""

    FULL = "full"
    EXCERPT = "excerpt"
    TITLE = "title"


class Threshold(StrEnum):
    """Which of a profile's thresholds the session has passed."""

    NONE = "none"
    SOFT = "soft"
    HARD = "hard"


class Trigger(StrEnum):
    """What passed a threshold: the whole of the input, one layer of the session, or entries that no summary covers."""

    INPUT_SHARE = "input_share"
    LAYER_SHARE = "layer_share"
    EVENT_COUNT = "event_count"


class CountMethod(StrEnum):
    """How a token figure was obtained."""

    EXACT = "exact"
    PROVIDER = "provider"
    ESTIMATE = "estimate"


class LimitOrigin(StrEnum):
    """Where an effective limit came from."""

    REQUEST = "request"
    TASK = "task"
    ROLE = "role"
    PROJECT = "project"
    POLICY = "policy"
    LEARNT = "learnt"
    PROFILE = "profile"
    DEFAULT = "default"


class DropReason(StrEnum):
    """Why an item was left out of a packet."""

    INPUT_CAP = "input_cap"
    LAYER_CAP = "layer_cap"
    COUNT_LIMIT = "count_limit"
    AUDIENCE = "audience"
    SENSITIVITY = "sensitivity"
    KNOWLEDGE_STATUS = "knowledge_status"
    PHASE = "phase"
    PLAN_STEP = "plan_step"
    COMPACTION = "compaction"
    DUPLICATE = "duplicate"
    STALE = "stale"


class ActionKind(StrEnum):
    LOAD = "load"
    COMPRESS = "compress"
    EVICT = "evict"
    CACHE_HIT = "cache_hit"
    CACHE_MISS = "cache_miss"
    CAPSULE_EMIT = "capsule_emit"
    WRITE_DECISION = "write_decision"


class ActionReason(StrEnum):
    PLAN_STEP_CHANGE = "plan_step_change"
    RISK_GATE = "risk_gate"
    TOKEN_BUDGET = "token_budget"  # noqa: S105 - a token of text, not of access
    USER_CORRECTION = "user_correction"
    PHASE = "phase"
    STALE = "stale"
    DUPLICATE = "duplicate"
    NOT_ELIGIBLE = "not_eligible"


class Dialect(StrEnum):
    """Shapes in which a prompt can be asked for.

    Beside `messages` goes for openai.responses, where they are the items of `input`, `instructions`; for
    anthropic.messages `system`.
    """

    OPENAI_CHAT = "openai.chat"
    OPENAI_RESPONSES = "openai.responses"
    ANTHROPIC_MESSAGES = "anthropic.messages"
    TEXT = "text"


class SummarySection(StrEnum):
    """Sections of a work summary, in the order in which they stand in a prompt: verified first, narrative after."""

    CONSTRAINTS = "constraints"
    GOALS = "goals"
    DECISIONS = "decisions"
    CONCLUSIONS = "conclusions"
    VERIFICATION = "verification"
    OPEN_QUESTIONS = "open_questions"
    DISSENT = "dissent"
    BLOCKERS = "blockers"
    NEXT_STEPS = "next_steps"
    EVIDENCE = "evidence"


class Section(StrEnum):
    """Parts of a prompt under a heading of their own, in order; those up to CONSTRAINTS are the stable prefix."""

    READING = "reading"
    POLICY = "policy"
    ROLE = "role"
    PERSONA = "persona"
    PREFERENCES = "preferences"
    VISION = "vision"
    THREAD = "thread"
    PLAN = "plan"
    CONSTRAINTS = "constraints"
    SUMMARY = "summary"
    PROJECT_STATE = "project_state"
    DIALOGUE = "dialogue"
    HANDOFF = "handoff"
    MEMORIES = "memories"
    INPUT = "input"
