"""Draws the line of `tone` from labelled texts: `python -m memories.screening.learning LABELLED [ORDINARY...]`.

LABELLED is JSONL with `text` and `label` (injection or benign); the project's own examples are always added. ORDINARY
files are JSONL whose `text` is harmless. Logistic regression by plain gradient steps, in an order fixed by a hash: same
texts, same line.
"""

import hashlib
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memories.screening.folding import fold
from memories.screening.tone import WEIGHTS, Line, features, stored_form

EXAMPLES = Path(__file__).with_name("examples.jsonl")
ROUNDS = 25
STEP, DECAY, SHRINK = 0.3, 0.3, 2e-4
"""First step, how quickly steps become smaller, and how strongly weights are pulled to nothing."""
SEEN_IN = 2
"""A feature of a single text is an accident."""
LEAST = 0.08
"""Smaller weights are left out of the stored line: they are most of its size and none of its judgement."""
READ = 1_500
"""Characters of an example that are read, as in the window of `injection`."""
ORDINARY_PER_FILE = 700


@dataclass(frozen=True, slots=True)
class Example:
    text: str
    order: bool


def learn(examples: Iterable[Example]) -> Line:
    """The line between orders and other texts. Deterministic; the order of `examples` does not matter."""
    rows = sorted({(example.text, example.order) for example in examples})
    drawn = [(features(fold(text).text[:READ]), order) for text, order in rows]
    counts = Counter(feature for found, _order in drawn for feature in found)
    drawn = [(frozenset(feature for feature in found if counts[feature] >= SEEN_IN), order) for found, order in drawn]
    weights: dict[str, float] = defaultdict(float)
    bias = _descend(drawn, weights)
    return Line(bias, {feature: weight for feature, weight in weights.items() if abs(weight) >= LEAST})


def _descend(rows: Sequence[tuple[frozenset[str], bool]], weights: dict[str, float]) -> float:
    bias, orders = -1.0, sum(order for _found, order in rows)
    balance = (len(rows) - orders) / max(1, orders) / 2
    for turn in range(ROUNDS):
        step = STEP / (1 + turn * DECAY)
        for index in _shuffled(len(rows), turn):
            found, order = rows[index]
            norm = math.sqrt(len(found) + 1)
            side = bias + sum(weights[feature] for feature in found) / norm
            slope = (1 / (1 + math.exp(-max(-30.0, min(30.0, side)))) - order) * (balance if order else 1.0)
            bias -= step * slope / 10
            for feature in found:
                weights[feature] -= step * (slope / norm + SHRINK * weights[feature])
    return bias


def _shuffled(count: int, turn: int) -> list[int]:
    return sorted(range(count), key=lambda index: hashlib.sha256(f"{turn}/{index}".encode()).digest())


def labelled(path: Path) -> list[Example]:
    """Examples of a file whose rows say `injection` or `benign`."""
    return [Example(row["text"], row["label"] == "injection") for row in _rows(path)]


def ordinary(path: Path) -> list[Example]:
    """Harmless texts of a file, at most ORDINARY_PER_FILE, chosen by hash."""
    texts = {str(row["text"]) for row in _rows(path) if row.get("text")}
    chosen = sorted(texts, key=lambda text: hashlib.sha256(text.encode()).digest())[:ORDINARY_PER_FILE]
    return [Example(text, order=False) for text in chosen]


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines() if row.strip()]


def main(arguments: Sequence[str]) -> None:
    """Write `tone.json` anew from the files named."""
    first, *others = map(Path, arguments)
    examples = [*labelled(EXAMPLES), *labelled(first), *(example for path in others for example in ordinary(path))]
    drawn = learn(examples)
    WEIGHTS.write_text(stored_form(drawn), encoding="utf-8")
    sys.stdout.write(f"{len(examples)} texts, {len(drawn.weights)} weights, {WEIGHTS}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
