"""A part of a transcript for a reader: in order, bounded in entries and in characters, whatever the session holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import regex
from django.db.models import QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Left, Length

from governance.errors import Invalid
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.vocabulary import ActorKind
from sessions.models import Event, Session
from sessions.models.segment import texts_of
from sessions.vocabulary import AttestedBy, EventKind, EventRole

PAGE_DEFAULT, PAGE_MOST = 50, 200
PAGE_CHARACTERS = 400_000  # of all entries of one page together, so that a page stays one that a browser can hold
ENTRY_CHARACTERS = 8_000  # of one entry; the rest is opened by its ref, in pieces
FOLDED_LINES, FOLDED_CHARACTERS = 12, 1_200  # beyond one of them a tool's output begins folded
FIRST_LINE, REF_SHOWN = 120, 300
GRAPHEME = regex.compile(r"\X")
SEAM = 64  # characters before a cut in which its last grapheme lies
TOOLS = (EventKind.TOOL_CALL, EventKind.TOOL_RESULT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Which part of a transcript: filters, and one of `before`, `after` and `start` as a seq; none means the end."""

    kind: EventKind | None = None
    role: EventRole | None = None
    before: int | None = None
    after: int | None = None
    start: int | None = None
    size: int = PAGE_DEFAULT


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One transcript entry as a page shows it. `left_out` counts the characters of the text that are not here.

    `at` is when it happened where somebody said so or the console heard it (`occurred`), else when it was received.
    """

    seq: int
    role: EventRole
    kind: EventKind
    ref: str
    writer: str
    by_human: bool
    attested_by: AttestedBy
    at: datetime
    occurred: bool
    tokens: int
    text: str
    left_out: int
    tool: str
    failed: bool
    artifact_id: str
    artifact_tokens: int | None
    retires: str
    stands: bool

    @property
    def language(self) -> str:
        return language_of(self.text)

    @property
    def of_tool(self) -> bool:
        return self.kind in TOOLS

    @property
    def weighty(self) -> bool:
        """Whether it binds later packets: a demand, or what corrects one."""
        return self.kind in (EventKind.CONSTRAINT, EventKind.CORRECTION)

    @property
    def folded(self) -> bool:
        long = len(self.text) > FOLDED_CHARACTERS or self.text.count("\n") >= FOLDED_LINES
        return self.kind is not EventKind.MESSAGE and not self.weighty and long

    @property
    def first_line(self) -> str:
        line = self.text.lstrip().partition("\n")[0]
        return whole_graphemes(line[:FIRST_LINE]) if len(line) > FIRST_LINE else line


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Entries in order, and the seqs from which the parts before and after them are asked for; None at an end."""

    entries: Sequence[Entry]
    earlier: int | None
    later: int | None


def part_of(session: Session, window: Window, *, standing: Sequence[str]) -> Part:
    """Return a part of a session's transcript in the open scope, in one statement; in two where texts rest.

    `standing` are the refs of the demands that hold. Raises Invalid for a size outside 1 to PAGE_MOST.
    """
    if not 1 <= window.size <= PAGE_MOST:
        raise Invalid.at("?size", f"expected 1 to {PAGE_MOST}")
    rows = _filtered(session, window)
    forward = window.after is not None or window.start is not None
    if window.before is not None:
        rows = rows.filter(seq__lt=window.before)
    if window.after is not None:
        rows = rows.filter(seq__gt=window.after)
    if window.start is not None:
        rows = rows.filter(seq__gte=window.start)
    found = list(rows.order_by("seq" if forward else "-seq")[: window.size + 1])
    more, found = len(found) > window.size, found[: window.size]
    found = found if forward else found[::-1]
    _give_heads(found, window)
    entries = [_entry(session, row, standing=standing) for row in found]
    earlier = _earlier(window, entries, more=more and not forward)
    later = entries[-1].seq if entries and (more if forward else window.before is not None) else None
    return Part(entries=entries, earlier=earlier, later=later)


def whole_graphemes(text: str) -> str:
    """Return a text that was cut somewhere without the piece of a grapheme at its end."""
    seam = max(len(text) - SEAM, 0)
    starts = [found.start() for found in GRAPHEME.finditer(text, seam)]
    return text[: starts[-1]] if len(starts) > 1 else text


def _earlier(window: Window, entries: Sequence[Entry], *, more: bool) -> int | None:
    if not entries:
        return None
    first = entries[0].seq
    forward = window.after is not None or window.start is not None
    return first if more or (forward and first > 1) else None


def _each(window: Window) -> int:
    """Return how many characters of one entry a page shows."""
    return min(ENTRY_CHARACTERS, PAGE_CHARACTERS // window.size)


def _filtered(session: Session, window: Window) -> QuerySet[Event]:
    rows = Event.objects.filter(session=session).select_related("actor", "artifact")
    rows = rows.defer("text", "meta", "content_hash", "artifact__content")
    rows = rows.annotate(head=Left("text", _each(window)), length=Length("text"), retires=KT("meta__retires"))
    if window.kind is not None:
        rows = rows.filter(kind=window.kind)
    return rows if window.role is None else rows.filter(role=window.role)


def _give_heads(rows: Sequence[Event], window: Window) -> None:
    """Give the entries whose texts rest in segments what the statement found of the others."""
    texts = texts_of((row.segment_id, row.seq) for row in rows)
    for row in rows if texts else ():
        text = texts.get((row.segment_id, row.seq))
        if text is not None:
            row.head, row.length = text[: _each(window)], len(text)  # type: ignore[attr-defined]  # as _filtered does


def _entry(session: Session, row: Event, *, standing: Sequence[str]) -> Entry:
    head: str = row.head  # type: ignore[attr-defined]  # annotated by _filtered
    length: int = row.length  # type: ignore[attr-defined]  # annotated by _filtered
    kept = whole_graphemes(head) if length > len(head) else head
    ref = f"event://{session.public_id}/{row.seq}"
    retires: str | None = row.retires  # type: ignore[attr-defined]  # annotated by _filtered
    return Entry(
        seq=row.seq,
        role=EventRole(row.role),
        kind=EventKind(row.kind),
        ref=ref,
        writer=made_visible(row.actor.name),
        by_human=row.actor.kind == ActorKind.HUMAN,
        attested_by=AttestedBy(row.attested_by),
        at=row.occurred_at or row.created_at,
        occurred=row.occurred_at is not None or row.attested_by == AttestedBy.CONSOLE,
        tokens=row.tokens_o200k,
        text=made_visible(kept),
        left_out=length - len(kept),
        tool=made_visible(row.tool),
        failed=row.failed is True,
        artifact_id=public_id("art", row.artifact_id) if row.artifact_id else "",
        artifact_tokens=row.artifact.tokens_o200k if row.artifact else None,
        retires=made_visible(retires or "")[:REF_SHOWN] if row.kind == EventKind.CORRECTION else "",
        stands=ref in standing,
    )
