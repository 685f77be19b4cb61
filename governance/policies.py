"""Rules that judge plain values. Nothing here reads a row, a setting or a clock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from governance.vocabulary import Phase, Risk, Sensitivity, rank


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What may be injected: nothing more sensitive, and nothing less certain than this."""

    highest_sensitivity: Sensitivity
    lowest_knowledge_status: str


# Until a policy says otherwise: personal and secret content stays out, disputed and open statements too.
DEFAULT_CEILING = Ceiling(Sensitivity.WORK, "inferred")


def injection_ceiling(rules: Sequence[Mapping[str, Any]], *, phase: Phase, risk: Risk) -> Ceiling:
    """Return the ceiling of the first rule that fits the phase and risk ("*" fits any), else the default."""
    for rule in rules:
        if rule.get("phase", "*") in ("*", phase) and rule.get("risk", "*") in ("*", risk):
            return Ceiling(
                Sensitivity(rule.get("highest_sensitivity", Sensitivity.WORK)),
                str(rule.get("lowest_knowledge_status", DEFAULT_CEILING.lowest_knowledge_status)),
            )
    return DEFAULT_CEILING


def effective_risk(*risks: Risk | None) -> Risk:
    """Return the highest of the given risks: a caller can only narrow what may enter."""
    return max((risk for risk in risks if risk is not None), key=rank, default=Risk.LOW)
