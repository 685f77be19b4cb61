"""What is compiled by which budget: odd shares, caps from nothing to ample, and a limit near what must items take."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from greywind_site.hunting.compiles.materials import Facts
from sessions.context.admission import for_readers
from sessions.context.budget import Budget, Limit, build_budget, parse_profile
from sessions.context.floors import floors_of
from sessions.context.items import HEADINGS, Pen
from sessions.context.material import Material
from sessions.context.profiles import ModelProfile
from sessions.context.slots import render_items
from sessions.context.vocabulary import Fidelity, Group, Layer, LimitOrigin

ENCODINGS = ("o200k_base", "o200k_base", "cl100k_base")
WINDOW = 400_000
ROOMS = ((-40, 60), (0, 400), (0, 2_000), (0, 15_000), (100_000, 200_000))
"""How many tokens more than the must items there may be; below nothing there are too few."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is compiled, and by which budget."""

    material: Material
    budget: Budget
    profile: ModelProfile

    @classmethod
    def of(cls, material: Material, profile: ModelProfile, limits: Sequence[Limit] = ()) -> "Case":
        """Return a material with the budget that a profile gives it under these limits."""
        floors = floors_of(material.policy.body if material.policy else None)
        budget = build_budget(profile, phase=material.phase, risk=material.risk, limits=limits, floors=floors)
        return cls(material, budget, profile)


class Drawer(Facts):
    """Draws one case from dice; `ample` is a budget for all of it."""

    def __init__(self, dice: random.Random, *, hostile: bool = False, ample: bool = False) -> None:
        super().__init__(dice, hostile=hostile)
        self.ample = ample

    def case(self) -> Case:
        """Return a case."""
        material, profile = self.material(), parse_profile(self.body())
        whole = Case.of(material, profile)
        if self.ample:
            return whole
        room = self.dice.randint(*self.dice.choice(ROOMS))
        return Case.of(material, profile, [Limit(LimitOrigin.REQUEST, max(must_tokens(whole) + room, 0))])

    def body(self) -> dict[str, Any]:
        """Return a profile: mostly with odd shares, which leave one layer or group hardly anything."""
        caps = {
            "tool_result": (16, 400, 2_000),
            "message": (16, 400, 4_000),
            "action": (16, 64),
            "origin_goal": (16, 400),
        }
        counts = {"memories": {"min": self.one((0, 1, 2)), "max": self.one((2, 5))}, "handoff": self.one((0, 1, 1))}
        soft = self.dice.random()
        return {
            "name": "any@hunt",
            "model_window": WINDOW,
            "harness_window": WINDOW,
            "encoding": self.one(ENCODINGS),
            "method": "exact",
            "reserves": {"output": 8_000, "tool_results": 6_000, "protocol": 500, "harness": 8_000, "margin": 2_500},
            "groups": self.shares([group for group in Group if group is not Group.HEADROOM]),
            "layers": self.layers(),
            "item_caps": {name: 8_000 if self.ample else self.one(sizes) for name, sizes in caps.items()}
            | dict(zip(("title", "excerpt"), self.one(((16, 32), (40, 100), (64, 240))), strict=True)),
            "counts": counts | {"dialogue_items": 400 if self.ample else self.one((0, 3, 80, 400)), "next_steps": 2},
            "thresholds": {"soft": soft, "hard": soft + (1 - soft) * self.dice.random()},
        }

    def layers(self) -> dict[str, dict[str, float]]:
        """Return a table of layers whose floors add up to less than the whole."""
        if self.ample:
            return {layer: {"floor": 0.0, "cap": 1.0} for layer in Layer}
        floors = self.shares(list(Layer)) if self.dice.random() < 0.7 else dict.fromkeys(Layer, 0.0)
        return {
            layer: {"floor": floor, "cap": max(floor, self.one((0.05, 0.3, 1.0)))} for layer, floor in floors.items()
        }

    def shares(self, names: Sequence[Any]) -> dict[Any, float]:
        """Return a share of the whole for each name, which do not add up to more than the whole."""
        weights = [self.dice.random() ** 2 for _ in names]
        return {name: 0.98 * weight / (sum(weights) + 0.1) for name, weight in zip(names, weights, strict=True)}


def must_tokens(case: Case) -> int:
    """Return what the must items take, with the headings above them."""
    counter = case.profile.counter()
    items = render_items(for_readers(case.material), Pen(counter, case.budget))
    must = [item for item in items if item.fidelity is Fidelity.MUST]
    headings = {item.section: counter.count(HEADINGS[item.section]) for item in must if HEADINGS[item.section]}
    return sum(item.tokens for item in must) + sum(headings.values())
