"""How much a text sounds like an order to a machine: a line drawn by learning, for wordings that no signal names.

The weights belong to words and pairs of words, in Chinese to one to three characters. `learning` drew them from
labelled texts; they stand in `tone.json` as thousandths.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WEIGHTS = Path(__file__).with_name("tone.json")
_TOKEN = re.compile(r"[a-z']{1,24}+|[\u4e00-\u9fff]|[0-9]{1,24}+|[^\w\s]")
_SCALE = 1_000


@dataclass(frozen=True, slots=True)
class Line:
    """A linear classifier over features of a folded text."""

    bias: float
    weights: Mapping[str, float]

    def side(self, features: frozenset[str]) -> float:
        """Above 0 on the side of orders, below on the side of everything else; about -5 to 5."""
        return self.bias + sum(self.weights.get(feature, 0.0) for feature in features) / math.sqrt(len(features) + 1)


def features(text: str) -> frozenset[str]:
    """The features of a folded text; numbers are alike."""
    return frozenset(_features(["#" if token[0].isdigit() else token for token in _TOKEN.findall(text)]))


def _features(tokens: list[str]) -> Iterator[str]:
    for first, second, third in zip(tokens, [*tokens[1:], ""], [*tokens[2:], "", ""], strict=False):
        yield first
        if second:
            yield f"{first} {second}"
        if third and first >= "\u4e00":
            yield f"{first}{second}{third}"


@cache
def line() -> Line:
    """The line that ships with the project."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    weights = {feature: weight / _SCALE for feature, weight in stored["weights"].items()}
    return Line(stored["bias"] / _SCALE, weights)


def stored_form(drawn: Line) -> str:
    """A line as `tone.json` holds it: one weight a line, sorted, so that a change reads as a diff."""
    weights = {feature: round(weight * _SCALE) for feature, weight in sorted(drawn.weights.items())}
    kept = {feature: weight for feature, weight in weights.items() if weight}
    return json.dumps({"bias": round(drawn.bias * _SCALE), "weights": kept}, ensure_ascii=False, indent=0) + "\n"
