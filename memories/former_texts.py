"""Letting a memory say again what it said before, with what it claimed then."""

from datetime import datetime

from governance.actors import Acting
from governance.errors import Clash
from memories.candidates import add_claims, add_version
from memories.effects import reindex, said_by_another
from memories.models import Claim, Memory, MemoryVersion
from memories.relating import claims_before, key_of
from memories.vocabulary import MemoryStatus
from memories.weighing import digest_of


def say_as_before(acting: Acting, memory: Memory, version: int, *, reason: str, now: datetime) -> None:
    """Write a former text of a memory as its newest version; raises Clash (said_meanwhile) where another says it."""
    text = MemoryVersion.objects.get(memory=memory, version=version).content
    key = key_of(text, memory.said_at)
    if said_by_another(memory, key):
        raise Clash("status: another memory says the same by now; use that one.", code="said_meanwhile")
    changed = {
        "content": text,
        "content_hash": digest_of(text),
        "dedupe_key": key,
        "version": memory.version + 1,
        "updated_at": now,
    }
    Memory.objects.filter(pk=memory.pk, version=memory.version).update(**changed)
    memory.refresh_from_db()
    add_version(memory, author=acting, reason=reason)
    Claim.objects.filter(memory=memory).delete()
    add_claims(memory, claims_before(memory, version, text))
    if memory.status == MemoryStatus.ACTIVE:
        reindex(memory)
