"""Two packets side by side: their bars on one scale, and every item that came, went or changed. Reads, never writes."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.actors import Acting
from governance.errors import NotThere
from governance.invisible import made_visible
from governance.scope import project_scope
from sessions.context.vocabulary import Layer
from sessions.models import ContextPacket
from sessions.packet_chart import Segment, bar
from sessions.packet_refs import Namer, Source
from sessions.replay import decisions_in
from sessions.vocabulary import ItemChange

type Key = tuple[str, str]  # the layer, and the ref without its version
type Weighed = tuple[str, int]  # the whole ref, and its tokens
VERSION = re.compile(r"@\d+")
MOST_CHANGES = 200  # of a comparison that are listed; the others are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class SideLine:
    """One of the two packets. `bar` is drawn on the scale of the larger input cap of both."""

    id: str
    at: datetime
    thread: str
    role: str
    refused: bool
    profile: str
    used: int
    cap: int
    bar: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class LayerPair:
    """A layer in both packets, in tokens."""

    layer: Layer
    first: int
    second: int

    @property
    def more(self) -> int:
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """An item that is not the same in both; tokens are None where it was not in."""

    change: ItemChange
    layer: Layer
    source: Source
    first: int | None
    second: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Both packets, their layers in pairs, and their differences. `same` items are in both; `more` are not listed."""

    first: SideLine
    second: SideLine
    layers: Sequence[LayerPair]
    changes: Sequence[ChangeLine]
    same: int
    more: int


def compared(acting: Acting, first: uuid.UUID, second: uuid.UUID) -> Comparison:
    """Compare two packets that the actor may see; raises NotThere where one of them is not here."""
    with project_scope(acting, read_only=True):
        rows = ContextPacket.objects.filter(pk__in=[first, second]).select_related("session", "thread")
        found = {row.pk: row for row in rows}
    if first not in found or second not in found:
        raise NotThere.there("?a")
    return _comparison(found[first], found[second])


def _comparison(first: ContextPacket, second: ContextPacket) -> Comparison:
    before, after = _items(first), _items(second)
    changes = _changes(before, after, Namer.of(first, second))
    scale = max(first.input_cap, second.input_cap)
    used = [_used(row) for row in (first, second)]
    return Comparison(
        first=_side(first, used[0], scale=scale),
        second=_side(second, used[1], scale=scale),
        layers=[LayerPair(layer, used[0].get(layer, 0), used[1].get(layer, 0)) for layer in Layer],
        changes=changes[:MOST_CHANGES],
        same=sum(before[key] == after.get(key) for key in before),
        more=max(len(changes) - MOST_CHANGES, 0),
    )


def _items(packet: ContextPacket) -> Mapping[Key, Weighed]:
    """Return what was in, by layer and ref without its version: a newer version of a source is a change of it."""
    layers = decisions_in(packet)["budget"]["layers"]
    return {
        (layer["layer"], VERSION.sub("", item["ref"])): (item["ref"], item["tokens"])
        for layer in layers
        for item in layer["items"]
    }


def _changes(before: Mapping[Key, Weighed], after: Mapping[Key, Weighed], namer: Namer) -> Sequence[ChangeLine]:
    order = {layer.value: at for at, layer in enumerate(Layer)}
    keys = sorted({**before, **after}, key=lambda key: order[key[0]])
    pairs = [(key[0], before.get(key), after.get(key)) for key in keys]
    return [_line(Layer(layer), one, two, namer=namer) for layer, one, two in pairs if one != two]


def _line(layer: Layer, one: Weighed | None, two: Weighed | None, *, namer: Namer) -> ChangeLine:
    change = ItemChange.ADDED if one is None else ItemChange.GONE if two is None else ItemChange.CHANGED
    ref = (two or one or ("", 0))[0]
    return ChangeLine(change, layer, namer.source(ref), one and one[1], two and two[1])


def _used(packet: ContextPacket) -> Mapping[str, int]:
    return {layer["layer"]: layer["used"] for layer in packet.decisions["budget"]["layers"]}


def _side(packet: ContextPacket, used: Mapping[str, int], *, scale: int) -> SideLine:
    parts = [(layer.value, used.get(layer.value, 0)) for layer in Layer]
    free = max(packet.input_cap - packet.used, 0)
    return SideLine(
        id=packet.public_id,
        at=packet.created_at,
        thread=made_visible(packet.thread.title),
        role=made_visible(packet.role),
        refused=packet.refused,
        profile=packet.decisions["budget"]["profile"],
        used=packet.used,
        cap=packet.input_cap,
        bar=bar([*parts, ("free", free)], whole=scale),
    )
