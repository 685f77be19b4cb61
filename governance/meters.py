"""Figures of this process for Prometheus: counters and histograms that every app adds to.

Labels are words of vocabularies and slugs, never anybody's text. Each process counts its own, and tells its own; where
PROMETHEUS_MULTIPROC_DIR names a folder, whichever is asked tells of all that write there.
"""

import os
from collections.abc import Sequence
from functools import lru_cache

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
    multiprocess,
)

from governance.telemetry import safe

TEXT_FORM = CONTENT_TYPE_PLAIN_0_0_4
SHARED = "PROMETHEUS_MULTIPROC_DIR"
_registry = CollectorRegistry()
# In this form a moment of creation would be a figure of its own beside each.
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library leaves it without types


def counter(name: str, about: str, labels: Sequence[str] = ()) -> Counter:
    """Return a figure that only grows, apart by its labels. Raises ValueError for a name that is taken."""
    return Counter(name, about, labels, registry=_registry)


def histogram(name: str, about: str, bounds: Sequence[float], labels: Sequence[str] = ()) -> Histogram:
    """Return how often a figure came out up to each of `bounds`, apart by its labels. Raises as `counter` does."""
    return Histogram(name, about, labels, buckets=bounds, registry=_registry)


def add(meter: Counter, amount: float, *labels: str) -> None:
    """Add to the figure of these labels, given in their order."""
    _labelled(meter, *labels).inc(amount)


def observe(meter: Histogram, value: float, *labels: str) -> None:
    """Count one value under these labels, given in their order."""
    _labelled(meter, *labels).observe(value)


def exposition() -> bytes:
    """Return all figures in Prometheus' text form, whose media type is TEXT_FORM."""
    if SHARED not in os.environ:
        return generate_latest(_registry)
    gathered = CollectorRegistry()
    multiprocess.MultiProcessCollector(gathered)  # type: ignore[no-untyped-call]  # as above
    return generate_latest(gathered)


@lru_cache(maxsize=4096)  # a compile counts some sixty figures, and finding each by its labels costs more than adding
def _labelled[M: (Counter, Histogram)](meter: M, *labels: str) -> M:
    return meter.labels(*(str(safe(str(label))) for label in labels)) if labels else meter
