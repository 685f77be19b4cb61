"""A budget drawn to its window: the reserves, the groups that share the input cap, and what nothing may use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sessions.context.budget import Budget
from sessions.context.vocabulary import Group, Layer, LimitOrigin
from sessions.packet_chart import Segment, bar
from sessions.packet_sentences import RESERVES
from sessions.packet_words import word_of

UNUSED = "unused"
# Each group in the colour of the layer that is most of it.
FILLS = {
    Group.POLICY: Layer.POLICY,
    Group.PLAN: Layer.PLAN,
    Group.SELF: Layer.PERSONA,
    Group.EVIDENCE: Layer.MEMORIES,
    Group.HEADROOM: Layer.DIALOGUE,
}


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the window: `fill` is its colour's name; `origin` is None for what follows from the others."""

    segment: Segment | None
    name: Any
    fill: str
    tokens: int
    origin: LimitOrigin | None


def window_bar(budget: Budget) -> Sequence[Part]:
    """Return the parts of the window in order; they add up to it. A part of no token has no segment."""
    keys = [*(f"group-{group}" for group in budget.groups), *budget.reserves, UNUSED]
    figures = [*budget.groups.values(), *budget.reserves.values(), budget.unused]
    segments = {segment.name: segment for segment in bar(list(zip(keys, figures, strict=True)), whole=budget.window)}
    drawn = [segments.get(key) for key in keys]
    names = [*(word_of(Group, group) for group in budget.groups), *(RESERVES[name] for name in budget.reserves), ""]
    fills = [*(FILLS[group].value for group in budget.groups), *("reserve" for _ in budget.reserves), UNUSED]
    origins = [*(None for _ in budget.groups), *(budget.reserve_origins[name] for name in budget.reserves), None]
    return [Part(*one) for one in zip(drawn, names, fills, figures, origins, strict=True)]
