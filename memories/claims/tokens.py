"""A sentence as a row of tokens: typed values, known phrases, names and other words, in the order of the text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import rjieba

from memories.claims.lexicon import LONGEST, Lexicon, Sense, stemmed
from memories.claims.segmenting import pieces
from memories.claims.values import Value, scan
from memories.claims.vocabulary import ValueType
from threads.lexemes import stem


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a sentence. `key` is what it is compared by; empty for what only carries the rest.

    `name` marks what looks like the name of somebody or something, `verb` a word that no table knows and that stands
    where a verb does.
    """

    text: str
    sense: Sense
    start: int
    value: Value | None = None
    name: bool = False
    verb: bool = False

    @property
    def key(self) -> str:
        return self.sense.key

    @property
    def marks(self) -> frozenset[str]:
        return self.sense.marks


_PIECE = re.compile(
    r"[^\W\d_\u3400-\u9fff\uf900-\ufaff][A-Za-z0-9\u00c0-\u024f_.+#&/-]*(?<![./-])(?:'[a-z]+"
    r"|')?|[\u3400-\u9fff]+|[^\s\w]|\d+",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"n't$|'(?:s|re|ve|ll|d|m)?$")
_PUNCTUATION = {
    ":": Sense("mark", marks=frozenset({"copula"})),
    "=": Sense("mark", marks=frozenset({"copula"})),
    ">": Sense("mark", marks=frozenset({"copula"})),
    ",": Sense("mark", marks=frozenset({"comma"})),
    "(": Sense("mark", marks=frozenset({"comma"})),
}
_NOT = Sense("negation", sign=-1)
_PREPOSITIONS = (
    "in",
    "on",
    "to",
    "at",
    "with",
    "under",
    "from",
    "after",
    "over",
    "through",
    "via",
    "for",
    "within",
    "until",
    "up",
    "of",
)
_PREPOSITIONS_ZH = ("在", "于", "到", "给", "用", "至", "自")
# Parts of speech that say nothing of a subject or a value: particles, adverbs, pronouns, conjunctions and the like.
_CARRYING = ("u", "d", "p", "c", "y", "r", "e", "o", "q", "k", "h")
_ARTICLES = {"一个", "一种", "一份", "一条", "一次"}
_TEAMS = {"team", "group", "squad", "department", "office", "组", "部", "团队", "部门", "小组"}


def tokens(sentence: str, words: Lexicon) -> list[Token]:
    """The tokens of one plain sentence."""
    found: list[Token] = []
    at = 0
    for value in scan(sentence):
        found.extend(_words(sentence[at : value.start], at, words))
        found.append(_valued(value, words))
        at = value.end
    found.extend(_words(sentence[at:], at, words))
    return _settled(found)


def _valued(value: Value, words: Lexicon) -> Token:
    """A typed value, unless the lexicon knows it as a word ("k8s", "snake_case")."""
    known = (
        words.exact.get(value.text.casefold().strip('"'))
        if value.type in {ValueType.IDENTIFIER, ValueType.NUMBER}
        else None
    )
    if known is not None and known.kind in {"family", "word"}:
        return Token(value.text, known, value.start)
    key = f"t:{value.type}:{value.unit or ''}:{value.norm}"
    return Token(value.text, Sense("value", key), value.start, value=value)


def _words(text: str, offset: int, words: Lexicon) -> Iterator[Token]:
    row: list[tuple[str, int]] = []  # Latin words that stand side by side, matched as phrases
    for match in _PIECE.finditer(text):
        piece = match[0]
        if "\u3400" <= piece[0] <= "\u9fff":
            yield from _phrases(row, words)
            row = []
            yield from _chinese(piece, offset + match.start(), words)
        elif piece in _PUNCTUATION or not piece[0].isalnum():
            yield from _phrases(row, words)
            row = []
            if piece in _PUNCTUATION:
                yield Token(piece, _PUNCTUATION[piece], offset + match.start())
        else:
            row.append((piece, offset + match.start()))
    yield from _phrases(row, words)


def _phrases(row: Sequence[tuple[str, int]], words: Lexicon) -> Iterator[Token]:
    at = 0
    while at < len(row):
        for length in range(min(LONGEST, len(row) - at), 0, -1):
            token = _phrase(row[at : at + length], words)
            if token is not None:
                yield from token
                at += length
                break
        else:
            yield from _unknown(row[at], words)
            at += 1


def _phrase(part: Sequence[tuple[str, int]], words: Lexicon) -> list[Token] | None:
    written = " ".join(piece for piece, _ in part)
    bare = _CONTRACTED.sub("", written.casefold())
    if len(part) == 1 and written.casefold().endswith("n't"):
        known = words.exact.get(bare)
        return [Token(written, _NOT, part[0][1])] if known is None or known.kind != "attr" else None
    sense = words.find(bare) or words.find(stemmed(bare))
    if sense is None or (bare in words.capitalised and not written[0].isupper() and sense.kind == "family"):
        return None
    if written[0].isupper() and len(part) == 1 and sense.kind in {"attr", "frame", "word"} and bare in words.names:
        return None
    return [Token(written, _with_preposition(sense, bare.split()), part[0][1])]


