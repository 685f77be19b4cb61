"""Times as transcripts write them."""

from datetime import UTC, datetime
from typing import Any

# Seconds since 1970 stay below this until the year 5138; milliseconds have been above it since 1973.
_MILLISECONDS_FROM = 10**11


def moment(value: Any) -> tuple[datetime | None, tuple[str, ...]]:
    """Return the moment in UTC, or None with a note on what was written instead of one.

    ISO 8601 with an offset and Unix seconds or milliseconds are read. A time without an offset is not guessed at.
    A value that is absent gives None and no note.
    """
    if value is None:
        return None, ()
    try:
        return _read(value), ()
    except (TypeError, ValueError, OverflowError, OSError) as error:
        return None, (f"time left empty: {error}",)


def _read(value: Any) -> datetime:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError("it is neither a text nor a number")
    if not isinstance(value, str):
        return datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS_FROM else value, UTC)
    read = _iso(value)
    if read.tzinfo is None:
        raise ValueError("it has no offset from UTC")
    return read.astimezone(UTC)


def _iso(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        # The original message quotes the text, which may be anything.
        raise ValueError("it is not ISO 8601") from None
