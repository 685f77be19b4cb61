"""Weighs the signals of planted instructions inside a window of text."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from memories.screening.findings import Category, Finding, Kind
from memories.screening.folding import Folded, unspaced
from memories.screening.signals import Signal, Weight, signals
from memories.screening.tone import features, line

WINDOW = 1_500
"""Signals count together within this many characters: an order and its justification, not a whole document."""
PIECE, OVERLAP = 3_000, 600
"""A long text is read in pieces, so that one word does not set all patterns on all of it."""
HOLD = 10
"""Sum of weights from which a human must look."""
CERTAIN = 20
"""Sum of weights from which no human needs to."""


TONES = ((2.0, 0), (1.4, Weight.HINT), (0.8, Weight.HALF))
"""How plainly a text must sound like an order, and which weight of signals must stand beside, to hold it."""
TONE_BEFORE = 300
"""Characters before the first signal that belong to its tone."""
TONE = Signal("tone", Kind.MEMORY_POISONING, Weight.ENOUGH, re.compile("(?!)"), None, "sounds like an order")


@dataclass(frozen=True, slots=True)
class Sighting:
    """A signal at its place in the folded text."""

    signal: Signal
    start: int
    end: int


@cache
def shipped() -> tuple[Signal, ...]:
    """The signals of both languages, compiled when a text is first weighed: that takes most of a second."""
    return (*signals("en"), *signals("zh"))


def find_injection(folded: Folded) -> Iterator[Finding]:
    """One finding for each kind of the heaviest window, when its weight is enough to hold the text."""
    total, window = weigh(folded.text)
    if total < HOLD:
        return
    told = set()
    for sighting in sorted(window, key=lambda each: -each.signal.weight):
        if sighting.signal.kind not in told:
            told.add(sighting.signal.kind)
            yield Finding(
                category=Category.INJECTION,
                kind=sighting.signal.kind,
                start=folded.origin(sighting.start),
                end=folded.origin(sighting.end),
                certain=total >= CERTAIN,
            )


def weigh(text: str) -> tuple[int, list[Sighting]]:
    """The weight of a folded text, and the sightings that make it: signals first, then the tone around them."""
    total, window = heaviest(sightings(text))
    if total >= HOLD:
        return total, window
    start = max(0, (window[0].start if window else 0) - TONE_BEFORE)
    side = line().side(features(text[start : start + WINDOW]))
    if any(side >= least and total >= company for least, company in TONES):
        return HOLD, window or [Sighting(TONE, start, min(len(text), start + WINDOW))]
    return total, window


def sightings(text: str) -> list[Sighting]:
    """All signals of a folded text by position; letters that stand apart are read together as well, at its start."""
    found = [
        Sighting(signal, match.start(), match.end())
        for start in range(0, len(text) or 1, PIECE - OVERLAP)
        for signal in _possible(text[start : start + PIECE])
        for match in signal.pattern.finditer(text, start, start + PIECE)
    ]
    if apart := unspaced(text):
        found += [Sighting(signal, 0, 0) for signal in _possible(apart) if signal.pattern.search(apart)]
    found.sort(key=lambda sighting: sighting.start)
    return found


def _possible(piece: str) -> Iterator[Signal]:
    return (signal for signal in shipped() if signal.needs is None or any(map(piece.__contains__, signal.needs)))


def heaviest(seen: Sequence[Sighting]) -> tuple[int, list[Sighting]]:
    """The window whose distinct signals weigh most, and that weight."""
    window: deque[Sighting] = deque()
    counts: dict[str, int] = {}
    total = best = 0
    chosen: list[Sighting] = []
    for sighting in seen:
        window.append(sighting)
        counts[sighting.signal.name] = counts.get(sighting.signal.name, 0) + 1
        total += sighting.signal.weight if counts[sighting.signal.name] == 1 else 0
        while sighting.start - window[0].start > WINDOW:
            left = window.popleft().signal
            counts[left.name] -= 1
            total -= left.weight if counts[left.name] == 0 else 0
        if total > best:
            best, chosen = total, list(window)
    return best, chosen
