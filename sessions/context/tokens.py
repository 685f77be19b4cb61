"""Exact token counts from vocabularies that ship with the project.

Importing this module points tiktoken at those files, so `tiktoken.get_encoding` works unchanged and with no network.
They are checked before tiktoken sees them, because it would delete a damaged file and try to fetch another.
"""

import hashlib
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Protocol

from sessions.context.scripts import mix_of
from sessions.context.vocabulary import CountMethod

VOCABULARIES = Path(__file__).parent / "vocabularies"
os.environ["TIKTOKEN_CACHE_DIR"] = str(VOCABULARIES)

import tiktoken  # noqa: E402 - it must not load before the variable is set

STORED_ENCODING = "o200k_base"
"""Counts that are stored beside a text are in this encoding."""

FILES = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
"""Encoding to (file name, sha256). The name is the sha1 of the address that tiktoken would fetch."""

PIECE_CHARS = 400_000
"""tiktoken panics at about a million equal spaces; not half of that is counted at once, in less than half a second."""
JOIN_SLACK = 4
"""Tokens added where a piece had to end without a seam: the most by which a join was seen to differ, either way."""
LEAST_FACTOR, MOST_FACTOR = 0.6, 4.0
"""Bounds of what another vocabulary can make of a count: none in use is that much better, or worse, than these."""
CACHED_CHARS = 4_000
CACHED_TEXTS = 8_192


class VocabularyDamaged(RuntimeError):
    """A shipped vocabulary is missing or is not the file that it should be."""

    def __init__(self, path: Path, fault: str) -> None:
        super().__init__(f"The vocabulary {path} {fault}. Restore it from the project's repository.")
        self.path = path


class UnknownEncoding(ValueError):
    """An encoding that the project does not ship."""

    def __init__(self, encoding: str) -> None:
        super().__init__(f"No vocabulary for encoding {encoding!r}; known are {', '.join(FILES)}.")
        self.encoding = encoding


class Counter(Protocol):
    """Counts tokens of text. `method` says how far a figure can be relied on."""

    @property
    def encoding(self) -> str: ...
    @property
    def method(self) -> CountMethod: ...
    def __hash__(self) -> int:
        """Counters that count alike are equal, so that what was written with one is known to the other."""

    def count(self, text: str) -> int:
        """Return the tokens of `text`."""

    def stored(self, tokens: int, text: str) -> int:
        """Return the tokens of `text`, whose count in `STORED_ENCODING` is known to be `tokens`."""


@dataclass(frozen=True, slots=True)
class ExactCounter:
    """Counts with the vocabulary itself. Made by `exact_counter`."""

    encoding: str
    _cached: Callable[[str], int] = field(repr=False, compare=False)
    _uncached: Callable[[str], int] = field(repr=False, compare=False)
    method: CountMethod = CountMethod.EXACT

    def count(self, text: str) -> int:
        """Return the exact tokens of `text`; short texts are remembered.

        Above `PIECE_CHARS` the text is counted in pieces that end at a seam, which is still exact; where a piece has
        no seam the figure is never below the exact one, and at most twice `JOIN_SLACK` a join above it.
        """
        return self._cached(text) if len(text) <= CACHED_CHARS else self._uncached(text)

    def stored(self, tokens: int, text: str) -> int:
        """Return `tokens` when this is the stored encoding, else count."""
        return tokens if self.encoding == STORED_ENCODING else self.count(text)


@dataclass(frozen=True, slots=True)
class EstimatingCounter:
    """Counts with a known vocabulary and raises the figure by `factor`, for models whose own is not public."""

    base: ExactCounter
    factor: float
    method: CountMethod = CountMethod.ESTIMATE

    @property
    def encoding(self) -> str:
        return self.base.encoding

    def count(self, text: str) -> int:
        """Return the estimated tokens of `text`, rounded up."""
        return math.ceil(self.base.count(text) * self.factor)

    def stored(self, tokens: int, text: str) -> int:
        """Return the estimate that follows from a stored count."""
        return math.ceil(self.base.stored(tokens, text) * self.factor)


@dataclass(frozen=True, slots=True)
class Weights:
    """What one token of a known vocabulary, and one character of each script beside it, is worth in another's tokens.

    `scripts` are in the order of `scripts.Script`; none of them is negative, so that no text lowers an estimate.
    """

    token: float
    scripts: tuple[float, ...]

    def tokens(self, counted: int, mix: Sequence[int]) -> float:
        """Return the tokens of a text of that count and mix, between what any vocabulary could make of it."""
        found = self.token * counted
        for weight, signs in zip(self.scripts, mix, strict=True):
            found += weight * signs
        return min(max(found, LEAST_FACTOR * counted), MOST_FACTOR * counted)


