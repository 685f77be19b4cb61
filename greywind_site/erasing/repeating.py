"""Where a text of theirs stands again word for word, whoever wrote it there."""

import json
from collections.abc import Iterator, Sequence
from itertools import chain

from django.db import connections

from greywind_site.erasing.holdings import REPEATS
from greywind_site.erasing.resting import said_in, texts_in
from greywind_site.erasing.theirs import Theirs, table_of
from greywind_site.operating.erasing import OWNER
from memories.models import Memory, MemoryVersion
from sessions.models import ColdSegment, Event

# Shorter words are anybody's: thirty bytes are thirty letters of English, or ten characters of Chinese.
TELLING_BYTES = 30
REPEATED = """
SELECT id FROM {table} WHERE project_id = %s AND NOT id = ANY(%s)
AND EXISTS (SELECT FROM unnest(%s::text[]) w WHERE position(w IN {held}) > 0)
"""


def add_repeated(theirs: Theirs) -> None:
    """Count as theirs what holds a telling text of theirs word for word; a proposal with what it says.

    Called again it looks for those texts alone that were found since.
    """
    telling = sorted(set(_telling(theirs)) - theirs.looked_for)
    theirs.looked_for.update(telling)
    for model, columns in REPEATS.items() if telling else ():
        held = " || ' ' || ".join(f"coalesce({column}::text, '')" for column in columns)
        again = REPEATED.format(table=table_of(model), held=held)
        with connections[OWNER].cursor() as cursor:
            cursor.execute(again, [theirs.project_id, list(theirs.rows[model]), telling])
            theirs.add(model, [row[0] for row in cursor.fetchall()])
    if telling:
        _add_resting(theirs, telling)


def _add_resting(theirs: Theirs, telling: Sequence[str]) -> None:
    """Count as theirs the entries whose texts rest in compressed segments, where no statement looks into them."""
    for segment in theirs.all(ColdSegment).iterator():
        seqs = [seq for seq, text in texts_in(theirs, segment).items() if any(words in text for words in telling)]
        theirs.where(Event, session_id=segment.session_id, seq__in=seqs)


def is_telling(text: str) -> bool:
    """Return whether a text is long enough to be somebody's own words wherever it stands."""
    return len(text.encode()) >= TELLING_BYTES


def _telling(theirs: Theirs) -> Iterator[str]:
    """Yield each text as it stands in a column of text, in a list, and in JSON."""
    written = (theirs.of(model).values_list("content", flat=True).iterator() for model in (Memory, MemoryVersion))
    for text in chain(said_in(theirs), *written):
        said = text.strip()
        if is_telling(said):
            yield said
            yield said.replace("\\", "\\\\").replace('"', '\\"')
            yield json.dumps(said, ensure_ascii=False)[1:-1]
