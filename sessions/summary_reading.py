"""What the page of a work summary's version shows, as plain values."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.functional import Promise

from governance.errors import NotThere
from governance.ids import public_id
from governance.invisible import made_visible
from governance.places import page_of_ref
from sessions.context.summary_lines import Line, parse
from sessions.context.vocabulary import SummarySection
from sessions.fallen import said_now
from sessions.models import Session, WorkSummary
from sessions.session_words import SUMMARY_TRIGGERS
from sessions.summaries.staleness import staleness
from sessions.thread_lines import Words
from sessions.transcripts import event_ref

MOST_VERSIONS = 50  # that the page lists, the newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """What a line rests on: as it is written, and the page that shows it."""

    name: str
    href: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLine:
    """A line without its citations. `fresh`: the version before does not have it."""

    words: Words
    mark: str
    times: int
    cited: Sequence[Cited]
    fresh: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLine:
    """One version in the list of them."""

    public_id: str
    version: int
    to_seq: int
    trigger: Promise | str
    author: str
    at: datetime
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPage:
    """A version with its coverage. `added_from` is the first entry that the version before does not cover, `gone` the
    lines that this one no longer has, `stale_*` what holds of the current version.

    Without sections and not `erased`, it found nothing to keep.
    """

    session: Session
    row: VersionLine
    current: VersionLine
    sections: Sequence[tuple[SummarySection, Sequence[ShownLine]]]
    gone: Sequence[tuple[SummarySection, Words]]
    versions: Sequence[VersionLine]
    head: int
    added_from: int
    stale_since: datetime | None
    stale_because: Sequence[str]
    erased: bool

    @property
    def is_current(self) -> bool:
        return self.row.version == self.current.version

    @property
    def behind(self) -> int:
        """How many entries no version covers yet."""
        return max(self.head - self.current.to_seq, 0)

    @property
    def shares(self) -> Mapping[str, int]:
        """Per cent of the transcript: what earlier versions cover, and what this one added."""
        whole = max(self.head, 1)
        before = round(100 * (self.added_from - 1) / whole)
        until = round(100 * min(self.row.to_seq, whole) / whole)
        return {"before": before, "added": until - before}


def summary_page(project: str, summary_id: uuid.UUID) -> SummaryPage:
    """Return what there is to show of a version, in the open scope; raises NotThere."""
    row = (
        WorkSummary.objects.filter(pk=summary_id)
        .select_related("session", "session__thread", "author", "parent")
        .first()
    )
    if row is None:
        raise NotThere
    versions = list(
        WorkSummary.objects.filter(session=row.session).select_related("author").order_by("-version")[:MOST_VERSIONS]
    )
    since, because = staleness(row.session, versions[0])
    lines = [_version(one) for one in versions]
    return SummaryPage(
        session=row.session,
        row=_version(row),
        current=lines[0],
        sections=_sections(project, row),
        gone=_gone(row),
        versions=lines,
        head=row.session.head_seq,
        added_from=min(row.parent.to_seq + 1, row.to_seq) if row.parent else 1,
        stale_since=since,
        stale_because=because,
        erased=not row.sections,
    )


def address_of(project: str, row: WorkSummary) -> str:
    """Return the address of a version's page."""
    return reverse("summary", args=[project, row.public_id])


def _version(row: WorkSummary) -> VersionLine:
    return VersionLine(
        public_id=row.public_id,
        version=row.version,
        to_seq=row.to_seq,
        trigger=SUMMARY_TRIGGERS.get(row.trigger) or made_visible(row.trigger),
        author=made_visible(row.author.name),
        at=row.created_at,
        tokens=row.tokens_o200k,
    )


def _sections(project: str, row: WorkSummary) -> list[tuple[SummarySection, Sequence[ShownLine]]]:
    """The lines of a version, without what rests on what was revoked since."""
    before = row.parent.sections if row.parent else {}
    told = said_now(row.sections)
    return [
        (
            name,
            [
                _line(project, row.session, now, fresh=written not in before.get(name, ()))
                for written, now in zip(said, told[name], strict=True)
            ],
        )
        for name in SummarySection
        if (said := row.sections.get(name))
    ]


def _line(project: str, session: Session, written: str, *, fresh: bool) -> ShownLine:
    line = parse(written)
    return ShownLine(
        words=Words.of(line.text),
        mark=line.mark or "",
        times=line.times,
        cited=_cited(project, session, line),
        fresh=fresh,
    )


def _cited(project: str, session: Session, line: Line) -> list[Cited]:
    events = [Cited(name=f"{seq}", href=page_of_ref(project, event_ref(session, seq))) for seq in line.seqs]
    return [*events, *(Cited(name=made_visible(ref), href=page_of_ref(project, ref)) for ref in line.refs)]


def _gone(row: WorkSummary) -> list[tuple[SummarySection, Words]]:
    """The lines of the version before that this one has nowhere."""
    if row.parent is None:
        return []
    held = {line for lines in row.sections.values() for line in lines}
    before = row.parent.sections
    gone = {name.value: [line for line in before.get(name, ()) if line not in held] for name in SummarySection}
    return [(SummarySection(name), Words.of(line)) for name, lines in said_now(gone).items() for line in lines]


def thread_of(session: Session) -> tuple[str, Words]:
    """Return the id and the title of the thread of a session."""
    return public_id("thr", session.thread_id), Words.of(session.thread.title)
