"""Words of a text for matching and search: Chinese and English alike, the same for what is stored and what is asked."""

import unicodedata
from collections.abc import Container, Iterator
from enum import Enum
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

import opencc
import regex
import snowballstemmer

LEXEMES_VERSION = 1
"""Of the rules below: a stored text whose terms were made by other rules says so, and its terms are made anew."""

MAX_TERMS = 8192
"""Most terms of one text: about 4,000 Chinese characters or 8,000 words; the rest is not found by its words."""

MAX_TERM_CHARS = 100
"""A longer unbroken run (base64, a signed address) is left out: nobody asks by it, and it would bloat an index."""

MAX_CHARS = 250_000
"""Characters looked at: five times what MAX_TERMS usually takes, so that a text of blanks or stop words ends."""

_MAX_PARTS = 64  # pieces of one identifier: a long path has some twenty
_STEM_CHARS = 40  # no English word is longer; the stemmer is slow on a run without end
_STEM_CACHE = 50_000  # about the vocabulary of a large project, some 8 MB

_HAN_BLOCKS = ((0x3400, 0x9FFF), (0x20000, 0x323AF))  # what NFKC leaves of the compatible ones lies in here
# Inside one word only these are written otherwise in Simplified text; a single one the converter leaves alone.
_WRITTEN_APART = {"瞭": "了", "著": "着", "藉": "借", "妳": "你", "祂": "他", "牠": "它"}

_ENGLISH = (
    "a an the this that these those it its i me my we us our you your he him his she her they them their of to in "
    "on at by for from with into as and or but if then than so is are was were be been being am do does did have "
    "has had will would can could should shall may might must not no there here what which who whom when where "
    "why how just very too also about up out any some all each im ive id ill dont doesnt didnt cant wont isnt "
    "arent lets thats whats"
)
ENGLISH_STOPS = frozenset(_ENGLISH.split())
CHINESE_STOPS = frozenset(
    "的了吗呢吧啊呀嘛哦么是在我你您他她它们这那哪就都也还很把被给和一与或及而但又再让使对向从到于以为个些着过得地之其"
)

