"""Marks: words that say where the text around them belongs, and that are found again in whatever is answered.

A mark names its project, its audience there and a number, in letters alone, so that search takes it for one word:
`qz` + project + `p` | `r` | `o` + role or owner + number + `zq`.
"""

import base64
import binascii
import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

LETTERS = "abcdefghijklmnoprstuvwxy"  # no q and no z: they are what a mark begins and ends with
MARK = re.compile(rf"qz([{LETTERS}])([pro])([{LETTERS}])[{LETTERS}]+zq")
# Ids as the outside sees them, and as a database writes them.
ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
CURSOR = re.compile(r"(?:cursor=|\"(?:next|previous)\":\")([A-Za-z0-9_-]{16,})")
SHARED, OF_A_ROLE, PRIVATE = "p", "r", "o"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a row belongs: a project by its number, and in it everybody, the holders of a role or one owner."""

    project: int
    audience: str = SHARED
    who: int = 0

    @property
    def stem(self) -> str:
        return f"qz{LETTERS[self.project]}{self.audience}{LETTERS[self.who]}"


@dataclass(slots=True)
class Mint:
    """Makes marks of one place. Two mints of the same place must share their numbers."""

    place: Place
    numbers: Iterator[int]

    def word(self) -> str:
        """Return a mark that nobody was given yet."""
        return f"{self.place.stem}{_spelt(next(self.numbers))}zq"

    def say(self, text: str) -> str:
        """Return the text with two marks behind it: whoever searches by the first may be answered the second."""
        return f"{text} {self.word()} {self.word()}"


@dataclass(slots=True)
class Mints:
    """Mints of every place, over one row of numbers."""

    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def of(self, place: Place) -> Mint:
        """Return a mint of the place."""
        return Mint(place, self.numbers)


def place_of(mark: str) -> Place:
    """Return where a mark belongs."""
    found = MARK.fullmatch(mark)
    if found is None:
        raise ValueError(f"{mark} is no mark")
    return Place(LETTERS.index(found[1]), found[2], LETTERS.index(found[3]))


def marks_in(text: str) -> set[str]:
    """Return the marks of a text."""
    return {found.group() for found in MARK.finditer(text)}


def ids_in(text: str) -> set[uuid.UUID]:
    """Return everything in a text that has the form of an id, also inside of its cursors."""
    return {uuid.UUID(found) for found in ID.findall(f"{text} {' '.join(_opened(text))}")}


def sent_in(texts: Iterable[str]) -> tuple[set[str], set[uuid.UUID]]:
    """Return the marks and ids of what a caller sent: to hear them again tells nothing new."""
    whole = " ".join(texts)
    return marks_in(whole), ids_in(whole)


def _opened(text: str) -> Sequence[str]:
    found = []
    for cursor in CURSOR.findall(text):
        try:
            found.append(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii", "replace"))
        except (binascii.Error, ValueError):
            continue
    return found


def _spelt(number: int) -> str:
    letters = ""
    while True:
        number, rest = divmod(number, len(LETTERS))
        letters = LETTERS[rest] + letters
        if not number:
            return letters
