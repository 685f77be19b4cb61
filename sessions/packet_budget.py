"""The budget of a packet for a reader: the bars, the figures they show, and where each limit came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from sessions.context.profiles import DEFAULT_PROFILE
from sessions.context.vocabulary import GROUP_OF, CountMethod, Group, Layer, LimitOrigin
from sessions.packet_chart import LENGTH, bar, place
from sessions.packet_layers import LayerLine
from sessions.packet_sentences import RESERVES
from sessions.packet_words import word_of

FREE, UNUSED, RESERVE = "free", "unused", "reserve"
PARTS: Mapping[str, Promise] = {
    FREE: gettext_lazy("free under the cap"),
    UNUSED: gettext_lazy("not to be used"),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of tokens with its name; `key` is the stored word."""

    key: str
    name: Any
    tokens: int


@dataclass(frozen=True, slots=True)
class BarPart:
    """One part of a bar: what it is, in whose colour, its tokens, and where it stands."""

    fill: str
    name: Promise | str
    tokens: int
    x: int
    width: int


@dataclass(frozen=True, slots=True)
class CapMark:
    """Where a layer would end if it were as full as its cap, on the enlarged bar; `over` says that it went beyond."""

    layer: Layer
    cap: int
    x: int
    over: bool


@dataclass(frozen=True, slots=True)
class LimitLine:
    """One wish to lower the input cap: whose, how many tokens, and whether it is the one that holds."""

    origin: LimitOrigin
    tokens: int
    holds: bool


@dataclass(frozen=True, slots=True)
class GroupLine:
    """What a group of layers was planned to take of the input cap, and what its layers used; None where unknown."""

    group: Group
    planned: int
    used: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLines:
    """All figures of one budget, in tokens. `used` of a refusal is what its must items needed, None when unknown.

    The window's bar is the layers, what is free under the cap, the reserves and what nothing may use. The cap's bar is
    the layers enlarged, drawn to the input cap, or to what was needed where that is more; `cap_at` is the cap's place.
    `revision` is the number of the profile's approved revision; None for a profile as it ships.
    """

    profile: str
    revision: str | None
    window: int
    input_cap: int
    origin: LimitOrigin
    used: int | None
    unused: int
    method: CountMethod
    encoding: str
    reserves: Sequence[Figure]
    limits: Sequence[LimitLine]
    groups: Sequence[GroupLine]
    layers: Sequence[LayerLine]
    window_bar: Sequence[BarPart]
    cap_bar: Sequence[BarPart]
    cap_marks: Sequence[CapMark]
    cap_ends_at: int

    @property
    def reserved(self) -> int:
        return sum(reserve.tokens for reserve in self.reserves)

    @property
    def free(self) -> int:
        return max(self.input_cap - (self.used or 0), 0)

    @property
    def over(self) -> int:
        """Tokens that must items needed above the input cap; 0 for a packet that was compiled."""
        return max((self.used or 0) - self.input_cap, 0)

    @property
    def share(self) -> int | None:
        """Whole per cent of the input cap that was used."""
        return None if self.used is None or not self.input_cap else round(100 * self.used / self.input_cap)

    @property
    def approx(self) -> str:
        """What stands before figures that are not exact."""
        return "" if self.method is CountMethod.EXACT else "≈\u202f"

    @property
    def sum_used(self) -> int:
        return sum(layer.used for layer in self.layers)

    @property
    def items(self) -> int:
        return sum(layer.taken for layer in self.layers)

    @property
    def left(self) -> int:
        return sum(layer.left for layer in self.layers)

    @property
    def adds_up(self) -> bool:
        """Whether the layers add up to what was used, and the parts of the window to the window."""
        parts = self.reserved + self.input_cap + self.unused == self.window
        return parts and (not self.layers or self.sum_used == self.used)

    @property
    def cap_at(self) -> int:
        return place(self.input_cap, whole=max(self.input_cap, self.used or 0))


