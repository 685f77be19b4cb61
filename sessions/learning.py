"""What an append teaches at once: the first vision, the recent goals, and searchable passages."""

from collections.abc import Sequence
from datetime import datetime

from governance.actors import Acting
from governance.models.base import reach_of
from memories.passages import PassageWish, index
from memories.vocabulary import KnowledgeStatus, Origin, SourceType
from sessions.context.cuts import cut_at_sentence, cut_head
from sessions.models import Event, Session
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from threads.hearing import hear
from threads.lifecycle import remember_goal
from threads.models import Thread, Vision
from threads.speech import SpeechAct, speech_act
from threads.visions import VisionWish, write_vision
from threads.vocabulary import ThreadType, VisionSource

ATTESTED = (AttestedBy.CONSOLE, AttestedBy.HARNESS, AttestedBy.IMPORT)
GOAL_TOKENS = 400  # of an origin goal that are injected; its ref opens the whole
RECENT_GOAL_TOKENS = 60  # of a request that the resolver compares against
PASSAGE_TOKENS = 400  # of a message that are searchable as one passage
SPOKEN = (EventRole.USER, EventRole.ASSISTANT)


def learn_from(acting: Acting, session: Session, fresh: Sequence[Event], *, now: datetime) -> None:
    """Note what the new events say about their thread, in the transaction that stores them."""
    thread = session.thread
    requests = [event for event in fresh if _is_attested_request(event)]
    if requests:
        if thread.type != ThreadType.SMALL_TALK:
            _first_vision(acting, session, requests[0])
        for event in requests[-5:]:
            remember_goal(thread, cut_head(event.text, RECENT_GOAL_TOKENS))
    if thread.type != ThreadType.SMALL_TALK:
        hear(thread, session.pk, [event.text for event in fresh if event.role == EventRole.USER and _is_said(event)])
    index([_passage(session, thread, event, now=now) for event in fresh if _is_said(event)])


def _is_attested_request(event: Event) -> bool:
    spoken = event.role == EventRole.USER and event.kind == EventKind.MESSAGE and event.attested_by in ATTESTED
    return spoken and speech_act(event.text) is SpeechAct.REQUEST


def _is_said(event: Event) -> bool:
    return event.kind == EventKind.MESSAGE and event.role in SPOKEN and bool(event.text.strip())


def _first_vision(acting: Acting, session: Session, event: Event) -> None:
    if Vision.objects.filter(thread=session.thread).exists():
        return
    wish = VisionWish(
        origin_goal=cut_at_sentence(event.text, GOAL_TOKENS), origin_ref=f"event://{session.public_id}/{event.seq}"
    )
    write_vision(session.thread, wish, acting=acting, source=VisionSource.FIRST_REQUEST, base=None)


def _passage(session: Session, thread: Thread, event: Event, *, now: datetime) -> PassageWish:
    attested = event.role == EventRole.USER and event.attested_by in ATTESTED
    return PassageWish(
        project_id=session.project_id,
        source_type=SourceType.EVENT,
        ref=f"event://{session.public_id}/{event.seq}",
        text=cut_head(event.text, PASSAGE_TOKENS),
        speaker=event.role,
        thread_id=thread.pk,
        origin=Origin.USER_EXPLICIT if attested else Origin.AGENT_INFERRED,
        knowledge_status=KnowledgeStatus.INFERRED,
        as_of=event.occurred_at or now,
        reach=reach_of(session),
    )
