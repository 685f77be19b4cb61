"""Sealed transcripts that have been left for long: a sweep finds them, and a worker compresses one after the other."""

import time
import uuid

from django.utils import timezone
from django.utils.translation import gettext_lazy

from governance.actors import Acting
from governance.jobs import Held, enqueue, finish, progress
from governance.models.base import reach_of
from governance.scope import project_scope
from governance.working import Trade, take_on
from sessions.consolidation_due import session_of
from sessions.cooling import cool
from sessions.job_subjects import named_sessions
from sessions.models import Session
from sessions.sweeping import BATCH, sweep_rows
from sessions.vocabulary import Chore

ROUND_SECONDS = 20.0  # after which a long transcript makes room for other jobs: the next sweep asks again
COOLING = "SELECT project_id, id, acting, held_role FROM cooling_sessions(%s, %s)"


def sweep_sealed(*, after_days: int, trace_id: str = "") -> int:
    """Ask for the transcripts of sessions that were closed so long ago to be compressed; returns how many.

    With 0 days none ever is.
    """
    if after_days == 0:
        return 0
    return sweep_rows("sealed_session", (COOLING, [BATCH, after_days]), _ask, trace_id=trace_id)


def take_on_cooling() -> None:
    """Tell the workers how a transcript is compressed; called once, as the app gets ready."""
    title = gettext_lazy("Compress a sealed transcript")
    take_on(Chore.COOL, Trade(run=_cool, title=title, named=named_sessions))


def _ask(acting: Acting, session_id: uuid.UUID) -> bool:
    session = Session.objects.filter(pk=session_id, cold_at=None).first()
    if session is None:
        return False
    enqueue(acting, Chore.COOL, session.public_id, reach=reach_of(session))
    return True


def _cool(held: Held) -> None:
    """Move step after step, each in a transaction of its own, and end with the last or after a round."""
    until, after = time.monotonic() + ROUND_SECONDS, 0
    while True:
        with project_scope(held.acting):
            session = session_of(held.subject)
            reached = cool(session, after=after, now=timezone.now()) if session else None
            if session is None or reached is None or time.monotonic() > until:
                finish(held)
                return
        after = reached
        progress(held, after, session.head_seq)
