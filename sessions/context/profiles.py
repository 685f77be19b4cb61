"""What a budget profile says: windows, reserves and shares for one model in one harness. Numbers are data."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from governance.vocabulary import Phase, Risk
from sessions.context.tokens import FILES, Counter, estimating_counter, exact_counter
from sessions.context.vocabulary import CountMethod, Group, Layer

DEFAULT_PROFILE = "default@conservative"
WHOLE = 10_000
"""Shares are kept as ten-thousandths, so that tokens come from integers alone."""
RESERVES = ("output", "tool_results", "protocol", "harness", "margin")
ITEM_CAPS = ("tool_result", "message", "action", "origin_goal")
LARGEST_WINDOW = 100_000_000

_NAME = re.compile(r"([a-z0-9._-]{1,80})@([a-z0-9._-]{1,80})")
_FIELDS = frozenset(
    (
        *("name", "model_window", "harness_window", "encoding", "method", "factor", "reserves", "groups"),
        *("layers", "item_caps", "counts", "thresholds", "phases", "risks"),
    )
)


class ProfileFault(ValueError):
    """A profile, or the name of one, that cannot be used. `field` says which part."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class LayerShare:
    """Floor and cap of a layer in ten-thousandths of the input cap."""

    floor: int
    cap: int


type Shares = Mapping[Layer, LayerShare]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many items of a kind may enter."""

    memories_min: int
    memories_max: int
    handoff: int
    dialogue_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCaps:
    """Tokens that one item may take; a longer one is shortened, and its ref opens the whole."""

    tool_result: int
    message: int
    action: int
    origin_goal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Shares of the input cap (ten-thousandths) at which consolidation is asked for, or is overdue."""

    soft: int
    hard: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProfile:
    """A budget profile. Windows, reserves and item caps are tokens. Made by `parse_profile`."""

    name: str
    model_window: int
    harness_window: int
    encoding: str
    method: CountMethod
    factor: float
    reserves: Mapping[str, int]
    groups: Mapping[Group, int]
    layers: Shares
    item_caps: ItemCaps
    counts: Counts
    thresholds: Thresholds
    phases: Mapping[Phase, Shares]
    risks: Mapping[Risk, Shares]

    @property
    def window(self) -> int:
        return min(self.model_window, self.harness_window)

    @property
    def room(self) -> int:
        """What the reserves leave of the window for input."""
        return max(self.window - sum(self.reserves.values()), 0)

    def counter(self) -> Counter:
        """Return the counter that this profile's figures are made with."""
        if self.method is CountMethod.EXACT:
            return exact_counter(self.encoding)
        return estimating_counter(self.encoding, self.factor)

    def shares(self, phase: Phase, risk: Risk) -> Shares:
        """Return the layer table for a phase and a risk; the risk's rows stand above the phase's."""
        return {**self.layers, **self.phases.get(phase, {}), **self.risks.get(risk, {})}


def parse_profile_name(name: str) -> tuple[str, str]:
    """Return (model, harness) of "model@harness". Raise ProfileFault when the name is malformed."""
    match = _NAME.fullmatch(name)
    if match is None:
        rule = "must be model@harness in lower case letters, digits, dots, dashes and underscores"
        raise ProfileFault("name", f"{rule}, for example claude-sonnet@claude-code")
    return match.group(1), match.group(2)


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


def _groups(table: Mapping[str, Any]) -> dict[Group, int]:
    named = [group for group in Group if group is not Group.HEADROOM]
    for key in table.keys() - set(named):
        raise ProfileFault(f"groups.{key}", "is not a group that takes a share; headroom is what the others leave")
    groups: dict[Group, int] = {group: _share(table, group, at="groups.") for group in named}
    if sum(groups.values()) > WHOLE:
        raise ProfileFault("groups", f"add up to {sum(groups.values()) / 100:g} % of the input cap")
    return groups


def _item_caps(table: Mapping[str, Any]) -> ItemCaps:
    return ItemCaps(**{name: _tokens(table, name, at="item_caps.", least=16) for name in ITEM_CAPS})


def _counts(table: Mapping[str, Any]) -> Counts:
    memories = _object(table, "memories", at="counts.")
    counts = Counts(
        memories_min=_tokens(memories, "min", at="counts.memories."),
        memories_max=_tokens(memories, "max", at="counts.memories."),
        handoff=_tokens(table, "handoff", at="counts."),
        dialogue_items=_tokens(table, "dialogue_items", at="counts."),
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
