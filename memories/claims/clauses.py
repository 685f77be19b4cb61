"""A sentence that says several things of one subject, as one plain statement for each of them."""

import re
from collections.abc import Sequence
from itertools import pairwise

from memories.claims.lexicon import lexicon
from memories.claims.registry import Registry
from memories.claims.tokens import Token, tokens

_BETWEEN = re.compile(r"\s*(?:,(?!\d)|[，、;；])\s*(?:and\s+|并且|且|而且)?|\s+and\s+|，?(?:并且|而且)", re.IGNORECASE)
_ITS = re.compile(r"^(?:and\s+)?(?:its|their|the|with|其|它的|他的|她的)\s*(?:own\s+)?", re.IGNORECASE)
MOST = 6  # statements of one sentence; more is a list, which is compared as a whole


def clauses(sentence: str, registry: Registry) -> Sequence[str]:
    """Return one statement for each attribute that a sentence gives a value of, each with the subject that it is of.

    Only where every part names an attribute and a value, no attribute twice, and no part after the first a subject of
    its own: everything else is returned whole, as one.
    """
    parts = _parts(sentence)
    if not 2 <= len(parts) <= MOST:
        return (sentence,)
    read = [tokens(part, lexicon(registry)) for part in parts]
    named = [_attributes(row, registry) for row in read]
    if not all(named) or len({key for keys in named for key in keys}) != len(named):
        return (sentence,)
    if not all(any(_tells(token) for token in row) for row in read):
        return (sentence,)
    subject = _subject(parts[0], read[0])
    if not subject or any(_subject(part, row) for part, row in zip(parts[1:], read[1:], strict=True)):
        return (sentence,)
    link = "" if subject[-1].isascii() else "的"
    return (parts[0], *(f"{subject}{link} {_ITS.sub('', part)}".replace("的 ", "的") for part in parts[1:]))


def _parts(sentence: str) -> list[str]:
    ends = [match.span() for match in _BETWEEN.finditer(sentence)]
    edges = [(0, 0), *ends, (len(sentence), len(sentence))]
    return [part for (_, start), (end, _) in pairwise(edges) if (part := sentence[start:end].strip(" .。"))]


def _attributes(row: Sequence[Token], registry: Registry) -> set[str]:
    """Return the one attribute that a part is about: a name of one, else what its value implies."""
    hard = [token.key for token in row if token.sense.kind == "attr" and not registry.is_soft(token.key[2:])]
    implied = [token.sense.implies for token in row if token.value is not None and token.sense.implies]
    return {(hard or implied)[-1]} if hard or implied else set()


def _tells(token: Token) -> bool:
    """Whether a token is a value that says something: not that there is one of it."""
    return token.value is not None and token.text.casefold() not in ("一个", "一种", "one", "a")


def _subject(part: str, row: Sequence[Token]) -> str:
    """Return the words before anything that is an attribute or a value, where they name something."""
    own = []
    for token in row:
        if token.value is not None or token.sense.kind == "attr":
            break
        if token.key:
            own.append(token)
    return part[own[0].start : own[-1].start + len(own[-1].text)].strip() if own else ""
