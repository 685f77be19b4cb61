"""What is stored of a session for whoever picks it up, and what of that is lost, harmed or no longer true."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from governance.rows import fetch
from governance.vocabulary import JobState
from sessions.context.material import SummaryFact
from sessions.facts import handoff_fact, summary_fact
from sessions.fallen import fallen_in
from sessions.models import Session
from sessions.reading import ITS_HANDOFF, decoded
from sessions.vocabulary import Chore, Loss, Recovery

KEPT = f"""
SELECT
  (SELECT count(*) FROM agent_sessions_event e WHERE e.session_id = %(session)s),
  %(told)s::text IS NULL OR EXISTS (
    SELECT FROM agent_sessions_event e WHERE e.session_id = %(session)s AND e.client_id = %(told)s),
  (SELECT to_json(s) FROM agent_sessions_worksummary s
   WHERE s.session_id = %(session)s ORDER BY s.version DESC LIMIT 1),
  (SELECT to_json(h) FROM {ITS_HANDOFF}),
  EXISTS (SELECT FROM governance_job j WHERE j.project_id = %(project)s AND j.kind = %(kind)s
          AND j.subject = %(subject)s AND j.state = %(quarantined)s)
"""  # noqa: S608 - put together from literals


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is there for whoever picks a session up.

    `absent` was never made; `harmed` is there, and must not pass for whole. `usable` says whether anything is left.
    """

    absent: tuple[Loss, ...]
    harmed: tuple[Loss, ...]
    usable: bool

    @property
    def missing(self) -> tuple[Loss, ...]:
        """What a process without the harness's own session has to do without."""
        return (Loss.PROVIDER_SESSION, *self.absent, *self.harmed)


def kept_of(session: Session, *, told: str | None = None) -> Kept:
    """Return what is kept of a session, in the open scope. One statement, two where a summary or handoff cites.

    `told` is the client id of the last entry that the harness believes to have delivered.
    """
    values: dict[str, Any] = {"project": session.project_id, "thread": session.thread_id, "session": session.pk}
    values |= {"own": session.task_id, "hearer": session.role, "told": told}
    values |= {"kind": Chore.SUMMARISE, "subject": session.public_id, "quarantined": JobState.QUARANTINED}
    [(count, knows_told, summary, handoff, stuck)] = fetch(KEPT, values)
    return judge(
        session,
        count=count,
        knows_told=knows_told,
        summary=decoded(summary),
        handoff=decoded(handoff),
        stuck=stuck,
    )


def judge(
    session: Session,
    *,
    count: int,
    knows_told: bool,
    summary: Mapping[str, Any] | None,
    handoff: Mapping[str, Any] | None,
    stuck: bool = False,
) -> Kept:
    """Return what is lost, from what was read; `stuck` says that its summary has been given up."""
    said, given = summary_fact(summary), handoff_fact(handoff)
    there = {Loss.EVENTS: session.head_seq > 0, Loss.WORK_SUMMARY: bool(summary), Loss.HANDOFF: bool(handoff)}
    partial = bool(handoff) and (given is None or bool(fallen_in(None, given)))
    harm = {
        Loss.TRANSCRIPT_PART: count != session.head_seq or not knows_told,
        Loss.CURRENT_SUMMARY: _is_stale(summary, said, session) or (stuck and bool(summary)),
        Loss.WHOLE_HANDOFF: partial,
    }
    return Kept(
        absent=tuple(name for name, is_there in there.items() if not is_there),
        harmed=tuple(name for name, is_harmed in harm.items() if is_harmed),
        usable=count > 0 or said is not None or given is not None,
    )


def _is_stale(summary: Mapping[str, Any] | None, said: SummaryFact | None, session: Session) -> bool:
    """Return whether a summary cannot be read, covers what was never said, or rests on what no longer holds."""
    return summary is not None and (said is None or summary["to_seq"] > session.head_seq or bool(fallen_in(said, None)))


def recovered(kept: Kept, *, alive: bool) -> tuple[Recovery, tuple[Loss, ...]]:
    """Return how a new attempt picks a session up, and what it has to do without.

    A provider session that is alive holds what was never written down here, but not what is harmed: that the work goes
    on as it was would then be a guess. Nothing at all to go on from is a failure, and said to be one.
    """
    if alive and not kept.harmed:
        return Recovery.RESUMED, ()
    if alive:
        return Recovery.REBUILT, kept.harmed
    return (Recovery.REBUILT if kept.usable else Recovery.FAILED), kept.missing
