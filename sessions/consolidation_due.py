"""Bringing work summaries up to date later: asked for in a transaction that changes a session, done by a worker."""

import time
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext_lazy

from governance.actors import Acting
from governance.errors import Invalid
from governance.ids import parse_id
from governance.jobs import Held, enqueue, finish, progress
from governance.models.base import reach_of
from governance.scope import project_scope
from governance.working import Trade, take_on
from sessions.job_subjects import named_sessions
from sessions.models import Session
from sessions.summaries.model_writing import longest_asking, summarise_with_model, writer_in_use
from sessions.summaries.wires import Writer
from sessions.summaries.writing import Outcome, summarise
from sessions.vocabulary import Chore

ASKED = "asked"  # the trigger of a version that a worker wrote
ROUND_SECONDS = 20.0  # after which a long backlog makes room for other jobs
MOST_SECONDS = 60.0  # of a job, beside what a model may take: three rounds


def ask_for_summary(acting: Acting, session: Session, *, after: timedelta = timedelta(0)) -> None:
    """Ask in the open scope for the work summary of a session to be brought up to date, once it commits.

    Asking again before it is done changes nothing; a session in which nothing was said needs none.
    """
    if session.head_seq:
        enqueue(acting, Chore.SUMMARISE, session.public_id, after=after, reach=reach_of(session))


def catch_up(acting: Acting, session: Session, *, trigger: str, now: datetime) -> Outcome:
    """Write the next version of a session's work summary as `summarise` does, in the open scope.

    What is more than one version takes is left to a worker: nobody waits for it, and it is asked for here.
    """
    outcome = summarise(acting, session, trigger=trigger, now=now)
    if outcome.goes_on:
        ask_for_summary(acting, session)
    return outcome


def take_on_summaries() -> None:
    """Tell the workers how a summary is brought up to date; called once, as the app gets ready."""
    seconds = MOST_SECONDS + longest_asking()
    title = gettext_lazy("Bring a work summary up to date")
    take_on(Chore.SUMMARISE, Trade(run=_summarise, title=title, seconds=seconds, named=named_sessions))


def _summarise(held: Held) -> None:
    """Write version after version until everything is covered, or ask for another round once this one is long.

    A model that writes is asked before that, since a transaction must not wait for it; what it gave is then covered.
    """
    writer = writer_in_use()
    if writer is not None:
        _ask_model(held, writer)
    until = time.monotonic() + ROUND_SECONDS
    while not _is_over(held, until=until):
        continue


def _is_over(held: Held, *, until: float) -> bool:
    """Write the next version in one transaction with how far the job is, or with its end; returns whether it ended.

    So a second delivery finds covered what the first wrote, and whoever lost the lease writes nothing.
    """
    with project_scope(held.acting):
        session = session_of(held.subject)
        done = summarise(held.acting, session, trigger=ASKED, now=timezone.now()) if session else None
        if session is None or done is None or done.summary is None or not done.goes_on:
            finish(held)
            return True
        if time.monotonic() > until:
            ask_for_summary(held.acting, session)
            finish(held)
            return True
        progress(held, done.summary.to_seq, session.head_seq)
        return False


def _ask_model(held: Held, writer: Writer) -> None:
    with project_scope(held.acting, read_only=True):
        session = session_of(held.subject)
    if session is not None:
        summarise_with_model(held.acting, session, writer, trigger=ASKED, now=timezone.now())


def session_of(subject: str) -> Session | None:
    """Return the session that a job is about, in the open scope; None where there is none."""
    try:
        pk = parse_id(Session.PREFIX, subject, pointer="/subject")
    except Invalid:
        return None
    return Session.objects.filter(pk=pk).select_related("thread").first()
