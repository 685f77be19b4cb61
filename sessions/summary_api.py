"""HTTP: the work summary of a session, brought up to date by the engine or written by the agent itself."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import Field

from governance.actors import Acting
from governance.errors import NotThere
from governance.input import Count, Input, Text, Word
from governance.replays import written
from governance.scope import project_scope
from governance.vocabulary import KeyScope
from governance.web import acting_of, answer
from sessions.consolidation_due import ask_for_summary, catch_up
from sessions.fallen import said_now
from sessions.models import Session, WorkSummary
from sessions.session_api import session_here
from sessions.summaries.checking import MOST_LINES
from sessions.summaries.reading import current_summary
from sessions.summaries.staleness import staleness
from sessions.summaries.writing import Outcome, submit

router = Router(tags=["sessions"])


class CheckpointIn(Input):
    sections: dict[Word, Annotated[list[Text], Field(max_length=MOST_LINES)]] | None = None
    base_version: Count | None = None
    trigger: Word = "checkpoint"


@router.post("/sessions/{session_id}/checkpoint", operation_id="checkpoint_session")
def post_checkpoint(request: HttpRequest, session_id: str, body: CheckpointIn) -> HttpResponse:
    """Bring the work summary up to date, or publish the caller's own: a line quotes what it cites."""

    def write(acting: Acting) -> HttpResponse:
        session, now = session_here(acting, session_id), timezone.now()
        outcome = _checkpoint(acting, session, body, now=now)
        return answer(_checkpoint_out(session, outcome), status=201 if outcome.published else 200)

    return written(request, KeyScope.SESSION_WRITE, write)


@router.get("/sessions/{session_id}/summary", operation_id="get_summary")
def get_summary(request: HttpRequest, session_id: str) -> HttpResponse:
    """Show the last valid version of a session's work summary, and since when and why it is stale."""
    acting = acting_of(request, KeyScope.SESSION_WRITE)
    with project_scope(acting, read_only=True):
        session = session_here(acting, session_id)
        row = current_summary(session)
        if row is None:
            message = "this session has no summary yet; POST …/checkpoint writes one"
            raise NotThere.at("{session_id}", message, code="no_summary")
        return answer(summary_out(session, row))


def _checkpoint(acting: Acting, session: Session, body: CheckpointIn, *, now: datetime) -> Outcome:
    if body.sections is None:
        return catch_up(acting, session, trigger=body.trigger, now=now)
    row = submit(acting, session, body.sections, base=body.base_version, trigger=body.trigger, now=now)
    behind = row.to_seq < session.head_seq
    if behind:
        ask_for_summary(acting, session)
    return Outcome(summary=row, published=True, goes_on=behind)


def _checkpoint_out(session: Session, outcome: Outcome) -> dict[str, Any]:
    problems = [{"code": one.fault, "section": one.section, "remedy": one.remedy} for one in outcome.problems]
    shown = summary_out(session, outcome.summary) if outcome.summary else None
    told = {"published": outcome.published, "problems": problems, "more_queued": outcome.goes_on}
    return {"summary": shown} | told


def summary_out(session: Session, row: WorkSummary) -> dict[str, Any]:
    """Return a version as the API shows it: a number in a line's brackets is an event of the session."""
    since, because = staleness(session, row)
    return {
        "id": row.public_id,
        "session_id": session.public_id,
        "version": row.version,
        "ref": f"summary://{row.public_id}@{row.version}",
        "covers": f"event://{session.public_id}/{row.from_seq}-{row.to_seq}",
        "head_seq": session.head_seq,
        "trigger": row.trigger,
        "tokens": row.tokens_o200k,
        "sections": said_now(row.sections),
        "stale_since": since,
        "stale_because": because,
        "created_at": row.created_at,
    }
