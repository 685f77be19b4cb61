"""Units of measure and money, read from their table: what one is in the base of its dimension."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).parent / "data" / "units.toml"


@dataclass(frozen=True, slots=True)
class Unit:
    """`factor` of the base of `dimension`: 60 of duration's seconds for a minute."""

    dimension: str
    factor: float


@dataclass(frozen=True, slots=True)
class Units:
    """Every written form of a unit, of a currency, and the words that only count."""

    forms: dict[str, Unit]
    money: dict[str, Unit]
    symbols: dict[str, str]
    classifiers: tuple[str, ...]
    bases: dict[str, str]


@cache
def units() -> Units:
    """The table, read once."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    money, classifiers = table.pop("money"), table.pop("classifiers")
    forms = {
        form: Unit(dimension, factor)
        for dimension, entry in table.items()
        for factor, written in entry["units"]
        for form in written.split(";")
    }
    counted = sorted(classifiers["zh"].split(";"), key=len, reverse=True)
    bases = {dimension: entry["base"] for dimension, entry in table.items()}
    return Units(forms, _money(money), money["symbols"], tuple(counted), bases)


def _money(entry: dict[str, list[str]]) -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for line in [*entry["currencies"], *entry["small"]]:
        head, _, written = line.partition(":")
        code, _, factor = head.strip().partition(" ")
        found |= {form.strip(): Unit(code, float(factor or 1)) for form in written.split(";")}
    return found
