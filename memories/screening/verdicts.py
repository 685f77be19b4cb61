"""Joins the detectors: one text in, one answer out."""

from collections.abc import Sequence
from itertools import chain

from governance.vocabulary import Sensitivity
from memories.screening.addresses import find_addresses
from memories.screening.findings import Category, Finding, Screening, Verdict
from memories.screening.folding import fold
from memories.screening.injection import find_injection
from memories.screening.invisible import find_invisible
from memories.screening.personal import find_personal
from memories.screening.secrets import find_secrets

MAX_CHARS = 2_000_000
"""Longest text that is screened; the API's own bound for a text field."""


def screen(text: str) -> Screening:
    """Screen a text of at most MAX_CHARS characters.

    Raises ValueError for a longer text: what was not read must not pass as clean.
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"text has {len(text)} characters; screening reads at most {MAX_CHARS}")
    folded = fold(text)
    seen = chain(find_secrets(text), find_personal(text), find_addresses(text), find_invisible(text))
    found = sorted(chain(seen, find_injection(folded)), key=lambda finding: (finding.start, finding.end))
    return Screening(
        findings=tuple(found), sensitivity=_sensitivity(found), verdict=_verdict(found), normalised=folded.text
    )


def _sensitivity(found: Sequence[Finding]) -> Sensitivity:
    categories = {finding.category for finding in found}
    if Category.SECRET in categories:
        return Sensitivity.SECRET
    return Sensitivity.PERSONAL if Category.PERSONAL in categories else Sensitivity.WORK


def _verdict(found: Sequence[Finding]) -> Verdict:
    if any(finding.category is Category.SECRET for finding in found):
        return Verdict.REJECT
    steering = [finding for finding in found if finding.category in {Category.INJECTION, Category.INVISIBLE}]
    if any(finding.certain for finding in steering):
        return Verdict.REJECT
    return Verdict.HOLD if steering else Verdict.CLEAN
