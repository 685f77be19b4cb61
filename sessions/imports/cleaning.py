"""What PostgreSQL cannot hold in a text: NUL characters and lone surrogates. Both become U+FFFD, and are counted."""

import re
from typing import Any

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


class Cleaner:
    """Cleans the texts of one record and counts what it replaced."""

    def __init__(self) -> None:
        self.replaced = 0

    def text(self, value: str) -> str:
        """Return `value` with each unstorable character replaced."""
        cleaned, count = _UNSTORABLE.subn(_REPLACEMENT, value)
        self.replaced += count
        return cleaned

    def optional(self, value: str | None) -> str | None:
        """Return None for None, else the cleaned text."""
        return None if value is None else self.text(value)

    def value(self, value: Any) -> Any:
        """Return a parsed JSON value with every text in it cleaned, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        return value
