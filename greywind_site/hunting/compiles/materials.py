"""Materials to compile, at random: every slot, every reach, and hostile texts in every field."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

from governance.vocabulary import Audience, Destination, Phase, Risk, Sensitivity
from greywind_site.hunting.compiles.texts import Words
from sessions.context.material import (
    Beginning,
    ConstraintFact,
    ContractFact,
    Eligibility,
    EventFact,
    HandoffFact,
    HitFact,
    InputFact,
    Material,
    OpenTask,
    Reach,
    SessionFact,
    StandFact,
    SummaryFact,
    TaskFact,
    ThreadFact,
    VisionFact,
)
from sessions.context.seams import body_tokens
from sessions.context.tokens import exact_counter
from sessions.context.vocabulary import Layer
from sessions.vocabulary import EventKind

STORED = exact_counter("o200k_base")
STATUSES = ("disputed", "open", "inferred", "confirmed")
SESSION, OTHER_SESSION = "ses_018f3a7e5d4c7b1a9e2f6c8d0a1b2c3d", "ses_018f3a7e5d4c7b1a9e2f6c8d0a1b2c3e"
ROLE = ("duties", "permissions", "collaboration_rules", "hard_boundaries")


class Facts:
    """Draws the facts of one compile from dice. Texts that are `hostile` pass for structure."""

    def __init__(self, dice: random.Random, *, hostile: bool = False) -> None:
        self.dice, self.words = dice, Words(dice, hostile=hostile)

    def one[T](self, options: Iterable[T]) -> T:
        """Return one of the options."""
        return self.dice.choice(list(options))

    def maybe[T](self, value: T) -> T | None:
        """Return the value, or now and then None."""
        return value if self.dice.random() < 0.75 else None

    def material(self) -> Material:
        """Return a material, hostile texts in every field."""
        words, events = self.words, self.events()
        return Material(
            persona=self.contract("persona", self.persona()),
            role=self.contract("role", {"slug": "dev"} | {part: list(words.lines()) for part in ROLE}),
            policy=self.maybe(self.contract("policy", self.policy())),
            self_profile=self.maybe(self.contract("self_profile", {"preference_model": {"tone": words.text()}})),
            vision=self.maybe(self.vision()),
            thread=self.thread(),
            session=self.session(),
            summary=self.maybe(self.summary()),
            handoff=self.maybe(self.handoff()),
            user_input=InputFact(raw_text=words.long(), attached_context=self.maybe(words.text())),
            eligibility=self.eligibility(),
            constraints=tuple(
                ConstraintFact(ref=f"event://{SESSION}/{900 + n}", text=text) for n, text in enumerate(words.lines())
            ),
            events=events,
            beginning=self.beginning(events),
            hits=self.hits(),
            project_state=self.maybe(tuple([self.stand(n) for n in range(self.dice.randint(0, 5))])),
            phase=self.one(Phase),
            risk=self.one(Risk),
            trace_id="trc_1",
            now="2026-03-11T05:10:00Z",
        )

    def contract(self, kind: str, body: dict[str, Any]) -> ContractFact:
        """Return revision 3 of a contract."""
        reach = self.reach() if kind == "self_profile" else None
        return ContractFact(ref=f"revision://{kind}", revision=3, body=body, reach=reach)

    def policy(self) -> dict[str, Any]:
        """Return a policy's body, now and then with floors: some of them of no layer, or no shares."""
        words, names = self.words, [*Layer, "nonsense"]
        floors = {self.one(names): self.one((-3, 0, 0.01, 0.1, 0.4, 1, 99)) for _ in range(self.dice.randint(0, 4))}
        return {"rules": list(words.lines()), "risk_threshold": words.text(), "budget_floors": floors}

    def persona(self) -> dict[str, Any]:
        """Return a persona's body."""
        words = self.words
        texts = {part: words.text() for part in ("name", "role", "speaking_style", "relationship_to_user")}
        lists = {part: list(words.lines()) for part in ("behavior_rules", "stable_preferences")}
        return texts | lists | {"identity_core": {"hard_boundaries": list(words.lines())}}

    def vision(self) -> VisionFact:
        """Return a vision; now and then its goal is long."""
        words = self.words
        return VisionFact(
            ref="vision://thr_1@2",
            version=2,
            source="first_request",
            origin_goal=words.long() or "x",
            origin_ref=self.maybe(f"event://{SESSION}/1"),
            done_when=words.lines(),
            non_goals=words.lines(),
            user_priorities=words.lines(),
            quality_bar=words.long(),
        )

    def thread(self) -> ThreadFact:
        """Return a thread with tasks that wait for one another."""
        words, ids = self.words, [f"tsk_{n}" for n in range(self.dice.randint(0, 4))]
        open_tasks = tuple(
            OpenTask(
                task_id=name,
                title=words.some(),
                state=self.one(("planned", "ready", "doing", "blocked")),
                waits_for=tuple(other for other in ids if other < name and self.dice.random() < 0.4),
            )
            for name in ids
        )
        own = self.maybe(self.task(open_tasks)) if ids else None
        return ThreadFact(
            ref="thread://thr_1@1",
            thread_id="thr_1",
            title=words.text(),
            type="work",
            summary=words.long(),
            tags=words.lines(),
            linked_task_ids=tuple(ids),
            task=own,
            open_tasks=open_tasks,
            private=self.dice.random() < 0.1,
        )

    def task(self, open_tasks: Sequence[OpenTask]) -> TaskFact:
        """Return one of the open tasks as the one in hand."""
        one = self.one(open_tasks)
        return TaskFact(
            ref=f"task://{one.task_id}@1",
            task_id=one.task_id,
            title=one.title,
            state=one.state,
            phase=self.one(Phase),
            risk=self.one(Risk),
            depends_on=one.waits_for,
            next_steps=self.words.lines(),
        )

    def session(self) -> SessionFact:
        """Return a session that may have been interrupted."""
        screen = {"app": self.words.text(), "zoom": 1.5, "text": self.words.text()}
        return SessionFact(
            ref=f"session://{SESSION}",
            session_id=SESSION,
            state="active",
            resume_point=self.words.text(),
            interruptions=self.words.lines(),
            screen_context=self.maybe(screen),
        )

    def summary(self) -> SummaryFact:
        """Return a summary, of this session or of another, which may be stale."""
        named = ("constraints", "conclusions", "verification", "evidence", "§ odd\n")
        return SummaryFact(
            ref="summary://sum_1@4",
            version=4,
            covers=f"event://{self.one((SESSION, OTHER_SESSION))}/1-{self.dice.randint(0, 9)}",
            sections={name: self.words.lines() for name in named},
            stale_since=self.maybe("2026-03-02T00:00:00Z"),
        )

    def stand(self, number: int) -> StandFact:
        """Return how a thread stands, whose work may be over, and which not everyone may read."""
        named = ("blockers", "open_questions", "next_steps", "decisions", "conclusions", "constraints")
        told = SummaryFact(
            ref=f"summary://sum_{number + 2}@1",
            version=1,
            covers=f"event://{OTHER_SESSION}/1-{self.dice.randint(1, 9)}",
            sections={name: self.words.lines() for name in named},
            stale_since=self.maybe("2026-03-02T00:00:00Z"),
            stale_because=("lost_constraint", "memory_fell"),
        )
        return StandFact(
            thread_id=f"thr_{number + 2}",
            thread_title=self.words.some(),
            session_id=OTHER_SESSION,
            role=self.one(("dev", "chief")),
            summary=told,
            topics=self.words.lines(),
            over=self.dice.random() < 0.3,
            behind=self.dice.random() < 0.5,
            reach=self.reach(),
        )

    def handoff(self) -> HandoffFact:
        """Return a handoff."""
        return HandoffFact(
            ref="handoff://hnd_1",
            from_session_id=OTHER_SESSION,
            to_session_id=SESSION,
            summary=self.words.long(),
            unfinished_items=self.words.lines(),
            risks=self.words.lines(),
            resume_suggestion=self.words.text(),
            next_actor=self.maybe("dev"),
        )

    def events(self) -> tuple[EventFact, ...]:
        """Return up to fourteen events of any kind, numbered without gaps."""
        first = self.dice.randint(1, 9)
        return tuple([self.event(first + n) for n in range(self.dice.randint(0, 14))])

    def beginning(self, events: Sequence[EventFact]) -> Beginning | None:
        """Return where the last packet's dialogue began, among these events or before them; None for a first one."""
        if self.dice.random() < 0.4 or not events:
            return None
        return Beginning(words=self.one(events).seq + self.one((-2, 0, 1)), work=self.one(events).seq)

    def event(self, seq: int) -> EventFact:
        """Return an event with its true stored count."""
        text, kind = self.words.long(), self.one((*EventKind, EventKind.MESSAGE, EventKind.MESSAGE))
        return EventFact(
            ref=f"event://{SESSION}/{seq}",
            seq=seq,
            role=self.one(("user", "assistant", "tool")),
            kind=kind,
            text=text,
            tokens=body_tokens(text, STORED),
            tool=self.maybe(self.one(("read", "§ x\n"))),
            artifact_ref=None if self.dice.random() < 0.7 else "artifact://art_018f3a7e5d4c7b1a9e2f6c8d0a1b2c3d",
        )

    def hits(self) -> tuple[HitFact, ...]:
        """Return up to eight hits; texts repeat, so that some are duplicates, and some are said to be out of date."""
        return tuple([self.hit(n) for n in range(self.dice.randint(0, 8))])

    def hit(self, number: int) -> HitFact:
        """Return a passage."""
        return HitFact(
            ref=self.one((f"memory://mem_{number}@1", f"memory://mem_{number}@1", f"event://{SESSION}/{number + 3}")),
            source_type=self.one(("lesson", "thread")),
            source_id=f"mem_{number}",
            relevance_reason=self.words.text(),
            content=self.words.long(),
            score=self.one((self.dice.random(), 0.5, float("nan"))),
            confidence=self.one((None, 0.8, float("inf"))),
            knowledge_status=self.one((*STATUSES, "odd")),
            origin="user_explicit",
            as_of=self.maybe("2026-03-01T00:00:00Z"),
            reach=self.reach(),
        )

    def reach(self) -> Reach:
        """Return any reach, most often an open one."""
        if self.dice.random() < 0.5:
            return Reach()
        return Reach(
            audience=self.one(Audience),
            role=self.one(("dev", "tester", None)),
            owner=self.one(("act_1", "act_2", None)),
            sensitivity=self.one(Sensitivity),
        )

    def eligibility(self) -> Eligibility:
        """Return any destination and any policy."""
        return Eligibility(
            destination=self.one(Destination),
            private_owner=self.one(("act_1", None)),
            roles=self.one(((), ("dev",))),
            highest_sensitivity=self.one(Sensitivity),
            lowest_knowledge_status=self.one(STATUSES),
        )
