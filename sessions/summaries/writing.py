"""Publishing versions of a work summary: one verb for the engine, one for an agent's own, the same validators for both.

A version is written after the one it was made from, and the database takes one of each number: of two writers at once
the second finds the first's and is done. What is refused leaves the last valid version as it is, and a row that says
so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction

from governance.actors import Acting
from governance.audit import fingerprint
from governance.errors import Clash, FieldFault, Invalid
from governance.models.base import reach_of
from governance.scope import project_scope, record
from sessions.context.summary_lines import NOTHING, Sections, tokens_of
from sessions.models import Session, SummaryRefusal, WorkSummary
from sessions.summaries.checking import Basis, Problem, check, check_says
from sessions.summaries.drafting import draft
from sessions.summaries.entries import Entry
from sessions.summaries.offering import offer
from sessions.summaries.reading import (
    MOST_READ,
    asking_before,
    cited_entries,
    current_summary,
    entries_since,
    holding,
    normalised,
    opened_refs,
)

TRIES = 3  # of a writer that finds another's version in its place, before it gives way


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What stands now. `published`: this very call wrote it; `problems`: why it wrote nothing, though it was due.

    `goes_on`: there are more entries than one version takes, and the next call goes on with them.
    """

    summary: WorkSummary | None
    published: bool = False
    problems: Sequence[Problem] = ()
    goes_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What the next version is made from: the last one, what of it still holds, and the entries since.

    `head` is the last entry that the version will cover; `goes_on` says that there are more after it. `asking` is what
    the agent said before them that a user may answer in the first.
    """

    last: WorkSummary | None
    parent: Sections
    covered: int
    head: int
    entries: Sequence[Entry]
    renews: bool
    goes_on: bool
    asking: Entry | None

    @property
    def is_covered(self) -> bool:
        """Whether there is nothing to work in: no entry since, and no line that rests on what was revoked."""
        return self.head <= self.covered and not self.renews


def summarise(acting: Acting, session: Session, *, trigger: str, now: datetime) -> Outcome:
    """Bring the work summary of a session up to date, deterministically, over what no version covers yet.

    Reads nothing before that but the last version, and takes MOST_READ entries at once. Calling it again, or twice at
    once, writes each range once: who comes second gets what the first wrote. A range in which nothing is to be kept is
    covered by a version that says so. Where the validators refuse, the last valid version stays current.
    """
    with project_scope(acting):
        for _ in range(TRIES):
            ground = ground_of(session)
            if ground.is_covered:
                return Outcome(summary=ground.last)
            written = draft(ground.parent, ground.entries, budget=room(), asking=ground.asking)
            problems = check(written.sections, _basis(acting, session, ground, written.sections))
            if problems:
                _refuse(acting, session, ground, problems, trigger=trigger, now=now)
                return Outcome(summary=ground.last, problems=problems)
            row = _publish(acting, session, ground, written.sections, trigger=trigger, now=now)
            if row is not None:
                return Outcome(summary=row, published=True, goes_on=ground.goes_on)
        return Outcome(summary=current_summary(session))


def submit(
    acting: Acting,
    session: Session,
    sections: Mapping[str, Sequence[str]],
    *,
    base: int | None,
    trigger: str,
    now: datetime,
) -> WorkSummary:
    """Publish an agent's own version, which covers everything up to now.

    `base` is the version that its writer saw, None for whichever is current. Raises Clash (summary_moved) where that
    is not the current one, and Invalid (summary_refused) with a fault for each line and its remedy.
    """
    with project_scope(acting):
        ground = ground_of(session)
        current = ground.last.version if ground.last else 0
        if base is not None and base != current:
            message = f"the current version is {current}; read it and write yours on it"
            raise Clash.at("/base_version", message, code="summary_moved")
        told = normalised(session, sections)
        problems = [*check_says(told), *check(told, _basis(acting, session, ground, told))]
        if problems:
            raise refused(problems)
        row = _publish(acting, session, ground, told, trigger=trigger, now=now)
        if row is None:
            message = "another version was published meanwhile; read it and write yours on it"
            raise Clash.at("/sections", message, code="summary_moved")
        return row


def refused(problems: Sequence[Problem]) -> Invalid:
    """Return the refusal of a version: each fault names its section, its line and the remedy."""
    faults = tuple(FieldFault(_pointer(one), one.fault, _message(one)) for one in problems)
    detail = f"{len(faults)} faults keep this version from being published; the first: {faults[0].message}"
    return Invalid(detail, code="summary_refused", faults=faults)


def _pointer(one: Problem) -> str:
    place = f"/{one.section}" if one.section else ""
    return f"/sections{place}" + (f"/{one.index}" if one.index is not None else "")


def _message(one: Problem) -> str:
    return f"“{one.line}”: {one.remedy}" if one.line and one.index is not None else one.remedy


def room() -> int:
    """Return how many tokens a version may hold."""
    return int(settings.GREYWIND.summary_tokens)


def ground_of(session: Session) -> Ground:
    """Return what the next version of a session's summary is made from, in the open scope."""
    last = current_summary(session)
    head = Session.objects.values_list("head_seq", flat=True).get(pk=session.pk)
    blank = last is None or not last.sections  # one whose content was erased is written anew, from the beginning
    covered = 0 if blank or last is None else min(last.to_seq, head)
    parent, fallen = holding(last)
    entries = entries_since(session, covered, upto=head, most=MOST_READ)
    goes_on = len(entries) == MOST_READ and entries[-1].seq < head
    return Ground(
        last=last,
        parent=parent,
        covered=covered,
        head=entries[-1].seq if goes_on else head,
        entries=entries,
        goes_on=goes_on,
        asking=asking_before(session, entries, covered=covered),
        renews=bool(fallen) and parent != (last.sections if last else {}),
    )


