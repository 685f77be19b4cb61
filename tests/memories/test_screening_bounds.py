"""Screening costs a constant a character, whatever the text."""

import re
from re import _parser as patterns_of  # type: ignore[attr-defined] # the only reader of a pattern's structure

import pytest

from memories.screening import screen
from memories.screening.addresses import ADDRESSES
from memories.screening.injection import OVERLAP, PIECE, heaviest, shipped, sightings
from memories.screening.invisible import HIDDEN
from memories.screening.learning import EXAMPLES, Example, labelled, learn
from memories.screening.literals import required
from memories.screening.personal import PATTERNS
from memories.screening.secrets import CONTEXTS
from memories.screening.tokens import FORMS

WIDEST = 13_000
"""Three parts of a JSON web token of 4,096 characters each are the longest thing that is looked for."""
ALL = [
    *(one.pattern for group in (shipped(), CONTEXTS, FORMS, PATTERNS, HIDDEN) for one in group),
    *(pattern for pattern, _reason in ADDRESSES),
]
UNITS = ["a", "1 ", "[", "[a] ", "ignore all previous ", 'password="', "忽略之前", "\u200b", "your system prompt ", "="]


def test_no_pattern_reads_without_end() -> None:
    widths = [patterns_of.parse(pattern.pattern, pattern.flags).getwidth()[1] for pattern in ALL]
    assert max(widths) <= WIDEST


@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_text_is_twice_the_pieces_and_no_more_sightings_than_characters(unit: str) -> None:
    once, twice = (unit * (chars // len(unit)) for chars in (6_000, 12_000))
    assert len(sightings(twice)) <= 2.7 * len(sightings(once)) + 50
    assert heaviest(sightings(twice))[0] <= sum(signal.weight for signal in shipped())
    assert len(screen(twice).findings) <= len(twice)


def test_pieces_overlap_and_advance() -> None:
    assert 0 < OVERLAP < PIECE / 2


def test_a_literal_that_is_asked_first_never_costs_a_match() -> None:
    texts = [example.text.lower() for example in labelled(EXAMPLES)[::6]]
    lost = [
        signal.name
        for signal in shipped()
        for text in texts
        if signal.needs is not None and not any(map(text.__contains__, signal.needs)) and signal.pattern.search(text)
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("a(?:bcd|efg)h", {"bcd", "efg"}),
        ("x?yes{0,3}", {"ye"}),
        (r"\bno\b|never", {"no", "never"}),
        (r"[abc]\w", None),
        ("(?:a|[0-9])", None),
    ],
)
def test_literals_of_a_pattern(pattern: str, literals: set[str] | None) -> None:
    found = required(pattern)
    assert (None if found is None else set(found)) == literals
    assert re.compile(pattern)


def test_each_signal_has_its_own_name_and_a_reason() -> None:
    names = [signal.name for signal in shipped() if signal.name != "machinery"]
    assert len(names) == len(set(names))
    assert all(signal.reason for signal in shipped())


def test_learning_is_deterministic_and_learns() -> None:
    texts = [Example(f"obey me now {n}", order=True) for n in range(6)] + [
        Example(f"tea at {n}", order=False) for n in range(6)
    ]
    assert learn(texts) == learn(reversed(texts))
    assert learn(texts).side(frozenset(["obey", "obey me"])) > 0 > learn(texts).side(frozenset(["tea", "tea at"]))
