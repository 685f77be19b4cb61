"""Figures of this process for Prometheus: counters and histograms that every app adds to, and their text form.

Labels are words of vocabularies and slugs, never anybody's text. Each process counts its own.
"""

import threading
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from governance.telemetry import safe

_lock = threading.Lock()
_known: dict[str, "Counter | Histogram"] = {}

type Labels = tuple[str, ...]


@dataclass(slots=True)
class Counter:
    """A figure that only grows, apart by its labels."""

    name: str
    about: str
    labels: tuple[str, ...] = ()
    values: dict[Labels, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _register(self)

    def add(self, amount: float, *labels: str) -> None:
        """Add to the figure of these labels, given in their order."""
        told = _told(labels)
        with _lock:
            self.values[told] = self.values.get(told, 0) + amount

    def lines(self) -> Iterator[str]:
        """Yield the figure in Prometheus' text form."""
        yield from _head(self.name, self.about, "counter")
        for told, value in sorted(self.values.items()):
            yield f"{self.name}{_labelled(self.labels, told)} {_number(value)}"


@dataclass(slots=True)
class Histogram:
    """How often a figure came out up to each of `bounds`, apart by its labels."""

    name: str
    about: str
    bounds: tuple[float, ...]
    labels: tuple[str, ...] = ()
    values: dict[Labels, list[float]] = field(default_factory=dict)  # a count for each bound, over all, and the sum

    def __post_init__(self) -> None:
        _register(self)

    def observe(self, value: float, *labels: str) -> None:
        """Count one value."""
        told = _told(labels)
        with _lock:
            kept = self.values.setdefault(told, [0.0] * (len(self.bounds) + 2))
            kept[bisect_left(self.bounds, value)] += 1
            kept[-1] += value

    def lines(self) -> Iterator[str]:
        """Yield the figure in Prometheus' text form, its counts summed up as that asks for."""
        yield from _head(self.name, self.about, "histogram")
        for told, kept in sorted(self.values.items()):
            total = 0.0
            for bound, count in zip((*self.bounds, float("inf")), kept[:-1], strict=True):
                total += count
                told_bound = "+Inf" if bound == float("inf") else _number(bound)
                labelled = _labelled((*self.labels, "le"), (*told, told_bound))
                yield f"{self.name}_bucket{labelled} {_number(total)}"
            yield f"{self.name}_sum{_labelled(self.labels, told)} {_number(kept[-1])}"
            yield f"{self.name}_count{_labelled(self.labels, told)} {_number(total)}"


def exposition() -> str:
    """Return all figures of this process in Prometheus' text form."""
    with _lock:
        return "".join(f"{line}\n" for name in sorted(_known) for line in _known[name].lines())


def _register(meter: Counter | Histogram) -> None:
    if meter.name in _known:
        raise ValueError(f"{meter.name} is counted already")
    _known[meter.name] = meter


def _told(labels: Sequence[str]) -> Labels:
    return tuple(str(safe(str(label))) for label in labels)


def _head(name: str, about: str, kind: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"


def _labelled(names: Sequence[str], told: Sequence[str]) -> str:
    pairs = ",".join(f'{name}="{value}"' for name, value in zip(names, told, strict=True))
    return f"{{{pairs}}}" if pairs else ""


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
