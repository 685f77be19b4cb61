"""The learnt weights and where they come from: `weights.json` beside this file, read once and checked whole. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from math import exp, sqrt, tanh
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

FILE = Path(__file__).with_name("weights.json")
VERSION = 3
"""Of the features: weights that were learnt for others are not taken."""

SATED = 3.0  # log odds of relevance, by which most of it is told


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Deciding(_Strict):
    """How is decided whether a scope is about a question. `neutral` stands for a signal that tells nothing."""

    weights: Mapping[str, float]
    neutral: Mapping[str, float]
    constant: float
    threshold: float

    @model_validator(mode="after")
    def _whole(self) -> "Deciding":
        if self.weights.keys() != self.neutral.keys():
            raise ValueError("neutral must name the signals that weights names")
        return self


class Sureness(_Strict):
    """How sure a hit is: log odds from how far it lies behind the best, and how far the scope is about the question.

    The first steps behind tell most, and from some way above the threshold on more relevance tells nothing more.
    """

    behind: float
    relevance: float
    constant: float

    def likelihoods(self, behind: Iterable[float], *, relevance: float) -> list[float]:
        """Return how likely hits are right, 0 to 1, that score so much less than the best."""
        slope, best = self.behind, self.relevance * tanh(relevance / SATED)
        every = (self.constant + slope * sqrt(each) + best for each in behind)
        return [round(1 / (1 + exp(-max(-30.0, min(30.0, odds)))), 4) for odds in every]


class Weights(_Strict):
    """What is used where just these models are served. `beginning` decides in a small scope, `deciding` in others;
    there `across` decides where question and passages are written in different scripts, by what the models say alone;
    without a model there is none. No strange question was said more wholly than `sure`. What is less likely than
    `floor` is no hit; where many are wanted, what is less likely than `deep`.
    """

    models: Sequence[str]
    features: Mapping[str, float]
    deciding: Deciding
    beginning: Deciding
    across: Deciding | None
    sureness: Sureness
    sure: float
    floor: float
    deep: float

    def decides(self, *, foreign: bool, small: bool) -> Deciding:
        """Return what decides about a search."""
        if small:
            return self.beginning
        return self.across if foreign and self.across else self.deciding


class Learnt(_Strict):
    """The whole file. `governed` holds the strengths of fixed terms; the rest is learnt, `digest` is of the rest."""

    version: int
    learnt_on: str
    sets: Mapping[str, int]
    digest: str
    governed: Mapping[str, float]
    weights: Sequence[Weights] = Field(min_length=1)

    @model_validator(mode="after")
    def _of_this_version(self) -> "Learnt":
        if self.version != VERSION:
            raise ValueError(f"version: the weights are for features {self.version}, these are {VERSION}")
        if self.digest != digest_of(self.model_dump(mode="json")):
            raise ValueError("digest: the weights are not the ones that were learnt; learn them anew")
        return self

    def for_models(self, served: Sequence[str]) -> tuple[Weights, Mapping[str, str]]:
        """Return the weights that fit the served models best, and which served model stands for each of theirs.

        A model that nothing was learnt of stands for one of which something was.
        """
        fitting = [each for each in self.weights if set(each.models) <= set(served)]
        best = max(fitting, key=lambda each: len(each.models), default=self.weights[0])
        if best.models or not served:
            return best, {model: model for model in best.models}
        single = next((each for each in self.weights if len(each.models) == 1), best)
        return single, dict.fromkeys(single.models, served[0])


def digest_of(told: Mapping[str, Any]) -> str:
    """Return the hash of what was learnt, in one spelling."""
    rest = {name: value for name, value in told.items() if name != "digest"}
    return sha256(json.dumps(rest, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()[:16]


@cache
def learnt() -> Learnt:
    """Return the project's weights; raises ValueError that says what is wrong with the file."""
    return Learnt.model_validate_json(FILE.read_text(encoding="utf-8"))
