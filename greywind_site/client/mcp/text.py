"""Texts in answers: bounded, and never cut inside a character as people see it."""

import regex

GRAPHEMES = regex.compile(r"\X")


def shortened(text: str, most: int) -> str:
    """Return the text, or its beginning of at most `most` code points, cut between graphemes and marked by "…"."""
    if len(text) <= most:
        return text
    head = text[:most]
    last = max((match.start() for match in GRAPHEMES.finditer(head)), default=0)
    return head[:last] + "…"
