"""Titles that people give to threads and tasks: short, visible, and in one line."""

import unicodedata

import regex

from governance.errors import Invalid
from governance.invisible import made_visible
from governance.names import TURNS_TEXT, UNPRINTABLE
from threads.speech import TITLE_GRAPHEMES

LONGEST_TITLE = 300  # characters, which is what the column holds: one grapheme may be many
UNSEEN = frozenset({"Cf", "Zs", "Zl", "Zp"})  # a title of nothing else looks like none


def graphemes(text: str) -> list[str]:
    """Return what a person sees as single characters."""
    found: list[str] = regex.findall(r"\X", text)
    return found


def one_line(text: str, *, most: int) -> str:
    """Return a text of somebody's in one line of at most `most` graphemes, fit to be shown; what is cut ends in …"""
    line = graphemes(made_visible(" ".join(text.split())))
    return "".join(line) if len(line) <= most else f"{''.join(line[:most])}…"


def checked_title(text: str, *, pointer: str, most: int = TITLE_GRAPHEMES) -> str:
    """Return the title in one line, without white space around it.

    Raises Invalid (title_empty, title_too_long, title_unprintable): a title has 1 to `most` graphemes, all of which
    can be seen where it is shown.
    """
    title = " ".join(text.split())
    if all(unicodedata.category(c) in UNSEEN for c in title):
        raise Invalid.at(pointer, "give it a title that can be seen", code="title_empty")
    unseen = next((c for c in title if unicodedata.category(c) in UNPRINTABLE or c in TURNS_TEXT), None)
    if unseen is not None:
        message = f"it holds the invisible character U+{ord(unseen):04X}; remove it"
        raise Invalid.at(pointer, message, code="title_unprintable", extra={"character": f"U+{ord(unseen):04X}"})
    long = len(graphemes(title))
    if long > most or len(title) > LONGEST_TITLE:
        message = f"a title has at most {most} characters, this one has {long}; shorten it"
        raise Invalid.at(pointer, message, code="title_too_long", extra={"long": long, "most": most})
    return title