def _basis(acting: Acting, session: Session, ground: Ground, sections: Sections) -> Basis:
    at_hand = [*ground.entries, *([ground.asking] if ground.asking else ())]
    return Basis(
        parent=ground.parent,
        entries=ground.entries,
        cited=cited_entries(session, sections, at_hand),
        opened=opened_refs(sections, acting),
        budget=room(),
    )


def _publish(
    acting: Acting, session: Session, ground: Ground, sections: Sections, *, trigger: str, now: datetime
) -> WorkSummary | None:
    """Store the next version; None where somebody else's took its place. Nothing is ever written over."""
    row = WorkSummary(
        project_id=session.project_id,
        session=session,
        version=ground.last.version + 1 if ground.last else 1,
        parent=ground.last,
        from_seq=1,
        to_seq=max(ground.head, 1),
        trigger=trigger[:64],
        author_id=acting.actor_id,
        sections={name: list(lines) for name, lines in sections.items() if lines} or dict(NOTHING),
        tokens_o200k=tokens_of(sections),
        created_at=now,
        **reach_of(session),
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        if not WorkSummary.objects.filter(session=session, version=row.version).exists():
            raise  # it was refused for another reason, which nobody's version explains
        return None
    detail = {
        "session": session.public_id,
        "version": row.version,
        "from_seq": ground.covered + 1,
        "to_seq": row.to_seq,
        "trigger": row.trigger,
        "read": len(ground.entries),
    }
    record("summary.publish", row.public_id, after=fingerprint(row.sections), detail=detail)
    offer(acting, session, ground.entries, now=now)
    return row


def _refuse(
    acting: Acting, session: Session, ground: Ground, problems: Sequence[Problem], *, trigger: str, now: datetime
) -> None:
    told = [{"fault": one.fault.value, "section": one.section} for one in problems]
    version = ground.last.version if ground.last else 0
    if SummaryRefusal.objects.filter(session=session, after_version=version, to_seq=ground.head).exists():
        return  # a sweep asked again, and nothing has changed
    row = SummaryRefusal.objects.create(
        project_id=session.project_id,
        session=session,
        after_version=version,
        to_seq=ground.head,
        trigger=trigger[:64],
        author_id=acting.actor_id,
        problems=told,
        created_at=now,
        **reach_of(session),
    )
    detail = {"session": session.public_id, "faults": sorted({one["fault"] for one in told}), "to_seq": ground.head}
    record("summary.refuse", row.public_id, detail=detail)
