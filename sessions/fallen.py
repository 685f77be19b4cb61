"""Sentences of summaries and handoffs that rest on a memory which no longer holds: withheld, or said to be outdated."""

import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum

from governance.ids import public_id
from memories.models import Memory
from memories.vocabulary import ArchivedFor, MemoryStatus
from sessions.context.material import HandoffFact, SummaryFact
from sessions.context.vocabulary import SummarySection

CITED = re.compile(r"memory://(mem_[0-9a-f]{32})(?:@(\d{1,9}))?")
# Archived for one of these, it says what is no longer so; the others are still true, and only not kept at hand.
UNTRUE = (
    ArchivedFor.SUPERSEDED,
    ArchivedFor.DELETED,
    ArchivedFor.LOST_CONFLICT,
    ArchivedFor.PARENT_REVOKED,
    ArchivedFor.EXPIRED,
)
WITHHELD = "(withheld: it rested on {ref}, which was revoked)"
OUTDATED = "{line} (outdated: {ref} has changed since)"


class Fall(StrEnum):
    """What became of a memory that a sentence cites."""

    REVOKED = "revoked"
    OUTDATED = "outdated"


type Fallen = Mapping[str, Fall]


def fallen_in(summary: SummaryFact | None, handoff: HandoffFact | None) -> dict[str, Fall]:
    """Return which of the memories that they cite no longer hold, by ref as cited. One statement, none without refs."""
    found = {form[0]: form for line in _lines(summary, handoff) for form in CITED.finditer(line)}
    ids = {uuid.UUID(form[1].removeprefix("mem_")) for form in found.values()}
    if not ids:
        return {}
    rows = Memory.objects.filter(pk__in=ids).values_list("pk", "status", "archived_for", "version")
    states = {public_id("mem", pk): (status, why, version) for pk, status, why, version in rows}
    fates = {ref: _fall(int(form[2] or 0), *states[form[1]]) for ref, form in found.items() if form[1] in states}
    return {ref: fate for ref, fate in sorted(fates.items()) if fate is not None}


def without_fallen(summary: SummaryFact | None, fallen: Fallen) -> SummaryFact | None:
    """Return a summary whose sentences no longer say what was revoked. A constraint stands: it is never lost."""
    if summary is None or not fallen:
        return summary
    sections = {
        name: tuple(_told(line, fallen, keep=name == SummarySection.CONSTRAINTS) for line in lines)
        for name, lines in summary.sections.items()
    }
    return replace(summary, sections=sections)


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
    cited = [form[0] for form in CITED.finditer(line) if form[0] in fallen]
    revoked = [ref for ref in cited if fallen[ref] is Fall.REVOKED]
    if revoked and not keep:
        return WITHHELD.format(ref=revoked[0])
    return OUTDATED.format(line=line, ref=", ".join(cited)) if cited else line
