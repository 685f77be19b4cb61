"""Hostile materials and tight budgets at random."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from governance.vocabulary import Audience, Destination, Phase, Risk, Sensitivity
from sessions.context.budget import Budget
from sessions.context.items import HEADINGS, Pen
from sessions.context.material import ConstraintFact, Eligibility, EventFact, HitFact, InputFact, Material, Reach
from sessions.context.slots import render_items
from sessions.context.vocabulary import Fidelity
from tests.context.cast import O200K, budget_of, contract, event, full_material, hit

_PIECES = st.sampled_from(
    [
        *(
            "a",
            "Bc",
            "中文",
            "。",
            "😀",
            "👩‍👧",
            "שלום",
            " ",
            "   ",
            "\n",
            "\r\n",
            "\r",
            "\t",
            "/",
            "#",
            "# x",
            "-",
            "- ",
        ),
        *(
            "'s",
            "12",
            "3456",
            "\u200b",
            "\x85",
            "\u2028",
            "\xa0",
            "\u3000",
            ".",
            "!",
            "§",
            "§§ policy",
            "\n§ request\n",
        ),
        *("\\§", "\\", "\x1c", "\x00", "\u0301", "\ufeff", "<|endoftext|>", "\n\n", "{", '"', "the quick fox ", "ſ"),
        *("\ud800", "\udc00"),
    ]
)
TEXTS = st.lists(_PIECES, max_size=12).map("".join)


class Hat:
    """Draws facts from a few texts by a seed. Drawing each field by a strategy would cost ten times the compile."""

    def __init__(self, texts: list[str], seed: int) -> None:
        self.texts, self.random = texts, Random(seed)  # noqa: S311 - dice for a test, no secret

    def one[T](self, options: Iterable[T]) -> T:
        """One of the options."""
        return self.random.choice(list(options))

    def text(self) -> str:
        """Up to three of the texts, joined."""
        return "".join(self.random.choices(self.texts, k=self.random.randint(0, 3)))

    def long(self) -> str:
        """A text, now and then one of some hundred tokens."""
        return self.text() * self.one((1, 1, 2, 5, 40))

    def lines(self) -> tuple[str, ...]:
        """Up to three texts that are not blank."""
        drawn = [self.text() for _ in range(self.random.randint(0, 3))]
        return tuple(text for text in drawn if text.strip())

    def reach(self) -> Reach:
        """Any reach, most often an open one."""
        if self.random.random() < 0.5:
            return Reach()
        return Reach(
            audience=self.one(Audience),
            role=self.one(("dev", "tester", None)),
            owner=self.one(("act_1", "act_2", None)),
            sensitivity=self.one(Sensitivity),
        )

    def eligibility(self) -> Eligibility:
        """Any destination and any policy."""
        return Eligibility(
            destination=self.one(Destination),
            private_owner=self.one(("act_1", None)),
            roles=self.one(((), ("dev",))),
            highest_sensitivity=self.one(Sensitivity),
            lowest_knowledge_status=self.one(("disputed", "open", "inferred", "confirmed")),
        )

    def events(self) -> tuple[EventFact, ...]:
        """Up to fourteen events of any kind."""
        kinds = ("message", "message", "tool_call", "tool_result", "provider_compaction", "constraint", "correction")
        roles = ("user", "assistant")
        count = self.random.randint(0, 14)
        return tuple(event(seq, self.long(), role=self.one(roles), kind=self.one(kinds)) for seq in range(count))

    def hits(self) -> tuple[HitFact, ...]:
        """Up to eight hits; texts repeat, so some are duplicates."""
        words = ("disputed", "open", "inferred", "confirmed", "odd")
        return tuple(
            hit(str(n), self.text(), score=self.random.random(), status=self.one(words), reach=self.reach())
            for n in range(self.random.randint(0, 8))
        )


@st.composite
def materials(draw: st.DrawFn) -> Material:
    """Any material, hostile texts in every field."""
    hat = Hat(draw(st.lists(TEXTS, min_size=1, max_size=5)), draw(st.integers(0, 2**32)))
    some = full_material()
    vision, task, handoff, summary = some.vision, some.thread.task, some.handoff, some.summary
    assert vision is not None
    assert task is not None
    assert handoff is not None
    assert summary is not None
    vision = replace(vision, origin_goal=hat.long(), non_goals=hat.lines(), done_when=hat.lines())
    task = replace(task, title=hat.text(), next_steps=hat.lines())
    handoff = replace(handoff, summary=hat.text(), risks=hat.lines())
    summary = replace(summary, sections={name: hat.lines() for name in ("constraints", "conclusions", "§ odd\n")})
    return replace(
        some,
        role=contract("role", slug="dev", duties=list(hat.lines()), hard_boundaries=list(hat.lines())),
        policy=hat.one((contract("policy", rules=list(hat.lines())), None)),
        vision=hat.one((vision, vision, None)),
        thread=replace(some.thread, title=hat.text(), summary=hat.text(), task=hat.one((task, None))),
        session=replace(some.session, resume_point=hat.text(), interruptions=hat.lines()),
        summary=hat.one((summary, None)),
        handoff=hat.one((handoff, None)),
        user_input=InputFact(raw_text=hat.long(), attached_context=hat.one((hat.text(), None))),
        constraints=tuple(ConstraintFact(ref=f"event://ses_1/{900 + n}", text=t) for n, t in enumerate(hat.lines())),
        events=hat.events(),
        hits=hat.hits(),
        eligibility=hat.eligibility(),
        phase=hat.one(Phase),
        risk=hat.one(Risk),
    )


@st.composite
def budgets(draw: st.DrawFn, material: Material) -> Budget:
    """A budget that is sometimes too small for the must items, mostly tight, and sometimes ample."""
    counts = {
        "memories": {"min": draw(st.integers(0, 2)), "max": draw(st.integers(2, 5))},
        "handoff": draw(st.integers(0, 1)),
        "dialogue_items": draw(st.sampled_from([0, 3, 400])),
    }
    room = draw(st.integers(-60, 60) | st.integers(0, 1_000) | st.integers(0, 15_000))
    tokens = max(_must_tokens(material) + room, 0)
    return budget_of(tokens, phase=material.phase, risk=material.risk, counts=counts)


def _must_tokens(material: Material) -> int:
    items = render_items(material, Pen(O200K, budget_of(phase=material.phase, risk=material.risk)))
    must = [item for item in items if item.fidelity is Fidelity.MUST]
    headings = {item.section: O200K.count(HEADINGS[item.section]) for item in must if HEADINGS[item.section]}
    return sum(item.tokens for item in must) + sum(headings.values())
