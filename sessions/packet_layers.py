"""The layers of a packet for a reader: what each was given, what it used, and every item that came in or stayed out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from governance.invisible import made_visible
from governance.languages import language_of
from sessions.context.admission import for_readers
from sessions.context.budget import LayerBudget
from sessions.context.cuts import one_line
from sessions.context.fitting import Tray
from sessions.context.items import Item, Pen
from sessions.context.slots import render_items
from sessions.context.vocabulary import GROUP_OF, DropReason, Fidelity, Group, Layer, LimitOrigin, Step
from sessions.packet_chart import place, share
from sessions.packet_refs import Namer, Source
from sessions.replay import Recompiled

MOST_ITEMS = 200  # of a layer on one page; the rest has pages of its own
FIRST_WORDS = 24  # tokens of an item that its line shows, so that it can be recognised
GAUGE = 120  # units of a layer's own bar


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLine:
    """One item that came in (with its fidelity and step) or was left out (with the reason). `words` may be empty.

    `whole` are the tokens of all of it where only a part is in, None where nobody has counted.
    """

    source: Source
    tokens: int
    fidelity: Fidelity | None = None
    step: Step | None = None
    whole: int | None = None
    reason: DropReason | None = None
    words: str = ""

    @property
    def shortened(self) -> bool:
        return self.step not in (None, Step.FULL)

    @property
    def language(self) -> str:
        return language_of(self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerLine:
    """One layer, in tokens. `share` is per cent of all that was used; a refusal's `used` is what must items needed.

    `items` and `dropped` hold at most MOST_ITEMS each, `taken` and `left` how many there are, and `lost` the tokens
    of what was left out. `held` items the harness holds already. `reasons` say how many were left out for which.
    `headings` are the tokens of the lines above the sections that the layer pays for.
    """

    layer: Layer
    floor: int
    cap: int
    used: int
    share: float
    headings: int
    origin: LimitOrigin
    items: Sequence[ItemLine]
    dropped: Sequence[ItemLine]
    taken: int
    left: int
    lost: int
    held: Sequence[ItemLine] = ()
    reasons: Sequence[tuple[DropReason, int]] = ()

    @property
    def group(self) -> Group:
        return GROUP_OF[self.layer]

    @property
    def more_items(self) -> int:
        return self.taken - len(self.items)

    @property
    def more_dropped(self) -> int:
        return self.left - len(self.dropped)

    @property
    def over(self) -> bool:
        """Whether must items took more than the layer's own cap, which yields to them."""
        return self.used > self.cap

    @property
    def filled(self) -> int:
        """Units of the layer's own bar that are used; one at least where anything is."""
        return max(place(self.used, whole=self._whole, length=GAUGE), 2 if self.used else 0)

    @property
    def cap_at(self) -> int:
        return place(self.cap, whole=self._whole, length=GAUGE)

    @property
    def floor_at(self) -> int:
        return place(self.floor, whole=self._whole, length=GAUGE)

    @property
    def _whole(self) -> int:
        return max(self.cap, self.used)


@dataclass(frozen=True, slots=True)
class Reader:
    """Turns stored items into lines: `namer` names their refs, `texts` hold what may be shown of them, by ref."""

    namer: Namer
    texts: Mapping[str, Item]

    def line(self, stored: Mapping[str, Any]) -> ItemLine:
        """Return the line of one item as a packet's decisions hold it."""
        fidelity, reason, step = (stored.get(name) for name in ("fidelity", "reason", "step"))
        return ItemLine(
            source=self.namer.source(stored["ref"]),
            tokens=stored["tokens"],
            fidelity=Fidelity(fidelity) if fidelity else None,
            step=Step(step) if step else None,
            whole=stored.get("whole"),
            reason=DropReason(reason) if reason else None,
            words=first_words(self.texts.get(stored["ref"])),
        )

    def lines(self, stored: Sequence[Mapping[str, Any]], *, start: int = 0) -> Sequence[ItemLine]:
        """Return at most MOST_ITEMS lines, from `start` on."""
        return [self.line(one) for one in stored[start : start + MOST_ITEMS]]


def items_of(again: Recompiled | None) -> Sequence[Item]:
    """Return everything that a compile had to choose from; nothing where it cannot be compiled again."""
    if again is None:
        return ()
    return render_items(for_readers(again.material), Pen(again.profile.counter(), again.budget))


def layer_lines(decisions: Mapping[str, Any], reader: Reader) -> Sequence[LayerLine]:
    """Return the layers of a packet that was compiled, in their order."""
    total = decisions["budget"]["used"]
    return [_line(layer, reader, total=total) for layer in decisions["budget"]["layers"]]


def needed_lines(again: Recompiled, items: Sequence[Item], reader: Reader) -> Sequence[LayerLine]:
    """Return the layers of a refused compile: what its must items would have taken, heading by heading."""
    tray = Tray(again.budget, again.profile.counter())
    musts = [item for item in items if item.fidelity is Fidelity.MUST]
    for item in musts:
        tray.put(item)
    by_layer = {layer: [item for item in musts if item.layer is layer] for layer in Layer}
    return [_needed(again.budget.layers[layer], tray, by_layer[layer], layer=layer, reader=reader) for layer in Layer]


def first_words(item: Item | None) -> str:
    """Return the beginning of an item on one line, without the line that heads it."""
    if item is None:
        return ""
    return made_visible(one_line(item.text.partition("\n")[2], FIRST_WORDS))


def by_ref(items: Iterable[Item]) -> Mapping[str, Item]:
    """Return items by their refs, which are unique in a compile."""
    return {item.ref: item for item in items}


def _line(layer: Mapping[str, Any], reader: Reader, *, total: int) -> LayerLine:
    dropped = layer["dropped"]
    return LayerLine(
        layer=Layer(layer["layer"]),
        floor=layer["floor"],
        cap=layer["cap"],
        used=layer["used"],
        share=share(layer["used"], total),
        headings=layer["headings"],
        origin=LimitOrigin(layer["origin"]),
        items=reader.lines(layer["items"]),
        dropped=reader.lines(dropped),
        taken=len(layer["items"]),
        left=len(dropped),
        lost=sum(item["tokens"] for item in dropped),
        held=reader.lines(layer.get("held", ())),
        reasons=_reasons(dropped),
    )


def _reasons(dropped: Sequence[Mapping[str, Any]]) -> Sequence[tuple[DropReason, int]]:
    """Return how many were left out for which reason, the most frequent first."""
    return [(DropReason(reason), count) for reason, count in Counter(one["reason"] for one in dropped).most_common()]


def _needed(figures: LayerBudget, tray: Tray, musts: Sequence[Item], *, layer: Layer, reader: Reader) -> LayerLine:
    used = tray.layers[layer]
    stored = [{"ref": item.ref, "fidelity": item.fidelity.value, "tokens": item.tokens} for item in musts]
    return LayerLine(
        layer=layer,
        floor=figures.floor,
        cap=figures.cap,
        used=used,
        share=share(used, tray.used),
        headings=used - sum(item.tokens for item in musts),
        origin=figures.origin,
        items=reader.lines(stored),
        dropped=(),
        taken=len(stored),
        left=0,
        lost=0,
    )
