"""Lengths of time on the command line: 90d, 12h, 30m, never."""

import re
from argparse import ArgumentTypeError
from datetime import timedelta

FORM = re.compile(r"([0-9]{1,5})([dhm])")
UNITS = {"d": "days", "h": "hours", "m": "minutes"}
NEVER = "never"


def span(text: str) -> timedelta:
    """Return the length of time; raises what argparse reports. A bare 0 is nothing at all."""
    if text == "0":
        return timedelta()
    found = FORM.fullmatch(text.strip().lower())
    if found is None:
        raise ArgumentTypeError(f"expected a length of time such as 90d, 12h or 30m, not {text!r}")
    return timedelta(**{UNITS[found.group(2)]: int(found.group(1))})


def span_or_never(text: str) -> timedelta | None:
    """Return the length of time, or None for `never`."""
    return None if text.strip().lower() == NEVER else span(text)
