"""What a form showed, in a few letters that it sends back: so that nobody overwrites what they have not seen."""

import hashlib
import json

from governance.errors import Clash

LENGTH = 16


def mark_of(*shown: object) -> str:
    """Return the mark of these values, for a hidden field; equal values give equal marks."""
    text = json.dumps([str(value) for value in shown], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def check_mark(sent: str, *now: object) -> None:
    """Raise Clash (version_moved) unless the form was drawn from these very values."""
    if sent != mark_of(*now):
        raise Clash("somebody changed this since the form was opened; look at it again", code="version_moved")
