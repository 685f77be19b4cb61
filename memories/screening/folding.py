"""The text as a reader sees it, with the way back to the stored characters.

Attackers split words with invisible characters and spell them in look-alike or full-width letters; detectors read the
folded text, findings point into the original.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef"
"""Soft hyphen, joiners, direction marks, operators, variation selectors and tags: nothing that a reader sees."""

LOOK_ALIKE = {
    **dict(zip("асеорхуіѕјԁһкмтвнг", "aceopxyisjdhkmtbhr", strict=True)),
    **dict(zip("АВЕКМНОРСТХУІЅЈ", "abekmhopctxyisj", strict=True)),
    **dict(zip("αεικνορτυχ", "aeiknoptux", strict=True)),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx", strict=True)),
    "‘": "'", "’": "'", "“": '"', "”": '"', "İ": "i", "ı": "i",
}  # fmt: skip
"""Cyrillic and Greek letters that stand for Latin ones, quotation marks, and letters whose lower case is longer."""

_FOLDABLE = re.compile(
    f"[{INVISIBLE}{''.join(LOOK_ALIKE)}\u2100-\u214f\u2460-\u24ff\u3000\uff01-\uff5e\U0001d400-\U0001d7ff\U0001f130-\U0001f189]"
)
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_SPACED = re.compile(r"(?<!\w)\w(?:[ .\-_]\w){4,40}+(?!\w)")


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text; `origin` maps a position in it to the position in the original."""

    text: str
    marks: tuple[int, ...]
    shifts: tuple[int, ...]

    def origin(self, position: int) -> int:
        """The original position of a folded one: exact outside of folded characters, their start inside."""
        index = bisect_right(self.marks, position) - 1
        return position + (self.shifts[index] if index >= 0 else 0)


def fold(text: str) -> Folded:
    """Drop invisible characters, fold look-alikes and width, lower the case. One pass."""
    if text.isascii():
        return Folded(text.lower(), (), ())
    pieces: list[str] = []
    marks: list[int] = []
    shifts: list[int] = []
    length = copied = 0
    for match in _FOLDABLE.finditer(text):
        kept, plain = text[copied : match.start()], _plain(match.group())
        pieces += (kept, plain)
        length += len(kept) + len(plain)
        copied = match.end()
        marks.append(length)
        shifts.append(copied - length)
    pieces.append(text[copied:])
    return Folded("".join(pieces).lower(), tuple(marks), tuple(shifts))


def unspaced(text: str) -> str:
    """The letters of `text` that stand apart one by one ("i g n o r e") joined to words again, and nothing else."""
    return " ".join(re.sub(r"[ .\-_]", "", match.group()) for match in _SPACED.finditer(text))


def _plain(char: str) -> str:
    if _INVISIBLE.match(char):
        return ""
    return LOOK_ALIKE.get(char) or unicodedata.normalize("NFKC", char)
