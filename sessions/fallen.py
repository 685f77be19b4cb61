"""Sentences that rest on a memory which no longer holds, wherever they stand: withheld, or said to be outdated."""

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import overload

from governance.ids import public_id
from memories.models import Memory
from memories.vocabulary import ArchivedFor, MemoryStatus
from sessions.context.material import EventFact, HandoffFact, HitFact, Material, StandFact, SummaryFact
from sessions.context.seams import body_tokens
from sessions.context.tokens import STORED_ENCODING, exact_counter
from sessions.context.vocabulary import SummarySection

type Stands = tuple[StandFact, ...] | None

CITED = re.compile(r"memory://(mem_[0-9a-f]{32})(?:@(\d{1,9}))?")
# Archived for one of these, it says what is no longer so; the others are still true, and only not kept at hand.
UNTRUE = (
    ArchivedFor.SUPERSEDED,
    ArchivedFor.DELETED,
    ArchivedFor.LOST_CONFLICT,
    ArchivedFor.PARENT_REVOKED,
    ArchivedFor.EXPIRED,
)
MEMORY_FELL = "memory_fell"
"""Why a version is stale that rests on a memory which no longer holds."""
WITHHELD = "(withheld: it rested on {ref}, which was revoked)"
OUTDATED = "{line} (outdated: {ref} has changed since)"


class Fall(StrEnum):
    """What became of a memory that a sentence cites."""

    REVOKED = "revoked"
    OUTDATED = "outdated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallen:
    """Which of the cited memories no longer hold, by ref as cited, and since when each does not, as an ISO time."""

    fates: Mapping[str, Fall] = field(default_factory=dict)
    since: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.fates)


def fallen_in(
    summary: SummaryFact | None, handoff: HandoffFact | None, *others: SummaryFact, said: Iterable[str] = ()
) -> Fallen:
    """Return which of the memories that they, and what else is `said`, cite no longer hold. One statement, none
    without refs.
    """
    beside = (line for other in others for line in _lines(other, None))
    return fallen_among([*_lines(summary, handoff), *beside, *said])


def fallen_among(told: Iterable[str]) -> Fallen:
    """Return which of the memories that some texts cite no longer hold. One statement, none without refs."""
    found = {form[0]: form for line in told for form in CITED.finditer(line)}
    ids = {uuid.UUID(form[1].removeprefix("mem_")) for form in found.values()}
    if not ids:
        return Fallen()
    rows = Memory.objects.filter(pk__in=ids).values_list("pk", "status", "archived_for", "version", "updated_at")
    states = {public_id("mem", pk): (status, why, version, at) for pk, status, why, version, at in rows}
    known = {ref: (int(form[2] or 0), *states[form[1]]) for ref, form in sorted(found.items()) if form[1] in states}
    fates = {ref: _fall(cited, status, why, version) for ref, (cited, status, why, version, _) in known.items()}
    gone = {ref: fate for ref, fate in fates.items() if fate is not None}
    return Fallen(fates=gone, since={ref: known[ref][4].isoformat() for ref in gone})


def material_without(material: Material, fallen: Fallen) -> Material:
    """Return what a packet is made of, in sentences that no longer say what was revoked, wherever they stand in it."""
    if not fallen:
        return material
    return replace(
        material,
        summary=without_fallen(material.summary, fallen),
        handoff=handoff_without(material.handoff, fallen),
        events=turns_without(material.events, fallen),
        hits=hits_without(material.hits, fallen),
        project_state=stands_without(material.project_state, fallen),
    )


def stands_without(stands: Stands, fallen: Fallen) -> Stands:
    """Return how threads stand in sentences that no longer say what was revoked."""
    if not stands or not fallen:
        return stands
    return tuple(replace(stand, summary=without_fallen(stand.summary, fallen)) for stand in stands)


@overload
def without_fallen(summary: SummaryFact, fallen: Fallen) -> SummaryFact: ...
@overload
def without_fallen(summary: SummaryFact | None, fallen: Fallen) -> SummaryFact | None: ...
def without_fallen(summary: SummaryFact | None, fallen: Fallen) -> SummaryFact | None:
    """Return a summary whose sentences no longer say what was revoked, stale since the first of that.

    A constraint stands: it is never lost.
    """
    if summary is None or not fallen:
        return summary
    sections = {
        name: tuple(_told(line, fallen, keep=name == SummarySection.CONSTRAINTS) for line in lines)
        for name, lines in summary.sections.items()
    }
    cited = {form[0] for line in _lines(summary, None) for form in CITED.finditer(line)}
    since = min((fallen.since[ref] for ref in cited if ref in fallen.since), default=None)
    earlier = [at for at in (since, summary.stale_since) if at is not None]
    because = (*summary.stale_because, *((MEMORY_FELL,) if since else ()))
    return replace(summary, sections=sections, stale_since=min(earlier, default=None), stale_because=because)