def _with_preposition(sense: Sense, parts: Sequence[str]) -> Sense:
    """A phrase that ends in a preposition is followed by the value: "written in", "owned by"."""
    if sense.kind != "attr" or len(parts) < 2:
        return sense
    mark = "by" if parts[-1] == "by" else "place" if parts[-1] in _PREPOSITIONS else ""
    return replace(sense, marks=sense.marks | {mark}) if mark else sense


def _unknown(piece: tuple[str, int], words: Lexicon) -> Iterator[Token]:
    text, at = piece
    bare = _CONTRACTED.sub("", text)
    pieces = [part for part in re.split(r"[-/&]", bare) if part]
    if len(pieces) > 1:
        for part in pieces:
            yield from _phrases([(part, at)], words)
    elif bare:
        folded = bare.casefold()
        named = folded in words.names or (at > 0 and bare[0].isupper() and not bare.isupper())
        named = named or (bare[1:] != bare[1:].lower() and not bare.isupper())  # OpenVPN, wherever it stands
        named = named and bare[0].isupper()
        yield Token(bare, Sense("word", f"w:{folded if named else stem(folded)}"), at, name=named)


def _chinese(run: str, offset: int, words: Lexicon) -> Iterator[Token]:
    before = ""
    for piece, said, known in pieces(run, words):
        tag = "n" if before == "的" and said == "v" else said
        before = piece
        if known:
            yield Token(piece, _with_preposition_zh(words.exact[piece], piece), offset)
        else:
            yield from _unknown_chinese(piece, tag, (offset, words))
        offset += len(piece)


def _with_preposition_zh(sense: Sense, phrase: str) -> Sense:
    if sense.kind == "attr" and len(phrase) > 1 and phrase[-1] in _PREPOSITIONS_ZH:
        return replace(sense, marks=sense.marks | {"place"})
    return sense


def _unknown_chinese(word: str, tag: str, place: tuple[int, Lexicon]) -> Iterator[Token]:
    offset, words = place
    if word[0] in "不没未" and len(word) > 1 and not rjieba.has_word(word):
        yield Token(word[0], _NOT, offset)  # 不加奶 denies 加奶
        word, offset = word[1:], offset + 1
    if tag == "nr":
        yield Token(word, Sense("word", f"w:{word}"), offset, name=True)
        return
    parts = _parted(word, words) if len(word) > 2 else None
    if parts:
        for part in parts:
            sense = words.exact.get(part)
            yield Token(part, sense or Sense("word", f"w:{part}"), offset)
            offset += len(part)
    elif tag.startswith(_CARRYING) and tag not in {"ud", "dg"} and len(word) < 3:
        yield Token(word, Sense("frame"), offset)
    else:
        yield Token(word, Sense("word", f"w:{word}"), offset, verb=tag == "v")


def _parted(word: str, words: Lexicon) -> list[str] | None:
    """A compound cut once, where at least one side of two characters or more is a known name of something."""
    for cut in range(len(word) - 2, 0, -1):
        head, tail = word[:cut], word[cut:]
        known = words.exact.get(tail if len(tail) >= 2 else head)
        if known and known.kind in {"attr", "word", "family", "frame"} and max(len(head), len(tail)) >= 2:
            return [head, tail]
    return None


def _settled(row: list[Token]) -> list[Token]:
    """Readings that need their neighbours: "Python 3.12" is a version, one of a kind is no number."""
    typed = [token for token in row if token.value is not None]
    every = any(token.value is not None and token.value.every for token in typed)
    weekday = any(token.value is not None and token.value.type is ValueType.DATE for token in typed) or every
    out: list[Token] = []
    for n, token in enumerate(row):
        value = token.value
        if value is None and token.key.startswith("w:") and n + 1 < len(row) and row[n + 1].text.casefold() in _TEAMS:
            out.append(replace(token, sense=Sense("qualifier", token.key)))
            continue
        if value is None or value.type is not ValueType.NUMBER:
            out.append(token)
            continue
        before = row[n - 1] if n else None
        if _is_article(value, every=every, alone=len(typed) == 1):
            continue
        if "." in value.norm + value.text and _names_product(before):
            value = replace(value, type=ValueType.VERSION, norm=value.text.casefold())
        elif weekday and before is not None and before.text.casefold() == "at" and (value.number or 99) <= 12:
            value = replace(value, type=ValueType.TIME, norm=f"{int(value.number or 0):02d}:00", loose=True)
        elif _counts(row[n + 1 : n + 2], value):
            value = replace(value, counted=True)
        out.append(
            Token(token.text, Sense("value", f"t:{value.type}:{value.unit or ''}:{value.norm}"), token.start, value)
        )
    return out


def _counts(after: Sequence[Token], value: Value) -> bool:
    """Whether a thing that is counted stands right behind a number: "812 tests"."""
    beside = after and after[0].start - value.end <= 1 and after[0].text[0].islower()
    return bool(beside and after[0].value is None and after[0].sense.kind in {"word", "qualifier", "attr"})


def _is_article(value: Value, *, every: bool, alone: bool) -> bool:
    """ "once every ten minutes", "one more thing": a one that counts nothing."""
    if value.number != 1:
        return False
    return (every and value.text[-1] in "次遍回e") or (not alone and value.text in _ARTICLES)


def _names_product(token: Token | None) -> bool:
    if token is None:
        return False
    return token.sense.kind == "family" or token.key == "a:version" or (token.name and token.text.isascii())
