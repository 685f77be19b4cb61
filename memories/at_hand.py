"""Passages at hand: what stands in a found row, kept by the process from one search to the next.

Which rows a reader may find, and what is said of them now, is the database's word at each search; it names each row
and the version of it that the reader's transaction sees. Only then is it looked up here what that version says, and
read where it is not at hand. A row that changed or went is another version, or is not named: nothing here is out of
date, and nothing is found because it is here.
"""

from collections.abc import Mapping, Sequence
from sys import intern
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from governance.rows import fetch
from memories.lately import Lately
from memories.ranking.candidate import OF_PASSAGE, Candidate

MOST_KEPT = 4_096  # passages; with their terms some 8 KB each


class Passage(NamedTuple):
    """What stands in a row: what a candidate begins with, which memory it copies if it does, and who may read it."""

    begins: tuple[Any, ...]
    memory_id: UUID | None
    audience: str
    audience_role: str | None
    owner_id: UUID | None


# Of a row: its id, the transaction that wrote it, and where it lies, which changes within one transaction.
type Version = bytes
VERSION = "uuid_send(p.id), p.xmin, p.ctid"
STORED = Candidate._fields[: OF_PASSAGE - 3]  # the rest is worked out of them
REF, TERMS = STORED.index("ref"), STORED.index("terms")
APART = Passage._fields[1:]
MADE_UP = {"length": "coalesce(nullif(p.length, 0), cardinality(p.terms))"}  # a passage of before does not say it
COLUMNS = ", ".join(MADE_UP.get(name, f"p.{name}") for name in (*STORED, *APART))
READ = f"SELECT {VERSION}, {COLUMNS} FROM memories_passage p WHERE p.id = ANY (%s::uuid[]) AND p.live"  # noqa: S608 - ours
FIRST = 3  # columns of a version
BEHIND = FIRST + len(STORED)


kept: Lately[tuple[str, Version], Passage] = Lately(MOST_KEPT)  # by database


def version_in(row: Sequence[Any]) -> Version:
    """Return the version that a row of a statement begins with."""
    pk, writer, place = row[:FIRST]
    return bytes(pk + writer + place)


def passages_of(versions: Sequence[Version]) -> Mapping[Version, Passage]:
    """Return what stands in the rows that a search of the open scope named; one statement where any is new here.

    Outside a snapshot a row can go or change between the two: then it is left out, as it would be a moment later.
    """
    database = str(connection.settings_dict["NAME"])
    found = kept.of([(database, version) for version in versions])
    if len(found) < len(versions):
        lacking = [UUID(bytes=version[:16]) for version in versions if (database, version) not in found]
        read = {(database, version_in(row)): _passage(row) for row in fetch(READ, [lacking], binary=True)}
        kept.keep(read)
        found |= read
    return {version: passage for (_, version), passage in found.items()}


def _passage(row: tuple[Any, ...]) -> Passage:
    stored = list(row[FIRST:BEHIND])
    # Passages share most of their words: one copy of each serves all, and takes less time to compare.
    stored[TERMS] = terms = tuple(map(intern, stored[TERMS]))
    return Passage._make(((*stored, *_turn_of(stored[REF]), frozenset(terms)), *row[BEHIND:]))


def _turn_of(ref: str) -> tuple[str | None, int | None]:
    """Return the place in a transcript that a ref names: the session and the number of the event."""
    scheme, _, place = ref.partition("://")
    session, _, seq = place.partition("/")
    return (session, int(seq)) if scheme == "event" and seq.isdecimal() else (None, None)