def handoff_without(handoff: HandoffFact | None, fallen: Fallen) -> HandoffFact | None:
    """Return a handoff whose sentences no longer say what was revoked."""
    if handoff is None or not fallen:
        return handoff
    return replace(
        handoff,
        summary=_lines_told(handoff.summary, fallen),
        resume_suggestion=_lines_told(handoff.resume_suggestion, fallen),
        unfinished_items=tuple(_told(line, fallen) for line in handoff.unfinished_items),
        risks=tuple(_told(line, fallen) for line in handoff.risks),
    )


def turns_without(turns: Sequence[EventFact], fallen: Fallen) -> tuple[EventFact, ...]:
    """Return entries of a transcript in lines that no longer say what was revoked.

    What is only out of date was so said at its time, and stays.
    """
    gone = _revoked(fallen)
    return tuple(_turn_told(turn, gone) if _cites(turn.text, gone) else turn for turn in turns)


def hits_without(hits: Sequence[HitFact], fallen: Fallen) -> tuple[HitFact, ...]:
    """Return found passages in lines that no longer say what was revoked."""
    gone = _revoked(fallen)
    return tuple(
        replace(hit, content=_lines_told(hit.content, gone), tokens=None) if _cites(hit.content, gone) else hit
        for hit in hits
    )


def said_now[T: (str, Sequence[str])](said: Mapping[str, T], fallen: Fallen | None = None) -> dict[str, T]:
    """Return the named parts of a summary or a handoff in lines that no longer say what was revoked.

    `fallen` is what is known to have, where several are asked for at once. A constraint stands: it is never lost.
    """
    fallen = fallen_among(texts_in(said)) if fallen is None else fallen
    return {name: _part_told(part, fallen, keep=name == SummarySection.CONSTRAINTS) for name, part in said.items()}


def texts_in(said: Mapping[str, str | Sequence[str]]) -> Iterator[str]:
    """Yield the texts of named parts, each of which is one or a list of them."""
    for part in said.values():
        yield from ([part] if isinstance(part, str) else part)


def _part_told[T: (str, Sequence[str])](part: T, fallen: Fallen, *, keep: bool) -> T:
    if not fallen:
        return part
    if isinstance(part, str):
        return _lines_told(part, fallen)
    return [_told(line, fallen, keep=keep) for line in part]


def _revoked(fallen: Fallen) -> Fallen:
    return Fallen(fates={ref: fate for ref, fate in fallen.fates.items() if fate is Fall.REVOKED})


def _cites(text: str, gone: Fallen) -> bool:
    return any(ref in text for ref in gone.fates)


def _turn_told(turn: EventFact, gone: Fallen) -> EventFact:
    text = _lines_told(turn.text, gone)
    return turn._replace(text=text, tokens=body_tokens(text, exact_counter(STORED_ENCODING)))


def _lines(summary: SummaryFact | None, handoff: HandoffFact | None) -> Iterable[str]:
    if summary is not None:
        yield from (line for lines in summary.sections.values() for line in lines)
    if handoff is not None:
        yield from (handoff.summary, handoff.resume_suggestion, *handoff.unfinished_items, *handoff.risks)


def _fall(cited: int, status: str, why: str, version: int) -> Fall | None:
    if status in (MemoryStatus.REVOKED, MemoryStatus.REJECTED):
        return Fall.REVOKED
    moved = 0 < cited < version
    return Fall.OUTDATED if moved or (status == MemoryStatus.ARCHIVED and why in UNTRUE) else None


def _lines_told(text: str, fallen: Fallen) -> str:
    return "\n".join(_told(line, fallen) for line in text.split("\n"))


def _told(line: str, fallen: Fallen, *, keep: bool = False) -> str:
    cited = [form[0] for form in CITED.finditer(line) if form[0] in fallen.fates]
    revoked = [ref for ref in cited if fallen.fates[ref] is Fall.REVOKED]
    if revoked and not keep:
        return WITHHELD.format(ref=revoked[0])
    return OUTDATED.format(line=line, ref=", ".join(cited)) if cited else line
