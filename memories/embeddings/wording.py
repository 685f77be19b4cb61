"""What is given to a model of a passage or a question: bounded, and free of what it cannot read. Pure."""

import regex

RECIPE = 1
"""Of the wording of a passage. It is part of every vector's version: raise it, and passages are embedded anew."""

MOST_CHARS = 1_600
"""Of a passage: some 400 English or 1,200 Chinese tokens. Models see little beyond, and take seconds for it."""

MOST_ASKED_CHARS = 600
"""Of a question, which has to be answered in milliseconds."""

ROLES = frozenset({"user", "assistant", "agent", "system", "tool"})
"""Speakers who are nobody in particular: to have said "user" of half of all passages tells none of them apart."""

_CLUSTER = regex.compile(r"\X")
_WINDOW = 64  # longer than any character that people write


def passage_text(*, speaker: str, text: str) -> str:
    """Return the text of a passage with who said it, cut at a whole character; empty where there is nothing to read."""
    plain = readable(text)
    named = readable(speaker)
    return cut(f"{named}: {plain}" if plain and named and named.lower() not in ROLES else plain, MOST_CHARS)


def asked_text(text: str) -> str:
    """Return a question as it is given to a model; empty where there is nothing to read."""
    return cut(readable(text), MOST_ASKED_CHARS)


def readable(text: str) -> str:
    """Return the text without what has no meaning and breaks readers: halves of surrogates, NUL, runs of blanks."""
    whole = text[: 8 * MOST_CHARS].encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")
    return " ".join(whole.split())


def cut(text: str, most: int) -> str:
    """Return the longest beginning of at most so many code points that tears no character as readers see it."""
    if len(text) <= most:
        return text
    start = max(most - _WINDOW, 0)
    ends = (start + found.end() for found in _CLUSTER.finditer(text[start : most + _WINDOW]))
    return text[: max((end for end in ends if end <= most), default=most)]
