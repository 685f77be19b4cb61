"""Why something was in a packet or was not, and what compiling the packet again came to: as a reader is told it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from memories.vocabulary import LostBy
from sessions.context.vocabulary import DropReason, Layer
from sessions.explaining import Explanation
from sessions.packet_layers import ItemLine
from sessions.packet_losses import Lost
from sessions.packet_opening import Opened, reader_of
from sessions.packet_refs import Namer, Source, packet_page
from sessions.packet_words import word_of
from sessions.replay import Replayed
from sessions.vocabulary import Explained, Overlooked, PartLoss, ReplayVerdict

VERDICTS: Mapping[Explained, Promise] = {
    Explained.IN: gettext_lazy("It was in the packet."),
    Explained.PARTLY: gettext_lazy("A part of it was in the packet."),
    Explained.HELD: gettext_lazy("It belongs to the packet and was not sent again: the harness holds it."),
    Explained.CUT: gettext_lazy("It was considered and cut."),
    Explained.NOT_ELIGIBLE: gettext_lazy("It was not eligible: a gate kept it out, whatever room there was."),
    Explained.NEVER_CONSIDERED: gettext_lazy("It was never considered."),
}
PART_WORDS: Mapping[str, Promise] = {
    "in": gettext_lazy("in the packet"),
    "held": pgettext_lazy("parts", "held by the harness"),
    "left_out": gettext_lazy("left out"),
    "never_considered": pgettext_lazy("parts", "never considered"),
}
"""What becomes of parts, in the order in which they are counted."""
SEARCH_RULES: Mapping[str, Promise] = {
    LostBy.UNLIKE: gettext_lazy("The search looked at it and found too little in it of what was asked."),
    LostBy.CORRECTED: gettext_lazy("The search found it, and a memory in use says otherwise since."),
    LostBy.SAID_ALREADY: gettext_lazy("The search found it, and something better says the same."),
    LostBy.OVER_LIMIT: gettext_lazy("The search found it, and there were enough better ones."),
}
OVERLOOKED: Mapping[Overlooked, Promise] = {
    Overlooked.NOT_THERE: gettext_lazy(
        "Nothing of this name is there for you. Check how it is spelt; its version counts as well."
    ),
    Overlooked.LATER: gettext_lazy("It was made after this packet."),
    Overlooked.ANOTHER_THREAD: gettext_lazy(
        "It belongs to another thread; from there only what the search finds can come."
    ),
    Overlooked.ANOTHER_SESSION: gettext_lazy(
        "It belongs to another session; from there only what the search finds can come."
    ),
    Overlooked.ANOTHER_TASK: gettext_lazy("It holds on another task than the one in hand."),
    Overlooked.BEFORE_TAIL: gettext_lazy(
        "It is older than what a compile reads of its session, and the search did not bring it."
    ),
    Overlooked.AS_INPUT: gettext_lazy(
        "It is what the request itself said: it stands in the packet as the user’s input."
    ),
    Overlooked.COVERED: gettext_lazy(
        "It is older than what a compile reads of its session; the work summary in the packet covers it."
    ),
    Overlooked.NOT_IN_USE: gettext_lazy("The memory was not in use when the packet was compiled."),
    Overlooked.REPLACED: gettext_lazy("Another version of it was the one to be taken."),
    Overlooked.NOT_PINNED: gettext_lazy("It is no contract that the attempt began with."),
    Overlooked.NOT_ASKED: gettext_lazy(
        "The turn only went on, so what an earlier packet had found was kept and no search was made."
    ),
    Overlooked.NOT_FOUND: gettext_lazy("The search did not bring it: it has too little in common with what was asked."),
    Overlooked.NOT_SEARCHED: gettext_lazy("It is of a kind that no search looks through."),
    Overlooked.NOT_LATEST: gettext_lazy(
        "The project’s state takes the latest summaries of the open threads that were active last, and this is none."
    ),
    Overlooked.REFUSED: gettext_lazy("The request was refused, because what must be in did not fit: nothing entered."),
}
REPLAYS: Mapping[ReplayVerdict, Promise] = {
    ReplayVerdict.IDENTICAL: gettext_lazy("The same material gave the same bytes."),
    ReplayVerdict.PARTS_LOST: gettext_lazy("It cannot be made again: parts of it are no longer what they were."),
    ReplayVerdict.DIFFERENT: gettext_lazy(
        "Every part is there, and today’s compiler gives other bytes than were recorded. Please report this packet."
    ),
}
REFUSED_AGAIN = gettext_lazy("The same material was refused again, with the same shortfall.")
LOSSES: Mapping[PartLoss, Promise] = {
    PartLoss.ERASED: gettext_lazy("erased"),
    PartLoss.REVOKED: gettext_lazy("revoked since"),
    PartLoss.CHANGED: gettext_lazy("says something else now"),
    PartLoss.NOT_HERE: gettext_lazy("not open to you"),
    PartLoss.MOVED: gettext_lazy("has a newer version"),
}


@dataclass(frozen=True, slots=True)
class ShortLine:
    """A layer whose required content did not fit, in tokens."""

    layer: Layer
    needed: int
    available: int

    @classmethod
    def of(cls, stored: Sequence[Mapping[str, Any]] | None) -> "list[ShortLine]":
        """Return the lines of a packet's shortfall as its row or its answer says it; None has none."""
        return [cls(Layer(one["layer"]), one["needed"], one["available"]) for one in stored or ()]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyTold:
    """An explanation: the verdict as a sentence, its reason with the stored word, and what stands in its place."""

    verdict: Promise
    layer: Layer | None
    items: Sequence[ItemLine]
    tokens: int | None
    reason: Promise | str
    code: str
    by: Source | None
    shortfall: Sequence[ShortLine]
    parts: Sequence[tuple[Promise, int]]


