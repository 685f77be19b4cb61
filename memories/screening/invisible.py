"""Characters that a reader does not see, and that carry words or turn them round."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.screening.findings import Category, Finding, Kind


@dataclass(frozen=True, slots=True)
class Hidden:
    kind: Kind
    pattern: re.Pattern[str]
    certain: bool
    reason: str


HIDDEN = (
    Hidden(
        Kind.TAG_CHARACTERS,
        re.compile("(?<!\U0001f3f4)(?<![\U000e0000-\U000e007f])[\U000e0000-\U000e007f]{1,4096}+"),
        certain=True,
        reason="tags spell ASCII that nobody sees; their one use is inside the flag of a region, after a black flag",
    ),
    Hidden(
        Kind.VARIATION_DATA,
        re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,4096}+"),
        certain=True,
        reason="one selector picks a glyph; a row of them is bytes in hiding",
    ),
    Hidden(
        Kind.BIDI_CONTROL,
        re.compile("[\u202a-\u202e\u2066-\u2069]"),
        certain=False,
        reason="overrides and isolates make the shown order differ from the stored one",
    ),
    Hidden(
        Kind.ZERO_WIDTH,
        re.compile("(?<=[A-Za-z\u4e00-\u9fff])[\u200b\u2060-\u2064\ufeff\u180e\u034f\u200c\u200d]{1,4096}+(?=[A-Za-z\u4e00-\u9fff])"),
        certain=False,
        reason="nothing invisible belongs between two Latin or Chinese letters: it splits words for a filter",
    ),
    Hidden(
        Kind.ZERO_WIDTH,
        re.compile("[\u200b-\u200f\u2060-\u2064\ufeff]{8,4096}+"),
        certain=True,
        reason="a long row of zero-width characters is a message in binary",
    ),
    Hidden(
        Kind.ZERO_WIDTH,
        re.compile("[\u115f\u1160\u3164\uffa0]{2,4096}+"),
        certain=False,
        reason="Hangul fillers show as nothing; one alone may be a typing slip",
    ),
    Hidden(
        Kind.CONCEALED,
        re.compile("\x1b\\[(?:\\d{1,3};){0,4}8m"),
        certain=True,
        reason="the terminal's own order to print invisible text",
    ),
)  # fmt: skip


def find_invisible(text: str) -> Iterator[Finding]:
    """Hidden characters in `text`, each run once."""
    if text.isascii() and "\x1b" not in text:
        return
    for hidden in HIDDEN:
        for match in hidden.pattern.finditer(text):
            yield Finding(
                category=Category.INVISIBLE,
                kind=hidden.kind,
                start=match.start(),
                end=match.end(),
                certain=hidden.certain,
            )