_CJK = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}"
_LETTER = rf"[[\p{{L}}\p{{N}}\p{{M}}_]--[{_CJK}]]"
_TOKEN = regex.compile(
    rf"(?P<cjk>[{_CJK}]+)|(?P<word>{_LETTER}++(?:[-./':#@]{_LETTER}++)*+(?:(?<=(?:^|\W)[A-Za-z])(?:\+\+|\#))?)",
    regex.V1,
)
# Particles end a word, except inside the few words that hold them.
_PARTICLES = regex.compile(r"(?<![目标])的(?!确)|(?<![为除])了(?![解结])|[吗呢吧啊呀嘛哦]")
_PART = regex.compile(r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+|\p{N}+")
_PLAIN_WORD = regex.compile(r"[a-z]+(?:'[a-z]+)*")
_CLITIC = regex.compile(r"'(?:s|re|ve|ll|d|m)?$")


class Kind(Enum):
    """What a term is made of; a matcher may trust an identifier more than a single character."""

    WORD = 1
    IDENTIFIER = 2
    CHARACTER = 3
    BIGRAM = 4


class Lexeme(NamedTuple):
    """One term of a text and what it is made of."""

    term: str
    kind: Kind


def fold(text: str) -> str:
    """Return `text` in the one form that all comparison happens in: compatible width and form, lower case, Simplified.

    This is the only place where two writings become one, and only for comparison: it goes character by character, so
    that what it makes of a Traditional word is not always how anybody would write it.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return plain if plain.isascii() else plain.translate(_simplified())


@cache
def _simplified() -> dict[int, str]:
    """Return what stands for each Traditional character, made once a process: a run of text is then one lookup each."""
    every = [chr(code) for first, last in _HAN_BLOCKS for code in range(first, last + 1)]
    converted = opencc.OpenCC("t2s").convert("\n".join(every)).split("\n")
    table = {ord(here): there for here, there in zip(every, converted, strict=True) if here != there}
    return table | {ord(here): there for here, there in _WRITTEN_APART.items()}


def terms(text: str, *, limit: int = MAX_TERMS) -> list[str]:
    """Return the terms of `text` in order, repeats kept, at most `limit` of them.

    Chinese gives characters and pairs of characters, English gives stems, identifiers and numbers stay whole and
    give their parts as well (`foo_bar` → `foo_bar`, `foo`, `bar`). Stop words are left out. What stands
    beyond the first `MAX_CHARS` characters is not looked at.
    """
    return [lexeme.term for lexeme in lexemes(text, limit=limit)]


def lexemes(text: str, *, limit: int = MAX_TERMS) -> list[Lexeme]:
    """Return what `terms` returns, each with its kind."""
    found: list[Lexeme] = []
    plain = unicodedata.normalize("NFKC", text[:MAX_CHARS]).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    for token in _TOKEN.finditer(plain):
        if len(found) >= limit:
            break
        run = token["cjk"]
        # A run without end is cut before it is looked at: it gives at most two terms a character.
        found.extend(_of_characters(fold(run[: limit + 1])) if run else _of_word(token["word"]))
    return found[:limit]


def spans(text: str, wanted: Container[str]) -> list[tuple[int, int]]:
    """Return where in `text` wanted terms stand, as ranges of code points in order that neither touch nor overlap.

    For showing why something was found: of a word whose parts are wanted, the whole is shown.
    """
    found: list[tuple[int, int]] = []
    for token in _TOKEN.finditer(text[:MAX_CHARS]):
        for start, end in _wanted_in(token, wanted):
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
    return found


def _wanted_in(token: "regex.Match[str]", wanted: Container[str]) -> Iterator[tuple[int, int]]:
    if token["word"]:
        plain = unicodedata.normalize("NFKC", token["word"])
        if any(lexeme.term in wanted for lexeme in _of_word(plain)):
            yield token.span()
        return
    folded = [fold(character) for character in token["cjk"]]
    for place in range(len(folded)):
        for length in (1, 2):
            if "".join(folded[place : place + length]) in wanted:
                yield token.start() + place, token.start() + min(place + length, len(folded))


def _of_characters(run: str) -> Iterator[Lexeme]:
    for piece in _PARTICLES.split(run):
        for place, character in enumerate(piece):
            if character not in CHINESE_STOPS:
                yield Lexeme(character, Kind.CHARACTER)
            pair = piece[place : place + 2]
            if len(pair) == 2 and not CHINESE_STOPS.issuperset(pair):
                yield Lexeme(pair, Kind.BIGRAM)


def _of_word(word: str) -> Iterator[Lexeme]:
    whole = fold(word)
    parts = _parts(word)
    if len(parts) <= 1 and _PLAIN_WORD.fullmatch(whole):
        yield from _plain(whole)
        return
    if len(whole) <= MAX_TERM_CHARS:
        yield Lexeme(whole, Kind.IDENTIFIER)
    for part in parts:
        if len(part) > 1 and part != whole:
            yield from _plain(part)


def _parts(word: str) -> list[str]:
    """Return the pieces of an identifier: by its joints, by its humps, letters from digits."""
    clean = word if len(word) > MAX_TERM_CHARS else _CLITIC.sub("", word)
    if _PLAIN_WORD.fullmatch(clean.lower()) and "'" in clean:
        return [fold(clean)]
    return [fold(part[0]) for part in islice(_PART.finditer(clean), _MAX_PARTS)]


def _plain(word: str) -> Iterator[Lexeme]:
    bare = _CLITIC.sub("", word).replace("'", "")
    if bare and bare not in ENGLISH_STOPS and len(bare) <= MAX_TERM_CHARS:
        yield Lexeme(stem(bare), Kind.WORD)


@lru_cache(maxsize=_STEM_CACHE)
def stem(word: str) -> str:
    """Return the English stem of a lower-case word; what is not English, or too long for it, stays."""
    if len(word) > _STEM_CHARS or not word.isascii():
        return word
    stemmed: str = snowballstemmer.stemmer("english").stemWord(word)  # a new one each time: it holds state
    return stemmed
