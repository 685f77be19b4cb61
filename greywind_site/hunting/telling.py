"""How a hunt goes on quietly, and how its report is told."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from greywind_site.operating.command import Told, lines

MOST_SHOWN = 20  # faults that a person is shown; --json has more
type Tell = Callable[[str], object]


class Report(Protocol):
    """What a hunt found. `wrong` says in words what should not be."""

    @property
    def wrong(self) -> Sequence[str]: ...

    @property
    def ok(self) -> bool: ...

    def as_json(self) -> Mapping[str, Any]:
        """Return the report as plain JSON values."""


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the log silent: a line for each of so many requests would bury what is told."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def told_of(report: Report, *, faults: str = "wrong") -> Told:
    """Return a report as it is told: a person sees its figures without the list called `faults`, and the first of it
    below them.
    """
    facts = report.as_json()
    shown = {name: value for name, value in facts.items() if name != faults}
    return Told(facts=facts, shown=lines(shown, then=report.wrong[:MOST_SHOWN]), ok=report.ok)