@dataclass(frozen=True, slots=True)
class LossLine:
    """A part that is gone, and why."""

    source: Source
    why: Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayTold:
    """What a replay came to. `hash` is None where nothing could be compiled."""

    verdict: Promise
    good: bool
    recorded: str
    hash: str | None
    lost: Sequence[LossLine]


def why_told(opened: Opened, said: Explanation) -> WhyTold:
    """Return an explanation in the reader's words."""
    reader = reader_of(opened)
    return WhyTold(
        verdict=VERDICTS[said.verdict],
        layer=said.layer,
        items=reader.lines(said.items),
        tokens=said.tokens,
        reason=_reason(said),
        code=said.rule or said.gate or said.why or "",
        by=_by(reader.namer, said.by) if said.by else None,
        shortfall=ShortLine.of(said.shortfall),
        parts=[(PART_WORDS[fate], number) for fate, number in said.parts.items() if number],
    )


def loss_lines(lost: Sequence[Lost], namer: Namer) -> Sequence[LossLine]:
    """Return lost parts in the reader's words."""
    return [LossLine(namer.source(one.ref), LOSSES[one.why]) for one in lost]


def replay_told(replayed: Replayed, namer: Namer) -> ReplayTold:
    """Return what a replay came to in the reader's words."""
    again = replayed.verdict is ReplayVerdict.IDENTICAL
    return ReplayTold(
        verdict=REFUSED_AGAIN if again and replayed.refused else REPLAYS[replayed.verdict],
        good=again,
        recorded=replayed.recorded,
        hash=replayed.hash,
        lost=loss_lines(replayed.lost, namer),
    )


def _reason(said: Explanation) -> Promise | str:
    if said.why is not None:
        return OVERLOOKED[said.why]
    named = said.rule or said.gate or ""
    return SEARCH_RULES.get(named) or word_of(DropReason, named)


def _by(namer: Namer, ref: str) -> Source:
    return packet_page(namer.project, ref) if ref.startswith("pkt_") else namer.source(ref)
