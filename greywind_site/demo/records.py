"""What sessions leave behind: handoffs, work summaries, and memories with their evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from governance.audit import fingerprint
from governance.models.base import reach_of
from governance.scope import project_scope, record
from governance.vocabulary import ActorKind, Sensitivity
from greywind_site.demo.playing import Played
from greywind_site.demo.stories import Cite, HandoffText, MemoryText, SummaryText
from memories.feedback import FeedbackWish, give_feedback
from memories.models import Memory
from memories.vocabulary import KnowledgeStatus, Origin, ScopeType, WriteAction
from memories.writes import EvidenceWish, MemoryWish, admit, propose, refuse
from sessions.artifacts import artifact_ref
from sessions.context.tokens import exact_counter
from sessions.context.vocabulary import SummarySection
from sessions.models import Handoff, Session, WorkSummary
from sessions.transcripts import event_ref

ADMITTED = "读过证据，准许使用 · read with its evidence"
READ_AFTER = timedelta(minutes=9)  # between the end of a scene and a human's reading of what was learnt in it
CORRECTED_AFTER = timedelta(minutes=12)  # the same, until somebody knows better than what was let in


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """A text of the demo as it was proposed."""

    text: MemoryText
    memory: Memory


def hand_over(text: HandoffText, *, source: Played, to: Session | None) -> Handoff:
    """Write what a played session leaves to the next one. Whoever closes it later writes no other."""
    window, session = source.window, source.session
    acting = window.cast[window.scene.agent]
    with project_scope(acting):
        handoff = Handoff.objects.create(
            project_id=session.project_id,
            thread_id=session.thread_id,
            from_session=session,
            to_session=to,
            summary=text.summary,
            unfinished_items=list(text.unfinished_items),
            risks=list(text.risks),
            resume_suggestion=text.resume_suggestion,
            next_actor=text.next_actor,
            covers_to_seq=source.head_seq,
            pins={"events": [event_ref(session, pinned) for pinned in text.pinned]},
            author_id=acting.actor_id,
            created_at=source.ended,
            **reach_of(session),
        )
        detail = {"from": session.public_id, "to": to.public_id if to else None, "covers_to_seq": source.head_seq}
        record("handoff.write", handoff.public_id, after=fingerprint(text.summary), detail=detail)
    return handoff


def summarise(text: SummaryText, played: Played, *, parent: WorkSummary | None = None) -> WorkSummary:
    """Write the work summary of a session after `parent`, covering its events up to the scene's last."""
    session, acting = played.session, played.window.cast[played.window.scene.agent]
    sections = {name.value: list(lines) for name, lines in text.sections.items()}
    sections[SummarySection.EVIDENCE] = [f"{event_ref(session, seq)} {shows}" for seq, shows in text.evidence]
    whole = "\n".join(line for lines in sections.values() for line in lines)
    with project_scope(acting):
        summary = WorkSummary.objects.create(
            project_id=session.project_id,
            session=session,
            version=parent.version + 1 if parent else 1,
            parent=parent,
            from_seq=1,
            to_seq=played.head_seq,
            trigger=text.trigger,
            author_id=acting.actor_id,
            sections=sections,
            tokens_o200k=exact_counter("o200k_base").count(whole),
            created_at=played.ended,
            **reach_of(session),
        )
        detail = {"session": session.public_id, "version": summary.version, "to_seq": summary.to_seq}
        record("summary.publish", summary.public_id, after=fingerprint(sections), detail=detail)
    return summary


def learn(texts: Sequence[MemoryText], played: Played) -> list[Learnt]:
    """Propose what was learnt in a scene, each by who says it, and let humans decide on what they have read of it."""
    learnt: list[Learnt] = []
    for text in texts:
        acting, now = played.window.cast[text.by], played.ended
        target = None if text.corrects is None else learnt[text.corrects].memory
        with project_scope(acting):
            wish = _wish(text, played, target=target)
            memory = propose(acting, wish, now=now + CORRECTED_AFTER if target else now)
        learnt.append(Learnt(text=text, memory=memory))
        _decide(learnt[-1], played)
        _hear(learnt[-1], played)
    return learnt


def _decide(learnt: Learnt, played: Played) -> None:
    text, now = learnt.text, played.ended + READ_AFTER
    if text.admitted_by is not None:
        acting = played.window.cast[text.admitted_by]
        with project_scope(acting):
            admit(acting, learnt.memory, reason=ADMITTED, now=now)
    if text.refused is not None:
        acting = played.window.cast[text.refused.by]
        with project_scope(acting):
            refuse(acting, learnt.memory, reason=text.refused.because, missing=text.refused.missing, now=now)


def _hear(learnt: Learnt, played: Played) -> None:
    for opinion in learnt.text.opinions:
        acting = played.window.cast[opinion.by]
        with project_scope(acting):
            give_feedback(acting, learnt.memory, FeedbackWish(kind=opinion.kind, note=opinion.note))


def _wish(text: MemoryText, played: Played, *, target: Memory | None) -> MemoryWish:
    human = played.window.cast[text.by].kind is ActorKind.HUMAN
    return MemoryWish(
        content=text.content,
        type=text.type,
        kind=text.kind,
        action=WriteAction.UPDATE if target else WriteAction.ADD,
        target_id=target.pk if target else None,
        scope_type=ScopeType.PROJECT if text.everywhere else ScopeType.THREAD,
        scope_id=None if text.everywhere else played.session.thread_id,
        importance=text.importance,
        confidence=text.confidence,
        origin=_origin(text, human=human),
        knowledge_status=KnowledgeStatus.CONFIRMED if human else KnowledgeStatus.INFERRED,
        sensitivity=Sensitivity.PERSONAL if text.private else Sensitivity.WORK,
        change_reason=text.reason,
        private=text.private,
        evidence=[_evidence(cite, played) for cite in text.cites],
        claims=list(text.claims),
    )


def _origin(text: MemoryText, *, human: bool) -> Origin:
    if text.from_tool:
        return Origin.TOOL_OUTPUT
    return Origin.USER_EXPLICIT if human else Origin.AGENT_INFERRED


def _evidence(cite: Cite, played: Played) -> EvidenceWish:
    if cite.lines is None:
        return EvidenceWish(ref=event_ref(played.session, cite.seq), quote=cite.quote)
    first, count = cite.lines
    return EvidenceWish(ref=f"{artifact_ref(played.artifacts[cite.seq])}#l={first},{count}", quote=cite.quote)
