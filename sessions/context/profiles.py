"""What a budget profile says: windows, reserves and shares for one model in one harness. Numbers are data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from governance.vocabulary import Phase, Risk
from sessions.context.tokens import Counter, WeighingCounter, Weights, estimating_counter, exact_counter
from sessions.context.vocabulary import CountMethod, Group, Layer, LimitOrigin

DEFAULT_PROFILE = "default@conservative"
WHOLE = 10_000
"""Shares are kept as ten-thousandths, so that tokens come from integers alone."""

MOST_NAME = 64
"""Characters of a name: what a request may ask for can be proposed as well."""

_NAME = re.compile(r"([a-z0-9._-]+)@([a-z0-9._-]+)")


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
    """How many items of a kind may enter; `next_steps` are those of a task that its work needs at once."""

    memories_min: int
    memories_max: int
    handoff: int
    dialogue_items: int
    next_steps: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCaps:
    """Tokens that one item may take; a longer one is shortened, and its ref opens the whole.

    `excerpt` and `title` are what is left of one that has no room for more.
    """

    tool_result: int
    message: int
    action: int
    origin_goal: int
    excerpt: int = 240
    title: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Shares of the input cap (ten-thousandths) at which consolidation is asked for, or is overdue."""

    soft: int
    hard: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheads:
    """Tokens that a request costs for each message and each tool, beside their text."""

    message: int = 0
    tool: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What reported usage taught: weights in place of the factor, and the harness's own tokens; None where unknown.

    `ref` names the version, which is immutable.
    """

    ref: str
    encoding: str
    weights: Weights | None
    harness: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProfile:
    """A budget profile. Windows, reserves and item caps are tokens. Made by `parse_profile`.

    `learnt` is what `with_learnt` put into it, `origins` names the reserves that are not the profile's own. `reads` is
    what a session may read by refs in all.
    """

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
    overheads: Overheads = Overheads()
    reads: int | None = None
    learnt: Learnt | None = None
    origins: Mapping[str, LimitOrigin] = field(default_factory=dict)

    @property
    def window(self) -> int:
        return min(self.model_window, self.harness_window)

    @property
    def room(self) -> int:
        """What the reserves leave of the window for input."""
        return max(self.window - sum(self.reserves.values()), 0)

    @property
    def read_budget(self) -> int:
        """What the reads of one session may bring in: as much as its input has room for, where nothing else is said."""
        return self.room if self.reads is None else self.reads

    @property
    def margin_share(self) -> float:
        """The margin as a share of the input that it stands beside."""
        return self.reserves["margin"] / self.room if self.room else 0.0

    @property
    def own_origin(self) -> LimitOrigin:
        """Where a figure comes from that nothing else set."""
        return LimitOrigin.DEFAULT if self.name == DEFAULT_PROFILE else LimitOrigin.PROFILE

    def counter(self) -> Counter:
        """Return the counter that this profile's figures are made with."""
        if self.method is CountMethod.EXACT:
            return exact_counter(self.encoding)
        if self.learnt is not None and self.learnt.weights is not None:
            return WeighingCounter(exact_counter(self.encoding), self.learnt.weights)
        return estimating_counter(self.encoding, self.factor)

    def shares(self, phase: Phase, risk: Risk) -> Shares:
        """Return the layer table for a phase and a risk; the risk's rows stand above the phase's."""
        return {**self.layers, **self.phases.get(phase, {}), **self.risks.get(risk, {})}


def with_learnt(profile: ModelProfile, learnt: Learnt | None) -> ModelProfile:
    """Return the profile with what was learnt in the place of what it says.

    An exact vocabulary stays exact, and what was learnt beside another vocabulary says nothing.
    """
    if learnt is None or learnt.encoding != profile.encoding:
        return profile
    weighed = learnt.weights is not None and profile.method is not CountMethod.EXACT
    method = CountMethod.PROVIDER if weighed else profile.method
    return with_harness(replace(profile, learnt=learnt, method=method), learnt.harness, LimitOrigin.LEARNT)


def with_harness(profile: ModelProfile, tokens: int | None, origin: LimitOrigin) -> ModelProfile:
    """Return the profile with `tokens` kept free for the harness's own part of a prompt, and who said so."""
    if tokens is None:
        return profile
    reserves = {**profile.reserves, "harness": tokens}
    return replace(profile, reserves=reserves, origins={**profile.origins, "harness": origin})


def for_request(profile: ModelProfile, *, messages: int, tools: int = 0) -> ModelProfile:
    """Return the profile with the protocol's reserve of a request of so many messages and tools."""
    own = profile.overheads.message * messages + profile.overheads.tool * tools
    return replace(profile, reserves={**profile.reserves, "protocol": profile.reserves["protocol"] + own})


def parse_profile_name(name: str) -> tuple[str, str]:
    """Return (model, harness) of "model@harness". Raise ProfileFault when the name is malformed."""
    match = _NAME.fullmatch(name) if len(name) <= MOST_NAME else None
    if match is None:
        rule = f"must be model@harness in lower case letters, digits, dots, dashes and underscores, {MOST_NAME} at most"
        raise ProfileFault("name", f"{rule}, for example claude-sonnet@claude-code")
    return match.group(1), match.group(2)
