"""Scenes of the hunt: a proposal of some weight in some state, by somebody, among some people."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from typing import Any

from governance.vocabulary import ContractKind, Proposable, ProposalKind
from greywind_site.hunting.authority.people import HUMANS, WANTED
from greywind_site.hunting.authority.tally import RISKS, STATES

type Patch = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one weight, as the design weighs it: three texts for it, its risk, and who decides.

    What becomes no revision has no slug of its own: it is about the one thread of the hunt.
    """

    kind: Proposable
    slug: str
    texts: tuple[Patch, Patch, Patch]
    risk: str
    level: str


def _texts(field: str, *values: Any) -> tuple[Patch, Patch, Patch]:
    first, second, third = ({field: value} for value in values)
    return first, second, third


CHANGES: Mapping[str, Change] = {
    "style": Change(
        ContractKind.PERSONA, "default", _texts("speaking_style", "warm", "dry", "brief"), "low", "maintainer"
    ),
    "behaviour": Change(
        ContractKind.PERSONA, "default", _texts("behavior_rules", ["a"], ["b"], ["c"]), "medium", "maintainer"
    ),
    "core": Change(
        ContractKind.PERSONA, "default", _texts("identity_core", *({"roles": [x]} for x in "abc")), "high", "owner"
    ),
    "duties": Change(ContractKind.ROLE, "dev", _texts("duties", ["a"], ["b"], ["c"]), "medium", "maintainer"),
    "permissions": Change(ContractKind.ROLE, "dev", _texts("permissions", ["a"], ["b"], ["c"]), "high", "owner"),
    "boundaries": Change(ContractKind.ROLE, "dev", _texts("hard_boundaries", [], ["b"], ["c"]), "high", "owner"),
    "retention": Change(
        ContractKind.POLICY, "default", _texts("retention", *({"episode": n} for n in (7, 8, 9))), "medium", "owner"
    ),
    "likes": Change(
        ContractKind.SELF_PROFILE,
        "mine",
        _texts("preference_model", *({"communication": {"tone": tone}} for tone in ("a", "b", "c"))),
        "low",
        "owner",
    ),
    "window": Change(
        ContractKind.BUDGET_PROFILE, "gpt-5@codex", _texts("model_window", 300_000, 310_000, 320_000), "high", "owner"
    ),
    "gain": Change(
        ProposalKind.VISION, "", _texts("done_when", *([*WANTED["done_when"], x] for x in "abc")), "low", "maintainer"
    ),
    "loss": Change(ProposalKind.VISION, "", _texts("non_goals", ["a"], ["b"], ["c"]), "high", "maintainer"),
}
WRITERS = ("o1", "o2", "m1", "m2", "a-o1", "a-m1", "a-none")
EDITORS = (None, None, "o1", "o2", "m1")
EVERYBODY = frozenset(HUMANS) - {"away", "closed"}
# Who is there: everybody, one who decides alone, and few.
CROWDS: Sequence[frozenset[str]] = (
    EVERYBODY,
    frozenset({"o1"}),
    frozenset({"m1"}),
    frozenset({"m1", "viewer"}),
    frozenset({"o1", "m1", "viewer"}),
    frozenset({"o2", "m2"}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One case to be staged. `given` is how many approvals of the present text lie there already."""

    change: str
    asked: str
    proposer: str
    editor: str | None
    present: frozenset[str]
    state: str
    two: bool
    moved: bool
    given: int

    @property
    def weight(self) -> tuple[str, str]:
        """Risk and level of the change: what it touches, and no less than what was asked for."""
        change = CHANGES[self.change]
        return max(change.risk, self.asked, key=RISKS.index), change.level


WEIGHTS = tuple(product(RISKS, ("maintainer", "owner")))


def scenes(dice: random.Random) -> Iterator[Scene]:
    """Yield scenes without end: every weight, author and crowd in random order, over and over; open ones first."""
    told_apart = list(product(WEIGHTS, WRITERS, CROWDS))
    for turn in count():
        dice.shuffle(told_apart)
        for weight, proposer, present in told_apart:
            state = dice.choice(STATES) if turn and dice.random() < 0.55 else "open"
            still = bool(turn) and state == "open"
            change, asked = dice.choice(_of_weight(weight))
            two = dice.random() < 0.4
            # Where two have to approve and two wrote of it, the three owners are too few to bring it there.
            alone = not turn or (two and state == "approved")
            yield Scene(
                change=change,
                asked=asked,
                proposer=proposer,
                editor=None if alone else dice.choice(EDITORS),
                present=present,
                state=state,
                two=two,
                moved=still and dice.random() < 0.12,
                given=dice.choice((0, 0, 0, 1, 2)) if still else 0,
            )


def _of_weight(weight: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the changes, and the risks asked for, that weigh as much."""
    risk, level = weight
    pairs = [(name, asked) for name in CHANGES for asked in RISKS if CHANGES[name].level == level]
    return [pair for pair in pairs if max(CHANGES[pair[0]].risk, pair[1], key=RISKS.index) == risk]
