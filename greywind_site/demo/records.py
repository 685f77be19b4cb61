"""What sessions leave behind: a handoff, a work summary, lessons with their evidence."""

from datetime import datetime

from governance.actors import Acting
from governance.audit import fingerprint
from governance.models.base import reach_of
from governance.scope import record
from governance.vocabulary import ActorKind
from greywind_site.demo.stories import HandoffText, LessonText, SummaryText
from memories.models import Memory
from memories.vocabulary import KnowledgeStatus, MemoryKind, MemoryType, Origin, ScopeType
from memories.writes import EvidenceWish, MemoryWish, propose
from sessions.context.tokens import exact_counter
from sessions.context.vocabulary import SummarySection
from sessions.lifecycle import advance_session
from sessions.models import Handoff, Session, WorkSummary
from sessions.transcripts import event_ref
from sessions.vocabulary import SessionState

CONFIDENCE = 0.8  # of a lesson that an agent drew from a result that it saw


def hand_over(acting: Acting, text: HandoffText, *, source: Session, to: Session, seq: int, now: datetime) -> Handoff:
    """Write the handoff of a closed session whose last event is `seq`, which ends that session for good."""
    handoff = Handoff.objects.create(
        project_id=source.project_id,
        thread_id=source.thread_id,
        from_session=source,
        to_session=to,
        summary=text.summary,
        unfinished_items=list(text.unfinished_items),
        risks=list(text.risks),
        resume_suggestion=text.resume_suggestion,
        next_actor=text.next_actor,
        covers_to_seq=seq,
        pins={"events": [event_ref(source, pinned) for pinned in text.pinned]},
        author_id=acting.actor_id,
        created_at=now,
        **reach_of(source),
    )
    detail = {"from": source.public_id, "to": to.public_id, "covers_to_seq": seq}
    record("handoff.write", handoff.public_id, after=fingerprint(text.summary), detail=detail)
    advance_session(source, SessionState.HANDOFF_WRITTEN, reason="the handoff is written")
    return handoff


def summarise(acting: Acting, text: SummaryText, *, session: Session, to_seq: int, now: datetime) -> WorkSummary:
    """Write the first work summary of a session, covering its events up to `to_seq`."""
    sections = {name.value: list(lines) for name, lines in text.sections.items()}
    sections[SummarySection.EVIDENCE] = [f"{event_ref(session, seq)} {shows}" for seq, shows in text.evidence]
    whole = "\n".join(line for lines in sections.values() for line in lines)
    summary = WorkSummary.objects.create(
        project_id=session.project_id,
        session=session,
        version=1,
        from_seq=1,
        to_seq=to_seq,
        trigger="checkpoint",
        author_id=acting.actor_id,
        sections=sections,
        tokens_o200k=exact_counter("o200k_base").count(whole),
        created_at=now,
        **reach_of(session),
    )
    detail = {"session": session.public_id, "version": 1, "to_seq": to_seq}
    record("summary.publish", summary.public_id, after=fingerprint(sections), detail=detail)
    return summary


def learn(acting: Acting, lesson: LessonText, session: Session, *, now: datetime) -> Memory:
    """Propose a lesson, as of `now`, with the events of `session` that show it; a human's own word is confirmed."""
    human = acting.kind is ActorKind.HUMAN
    wish = MemoryWish(
        content=lesson.content,
        type=MemoryType.PROCEDURAL,
        kind=MemoryKind.LESSON,
        scope_type=ScopeType.THREAD,
        scope_id=session.thread_id,
        importance=lesson.importance,
        confidence=None if human else CONFIDENCE,
        origin=Origin.USER_EXPLICIT if human else Origin.AGENT_INFERRED,
        knowledge_status=KnowledgeStatus.CONFIRMED if human else KnowledgeStatus.INFERRED,
        change_reason="做这条线程时学到的 · learnt on this thread",
        evidence=[EvidenceWish(ref=event_ref(session, seq)) for seq in lesson.evidence],
    )
    return propose(acting, wish, now=now)