@dataclass(frozen=True, slots=True)
class WeighingCounter:
    """Counts with a known vocabulary and weighs by script, as a provider's own reports have taught.

    Figures are rounded to the nearest and not up: a prompt has hundreds of parts, and half a token on each would be
    more than the error of what was learnt.
    """

    base: ExactCounter
    weights: Weights
    method: CountMethod = CountMethod.PROVIDER

    @property
    def encoding(self) -> str:
        return self.base.encoding

    def count(self, text: str) -> int:
        """Return the learnt estimate of the tokens of `text`."""
        return self._weighed(self.base.count(text), text)

    def stored(self, tokens: int, text: str) -> int:
        """Return the estimate that follows from a stored count."""
        return self._weighed(self.base.stored(tokens, text), text)

    def _weighed(self, counted: int, text: str) -> int:
        return max(int(self.weights.tokens(counted, mix_of(text)) + 0.5), 1) if counted else 0


@cache
def exact_counter(encoding: str) -> ExactCounter:
    """Return the process's counter for `encoding`. Raise UnknownEncoding or VocabularyDamaged."""
    known = load_encoding(encoding)

    def count(text: str) -> int:
        return _count(known, text)

    return ExactCounter(encoding, lru_cache(CACHED_TEXTS)(count), count)


def estimating_counter(encoding: str, factor: float) -> EstimatingCounter:
    """Return a counter that multiplies exact counts of `encoding` by `factor` (at least 1) and rounds up."""
    if not 1.0 <= factor < math.inf:
        raise ValueError(f"factor must be a number of at least 1, not {factor!r}")
    return EstimatingCounter(exact_counter(encoding), factor)


@cache
def load_encoding(encoding: str) -> tiktoken.Encoding:
    """Return tiktoken's encoding after checking its file. Raise UnknownEncoding or VocabularyDamaged."""
    if encoding not in FILES:
        raise UnknownEncoding(encoding)
    name, sha256 = FILES[encoding]
    verify_vocabulary(VOCABULARIES / name, sha256=sha256)
    return tiktoken.get_encoding(encoding)


def verify_vocabulary(path: Path, *, sha256: str) -> None:
    """Raise VocabularyDamaged unless the file at `path` has that checksum."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise VocabularyDamaged(path, f"cannot be read ({error.strerror})") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise VocabularyDamaged(path, f"does not have the sha256 {sha256}")


def encode(encoding: str, text: str) -> list[int]:
    """Return the tokens of `text` as ordinary text: no special token is recognised, nothing in it can crash this."""
    known = load_encoding(encoding)
    tokens: list[int] = []
    for start, end in _pieces(text):
        tokens += _encode_piece(known, text[start:end])
    return tokens


def token_starts(encoding: str, text: str) -> list[int]:
    """Return the character at which each token starts; tokens inside one character share its start.

    Slices between two starts add up to the text exactly, so a bounded read in tokens loses nothing.
    """
    known = load_encoding(encoding)
    starts: list[int] = []
    for start, end in _pieces(text):
        starts += [start + at for at in _character_starts(known, text[start:end])]
    return starts


def _character_starts(known: tiktoken.Encoding, text: str) -> list[int]:
    starts, character, rest = [], 0, 0
    lengths = [len(known.decode_single_token_bytes(token)) for token in _encode_piece(known, text)]
    widths = [len(letter.encode("utf-8", "surrogatepass")) for letter in text]
    for length in lengths:
        starts.append(character)
        rest += length
        while character < len(widths) and rest >= widths[character]:
            rest -= widths[character]
            character += 1
    return starts


def _count(known: tiktoken.Encoding, text: str) -> int:
    if len(text) <= PIECE_CHARS:
        return len(_encode_piece(known, text))
    total = 0
    for start, end in _pieces(text):
        total += len(_encode_piece(known, text[start:end]))
        if end < len(text) and not _is_seam(text, end):
            total += JOIN_SLACK
    return total


def _pieces(text: str) -> list[tuple[int, int]]:
    pieces, start = [], 0
    while len(text) - start > PIECE_CHARS:
        end = _last_seam(text, start=start, limit=start + PIECE_CHARS)
        pieces.append((start, end))
        start = end
    return [*pieces, (start, len(text))]


def _last_seam(text: str, *, start: int, limit: int) -> int:
    at = limit
    while (at := text.rfind("\n", start, at)) > start:
        if _is_seam(text, at + 1):
            return at + 1
    return limit


def _is_seam(text: str, at: int) -> bool:
    return text[at - 1] == "\n" and text[at] != "/" and not text[at].isspace()


def _encode_piece(known: tiktoken.Encoding, text: str) -> list[int]:
    try:
        return known.encode_ordinary(text)
    except BaseException as panic:
        # The encoder's panic is no Exception, and its type cannot be imported: it is known by name only.
        if type(panic).__name__ != "PanicException" or len(text) < 2:
            raise
        middle = len(text) // 2
        return _encode_piece(known, text[:middle]) + _encode_piece(known, text[middle:])
