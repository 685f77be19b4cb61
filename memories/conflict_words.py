"""How conflicts read on a page: their states, the ways to settle them, and why the rules suggest one."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from memories.vocabulary import ConflictState, SettlementVerb, SideRole

CONFLICT_KINDS: Mapping[type[StrEnum], Mapping[str, Promise]] = {
    ConflictState: {
        ConflictState.OPEN: pgettext_lazy("conflict", "open"),
        ConflictState.SNOOZED: pgettext_lazy("conflict", "put off"),
        ConflictState.SETTLED: pgettext_lazy("conflict", "settled"),
    },
    SettlementVerb: {
        SettlementVerb.TAKE_NEW: pgettext_lazy("settlement", "take the new one"),
        SettlementVerb.KEEP_OLD: pgettext_lazy("settlement", "keep the old one"),
        SettlementVerb.MERGE: pgettext_lazy("settlement", "merge into one text"),
        SettlementVerb.BOTH_VALID: pgettext_lazy("settlement", "all of them hold"),
        SettlementVerb.NEITHER: pgettext_lazy("settlement", "none of them holds"),
        SettlementVerb.NEEDS_EVIDENCE: pgettext_lazy("settlement", "wait for more evidence"),
    },
    SideRole: {
        SideRole.OLD: pgettext_lazy("side of a conflict", "was known"),
        SideRole.NEW: pgettext_lazy("side of a conflict", "came new"),
    },
}
# Why the rules suggest what they suggest.
SUGGESTED_BECAUSE: Mapping[str, Promise] = {
    "one_side_only": gettext_lazy("Only one side is left, or all of them are in use, so the rules cannot choose."),
    "several_values": gettext_lazy("More than two claims stand against each other, and no rule chooses among them."),
    "weightier_source": gettext_lazy("The new claim has a weightier source than what was known."),
    "weaker_source": gettext_lazy(
        "The new claim has a weaker source, and a weaker one does not overwrite a stronger one."
    ),
    "newer_word": gettext_lazy("Both are a user’s own word, and the newer word counts."),
    "equal_sources": gettext_lazy("Both sources weigh the same, so more evidence has to decide."),
}
# What a way to settle does, said beside it before anybody takes it.
WHAT_IT_DOES: Mapping[SettlementVerb, Promise] = {
    SettlementVerb.TAKE_NEW: gettext_lazy("It comes into use; the others leave it and keep their history."),
    SettlementVerb.KEEP_OLD: gettext_lazy("It goes on as it is; the others are not learnt, or leave use."),
    SettlementVerb.MERGE: gettext_lazy("Your text takes the place of all, with their evidence and their history."),
    SettlementVerb.BOTH_VALID: gettext_lazy(
        "Each holds, in its own place or time if you say so. The same values open no new conflict for 30 days."
    ),
    SettlementVerb.NEITHER: gettext_lazy("All of them leave use, or are not learnt."),
    SettlementVerb.NEEDS_EVIDENCE: gettext_lazy(
        "Nothing changes. It leaves the desk and comes back as soon as another claim on the matter arrives."
    ),
}
# What the next page says after it.
NEXT: Mapping[SettlementVerb, Promise] = {
    SettlementVerb.TAKE_NEW: gettext_lazy("Settled. The next packet may carry the new one, and no longer the others."),
    SettlementVerb.KEEP_OLD: gettext_lazy("Settled. The old one holds on, no longer as disputed."),
    SettlementVerb.MERGE: gettext_lazy("Settled. The next packet may carry your text, and no longer the others."),
    SettlementVerb.BOTH_VALID: gettext_lazy("Settled. All of them hold, no longer as disputed."),
    SettlementVerb.NEITHER: gettext_lazy("Settled. No packet carries any of them from now on."),
    SettlementVerb.NEEDS_EVIDENCE: gettext_lazy(
        "Put off until there is new evidence. It is among what is put off, and comes back by itself."
    ),
}
# What the ledger calls it, as the trail of a conflict says it.
HAPPENED: Mapping[str, Promise] = {
    "conflict.open": pgettext_lazy("conflict trail", "opened it"),
    "conflict.join": pgettext_lazy("conflict trail", "brought a claim"),
    "conflict.settle": pgettext_lazy("conflict trail", "settled it"),
    "conflict.snooze": pgettext_lazy("conflict trail", "put it off"),
    "conflict.wake": pgettext_lazy("conflict trail", "opened it again"),
    "conflict.undo": pgettext_lazy("conflict trail", "took the settlement back"),
}


def because(reason: str) -> Promise | str:
    """Return why the rules suggest what they suggest; an unknown reason is its own word."""
    return SUGGESTED_BECAUSE.get(reason, reason)
