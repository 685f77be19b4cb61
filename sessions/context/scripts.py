"""What a text is written in, by script: the signs by which one vocabulary's count is told from another's.

Vocabularies differ most in Han characters, digits, punctuation and white space, so those are counted apart. A sign is
one character, counted at the first byte of its UTF-8 form: counts of parts add up exactly, and cost a few passes over
bytes.
"""

from enum import StrEnum


class Script(StrEnum):
    """A class of characters; the order is that of every stored mix."""

    CAPITALS = "capitals"
    LETTERS = "letters"
    DIGITS = "digits"
    PUNCTUATION = "punctuation"
    SPACES = "spaces"
    BREAKS = "breaks"  # line ends, tabs and other controls
    HAN = "han"
    MARKS = "marks"  # kana, full-width and typographic signs
    OTHER = "other"  # accented Latin, Cyrillic, Arabic, Hangul, emoji and the rest


type Mix = tuple[int, ...]
"""Characters of a text by script, in the order of Script."""

_CAPITALS, _LETTERS, _DIGITS, _SPACES = bytes(range(65, 91)), bytes(range(97, 123)), bytes(range(48, 58)), b" "
_BREAKS = bytes([*range(32), 127])
_HAN, _MARKS = bytes(range(0xE4, 0xEA)), bytes((0xE2, 0xE3, 0xEF))
_OTHER = bytes(byte for byte in range(0xC0, 0x100) if byte not in _HAN + _MARKS)
_TAKEN = _CAPITALS + _LETTERS + _DIGITS + _SPACES + _BREAKS
_PUNCTUATION = bytes(byte for byte in range(128) if byte not in _TAKEN)
_ASCII = (_CAPITALS, _LETTERS, _DIGITS, _PUNCTUATION, _SPACES, _BREAKS)
_BEYOND = (_HAN, _MARKS, _OTHER)
_NONE_BEYOND = (0,) * len(_BEYOND)


def mix_of(text: str) -> Mix:
    """Return how many characters of `text` each script has."""
    raw = text.encode("utf-8", "surrogatepass")
    size = len(raw)
    ascii_ = tuple([size - len(raw.translate(None, signs)) for signs in _ASCII])
    if text.isascii():
        return ascii_ + _NONE_BEYOND
    return ascii_ + tuple([size - len(raw.translate(None, signs)) for signs in _BEYOND])
