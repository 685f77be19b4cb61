"""What apps above know of a contract: how many tokens it costs, and what is wrong inside it. They register it here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from governance.vocabulary import Proposable

type Meter = Callable[[Mapping[str, Any]], int]
type Check = Callable[[Mapping[str, Any]], None]


@dataclass(slots=True)
class _Gauges:
    meter: Meter | None = None


_gauges = _Gauges()
_checks: dict[Proposable, list[Check]] = {}


def measure_with(meter: Meter) -> None:
    """Let `meter` say how many tokens (o200k_base) a contract's body costs; called once, as its app gets ready."""
    if _gauges.meter is not None:
        raise ValueError("contracts are measured already")
    _gauges.meter = meter


def check_with(kind: Proposable, check: Check) -> None:
    """Let `check` raise Invalid for a body of this kind whose outer form is right; called as its app gets ready."""
    known = _checks.setdefault(kind, [])
    if check in known:
        raise ValueError(f"bodies of {kind} are checked so already")
    known.append(check)


def tokens_of(body: Mapping[str, Any]) -> int | None:
    """Return the tokens (o200k_base) of a contract's body; None where nobody can count, which is not zero."""
    return _gauges.meter(body) if _gauges.meter else None


def check_above(kind: Proposable, body: Mapping[str, Any]) -> None:
    """Raise the Invalid with which an app above refuses the body."""
    for check in _checks.get(kind, ()):
        check(body)
