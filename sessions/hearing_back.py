"""Hearing what users said where their words are not counted: from before talk was kept, or after an erasure.

A session says itself that it is unheard, and is heard once, in its own transaction and under its lock: a sweep that is
stopped has done whole sessions, and the next one goes on. What is said from now on is heard as it is said.
"""

import uuid
from itertools import batched

from governance.actors import Acting
from governance.scope import record
from sessions.live import hold
from sessions.models import Event, Session
from sessions.models.segment import SegmentDamaged
from sessions.sweeping import sweep_rows
from sessions.vocabulary import EventKind, EventRole
from threads.hearing import hear, heard_from, hears

BATCH = 100  # sessions of one sweep; the next one takes the rest
MOST_MESSAGES = 500  # of a session, the latest: they fill as many parts of a thread's talk as it keeps
AT_ONCE = 50  # messages that are counted into one part
UNHEARD = "SELECT project_id, id, acting, held_role FROM unheard_sessions(%s)"


def hear_back(*, trace_id: str = "") -> int:
    """Count the words of sessions that say that they are unheard, latest first; returns of how many they were counted.

    Not of those in small talk, nor where somebody has spoken since, nor on a thread that keeps as much as it may: that
    one has let go of its oldest.
    """
    return sweep_rows("unheard_session", (UNHEARD, [BATCH]), _heard, trace_id=trace_id)


def _heard(_acting: Acting, pk: uuid.UUID) -> bool:
    session = Session.objects.filter(pk=pk, unheard=True).select_related("thread").first()
    if session is None:
        return False
    hold(session)
    waiting = Session.objects.filter(pk=pk, unheard=True).update(unheard=False)
    if not waiting or not hears(session.thread) or heard_from(session.thread, pk):
        return False
    texts = _said(session)
    for some in batched(texts, AT_ONCE):
        hear(session.thread, pk, some)
    record("thread.hear_back", session.thread.public_id, detail={"session": session.public_id, "messages": len(texts)})
    return True


def _said(session: Session) -> list[str]:
    """Return the latest of what its user said, in order; nothing of a damaged transcript, which has been told already:
    else it would be looked at by every sweep, before all that are older.
    """
    said = Event.objects.filter(session=session, role=EventRole.USER, kind=EventKind.MESSAGE).saying()
    try:
        return [row.text for row in said.order_by("-seq").only("text")[:MOST_MESSAGES]][::-1]
    except SegmentDamaged:
        return []
