"""Bringing work summaries up to date later: asked for in a transaction that changes a session, done by a worker."""

from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext_lazy

from governance.actors import Acting
from governance.errors import Invalid
from governance.ids import parse_id
from governance.jobs import Held, enqueue, finish
from governance.models.base import reach_of
from governance.scope import project_scope
from governance.working import Trade, take_on
from sessions.models import Session
from sessions.summaries.model_writing import summarise_with_model, writer_in_use
from sessions.summaries.wires import Writer
from sessions.summaries.writing import summarise
from sessions.vocabulary import Chore

ASKED = "asked"  # the trigger of a version that a worker wrote


def ask_for_summary(acting: Acting, session: Session, *, after: timedelta = timedelta(0)) -> None:
    """Ask in the open scope for the work summary of a session to be brought up to date, once it commits.

    Asking again before it is done changes nothing; a session in which nothing was said needs none.
    """
    if session.head_seq:
        enqueue(acting, Chore.SUMMARISE, session.public_id, after=after, reach=reach_of(session))


def take_on_summaries() -> None:
    """Tell the workers how a summary is brought up to date; called once, as the app gets ready."""
    take_on(Chore.SUMMARISE, Trade(run=_summarise, title=gettext_lazy("Bring a work summary up to date")))


def _summarise(held: Held) -> None:
    """Write the next version and mark the job as done in one transaction: a second delivery finds it covered.

    A model that writes is asked before that, since a transaction must not wait for it; what it gave is then covered.
    """
    writer = writer_in_use()
    if writer is not None:
        _ask_model(held, writer)
    with project_scope(held.acting):
        session = _session(held.subject)
        if session is not None:
            summarise(held.acting, session, trigger=ASKED, now=timezone.now())
        finish(held)


def _ask_model(held: Held, writer: Writer) -> None:
    with project_scope(held.acting, read_only=True):
        session = _session(held.subject)
    if session is not None:
        summarise_with_model(held.acting, session, writer, trigger=ASKED, now=timezone.now())


def _session(subject: str) -> Session | None:
    try:
        pk = parse_id(Session.PREFIX, subject, pointer="/subject")
    except Invalid:
        return None
    return Session.objects.filter(pk=pk).select_related("thread").first()
