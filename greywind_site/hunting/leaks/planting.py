"""Planting: one line of work at each place of a project, written by the verbs that write it in earnest."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.ids import parse_id
from governance.models import ApiKey, InboxItem, StoredAnswer
from governance.replays import claim
from governance.scope import project_scope
from governance.vocabulary import Audience, InboxKind
from greywind_site.hunting.leaks.marks import PRIVATE, Mint, Mints, Place
from greywind_site.hunting.leaks.people import Crew, Member
from greywind_site.hunting.leaks.splitting import write_part
from memories.models import Memory, MemoryParent
from memories.vocabulary import MemoryStatus, MemoryType
from memories.writes import EvidenceWish, MemoryWish, admit, propose
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.lifecycle import OpenWish, ProviderWish, open_or_resume
from sessions.models import Handoff, Session, SummaryRefusal, WorkSummary
from sessions.outcomes import OutcomeWish, store_outcome
from sessions.runtime import prepare_context
from sessions.summaries.checking import Fault
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from threads.dag import TaskWish, create_task, move_task, set_dependencies
from threads.lifecycle import BindingWish, ThreadWish, create_thread
from threads.models import Task, Thread, Vision
from threads.visions import VisionWish, write_vision
from threads.vocabulary import TaskState, VisionSource

LARGE = "line 17 of the report says that the harbour lights are off by one degree\n" * 400
ASKED = "when do the harbour lights go on?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bed:
    """Where one line of work grows: who plants it, the place it belongs to, and the mints of its texts.

    `reasons` speaks into the ledger, which the whole project reads: of what is private it keeps a hash alone.
    """

    crew: Crew
    maker: Member
    place: Place
    texts: Mint
    reasons: Mint
    private: bool
    now: datetime

    @property
    def acting(self) -> Acting:
        return self.maker.acting


def bed_of(crew: Crew, maker: Member, place: Place, *, mints: Mints, now: datetime) -> Bed:
    """Return the bed of a place; what its maker may not write as private is moved to its place afterwards."""
    private = place.audience == PRIVATE and place.who == maker.number
    spoken = place if private else Place(crew.number)
    return Bed(
        crew=crew,
        maker=maker,
        place=place,
        texts=mints.of(place),
        reasons=mints.of(spoken),
        private=private,
        now=now,
    )


def plant(bed: Bed) -> Session:
    """Write a thread and one of everything that hangs on it, without a packet; returns its session."""
    with project_scope(bed.acting):
        thread = _thread(bed)
        wish = OpenWish(role=bed.acting.roles[0], provider=ProviderWish(harness="codex", external_id=bed.texts.word()))
        session = open_or_resume(bed.acting, thread, wish, now=bed.now).session
        asked = _events(bed, session)
        _intent(bed, thread)
        memories = _memories(bed, asked)
        _continuity(bed, session)
        write_part(bed.acting, thread, bed.texts, now=bed.now)
        _waiting(bed, memories[1])
    _admit(bed, memories[0])
    return session


def plant_answers(bed: Bed) -> None:
    """Keep an answer for the maker's key: it is for that key's actor alone."""
    with project_scope(bed.acting):
        key = ApiKey.objects.get(actor_id=bed.acting.actor_id)
        acting = replace(bed.acting, key_id=key.pk)
        claim(acting, bed.texts.word(), "sha256:0")
        StoredAnswer.objects.filter(api_key=key).update(status=200, body=bed.texts.say("kept"))


def compile_in(bed: Bed, session: Session, asker: Member) -> None:
    """Compile a context in a session and report on it."""
    answer = _prepared(bed.texts.say(ASKED), asker, now=bed.now, session_id=session.pk)
    packet = parse_id("pkt", answer["packet_id"], pointer="packet_id")
    wish = OutcomeWish(
        result=bed.texts.word(),
        usage={"input_tokens": 3},
        cited_refs=[f"event://{bed.texts.word()}/1", *_refs_of(answer)],
    )
    store_outcome(asker.acting, packet, wish, now=bed.now)


def compile_beside(session: Session, asker: Member, spoken: Mint, *, now: datetime) -> None:
    """Let somebody who holds private memories ask about them where others read along."""
    window = {"thread_id": session.thread_id, "provider": ProviderWish(harness="codex", external_id=spoken.word())}
    _prepared(spoken.say(ASKED), asker, now=now, **window)


def _prepared(text: str, asker: Member, *, now: datetime, **window: Any) -> Mapping[str, Any]:
    asked = InputFact(raw_text=text, input_type="text", timestamp=None, attached_context=None)
    return prepare_context(ContextAsk(user_input=asked, **window), acting=asker.acting, now=now)


def _refs_of(answer: Mapping[str, Any]) -> Iterator[str]:
    for entry in answer["packet"].get("retrieved", [])[:1]:
        yield str(entry["source_id"])


def _thread(bed: Bed) -> Thread:
    say = bed.texts.say
    tie = BindingWish(channel=bed.texts.word(), page=bed.texts.word())
    wish = ThreadWish(
        title=say("harbour lights"),
        summary=say("the lights of the harbour"),
        tags=[bed.texts.word()],
        keywords=[bed.texts.word()],
        private=bed.private,
        bindings=[tie],
    )
    return create_thread(bed.acting, wish, now=bed.now)


def _events(bed: Bed, session: Session) -> EvidenceWish:
    say = bed.texts.say
    spoken = [
        (EventRole.USER, EventKind.MESSAGE, say("repair the harbour lights before the spring")),
        (EventRole.TOOL, EventKind.TOOL_RESULT, f"{say('as found')}\n{LARGE}"),
        (EventRole.USER, EventKind.CONSTRAINT, say("never round the degrees")),
    ]
    events = [
        NewEvent(
            client_id=bed.texts.word(),
            role=role,
            kind=kind,
            text=text,
            tool=bed.texts.word() if role is EventRole.TOOL else "",
            attested_by=AttestedBy.HARNESS,
            meta={"note": bed.texts.word()},
        )
        for role, kind, text in spoken
    ]
    append(bed.acting, session.pk, events, now=bed.now)
    return EvidenceWish(ref=f"event://{session.public_id}/1", quote=spoken[0][2])


def _intent(bed: Bed, thread: Thread) -> None:
    say, now = bed.texts.say, bed.now
    base = Vision.objects.filter(thread=thread).order_by("-version").first()
    wish = VisionWish(
        origin_goal=say("right lights"),
        done_when=[say("checked")],
        non_goals=[say("no new lamps")],
        user_priorities=[say("safety first")],
        quality_bar=say("to the degree"),
    )
    write_vision(thread, wish, acting=bed.acting, source=VisionSource.AGENT, base=base)
    made = [
        create_task(
            bed.acting, thread, TaskWish(title=say(title), brief=say("as told"), next_steps=[say("go")]), now=now
        )
        for title in ("check the lights", "publish the lights")
    ]
    set_dependencies(made[1], [made[0].pk])
    _walk(made[0], bed)


def _walk(task: Task, bed: Bed) -> None:
    for state in (TaskState.READY, TaskState.DOING, TaskState.REVIEW):
        move_task(task, state, reason=bed.reasons.say("walked there") if not bed.private else "")


def _memories(bed: Bed, evidence: EvidenceWish) -> list[Memory]:
    say = bed.texts.say
    made = [
        propose(
            bed.acting,
            MemoryWish(
                content=say(text),
                type=MemoryType.SEMANTIC,
                private=bed.private,
                evidence=[evidence],
                change_reason=bed.reasons.say("because it was said"),
            ),
            now=bed.now,
        )
        for text in ("The harbour lights go on at noon.", "The harbour office moved.")
    ]
    MemoryParent.objects.create(
        project_id=made[0].project_id, memory=made[1], parent=made[0], reason=say("from the other")
    )
    return made


def _continuity(bed: Bed, session: Session) -> None:
    say = bed.texts.say
    made = {"project_id": session.project_id, "created_at": bed.now, "author_id": bed.acting.actor_id}
    Handoff.objects.create(
        thread_id=session.thread_id,
        from_session=session,
        to_session=session,  # packets carry a handoff to their session; a role has no name that could be a mark
        summary=say("half of the lights are done"),
        unfinished_items=[say("the spring")],
        risks=[say("the fog")],
        resume_suggestion=say("go on with the lights"),
        next_actor=bed.texts.word(),
        **made,
    )
    WorkSummary.objects.create(
        session=session,
        version=1,
        from_seq=1,
        to_seq=3,
        trigger=bed.texts.word(),
        sections={"conclusions": [say("the lights hold")]},
        tokens_o200k=3,
        **made,
    )
    # Codes, as they are stored: no word of a refused version is kept.
    SummaryRefusal.objects.create(
        session=session,
        after_version=1,
        to_seq=3,
        trigger=bed.texts.word(),
        problems=[{"fault": Fault.NO_REF.value, "section": "conclusions"}],
        **made,
    )
    Session.objects.filter(pk=session.pk).update(
        title=say("at the lights"), resume_point=say("at the third lamp"), screen_context={"app": bed.texts.word()}
    )


def _waiting(bed: Bed, candidate: Memory) -> None:
    reach = {"audience": Audience.PRIVATE, "owner_id": bed.acting.actor_id} if bed.private else {}
    InboxItem.objects.get_or_create(
        project_id=candidate.project_id,
        kind=InboxKind.CANDIDATE,
        ref=f"memory://{candidate.public_id}@1",
        defaults={"created_at": bed.now, "title": bed.texts.say("new"), **reach},
    )


def _admit(bed: Bed, memory: Memory) -> None:
    """A human admits what waits for one; what is private is in use by its owner's word."""
    with project_scope(bed.acting):
        memory.refresh_from_db()
    if memory.status == MemoryStatus.ACTIVE:
        return
    with project_scope(bed.crew.owner.acting):
        waiting = Memory.objects.get(pk=memory.pk)
        admit(bed.crew.owner.acting, waiting, reason=bed.reasons.say("seen"), now=bed.now)
