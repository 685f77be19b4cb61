"""What memory:// opens."""

import re
import uuid
from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from governance.actors import Acting
from governance.errors import NotThere
from governance.ids import parse_id
from governance.refs import Resolved
from governance.vocabulary import Audience
from memories.models import Memory, MemoryVersion
from memories.vocabulary import MemoryStatus, SourceRank

FORM = re.compile(r"memory://(mem_[0-9a-f]{32})(?:@(\d{1,9}))?")


def open_memory(ref: str, _acting: Acting) -> Resolved:
    """Return one version of a memory (the newest when none is named). Raises NotThere, also for a revoked one."""
    form = FORM.fullmatch(ref)
    if form is None:
        raise NotThere
    versions = kept_versions().filter(memory_id=parse_id("mem", form.group(1), pointer="/ref"))
    if form.group(2):
        versions = versions.filter(version=int(form.group(2)))
    found = versions.select_related("memory").order_by("-version").first()
    if found is None:
        raise NotThere
    memory = found.memory
    return Resolved(
        ref=f"memory://{form.group(1)}@{found.version}",
        text=found.content,
        source=memory.source_rank,
        own_words=memory.source_rank == SourceRank.TRUSTED_AGENT,
        private=memory.audience == Audience.PRIVATE,
        observed_at=memory.said_at,
    )


def memory_at(ref: str) -> Memory | None:
    """Return the memory that a ref names, or None for a ref of anything else and for what is not readable."""
    form = FORM.fullmatch(ref)
    return Memory.objects.filter(pk=parse_id("mem", form.group(1), pointer="/ref")).first() if form else None


def memory_ids(refs: Iterable[str]) -> set[uuid.UUID]:
    """Return the ids of the memories that some refs name, whatever else there is among them."""
    forms = [form for ref in refs if (form := FORM.fullmatch(ref))]
    return {parse_id("mem", form.group(1), pointer="/ref") for form in forms}


def find_memories(wanted: Sequence[str], _acting: Acting) -> list[str]:
    """Return those of the refs whose version is readable, in one statement."""
    forms = {ref: form for ref in wanted if (form := FORM.fullmatch(ref))}
    ids = {ref: parse_id("mem", form.group(1), pointer="/ref") for ref, form in forms.items()}
    readable = set(kept_versions().filter(memory_id__in=ids.values()).values_list("memory_id", "version"))
    named = {(memory, None) for memory, _ in readable} | readable
    return [ref for ref, form in forms.items() if (ids[ref], int(form.group(2)) if form.group(2) else None) in named]


def kept_versions() -> QuerySet[MemoryVersion]:
    """Return the versions that a ref may open: none of what was erased or revoked."""
    return MemoryVersion.objects.filter(memory__erased_at=None).exclude(memory__status=MemoryStatus.REVOKED)
