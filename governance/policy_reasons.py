"""What a rule says of a case: the verdict, the reason by its code, and the words that explain it. Plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Verdict(StrEnum):
    """What is to happen: it may, a human decides first, or it may not."""

    ALLOW = "allow"
    HOLD = "hold"
    REFUSE = "refuse"


class Reason(StrEnum):
    """Why; `EXPLANATIONS` says each in a sentence."""

    ALLOWED = "allowed"
    MODE_LETS_IT = "mode_lets_it"
    MODE_ASKS_A_HUMAN = "mode_asks_a_human"
    RISK_ASKS_A_HUMAN = "risk_asks_a_human"
    IDENTITY_ASKS_A_HUMAN = "identity_asks_a_human"
    APPROVAL_REQUIRED = "approval_required"
    SENSITIVITY_ASKS_A_HUMAN = "sensitivity_asks_a_human"
    SENSITIVITY_STAYS_PRIVATE = "sensitivity_stays_private"
    SENSITIVITY_REFUSED = "sensitivity_refused"
    SOURCE_NOT_ACCEPTED = "source_not_accepted"
    EVERYBODY_THERE_MAY_READ = "everybody_there_may_read"
    AUDIENCE_TOO_NARROW = "audience_too_narrow"
    WITHIN_SENSITIVITY = "within_sensitivity"
    ABOVE_SENSITIVITY = "above_sensitivity"
    CERTAIN_ENOUGH = "certain_enough"
    NOT_CERTAIN_ENOUGH = "not_certain_enough"
    NOT_SHARED = "not_shared"
    APPROVED_TO_LEAVE = "approved_to_leave"
    LEAVING_ASKS_A_HUMAN = "leaving_asks_a_human"


# For callers and stored verdicts; a page has the same in its reader's language.
EXPLANATIONS: Mapping[Reason, str] = MappingProxyType(
    {
        Reason.ALLOWED: "nothing stands against it",
        Reason.MODE_LETS_IT: "review mode {mode} lets a write of {risk} risk through",
        Reason.MODE_ASKS_A_HUMAN: "review mode {mode} lets a human decide every write",
        Reason.RISK_ASKS_A_HUMAN: "a write of {risk} risk waits for a human in review mode {mode}",
        Reason.IDENTITY_ASKS_A_HUMAN: "it touches who somebody is, so a human decides",
        Reason.APPROVAL_REQUIRED: "the policy requires an approval for {what}",
        Reason.SENSITIVITY_ASKS_A_HUMAN: "a human decides whether {sensitivity} content is shared",
        Reason.SENSITIVITY_STAYS_PRIVATE: "{sensitivity} content is kept only where its owner alone reads it",
        Reason.SENSITIVITY_REFUSED: "the policy refuses {sensitivity} content",
        Reason.SOURCE_NOT_ACCEPTED: "the policy accepts nothing from {source}",
        Reason.EVERYBODY_THERE_MAY_READ: "everybody at the destination may read it",
        Reason.AUDIENCE_TOO_NARROW: "its audience is {audience}, and not everybody at the destination belongs to it",
        Reason.WITHIN_SENSITIVITY: "{sensitivity} is not above {highest}",
        Reason.ABOVE_SENSITIVITY: "{sensitivity} is above {highest}, the highest that may enter",
        Reason.CERTAIN_ENOUGH: "{status} is not below {lowest}",
        Reason.NOT_CERTAIN_ENOUGH: "{status} is below {lowest}, the least certain that may enter",
        Reason.NOT_SHARED: "its audience is {audience}; only what the whole project shares leaves it",
        Reason.APPROVED_TO_LEAVE: "a human approved that it leaves",
        Reason.LEAVING_ASKS_A_HUMAN: "a human decides whether {sensitivity} content leaves the project",
    }
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, by which reason, and the words that its explanation is filled with."""

    verdict: Verdict
    reason: Reason
    params: Mapping[str, str] = field(default_factory=dict)

    @property
    def allowed(self) -> bool:
        """Whether it may happen now, without anybody being asked."""
        return self.verdict is Verdict.ALLOW

    @property
    def held(self) -> bool:
        """Whether it waits for a human."""
        return self.verdict is Verdict.HOLD

    @property
    def reason_code(self) -> str:
        return self.reason.value

    @property
    def explanation(self) -> str:
        """The reason in an English sentence without its stop."""
        return EXPLANATIONS[self.reason].format(**self.params)


NOTHING_AGAINST = Decision(Verdict.ALLOW, Reason.ALLOWED)


def allow(reason: Reason, **params: str) -> Decision:
    """Return that it may happen now."""
    return Decision(Verdict.ALLOW, reason, params)


def hold(reason: Reason, **params: str) -> Decision:
    """Return that a human decides first."""
    return Decision(Verdict.HOLD, reason, params)


def refuse(reason: Reason, **params: str) -> Decision:
    """Return that it may not happen."""
    return Decision(Verdict.REFUSE, reason, params)
