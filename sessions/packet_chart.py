"""Where the parts of a bar stand: token figures in, whole units of length out. A pure function of its arguments."""

from collections.abc import Sequence
from dataclasses import dataclass

LENGTH = 1000  # units of a whole bar; the drawing is stretched to the page's width
LEAST = 3  # units that the smallest part still gets: a reserve of 500 tokens in a million has to be seen


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a bar: `x` and `width` are units from the left."""

    name: str
    tokens: int
    x: int
    width: int

    @property
    def end(self) -> int:
        return self.x + self.width


def bar(
    parts: Sequence[tuple[str, int]], *, whole: int = 0, length: int = LENGTH, least: int = LEAST
) -> tuple[Segment, ...]:
    """Return the segments of `parts` (name, tokens) side by side, in order, without gaps; empty parts are left out.

    `whole` is what the full length stands for; where it is less than the parts' sum, their sum does. Every part is at
    least `least` units wide, and what that takes is taken from the wider ones in proportion.
    """
    shown = [(name, tokens) for name, tokens in parts if tokens > 0]
    total = sum(tokens for _, tokens in shown)
    if not shown:
        return ()
    taken = length if total >= whole else max(round(length * total / whole), least * len(shown))
    widths = _widths([tokens for _, tokens in shown], taken, least)
    segments, x = [], 0
    for (name, tokens), width in zip(shown, widths, strict=True):
        segments.append(Segment(name, tokens, x, width))
        x += width
    return tuple(segments)


def place(tokens: int, *, whole: int, length: int = LENGTH) -> int:
    """Return where `tokens` stand on a bar whose full length is `whole`; beyond the end is the end."""
    if whole <= 0:
        return 0
    return min(max(round(length * tokens / whole), 0), length)


def share(tokens: int, whole: int) -> float:
    """Return what part of `whole` tokens are, in per cent; 0 of nothing."""
    return 100 * tokens / whole if whole else 0.0


def _widths(tokens: Sequence[int], length: int, least: int) -> list[int]:
    """Share `length` out by tokens. A part that would be narrower than `least` gets that much, before the others."""
    small: set[int] = set()
    while True:
        room = length - least * len(small)
        rest = sum(value for at, value in enumerate(tokens) if at not in small)
        narrow = {at for at, value in enumerate(tokens) if at not in small and room * value < least * rest}
        if not narrow:
            return _rounded(tokens, small, room=room, least=least)
        small |= narrow


def _rounded(tokens: Sequence[int], small: set[int], *, room: int, least: int) -> list[int]:
    """Round the ends and not the widths, so that the parts end where the bar ends."""
    rest = sum(value for at, value in enumerate(tokens) if at not in small)
    widths, passed, drawn = [], 0, 0
    for at, value in enumerate(tokens):
        if at in small:
            widths.append(least)
            continue
        passed += value
        end = round(room * passed / rest)
        widths.append(end - drawn)
        drawn = end
    return widths
