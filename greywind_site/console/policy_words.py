"""How policies and what they decide read in the reader's language."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from governance.policies import Decision, Reason, ReviewMode, Verdict, VisionEditors
from governance.policy_rules import Handling
from governance.vocabulary import Audience, Risk, Sensitivity
from greywind_site.console.policy_reading import Point
from memories.memory_words import MEMORY_KINDS
from memories.vocabulary import KnowledgeStatus, SourceRank
from sessions.packet_words import KINDS as PACKET_KINDS

POLICY_KINDS: Mapping[type[StrEnum], Mapping[str, Promise]] = {
    ReviewMode: {
        ReviewMode.HUMAN: pgettext_lazy("review mode", "a human decides every write"),
        ReviewMode.LOW_RISK_AUTO: pgettext_lazy("review mode", "low risk goes through by itself"),
        ReviewMode.AUTO: pgettext_lazy("review mode", "only high risk waits for a human"),
    },
    VisionEditors: {
        VisionEditors.EVERYBODY: pgettext_lazy("vision editors", "whoever may edit it, agents as well"),
        VisionEditors.HUMANS: pgettext_lazy("vision editors", "people; an agent’s edit is a proposal"),
        VisionEditors.OWNERS: pgettext_lazy("vision editors", "owners; every other edit is a proposal"),
        VisionEditors.NOBODY: pgettext_lazy("vision editors", "nobody; every edit is a proposal"),
    },
    Handling: {
        Handling.ALLOW: pgettext_lazy("handling", "allowed"),
        Handling.HOLD: pgettext_lazy("handling", "a human decides"),
        Handling.PRIVATE: pgettext_lazy("handling", "only in private"),
        Handling.REFUSE: pgettext_lazy("handling", "refused"),
    },
    Verdict: {
        Verdict.ALLOW: pgettext_lazy("verdict", "yes"),
        Verdict.HOLD: pgettext_lazy("verdict", "a human decides first"),
        Verdict.REFUSE: pgettext_lazy("verdict", "no"),
    },
    Audience: {
        Audience.PROJECT: pgettext_lazy("audience", "the whole project"),
        Audience.ROLE: pgettext_lazy("audience", "holders of one role"),
        Audience.PRIVATE: pgettext_lazy("audience", "its owner alone"),
    },
}
REASONS: Mapping[Reason, Promise] = {
    Reason.ALLOWED: gettext_lazy("Nothing stands against it."),
    Reason.MODE_LETS_IT: gettext_lazy("Review mode: %(mode)s. This write is of %(risk)s."),
    Reason.MODE_ASKS_A_HUMAN: gettext_lazy("Review mode: %(mode)s."),
    Reason.RISK_ASKS_A_HUMAN: gettext_lazy("This write is of %(risk)s, too much for the review mode: %(mode)s."),
    Reason.IDENTITY_ASKS_A_HUMAN: gettext_lazy("It touches who somebody is, so a human decides."),
    Reason.APPROVAL_REQUIRED: gettext_lazy("The policy requires an approval for %(what)s."),
    Reason.SENSITIVITY_ASKS_A_HUMAN: gettext_lazy("Whether what is “%(sensitivity)s” is shared, a human decides."),
    Reason.SENSITIVITY_STAYS_PRIVATE: gettext_lazy(
        "What is “%(sensitivity)s” is kept only where its owner alone reads it."
    ),
    Reason.SENSITIVITY_REFUSED: gettext_lazy("The policy refuses what is “%(sensitivity)s”."),
    Reason.SOURCE_NOT_ACCEPTED: gettext_lazy("The policy accepts nothing from this source: %(source)s."),
    Reason.EVERYBODY_THERE_MAY_READ: gettext_lazy("Everybody at the destination may read it."),
    Reason.AUDIENCE_TOO_NARROW: gettext_lazy(
        "It is for %(audience)s, and not everybody at the destination belongs to that."
    ),
    Reason.WITHIN_SENSITIVITY: gettext_lazy("It is “%(sensitivity)s”; up to “%(highest)s” may enter."),
    Reason.ABOVE_SENSITIVITY: gettext_lazy("It is “%(sensitivity)s”; only up to “%(highest)s” may enter."),
    Reason.CERTAIN_ENOUGH: gettext_lazy("It is “%(status)s”; from “%(lowest)s” on it may enter."),
    Reason.NOT_CERTAIN_ENOUGH: gettext_lazy("It is “%(status)s”; only from “%(lowest)s” on it may enter."),
    Reason.NOT_SHARED: gettext_lazy("It is for %(audience)s; only what the whole project shares leaves it."),
    Reason.APPROVED_TO_LEAVE: gettext_lazy("A human approved that it leaves."),
    Reason.LEAVING_ASKS_A_HUMAN: gettext_lazy("Whether what is “%(sensitivity)s” leaves the project, a human decides."),
}
POINTS: Mapping[Point, Promise] = {
    Point.AGENT_ACTIVE: gettext_lazy("The agent is on."),
    Point.AGENT_OFF: gettext_lazy("The agent is off, so no key of it opens anything."),
    Point.ROLE_HELD: gettext_lazy("It holds the role %(role)s."),
    Point.ROLE_NOT_HELD: gettext_lazy("It does not hold the role %(role)s, so it cannot ask in it."),
    Point.MAY_READ: gettext_lazy("It belongs to the memory’s audience, so the database shows it the memory."),
    Point.MAY_NOT_READ: gettext_lazy(
        "It does not belong to the memory’s audience, so the database does not show it the memory."
    ),
    Point.IN_USE: gettext_lazy("The memory is in use, so a search can find it."),
    Point.NOT_IN_USE: gettext_lazy("The memory is not in use, so no search finds it."),
}
# Short, since they stand inside a sentence.
LEVELS: Mapping[Sensitivity, Promise] = {
    Sensitivity.PUBLIC: pgettext_lazy("sensitivity", "public"),
    Sensitivity.WORK: pgettext_lazy("sensitivity", "work"),
    Sensitivity.PERSONAL: pgettext_lazy("sensitivity", "personal"),
    Sensitivity.SECRET: pgettext_lazy("sensitivity", "secret"),
}
# What a parameter of an explanation is a word of.
PARAMS: Mapping[str, tuple[type[StrEnum], Mapping[Any, Promise]]] = {
    "sensitivity": (Sensitivity, LEVELS),
    "highest": (Sensitivity, LEVELS),
    "status": (KnowledgeStatus, PACKET_KINDS[KnowledgeStatus]),
    "lowest": (KnowledgeStatus, PACKET_KINDS[KnowledgeStatus]),
    "source": (SourceRank, MEMORY_KINDS[SourceRank]),
    "mode": (ReviewMode, POLICY_KINDS[ReviewMode]),
    "audience": (Audience, POLICY_KINDS[Audience]),
    "risk": (Risk, PACKET_KINDS[Risk]),
}


def explained(decision: Decision) -> str:
    """Return why it was decided so, in a sentence of the reader's language."""
    words = {name: _word(name, value) for name, value in decision.params.items()}
    return str(REASONS[decision.reason]) % words


def _word(name: str, value: str) -> Promise | str:
    members, words = PARAMS.get(name, (None, {}))
    return words[members(value)] if members is not None and value in list(members) else value