def budget_lines(
    stored: Mapping[str, Any], layers: Sequence[LayerLine], *, limits: Sequence[Sequence[Any]], refused: bool
) -> BudgetLines:
    """Return the figures of `stored`, a packet's budget; `limits` are the pairs of its receipt."""
    needed = sum(layer.used for layer in layers) if layers else None
    used = needed if refused else stored["used"]
    cap, unused = stored["input_cap"], stored["unused"]
    reserves = [Figure(name, RESERVES.get(name, name), tokens) for name, tokens in _ordered(stored["reserves"])]
    window, cap_ends_at = _window_bar(layers, cap, reserves, whole=stored["window"], unused=unused)
    enlarged = _enlarged(layers, cap)
    return BudgetLines(
        profile=stored["profile"],
        revision=stored["profile_origin"].rpartition("@")[2] if stored.get("profile_revision") else None,
        window=stored["window"],
        input_cap=cap,
        origin=LimitOrigin(stored["input_cap_origin"]),
        used=used,
        unused=unused,
        method=CountMethod(stored["method"]),
        encoding=stored["encoding"],
        reserves=reserves,
        limits=_limits(stored, limits),
        groups=_groups(stored["groups"], layers),
        layers=layers,
        window_bar=window,
        cap_bar=enlarged,
        cap_marks=_cap_marks(layers, cap, enlarged),
        cap_ends_at=cap_ends_at,
    )


type Measured = tuple[str, Promise | str, int]  # colour, name, tokens


def _window_bar(
    layers: Sequence[LayerLine], cap: int, reserves: Sequence[Figure], *, whole: int, unused: int
) -> tuple[Sequence[BarPart], int]:
    """Return the parts of the whole window, and where the input cap ends on it."""
    used, taken = _measured(layers)
    # A refusal needed more than the cap: the window shows what there was.
    inside = used if taken <= cap else []
    free = cap - taken if inside else cap
    below: list[Measured] = [*inside, (FREE, PARTS[FREE], free)]
    rest: list[Measured] = [*((RESERVE, one.name, one.tokens) for one in reserves), (UNUSED, PARTS[UNUSED], unused)]
    parts = _drawn([*below, *rest], whole=whole)
    ends = [part.x + part.width for part in parts[: sum(tokens > 0 for _, _, tokens in below)]]
    return parts, max(ends, default=0)


def _measured(layers: Sequence[LayerLine]) -> tuple[list[Measured], int]:
    """Return what each layer used, and all of them together."""
    used: list[Measured] = [(line.layer.value, word_of(Layer, line.layer), line.used) for line in layers]
    return used, sum(line.used for line in layers)


def _drawn(measured: Sequence[Measured], *, whole: int) -> Sequence[BarPart]:
    shown = [one for one in measured if one[2] > 0]
    segments = bar([(str(at), tokens) for at, (_, _, tokens) in enumerate(shown)], whole=whole)
    return [BarPart(*one, segment.x, segment.width) for one, segment in zip(shown, segments, strict=True)]


def _enlarged(layers: Sequence[LayerLine], cap: int) -> Sequence[BarPart]:
    used, taken = _measured(layers)
    return _drawn([*used, (FREE, PARTS[FREE], max(cap - taken, 0))], whole=max(cap, taken))


def _cap_marks(layers: Sequence[LayerLine], cap: int, parts: Sequence[BarPart]) -> Sequence[CapMark]:
    starts = {part.fill: part.x for part in parts}
    whole = max(cap, sum(line.used for line in layers))
    shown = [line for line in layers if line.layer.value in starts]
    ends = {line.layer: starts[line.layer.value] + place(line.cap, whole=whole) for line in shown}
    return [CapMark(line.layer, line.cap, min(ends[line.layer], LENGTH), line.over) for line in shown]


def _ordered(reserves: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return reserves in the order in which they are told everywhere, whatever the database kept."""
    known = [name for name in RESERVES if name in reserves]
    return [(name, reserves[name]) for name in [*known, *sorted(set(reserves) - set(known))]]


def _limits(stored: Mapping[str, Any], limits: Sequence[Sequence[Any]]) -> Sequence[LimitLine]:
    room = stored["window"] - sum(stored["reserves"].values())
    holding = LimitOrigin(stored["input_cap_origin"])
    own = LimitOrigin.DEFAULT if stored["profile"] == DEFAULT_PROFILE else LimitOrigin.PROFILE
    wishes = [(own, room), *((LimitOrigin(origin), tokens) for origin, tokens in limits)]
    return [LimitLine(origin, tokens, origin is holding) for origin, tokens in wishes]


def _groups(stored: Mapping[str, int], layers: Sequence[LayerLine]) -> Sequence[GroupLine]:
    used = {group: sum(line.used for line in layers if GROUP_OF[line.layer] is group) for group in Group}
    return [GroupLine(group, stored[group], used[group] if layers else None) for group in Group if group in stored]
