"""The way in: an open source and a format, or "auto", to a stream of rows."""

from collections.abc import Iterator
from itertools import chain, islice

from governance.errors import Invalid
from sessions.imports.building import session_name
from sessions.imports.detect import ADAPTERS, detect
from sessions.imports.opening import Source, recorded
from sessions.imports.records import Row
from sessions.imports.vocabulary import TranscriptFormat

AUTO = "auto"
FORMATS: tuple[str, ...] = (AUTO, *ADAPTERS)
# Enough to get past titles and snapshots at the top of a file.
_LINES_TO_DETECT_BY = 50


def read_transcript(source: Source, *, form: str = AUTO) -> tuple[TranscriptFormat | None, Iterator[Row]]:
    """Return the format and the rows of an open source; rows are read as they are asked for.

    An empty file has no format and no rows. Raises governance.errors.Invalid for an unknown format, or for "auto"
    when no format fits, and TooLarge for a document that cannot be read at once.
    """
    if form not in FORMATS:
        raise Invalid.at("/format", f"{form!r} is not known; use one of: {', '.join(FORMATS)}")
    lines = source.lines()
    first = next(lines, None)
    if first is None:
        return None, iter(())
    seen = [first]
    ahead = chain([first], recorded(islice(lines, _LINES_TO_DETECT_BY), seen))
    chosen = detect(ahead) if form == AUTO else TranscriptFormat(form)
    fallback = session_name(source.name) or "transcript"
    return chosen, ADAPTERS[chosen].read(chain(seen, lines), fallback=fallback)
