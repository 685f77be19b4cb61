"""From a profile, a phase, a risk and the limits in force to tokens per layer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from governance.vocabulary import Phase, Risk
from sessions.context.floors import Floors, raised
from sessions.context.profile_form import RESERVES, parse_profile
from sessions.context.profiles import (
    WHOLE,
    Counts,
    ItemCaps,
    ModelProfile,
    ProfileFault,
    Thresholds,
    parse_profile_name,
)
from sessions.context.vocabulary import CountMethod, Group, Layer, LimitOrigin

__all__ = [
    "Budget",
    "LayerBudget",
    "Limit",
    "ModelProfile",
    "ProfileFault",
    "build_budget",
    "parse_profile",
    "parse_profile_name",
]

NO_FLOORS: Floors = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Limit:
    """A wish to use at most `tokens` of input, and who has it. A limit can lower the input cap and never raise it."""

    origin: LimitOrigin
    tokens: int


@dataclass(frozen=True, slots=True)
class LayerBudget:
    """Tokens of one layer. `origin` says whose they are: the policy's, where its floor is above the profile's.

    `held` says that the phase or risk in force keeps the layer's optional items out."""

    floor: int
    cap: int
    origin: LimitOrigin
    held: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Figures of one compile, in tokens: sum of `reserves` + `input_cap` + `unused` = `window`.

    `origin` says which limit made the input cap, `reserve_origins` whose each reserve is. `groups` add up to the input
    cap, headroom included.
    """

    profile: str
    encoding: str
    method: CountMethod
    window: int
    reserves: Mapping[str, int]
    reserve_origins: Mapping[str, LimitOrigin]
    input_cap: int
    unused: int
    origin: LimitOrigin
    groups: Mapping[Group, int]
    layers: Mapping[Layer, LayerBudget]
    counts: Counts
    item_caps: ItemCaps
    thresholds: Thresholds
    phase: Phase
    risk: Risk


def build_budget(
    profile: ModelProfile, *, phase: Phase, risk: Risk, limits: Sequence[Limit] = (), floors: Floors = NO_FLOORS
) -> Budget:
    """Return the budget under `limits`; among equal limits the profile's own comes first, then the earlier one.

    `floors` are those that the policy asks for: a profile's own are raised to them, as far as caps and the whole allow.

    An input cap is never negative: where reserves fill the window it is 0, reserves are shortened in the order margin,
    tool results, harness, protocol, output, and the compile can only be refused.
    """
    reserves = _fit_reserves(profile.reserves, profile.window)
    room = profile.window - sum(reserves.values())
    cap, origin = _input_cap(room, origin=profile.own_origin, limits=limits)
    own = profile.shares(phase, risk)
    shares = raised(own, floors)
    return Budget(
        profile=profile.name,
        encoding=profile.encoding,
        method=profile.method,
        window=profile.window,
        reserves=reserves,
        reserve_origins={name: profile.origins.get(name, profile.own_origin) for name in RESERVES},
        input_cap=cap,
        unused=room - cap,
        origin=origin,
        groups=_groups(profile, cap),
        layers={
            layer: LayerBudget(
                floor=cap * shares[layer].floor // WHOLE,
                cap=cap * shares[layer].cap // WHOLE,
                origin=profile.own_origin if shares[layer] == own[layer] else LimitOrigin.POLICY,
                held=shares[layer].cap == 0 and profile.layers[layer].cap > 0,
            )
            for layer in Layer
        },
        counts=profile.counts,
        item_caps=profile.item_caps,
        thresholds=profile.thresholds,
        phase=phase,
        risk=risk,
    )


def _input_cap(room: int, *, origin: LimitOrigin, limits: Sequence[Limit]) -> tuple[int, LimitOrigin]:
    cap = room
    for limit in limits:
        if limit.tokens < cap:
            cap, origin = max(limit.tokens, 0), limit.origin
    return cap, origin


def _fit_reserves(reserves: Mapping[str, int], window: int) -> dict[str, int]:
    excess = max(sum(reserves.values()) - window, 0)
    fitted = dict(reserves)
    for name in ("margin", "tool_results", "harness", "protocol", "output"):
        taken = min(fitted[name], excess)
        fitted[name] -= taken
        excess -= taken
    return fitted


def _groups(profile: ModelProfile, cap: int) -> dict[Group, int]:
    groups = {group: cap * share // WHOLE for group, share in profile.groups.items()}
    groups[Group.HEADROOM] = cap - sum(groups.values())
    return groups
