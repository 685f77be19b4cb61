"""Which literals a pattern cannot match without: asked of a text first, they save most patterns their run.

Reads the small part of the regular expression syntax in which signals are written; what it does not know it takes for
"no literal".
"""

import re

_QUANTIFIER = re.compile(r"(?:\?|\*|\+|\{(\d*),?\d*\})[?+]?")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_GROUP = re.compile(r"\(\?:")


def required(pattern: str) -> frozenset[str] | None:
    """Literals of which every match contains one; None when there is no such set."""
    branches = _branches(pattern)
    if len(branches) == 1:
        return _of_sequence(branches[0])
    sets = [_of_sequence(branch) for branch in branches]
    known = [found for found in sets if found is not None]
    return frozenset().union(*known) if len(known) == len(sets) else None


def _of_sequence(sequence: str) -> frozenset[str] | None:
    candidates, run, position = [], "", 0
    while position < len(sequence):
        literal, inner, position = _element(sequence, position)
        quantifier = _QUANTIFIER.match(sequence, position)
        optional = quantifier is not None and (quantifier.group()[0] in "?*" or quantifier.group(1) == "0")
        position = quantifier.end() if quantifier else position
        if literal and not optional:
            run += literal
        if quantifier or not literal:
            candidates.append(frozenset([run]))
            run = ""
        if inner is not None and not optional and (found := required(inner)):
            candidates.append(found)
    candidates.append(frozenset([run]))
    best = max(candidates, key=lambda found: (min(map(len, found)), -len(found)))
    return best if min(map(len, best)) >= 1 and best != {" "} else None


def _element(sequence: str, start: int) -> tuple[str, str | None, int]:
    """The element at `start`: its literal character if it is one, the inside if it is a group, and its end."""
    char = sequence[start]
    if char == "(":
        end = _closing(sequence, start)
        return "", sequence[start + 3 : end] if _GROUP.match(sequence, start) else None, end + 1
    if char == "[":
        return "", None, _skip(_CLASS, sequence, start)
    if char == "\\":
        end = _skip(_ESCAPE, sequence, start)
        escaped = sequence[start + 1 : end]
        return (escaped if not escaped.isalnum() else ""), None, end
    return ("" if char in ".^$" else char), None, start + 1


def _branches(pattern: str) -> list[str]:
    found, begin, position = [], 0, 0
    while position < len(pattern):
        if pattern[position] == "|":
            found.append(pattern[begin:position])
            begin = position + 1
        position = _element(pattern, position)[2]
    return [*found, pattern[begin:]]


def _closing(sequence: str, start: int) -> int:
    position = start + 1
    while sequence[position] != ")":
        position = _element(sequence, position)[2]
    return position


def _skip(piece: re.Pattern[str], sequence: str, start: int) -> int:
    match = piece.match(sequence, start)
    if match is None:
        raise ValueError(f"cannot read {sequence[start : start + 20]!r}")
    return match.end()
