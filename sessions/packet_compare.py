"""Compiles side by side: their bars on one scale, and every item that came, went or changed. Reads, never writes.

What is compared are packets, or what a compile that was only tried out decided.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from governance.actors import Acting
from governance.invisible import made_visible
from governance.scope import project_scope
from governance.vocabulary import Phase
from sessions.context.vocabulary import CountMethod, Layer, Step
from sessions.models import ContextPacket
from sessions.packet_chart import Segment, bar, share
from sessions.packet_refs import Namer, Source
from sessions.packet_values import source_of, values_in
from sessions.replay import decisions_in
from sessions.vocabulary import ItemChange

type Key = tuple[str, str]  # the layer, and the ref without its version; of a contract its kind and the part of it
MOST_CHANGES = 200  # of a comparison that are listed; the others are counted
ENLARGED = 4  # times the fullest side, beyond which what is free is not drawn: the layers have to be seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the compiles: what it was and what it decided. `packet` is '' for one that nobody recorded.

    `contracts` says which contract a revision's ref is of, `values` what items said whose refs do not tell.
    """

    packet: str
    at: datetime
    thread: str
    role: str
    refused: bool
    decisions: Mapping[str, Any]
    contracts: Mapping[str, str]
    values: Mapping[str, str | None]

    @classmethod
    def of(cls, packet: ContextPacket) -> "Side":
        """Return a packet as a side; its session and thread come with it."""
        return cls(
            **told_in(packet.receipt),
            packet=packet.public_id,
            at=packet.created_at,
            thread=made_visible(packet.thread.title),
            role=made_visible(packet.role),
            refused=packet.refused,
            decisions=decisions_in(packet),
        )

    @property
    def budget(self) -> Mapping[str, Any]:
        budget: Mapping[str, Any] = self.decisions["budget"]
        return budget

    @property
    def measure(self) -> Sequence[Any]:
        """How the tokens were counted: of another measure, other figures say nothing."""
        exact = self.budget["method"] == CountMethod.EXACT
        names = ("encoding", "method") if exact else ("encoding", "method", "profile_origin", "learnt")
        return [self.budget[name] for name in names]


