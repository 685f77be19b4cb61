"""Which English words stand where a verb does. No table holds all verbs; their endings and neighbours tell most."""

from collections.abc import Sequence
from dataclasses import replace

from memories.claims.tokens import Token

_BE = {"is", "are", "was", "were", "be", "been", "being", "get", "gets", "got", "has", "have", "had"}
_BEFORE = {
    *("to", "will", "would", "shall", "should", "can", "could", "may", "might", "must", "do", "does", "did", "don't"),
    *("doesn't", "cannot", "can't", "won't", "we", "they", "you", "i", "not", "never", "always", "please"),
}
_AFTER = {
    *("a", "an", "the", "its", "his", "her", "their", "our", "my", "your", "this", "that", "these", "those", "every"),
    *("in", "on", "at", "to", "into", "from", "with", "by", "for", "until", "till", "after", "before", "over", "under"),
    *("through", "via", "within", "as", "up", "out", "off", "down", "about", "around", "no", "only", "all", "per"),
}
_NOT_AFTER = {"a", "an", "the", "its", "his", "her", "their", "our", "my", "your", "this", "these", "of", "in", "on"}


def with_verbs(row: Sequence[Token]) -> list[Token]:
    """The tokens with those marked that are verbs by where they stand: "stores its pages", "are kept", "we send"."""
    return [replace(token, verb=True) if _is_verb(row, n) else token for n, token in enumerate(row)]


def _is_verb(row: Sequence[Token], n: int) -> bool:
    token = row[n]
    text = token.text
    plain = text.isascii() and text.islower() and token.sense.kind in {"word", "attr"}
    if token.name or token.value is not None or not plain:
        return token.verb
    if token.sense.kind == "attr" and " " in text and (_last_word(token) in _AFTER or _first_word(token) in _BE):
        return True  # "sits at", "written in", "are kept"
    before, after = _last_word(row[n - 1]) if n else "", _first_word(row[n + 1]) if n + 1 < len(row) else ""
    if before in _BEFORE or (before in _BE and text.endswith(("ed", "en", "t", "ing"))):
        return True
    counted = n + 1 < len(row) and row[n + 1].value is not None
    inflected = text.endswith(("s", "ed")) and not text.endswith("ss")
    return n > 0 and before not in _NOT_AFTER and inflected and (after in _AFTER or counted)


def _last_word(token: Token) -> str:
    return token.text.casefold().rsplit(" ", 1)[-1]


def _first_word(token: Token) -> str:
    return token.text.casefold().split(" ", 1)[0]
