"""Short ways to say what the tests of learning keep saying: a project whose policy lets low risk through."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from governance.scope import project_scope
from memories.models import Memory
from memories.vocabulary import MemoryType, Origin
from memories.writes import ClaimWish, EvidenceWish, MemoryWish, Written, submit
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Session
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from tests.cast import Cast, Member, make_cast
from threads.lifecycle import ThreadWish, create_thread


def auto_cast(name: str = "alpha") -> Cast:
    """A project in which what is of low risk needs no human."""
    return make_cast(name, policy={"review_mode": "low_risk_auto"})


class Desk:
    """A session of one member in which things are said, and from which they are learnt."""

    def __init__(self, member: Member) -> None:
        self.member, self.count = member, 0
        now = timezone.now()
        with project_scope(member.acting):
            thread = create_thread(member.acting, ThreadWish(title="tides"), now=now)
            self.session: Session = open_or_resume(member.acting, thread, OpenWish(role="dev"), now=now).session

    def said(
        self,
        text: str,
        *,
        role: EventRole = EventRole.USER,
        kind: EventKind = EventKind.MESSAGE,
        by: AttestedBy = AttestedBy.HARNESS,
        **more: Any,
    ) -> str:
        """Append an event and return its ref."""
        self.count += 1
        event = NewEvent(client_id=f"d{self.count}", role=role, kind=kind, text=text, attested_by=by, **more)
        with project_scope(self.member.acting):
            session = Session.objects.get(pk=self.session.pk)
            done = append(self.member.acting, session.pk, [event], now=timezone.now())
        return f"event://{session.public_id}/{done.appended[0].event.seq}"

    def learn(self, content: str, *refs: str, origin: Origin = Origin.USER_EXPLICIT, **more: Any) -> Written:
        """Propose a memory that rests on refs, or on a user's saying so."""
        cited = [EvidenceWish(ref=ref) for ref in refs or [self.said("就这么定 · agreed")]]
        wish = MemoryWish(content=content, origin=origin, evidence=cited, **({"type": MemoryType.SEMANTIC} | more))
        with project_scope(self.member.acting):
            return submit(self.member.acting, wish, now=timezone.now())


def stated(by: Member, content: str, *, evidence: Sequence[EvidenceWish] = (), **more: Any) -> Written:
    """Let a human state something in their own name."""
    full = {"origin": Origin.USER_EXPLICIT, "type": MemoryType.SEMANTIC} | more
    with project_scope(by.acting):
        return submit(by.acting, MemoryWish(content=content, evidence=evidence, **full), now=timezone.now())


def read(by: Member, memory: Memory) -> Memory:
    """Return a memory as it stands now."""
    with project_scope(by.acting):
        return Memory.objects.get(pk=memory.pk)


def claim(value: str, *, subject: str = "tide gauge", attribute: str = "port") -> list[ClaimWish]:
    """Return one claim as its writer puts it."""
    return [ClaimWish(subject=subject, attribute=attribute, value=value)]


class Contradiction:
    """Two statements of one weight that contradict each other, and the conflict that is open between them."""

    OLD, NEW = "Port of the gauge: 80", "Port of the gauge: 90"

    def __init__(self, cast: Cast) -> None:
        self.cast, self.desk = cast, Desk(cast.dev)
        self.old = self.say(self.OLD, "80").memory
        written = self.say(self.NEW, "90")
        assert written.conflict is not None
        self.new, self.conflict = written.memory, written.conflict

    def say(self, text: str, value: str, *refs: str) -> Written:
        """Let the agent infer a value of what they are about."""
        return self.desk.learn(text, *refs, claims=claim(value), origin=Origin.AGENT_INFERRED)

    def standing(self) -> tuple[str, str]:
        """Return the states of the old one and of the new one."""
        return read(self.cast.dev, self.old).status, read(self.cast.dev, self.new).status
