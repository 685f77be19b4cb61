"""Floors that a policy asks for beside a profile's own: read, judged, and raised as far as caps and the whole allow."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from sessions.context.profiles import WHOLE, Shares
from sessions.context.vocabulary import Layer

type Floors = Mapping[Layer, int]
"""Layers to ten-thousandths of the input cap."""
FIELD = "budget_floors"


def floors_of(body: Mapping[str, Any] | None) -> Floors:
    """Return the floors that a policy's body asks for; what it says that is no floor of a layer asks for nothing."""
    said = _said(body)
    return {layer: round(said[layer] * WHOLE) for layer in Layer if _is_share(said.get(layer))}


class FloorFault(NamedTuple):
    """What is wrong with a floor: the field, with a slash before a layer, why, and the rule with its figures."""

    field: str
    message: str
    rule: str
    bounds: Mapping[str, str]


def floor_faults(body: Mapping[str, Any] | None) -> Iterator[FloorFault]:
    """Yield what is wrong with the floors that a policy's body asks for."""
    said, layers = _said(body), ", ".join(Layer)
    for name, share in said.items():
        if name not in set(Layer):
            message = f"is not a layer; there are {layers}"
            yield FloorFault(f"{FIELD}/{name}", message, "layer_unknown", {"layers": layers})
        elif not _is_share(share):
            yield FloorFault(f"{FIELD}/{name}", "must be a share of the input cap, from 0 to 1", "share", {})
    whole = sum(floors_of(body).values())
    if whole > WHOLE:
        figures = {"sum": f"{whole / 100:g}", "over": f"{(whole - WHOLE) / 100:g}"}
        message = "add up to {sum} % of the input cap; take away {over} % or more".format(**figures)
        yield FloorFault(FIELD, message, "shares_over", figures)


def raised(shares: Shares, floors: Floors) -> Shares:
    """Return the shares with floors as high as asked for: never above a layer's cap, nor all of them above the whole.

    Where not all of them have room, the earlier layers come first; no floor of the profile's own is lowered.
    """
    left, found = WHOLE - sum(share.floor for share in shares.values()), dict(shares)
    for layer in Layer:
        share = shares[layer]
        more = min(floors.get(layer, 0), share.cap) - share.floor
        added = min(max(more, 0), max(left, 0))
        left -= added
        found[layer] = replace(share, floor=share.floor + added)
    return found


def _said(body: Mapping[str, Any] | None) -> Mapping[str, Any]:
    said = (body or {}).get(FIELD)
    return said if isinstance(said, Mapping) else {}


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
