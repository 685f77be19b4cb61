"""The words that statements are made of, compiled from the tables: what each phrase of either language stands for."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import zip_longest
from pathlib import Path

from memories.claims.registry import Registry
from threads.lexemes import stem

TABLE = Path(__file__).parent / "data" / "words.toml"
LONGEST = 5  # words of the longest English phrase


@dataclass(frozen=True, slots=True)
class Sense:
    """What a phrase stands for. `key` is what two statements are compared by; empty for words that only carry.

    `kind` is attr, family, person, open, qualifier, word, polar, self or frame. `marks` cut a statement into what
    it is about and what it says of it. `sign` is -1 where the phrase denies.
    """

    kind: str
    key: str = ""
    marks: frozenset[str] = frozenset()
    sign: int = 1
    family: str = ""
    implies: str = ""
    shade: int = 0  # which group of strict synonyms of an attribute's names


_ORDER = (
    "family",
    "polar",
    "attr",
    "person",
    "open",
    "qualifier",
    "word",
    "self",
    "harmless",
    "negation",
    "frame",
    "mark",
)


@dataclass(slots=True)
class Lexicon:
    """Senses by phrase: as written, and for what names things also by English stems."""

    exact: dict[str, Sense] = field(default_factory=dict)
    stems: dict[str, Sense] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    capitalised: frozenset[str] = frozenset()

    def find(self, phrase: str) -> Sense | None:
        return self.exact.get(phrase) or self.stems.get(phrase)


def stemmed(phrase: str) -> str:
    return " ".join(stem(word) for word in phrase.split())


@lru_cache(maxsize=8)
def lexicon(registry: Registry) -> Lexicon:
    """The lexicon for `registry`, compiled once for each."""
    table = words()
    built = Lexicon(
        names=frozenset(_split(table["names"]["en"])), capitalised=frozenset(_split(table["capitalised"]["en"]))
    )
    marks = _marks(table)
    senses = [*_named(table, registry), *_carrying(table)]
    senses.sort(key=lambda pair: _ORDER.index(pair[1].kind))
    for phrase, sense in senses:
        built.exact.setdefault(phrase, sense)
    for phrase, kinds in marks.items():
        built.exact[phrase] = replace(built.exact.get(phrase, Sense("mark")), marks=kinds)
    for phrase, sense in senses:
        if phrase.isascii() and sense.kind in {"attr", "family", "word", "qualifier", "person", "open"}:
            built.stems.setdefault(stemmed(phrase), sense)
    return built


@cache
def words() -> dict[str, dict[str, str]]:
    """The table of words, read once."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def _split(written: str) -> list[str]:
    return [form.strip() for form in written.split(";") if form.strip()]


def groups(written: str) -> Iterator[tuple[str, str]]:
    """Each form of each group of equals, with the first form as its key."""
    for group in _split(written):
        forms = [form.strip() for form in group.split("=")]
        yield from ((form, forms[0]) for form in forms if form)


def _named(table: dict[str, dict[str, str]], registry: Registry) -> Iterator[tuple[str, Sense]]:
    for attribute in registry.attributes.values():
        for shade, forms in enumerate(zip_longest(attribute.english, attribute.chinese, fillvalue=())):
            for form in (*forms[0], *forms[1]):
                yield form, Sense("attr", f"a:{attribute.key}", shade=shade)
    for kind in ("person", "open_class", "qualifier"):
        for language in ("en", "zh"):
            for form, key in groups(table[kind][language]):
                yield form, Sense(kind.removesuffix("_class"), f"{kind[0]}:{key}")
    for form in registry.open_classes:
        yield form, Sense("open", f"o:{form}")
    for group in table["synonyms"]["groups"]:
        for form, key in groups(group):
            yield form, Sense("word", f"s:{key}")
    yield from _families(table)


def _families(table: dict[str, dict[str, str]]) -> Iterator[tuple[str, Sense]]:
    known = [[form.strip() for form in group.split("=")] for group in table["synonyms"]["groups"]]
    also = {group[0]: group[1:] for group in known}
    for line in table["families"]["groups"]:
        head, _, members = line.partition(":")
        family, _, implies = head.strip().partition(">")
        for form, key in groups(members):
            sense = Sense("family", f"f:{family}:{key}", family=family, implies=f"a:{implies}" if implies else "")
            yield from ((name, sense) for name in (form, *also.get(form, ())))


def _carrying(table: dict[str, dict[str, str]]) -> Iterator[tuple[str, Sense]]:
    for language in ("en", "zh"):
        yield from ((form, Sense("frame")) for form in _split(table["frame"][language]))
        yield from ((form, Sense("self", "self")) for form in _split(table["self"][language]))
        yield from ((form, Sense("negation", sign=-1)) for form in _split(table["negation"][language]))
        yield from ((form, Sense("harmless")) for form in _split(table["negation"][f"harmless_{language}"]))
    for pair in table["antonyms"]["pairs"]:
        positive, _, negative = pair.partition("/")
        key = "n:" + positive.split("=")[0].strip()
        yield from ((form.strip(), Sense("polar", key)) for form in positive.split("="))
        yield from ((form.strip(), Sense("polar", key, sign=-1)) for form in negative.split("="))


def _marks(table: dict[str, dict[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, written in table["markers"].items():
        for form in _split(written):
            found.setdefault(form, set()).add(name.rpartition("_")[0])
    for kind in ("change", "also"):
        for language in ("en", "zh"):
            for form in _split(table[kind][language]):
                found.setdefault(form, set()).add(kind)
    return {form: frozenset(kinds) for form, kinds in found.items()}
