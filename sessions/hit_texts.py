"""What found passages said when a packet carried them, whatever became of their searchable copies since.

A memory that was changed or went out of use is shown again as it was: its texts are immutable versions. What was
revoked or erased is gone, and so is a copy that carried such words.
"""

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from governance.ids import parse_id
from governance.rows import fetch
from memories.effects import DISPUTED
from memories.models import ConflictSide, MemoryVersion, Passage
from memories.vocabulary import MemoryStatus
from memories.weighing import digest_of

VERSION = re.compile(r"memory://(mem_[0-9a-f]{32})@(\d{1,9})")
MOST_WORDINGS = 256  # of one memory that are tried: which of its rivals its copy named, and in which of their versions
NOW = "SELECT ref, text FROM memories_passage WHERE ref = ANY(%s) AND live"

type Hit = Mapping[str, Any]


def texts_now(hits: Sequence[Hit]) -> dict[str, str]:
    """Return by ref the texts of those hits of a receipt that a search may still bring and that say what they said."""
    return _as_known(dict(fetch(NOW, [[hit["ref"] for hit in hits]])), hits)


def texts_then(hits: Sequence[Hit]) -> dict[str, str]:
    """Return by ref what those hits said whose words may still be shown to this reader, in the open scope."""
    copies = Passage.objects.filter(ref__in=[hit["ref"] for hit in hits]).exclude(memory__status=MemoryStatus.REVOKED)
    # A copy that names rivals is put together anew: the words of a rival may have been taken away since.
    plain = {ref: text for ref, text in copies.values_list("ref", "text") if DISPUTED not in text}
    told = _as_known(plain, hits)
    left = {hit["ref"]: hit["hash"] for hit in hits if hit["ref"] not in told}
    named = {
        ref: (parse_id("mem", form[1], pointer="/ref"), int(form[2]))
        for ref in left
        if (form := VERSION.fullmatch(ref))
    }
    return told | _by_version(named, left) if named else told


def _as_known(texts: Mapping[str, str], hits: Sequence[Hit]) -> dict[str, str]:
    held = ((hit, texts.get(hit["ref"])) for hit in hits)
    return {hit["ref"]: text for hit, text in held if text is not None and digest_of(text) == hit["hash"]}


def _by_version(named: Mapping[str, tuple[uuid.UUID, int]], hashes: Mapping[str, str]) -> dict[str, str]:
    """Return by ref what these versions of memories said, as far as their hashes tell."""
    ids = {pk for pk, _ in named.values()}
    rivals = _rivals(ids)
    versions = _versions(ids | {pk for groups in rivals.values() for group in groups for pk in group})
    told: dict[str, str] = {}
    for ref, (pk, number) in named.items():
        own = versions.get(pk, {}).get(number)
        against = [[list(versions.get(other, {}).values()) for other in group] for group in rivals[pk]]
        text = next((each for each in _wordings(own, against) if digest_of(each) == hashes[ref]), None)
        if text is not None:
            told[ref] = text
    return told


def _wordings(own: str | None, against: Sequence[Sequence[Sequence[str]]]) -> Iterator[str]:
    """Yield what the copy of a memory may have said: its text, alone or with those of its rivals that disputed it."""
    if own is None:
        return
    yield own
    for rivals in against:
        chosen = product(*([None, *reversed(texts)] for texts in rivals))
        for words in islice(chosen, MOST_WORDINGS):
            yield "\n".join([own, *(f"{DISPUTED}{text}" for text in words if text)])


def _versions(ids: set[uuid.UUID]) -> dict[uuid.UUID, dict[int, str]]:
    """Return the texts of memories by their number, without those that were taken away."""
    rows = MemoryVersion.objects.filter(memory_id__in=ids, memory__erased_at=None).order_by("version")
    rows = rows.exclude(memory__status=MemoryStatus.REVOKED)
    texts: dict[uuid.UUID, dict[int, str]] = {}
    for pk, number, text in rows.values_list("memory_id", "version", "content"):
        texts.setdefault(pk, {})[number] = text
    return texts


def _rivals(ids: set[uuid.UUID]) -> dict[uuid.UUID, list[list[uuid.UUID]]]:
    """Return, by memory, the other sides of each conflict in which it is one, in the order in which they came."""
    met = ConflictSide.objects.filter(memory_id__in=ids).values("conflict_id")
    rows = ConflictSide.objects.filter(conflict_id__in=met).order_by("joined_at", "id")
    sides: dict[uuid.UUID, list[uuid.UUID]] = {}
    for conflict, memory in rows.values_list("conflict_id", "memory_id"):
        sides.setdefault(conflict, []).append(memory)
    return {pk: [[other for other in group if other != pk] for group in sides.values() if pk in group] for pk in ids}