def told_in(receipt: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a side is told of its items by a receipt."""
    contracts = {ref: kind for kind, ref in receipt["revisions"].items()}
    return {"contracts": contracts, "values": values_in(receipt)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SideLine:
    """A side as it is drawn: `bar` is on one scale for all; of much that is free only the beginning is drawn."""

    packet: str
    at: datetime
    thread: str
    role: str
    phase: Phase
    refused: bool
    profile: str
    used: int
    cap: int
    bar: Sequence[Segment]

    @property
    def share(self) -> int:
        """Whole per cent of the cap."""
        return round(share(self.used, self.cap))


@dataclass(frozen=True, slots=True)
class Used:
    """Tokens of a layer in one side, and what share of that side's input cap they are, in per cent."""

    tokens: int
    share: float


@dataclass(frozen=True, slots=True)
class LayerPair:
    """A layer in every side."""

    layer: Layer
    used: Sequence[Used]

    @property
    def more(self) -> int:
        """By how many tokens the last side differs from the first."""
        return self.used[-1].tokens - self.used[0].tokens

    @property
    def idle(self) -> bool:
        return not any(one.tokens for one in self.used)


@dataclass(frozen=True, slots=True)
class Taken:
    """An item in one side: its whole ref, its tokens, and the step at which it stands ('' where nobody said).

    `said` is what it said where its ref does not tell, None where that is not known any more.
    """

    ref: str
    tokens: int
    step: str
    said: str | None

    @property
    def shortened(self) -> Step | None:
        """The step of an item that is not in whole."""
        return Step(self.step) if self.step and self.step != Step.FULL else None


@dataclass(frozen=True, slots=True)
class Move:
    """What became of an item in a side, by its number from one, against the side before it."""

    side: int
    change: ItemChange


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """An item that is not the same in all sides; None where it was not in."""

    moves: Sequence[Move]
    layer: Layer
    source: Source
    taken: Sequence[Taken | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The sides, their layers, and their differences. `same` items are in all alike; `more` are not listed.

    `profiles` says that they are of different profiles, so that shares say more than tokens; `measures` that their
    tokens were counted in different ways, so that other tokens alone make no change.
    """

    sides: Sequence[SideLine]
    layers: Sequence[LayerPair]
    changes: Sequence[ChangeLine]
    same: int
    more: int
    profiles: bool
    measures: bool


def readable_sides(acting: Acting, packets: Collection[uuid.UUID]) -> Mapping[uuid.UUID, Side]:
    """Return those of the packets that the actor may see, as sides."""
    with project_scope(acting, read_only=True):
        rows = ContextPacket.objects.filter(pk__in=packets).select_related("session", "thread")
        return {row.pk: Side.of(row) for row in rows}


def comparison(sides: Sequence[Side], *, project_id: uuid.UUID) -> Comparison:
    """Compare two sides or more, in their order."""
    namer = Namer.naming(project_id, {ref: kind for side in sides for ref, kind in side.contracts.items()})
    items = [_items(side) for side in sides]
    alike = [before.measure == after.measure for before, after in pairwise(sides)]
    keys = dict.fromkeys(key for one in items for key in one)
    moved = {key: _moves([one.get(key) for one in items], alike) for key in keys}
    changes = _changes(items, moved, namer)
    fullest = max(side.budget["used"] for side in sides)
    scale = min(max(side.budget["input_cap"] for side in sides), ENLARGED * fullest or 1)
    used = [{layer["layer"]: layer["used"] for layer in side.budget["layers"]} for side in sides]
    return Comparison(
        sides=[_line(side, figures, scale=scale) for side, figures in zip(sides, used, strict=True)],
        layers=[_pair(layer, sides, used) for layer in Layer],
        changes=changes[:MOST_CHANGES],
        same=sum(not moves for moves in moved.values()),
        more=max(len(changes) - MOST_CHANGES, 0),
        profiles=len({side.budget["profile"] for side in sides}) > 1,
        measures=not all(alike),
    )


def _items(side: Side) -> Mapping[Key, Taken]:
    """Return what was in, by layer and what it is of: another version or revision of a source is a change of it."""
    return {
        (layer["layer"], source := _source(item["ref"], side.contracts)): Taken(
            item["ref"], item["tokens"], item.get("step") or "", side.values.get(source, "")
        )
        for layer in side.budget["layers"]
        for item in layer["items"]
    }


def _source(ref: str, contracts: Mapping[str, str]) -> str:
    of, mark, part = ref.partition("#")
    return source_of(f"{contracts.get(of, of)}{mark}{part}")


def _changes(
    items: Sequence[Mapping[Key, Taken]], moved: Mapping[Key, Sequence[Move]], namer: Namer
) -> Sequence[ChangeLine]:
    order = {layer.value: at for at, layer in enumerate(Layer)}
    keys = sorted((key for key, moves in moved.items() if moves), key=lambda key: order[key[0]])
    return [_line_of(Layer(key[0]), moved[key], [one.get(key) for one in items], namer) for key in keys]


def _line_of(layer: Layer, moves: Sequence[Move], taken: Sequence[Taken | None], namer: Namer) -> ChangeLine:
    ref = next(one.ref for one in reversed(taken) if one is not None)
    return ChangeLine(moves, layer, namer.source(ref), taken)


def _moves(taken: Sequence[Taken | None], alike: Sequence[bool]) -> Sequence[Move]:
    """Return what became of an item from each side to the next. `alike` says which of them count alike."""
    steps = zip(pairwise(taken), alike, strict=True)
    changes = [_change(before, after, counted=counted) for (before, after), counted in steps]
    return [Move(side, change) for side, change in enumerate(changes, start=2) if change is not None]


def _change(before: Taken | None, after: Taken | None, *, counted: bool) -> ItemChange | None:
    if before is None or after is None:
        return None if before is after else ItemChange.ADDED if before is None else ItemChange.GONE
    if (before.ref, before.step) != (after.ref, after.step) or (counted and before.tokens != after.tokens):
        return ItemChange.CHANGED
    if before.said is None or after.said is None:
        return ItemChange.NOT_KNOWN
    return None if before.said == after.said else ItemChange.CHANGED


def _pair(layer: Layer, sides: Sequence[Side], used: Sequence[Mapping[str, int]]) -> LayerPair:
    caps = [side.budget["input_cap"] for side in sides]
    figures = [one.get(layer.value, 0) for one in used]
    return LayerPair(layer, [Used(tokens, share(tokens, cap)) for tokens, cap in zip(figures, caps, strict=True)])


def _line(side: Side, used: Mapping[str, int], *, scale: int) -> SideLine:
    cap, taken = side.budget["input_cap"], side.budget["used"]
    parts = [(layer.value, used.get(layer.value, 0)) for layer in Layer]
    return SideLine(
        packet=side.packet,
        at=side.at,
        thread=side.thread,
        role=side.role,
        phase=Phase(side.decisions["phase"]),
        refused=side.refused,
        profile=side.budget["profile"],
        used=taken,
        cap=cap,
        bar=bar([*parts, ("free", max(min(cap, scale) - taken, 0))], whole=scale),
    )
