"""How full an input cap is, as a bar and in per cent. Pure."""


class Gauged:
    """Something that used tokens of a cap; the figures that a bar of 100 units is drawn from."""

    __slots__ = ()
    used: int
    cap: int

    @property
    def percent(self) -> int:
        """Whole percent of the cap; over 100 when more was asked than the cap holds."""
        return round(100 * self.used / self.cap) if self.cap else 100

    @property
    def width(self) -> int:
        """The bar's filled part, 0 to 100; at least 1 for anything used, so that it can be seen."""
        return min(100, max(self.percent, 1 if self.used else 0))
