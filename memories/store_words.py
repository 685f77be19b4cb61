"""How the words of the store of memories read on a page: gates, uses, ways out of use, and what each way does."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from governance.vocabulary import Sensitivity
from memories.memory_words import REASON_WORDS
from memories.vocabulary import ArchivedFor, FeedbackKind, Gate, MemoryType, ReadThrough, ReasonCode


class Way(StrEnum):
    """What a human may do about a memory that is there."""

    ADMIT = "admit"
    REFUSE = "refuse"
    ARCHIVE = "archive"
    RESTORE = "restore"
    UNMERGE = "unmerge"
    RECHECK = "recheck"
    REVOKE = "revoke"
    ERASE = "erase"


class Tab(StrEnum):
    """The parts of a memory's page."""

    TEXT = "text"
    VERSIONS = "versions"
    LINEAGE = "lineage"
    ACCESS = "access"


class Standing(StrEnum):
    """The parts of the list of what was proposed."""

    WAITING = "waiting"
    REJECTED = "rejected"
    ALL = "all"


STORE_KINDS: Mapping[type[StrEnum], Mapping[str, Promise]] = {
    ReasonCode: {code.value: words for code, words in REASON_WORDS.items()},
    Gate: {
        Gate.SCHEMA: pgettext_lazy("gate", "form and bounds"),
        Gate.SCREENING: pgettext_lazy("gate", "screening"),
        Gate.EVIDENCE: pgettext_lazy("gate", "evidence"),
        Gate.IDENTITY: pgettext_lazy("gate", "identity"),
        Gate.SOURCE_WEIGHT: pgettext_lazy("gate", "weight of the source"),
        Gate.SENSITIVITY: pgettext_lazy("gate", "sensitivity"),
        Gate.ALIGNMENT: pgettext_lazy("gate", "what the policy asks of a human"),
    },
    ArchivedFor: {
        ArchivedFor.SUPERSEDED: pgettext_lazy("archived for", "another one took its place"),
        ArchivedFor.MERGED: pgettext_lazy("archived for", "its text went into another one"),
        ArchivedFor.DELETED: pgettext_lazy("archived for", "a deletion was asked for"),
        ArchivedFor.LOST_CONFLICT: pgettext_lazy("archived for", "it lost a conflict"),
        ArchivedFor.EXPIRED: pgettext_lazy("archived for", "its time was over"),
        ArchivedFor.STALE: pgettext_lazy("archived for", "nothing used it for long"),
        ArchivedFor.BUDGET: pgettext_lazy("archived for", "there was no room for all of them"),
        ArchivedFor.PARENT_REVOKED: pgettext_lazy("archived for", "what it was made of was revoked"),
        ArchivedFor.BY_HAND: pgettext_lazy("archived for", "somebody archived it"),
    },
    FeedbackKind: {
        FeedbackKind.USEFUL: pgettext_lazy("feedback", "useful"),
        FeedbackKind.WRONG: pgettext_lazy("feedback", "wrong"),
        FeedbackKind.OUTDATED: pgettext_lazy("feedback", "outdated"),
        FeedbackKind.DO_NOT_USE: pgettext_lazy("feedback", "do not use"),
    },
    ReadThrough: {
        ReadThrough.API: pgettext_lazy("read through", "through the API"),
        ReadThrough.CONSOLE: pgettext_lazy("read through", "in the console"),
        ReadThrough.EVIDENCE: pgettext_lazy("read through", "as evidence"),
    },
    Tab: {
        Tab.TEXT: gettext_lazy("Text and gates"),
        Tab.VERSIONS: gettext_lazy("Versions"),
        Tab.LINEAGE: gettext_lazy("Lineage and conflicts"),
        Tab.ACCESS: gettext_lazy("Who read it"),
    },
    Standing: {
        Standing.WAITING: gettext_lazy("Waits for a human"),
        Standing.REJECTED: gettext_lazy("Was not learnt"),
        Standing.ALL: gettext_lazy("All that was proposed"),
    },
    Way: {
        Way.ADMIT: pgettext_lazy("way", "Let it in"),
        Way.REFUSE: pgettext_lazy("way", "Refuse it"),
        Way.ARCHIVE: pgettext_lazy("way", "Archive"),
        Way.RESTORE: pgettext_lazy("way", "Bring it back"),
        Way.UNMERGE: pgettext_lazy("way", "Take the merge back"),
        Way.RECHECK: pgettext_lazy("way", "Check it again"),
        Way.REVOKE: pgettext_lazy("way", "Revoke"),
        Way.ERASE: pgettext_lazy("way", "Erase"),
    },
}
# One word each, for the lines of lists.
TYPES: Mapping[MemoryType, Promise] = {
    MemoryType.EPISODE: pgettext_lazy("memory type", "episode"),
    MemoryType.SEMANTIC: pgettext_lazy("memory type", "semantic"),
    MemoryType.PROCEDURAL: pgettext_lazy("memory type", "procedural"),
    MemoryType.PREFERENCE: pgettext_lazy("memory type", "preference"),
}
LEVELS: Mapping[Sensitivity, Promise] = {
    Sensitivity.PUBLIC: pgettext_lazy("sensitivity", "public"),
    Sensitivity.WORK: pgettext_lazy("sensitivity", "work"),
    Sensitivity.PERSONAL: pgettext_lazy("sensitivity", "personal"),
    Sensitivity.SECRET: pgettext_lazy("sensitivity", "secret"),
}
# What follows, said before anybody does it.
FOLLOWS: Mapping[Way, Promise] = {
    Way.ADMIT: gettext_lazy(
        "You let it through every gate that it has not passed, in your name. The next search and packet may bring it; "
        "if it says otherwise than what is known by now, a conflict opens instead."
    ),
    Way.REFUSE: gettext_lazy(
        "It is refused for good. Its proposer reads why; with more evidence they may propose it anew."
    ),
    Way.ARCHIVE: gettext_lazy("No search finds it and no packet carries it from now on. It can be brought back."),
    Way.RESTORE: gettext_lazy("It is in use again: the next search and packet may bring it."),
    Way.UNMERGE: gettext_lazy(
        "What went into another memory stands by itself again; where it was a change, that memory says once more what "
        "it said before. The two are not merged again by themselves, and the lineage stays."
    ),
    Way.RECHECK: gettext_lazy(
        "Its gates are asked again, by the policy, the evidence and what is known now. What they pass comes into use; "
        "nothing is let in on your word."
    ),
    Way.REVOKE: gettext_lazy(
        "It is out of use for good, and so is everything that was made of it. Packets that were handed out stay handed "
        "out; the list above names them. It stays readable here."
    ),
    Way.ERASE: gettext_lazy(
        "Its words are gone for good, here and in everything that was made of it: from its versions, evidence, claims, "
        "searches and lists. That there was one, who erased it, when and why, stays. Nothing brings it back."
    ),
}
DONE: Mapping[Way, Promise] = {
    Way.ADMIT: gettext_lazy("It is in use: the next search and packet may bring it."),
    Way.REFUSE: gettext_lazy("Refused. Its proposer reads why."),
    Way.ARCHIVE: gettext_lazy("Archived. Nothing finds it any more until somebody brings it back."),
    Way.RESTORE: gettext_lazy("It is in use again."),
    Way.UNMERGE: gettext_lazy("Taken back: what stood before the merge is in use again."),
    Way.RECHECK: gettext_lazy("Checked again. It stands where its gates let it."),
    Way.REVOKE: gettext_lazy("Revoked, with everything that was made of it."),
    Way.ERASE: gettext_lazy("Erased. Only that there was one remains."),
}


def reason_of(code: str) -> Promise | str:
    """Return why a proposal waits or was refused, in the reader's words; an unknown code is its own word."""
    return REASON_WORDS[ReasonCode(code)] if code in set(ReasonCode) else code
