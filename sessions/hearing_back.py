"""Hearing what users said where nobody listened: before talk was kept, or where a copy came back without it.

Each session is heard once, in its own transaction and under its lock: a sweep that is stopped has done whole sessions,
and the next one goes on.
"""

import uuid
from itertools import batched

from governance.actors import Acting
from governance.scope import record
from sessions.live import hold
from sessions.models import Event, Session
from sessions.sweeping import sweep_rows
from sessions.vocabulary import EventKind, EventRole
from threads.hearing import KEPT_PARTS, hear, heard_from

BATCH = 100  # sessions of one sweep; the next one takes the rest
MOST_MESSAGES = 500  # of a session, the latest: they fill as many parts of a thread's talk as it keeps
AT_ONCE = 50  # messages that are counted into one part
UNHEARD = "SELECT project_id, id, acting, held_role FROM unheard_sessions(%s, %s)"


def hear_back(*, trace_id: str = "") -> int:
    """Count the words of sessions that no talk is kept of, latest first; returns of how many."""
    return sweep_rows("unheard_session", (UNHEARD, [BATCH, KEPT_PARTS]), _heard, trace_id=trace_id)


def _heard(_acting: Acting, pk: uuid.UUID) -> bool:
    session = Session.objects.filter(pk=pk).select_related("thread").first()
    if session is None:
        return False
    hold(session)
    if heard_from(session.thread, session.pk):
        return False  # somebody has spoken, or another sweep was faster
    texts = _said(session)
    for some in batched(texts, AT_ONCE):
        hear(session.thread, session.pk, some)
    hear(session.thread, session.pk, [], though_empty=True)
    record("thread.hear_back", session.thread.public_id, detail={"session": session.public_id, "messages": len(texts)})
    return True


def _said(session: Session) -> list[str]:
    """Return the latest of what its user said, in order."""
    said = Event.objects.filter(session=session, role=EventRole.USER, kind=EventKind.MESSAGE).exclude(text="")
    return list(said.order_by("-seq").values_list("text", flat=True)[:MOST_MESSAGES])[::-1]
