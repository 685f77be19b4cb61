"""Reading a budget profile from JSON, and saying which field of it cannot be used."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from governance.vocabulary import Phase, Risk
from sessions.context.profiles import (
    WHOLE,
    Counts,
    ItemCaps,
    LayerShare,
    ModelProfile,
    Overheads,
    ProfileFault,
    Shares,
    Thresholds,
    parse_profile_name,
)
from sessions.context.tokens import FILES
from sessions.context.vocabulary import CountMethod, Group, Layer

RESERVES = ("output", "tool_results", "protocol", "harness", "margin")
ITEM_CAPS = ("tool_result", "message", "action", "origin_goal")
STEP_CAPS = ("excerpt", "title")
"""Caps that a profile may leave to `ItemCaps`."""
LARGEST_WINDOW = 100_000_000
_FIELDS = frozenset(
    (
        *("name", "model_window", "harness_window", "encoding", "method", "factor", "reserves", "groups"),
        *("layers", "item_caps", "counts", "thresholds", "phases", "risks", "overheads", "reads"),
    )
)


def parse_profile(body: Mapping[str, Any]) -> ModelProfile:
    """Return the profile that `body` (JSON) describes. Raise ProfileFault naming the first field at fault."""
    for field in body.keys() - _FIELDS:
        raise ProfileFault(field, "is not a field of a budget profile")
    name = _text(body, "name")
    parse_profile_name(name)
    encoding = _text(body, "encoding")
    if encoding not in FILES:
        raise ProfileFault("encoding", f"must be one of {', '.join(FILES)}")
    layers = _shares(_object(body, "layers"), "layers")
    _require_all(layers)
    profile = ModelProfile(
        name=name,
        encoding=encoding,
        layers=layers,
        model_window=_tokens(body, "model_window", least=1),
        harness_window=_tokens(body, "harness_window", least=1),
        method=_method(body),
        factor=_factor(body),
        reserves={name: _tokens(_object(body, "reserves"), name, at="reserves.") for name in RESERVES},
        groups=_groups(_object(body, "groups")),
        item_caps=_item_caps(_object(body, "item_caps")),
        counts=_counts(_object(body, "counts")),
        thresholds=_thresholds(_object(body, "thresholds")),
        phases={Phase(key): table for key, table in _tables(body, "phases", tuple(Phase)).items()},
        risks={Risk(key): table for key, table in _tables(body, "risks", tuple(Risk)).items()},
        overheads=_overheads(_object(body, "overheads", absent={})),
        reads=_tokens(body, "reads") if body.get("reads") is not None else None,
    )
    _require_floors(profile)
    return profile


def check_room(profile: ModelProfile) -> None:
    """Raise ProfileFault, with the figures, for reserves or item caps that leave no room for what they stand beside."""
    reserved, window = sum(profile.reserves.values()), profile.window
    if reserved >= window:
        windows = f"model_window {profile.model_window}, harness_window {profile.harness_window}"
        raise ProfileFault("reserves", f"add up to {reserved} tokens of a window of {window} ({windows})")
    caps = profile.item_caps
    for name in ITEM_CAPS:
        if getattr(caps, name) > profile.room:
            message = f"is {getattr(caps, name)} tokens, and the input cap is {profile.room}: the window less reserves"
            raise ProfileFault(f"item_caps.{name}", message)


def _require_all(layers: Shares) -> None:
    for layer in Layer:
        if layer not in layers:
            raise ProfileFault(f"layers.{layer}", "is missing")


def _require_floors(profile: ModelProfile) -> None:
    for phase in Phase:
        for risk in Risk:
            floors = sum(share.floor for share in profile.shares(phase, risk).values())
            if floors > WHOLE:
                tokens = f"{floors * profile.room // WHOLE} tokens of {profile.room}"
                message = f"floors add up to {floors / 100:g} % of the input cap, {tokens}, in {phase} at {risk} risk"
                raise ProfileFault("layers", message)


def _method(body: Mapping[str, Any]) -> CountMethod:
    if body.get("method") not in (CountMethod.EXACT, CountMethod.ESTIMATE):
        raise ProfileFault("method", "must be exact or estimate")
    return CountMethod(body["method"])


def _factor(body: Mapping[str, Any]) -> float:
    factor = body.get("factor", 1)
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 1 <= factor <= 10:
        raise ProfileFault("factor", "must be a number from 1 to 10")
    if factor != 1 and _method(body) is CountMethod.EXACT:
        raise ProfileFault("factor", "must be 1 when the method is exact")
    return float(factor)


def _overheads(table: Mapping[str, Any]) -> Overheads:
    names = [one.name for one in fields(Overheads)]
    for key in table.keys() - set(names):
        raise ProfileFault(f"overheads.{key}", f"must be one of {', '.join(names)}")
    return Overheads(**{name: _tokens(table, name, at="overheads.") for name in names if name in table})


def _groups(table: Mapping[str, Any]) -> dict[Group, int]:
    named = [group for group in Group if group is not Group.HEADROOM]
    for key in table.keys() - set(named):
        raise ProfileFault(f"groups.{key}", "is not a group that takes a share; headroom is what the others leave")
    groups: dict[Group, int] = {group: _share(table, group, at="groups.") for group in named}
    if sum(groups.values()) > WHOLE:
        raise ProfileFault("groups", f"add up to {sum(groups.values()) / 100:g} % of the input cap")
    return groups


def _item_caps(table: Mapping[str, Any]) -> ItemCaps:
    named = [*ITEM_CAPS, *(name for name in STEP_CAPS if name in table)]
    caps = ItemCaps(**{name: _tokens(table, name, at="item_caps.", least=16) for name in named})
    if 2 * caps.title > caps.excerpt:
        raise ProfileFault("item_caps.title", "must not be above half of item_caps.excerpt")
    return caps


def _counts(table: Mapping[str, Any]) -> Counts:
    memories = _object(table, "memories", at="counts.")
    counts = Counts(
        memories_min=_tokens(memories, "min", at="counts.memories."),
        memories_max=_tokens(memories, "max", at="counts.memories."),
        handoff=_tokens(table, "handoff", at="counts."),
        dialogue_items=_tokens(table, "dialogue_items", at="counts."),
        **{name: _tokens(table, name, at="counts.") for name in ("next_steps",) if name in table},
    )
    if counts.memories_min > counts.memories_max:
        raise ProfileFault("counts.memories.min", "must not be above counts.memories.max")
    return counts


def _thresholds(table: Mapping[str, Any]) -> Thresholds:
    thresholds = Thresholds(soft=_share(table, "soft", at="thresholds."), hard=_share(table, "hard", at="thresholds."))
    if thresholds.soft > thresholds.hard:
        raise ProfileFault("thresholds.soft", "must not be above thresholds.hard")
    return thresholds


def _tables(body: Mapping[str, Any], field: str, keys: tuple[str, ...]) -> dict[str, Shares]:
    tables: dict[str, Shares] = {}
    for key, table in _object(body, field, absent={}).items():
        if key not in keys:
            raise ProfileFault(f"{field}.{key}", f"must be one of {', '.join(keys)}")
        tables[key] = _shares(_object(table, "layers", at=f"{field}.{key}."), f"{field}.{key}.layers")
    return tables


def _shares(table: Mapping[str, Any], at: str) -> dict[Layer, LayerShare]:
    for key in table.keys() - set(Layer):
        raise ProfileFault(f"{at}.{key}", "is not a layer")
    return {
        layer: _layer_share(_object(table, layer, at=f"{at}."), f"{at}.{layer}.") for layer in Layer if layer in table
    }


def _layer_share(row: Mapping[str, Any], at: str) -> LayerShare:
    share = LayerShare(floor=_share(row, "floor", at=at), cap=_share(row, "cap", at=at))
    if share.floor > share.cap:
        raise ProfileFault(f"{at}floor", "must not be above its cap")
    return share


def _object(body: Any, key: str, *, at: str = "", absent: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    value = body.get(key, absent) if isinstance(body, Mapping) else None
    if not isinstance(value, Mapping):
        raise ProfileFault(f"{at}{key}", "must be an object")
    return value


def _text(body: Mapping[str, Any], key: str) -> str:
    if not isinstance(body.get(key), str):
        raise ProfileFault(key, "must be a text")
    return str(body[key])


def _tokens(body: Mapping[str, Any], key: str, *, at: str = "", least: int = 0) -> int:
    value = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST_WINDOW:
        raise ProfileFault(f"{at}{key}", f"must be a whole number from {least} to {LARGEST_WINDOW}")
    return value


def _share(body: Mapping[str, Any], key: str, *, at: str = "") -> int:
    value = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        raise ProfileFault(f"{at}{key}", "must be a share from 0 to 1")
    return round(value * WHOLE)
