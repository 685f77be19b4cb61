"""What was handed over and what was found again: the handoff and the retrieved passages, both recorded data."""

import math
from collections import Counter

from memories.vocabulary import SourceType
from sessions.context.items import Entry, Item, Pen, Place, packet_path
from sessions.context.material import HitFact, Material
from sessions.context.seams import atom
from sessions.context.session_items import latest_refs
from sessions.context.vocabulary import DropReason, Fidelity, Layer, Section, Slot

HANDOFF = Place(
    layer=Layer.HANDOFF, section=Section.HANDOFF, fidelity=Fidelity.SHOULD, priority=24, counted_as="handoff"
)
MEMORY = Place(layer=Layer.MEMORIES, section=Section.MEMORIES, fidelity=Fidelity.MAY, counted_as="memories")
FIRST_HITS = 95.0
FURTHER_HITS = 60.0


def handoff_items(material: Material, pen: Pen) -> list[Item]:
    """Return the handoff part by part (should)."""
    handoff = material.handoff
    if handoff is None:
        return []
    parts: tuple[tuple[str, str | tuple[str, ...]], ...] = (
        ("summary", handoff.summary),
        ("unfinished_items", handoff.unfinished_items),
        ("risks", handoff.risks),
        ("resume_suggestion", handoff.resume_suggestion),
        ("next_actor", handoff.next_actor or ""),
    )
    items: list[Item] = []
    for part, content in parts:
        lines = [content] if isinstance(content, str) else list(content)
        if any(line.strip() for line in lines):
            header = f"handoff {part.replace('_', ' ')}"
            block = pen.block(header, content) if isinstance(content, str) else pen.listing(header, lines)
            entry: Entry = (packet_path(Slot.HANDOFF, part), content if isinstance(content, str) else lines)
            order = len(items)
            items.append(
                HANDOFF.item(
                    block,
                    ref=f"{handoff.ref}#{part}",
                    source=handoff.ref,
                    order=(order, 0),
                    priority=HANDOFF.priority + order,
                    entries=(entry,),
                )
            )
    return items


def memory_items(material: Material, pen: Pen) -> list[Item]:
    """Return retrieved passages, best first; one that says the same as a better one is barred as a duplicate.

    An entry in the words of the input is its echo, and barred as well; a memory in the same words says that they are
    known. The profile's least number of memories ranks above everything else that is may.
    """
    hits = sorted(material.hits, key=lambda hit: (-_finite(hit.score), hit.ref))
    seen, asked = latest_refs(material), " ".join(material.user_input.raw_text.split())
    refs = Counter(event.ref for event in material.events)  # what was found may be an entry that the dialogue gave up
    items: list[Item] = []
    for rank, hit in enumerate(hits):
        words = " ".join(hit.content.split())
        said, echo = {hit.ref, words}, words == asked and hit.source_type == SourceType.EVENT
        refs[hit.ref] += 1
        ref = hit.ref if refs[hit.ref] == 1 else f"{hit.ref}#{refs[hit.ref]}"
        items.append(_memory(hit, pen, ref=ref, rank=rank, repeated=echo or not said.isdisjoint(seen)))
        seen |= {hit.ref} if echo else said
    return items


def _memory(hit: HitFact, pen: Pen, *, ref: str, rank: int, repeated: bool) -> Item:
    base = FIRST_HITS if rank < pen.budget.counts.memories_min else FURTHER_HITS
    return MEMORY.item(
        pen.block(_label(hit), hit.content, stored=hit.tokens),
        ref=ref,
        source=hit.ref,
        order=(rank, 0),
        value=base - rank / 1_000,
        entries=((packet_path(Slot.RETRIEVED), _shown(hit)),),
        reach=hit.reach,
        knowledge_status=hit.knowledge_status,
        barred=DropReason.DUPLICATE if repeated else None,
    )


def _label(hit: HitFact) -> str:
    as_of = f", as of {atom(hit.as_of)}" if hit.as_of else ""
    origin, status = atom(hit.origin), atom(hit.knowledge_status)
    return f"ref {atom(hit.ref)}, {atom(hit.source_type)}, origin {origin}, status {status}{as_of}, quoted"


def _shown(hit: HitFact) -> dict[str, object]:
    return {
        "source_type": hit.source_type,
        "source_id": hit.source_id,
        "ref": hit.ref,
        "relevance_reason": hit.relevance_reason,
        "content": hit.content,
        "confidence": None if hit.confidence is None or not math.isfinite(hit.confidence) else hit.confidence,
        "status": hit.knowledge_status,
        "origin": hit.origin,
        "as_of": hit.as_of,
    }


def _finite(score: float) -> float:
    return score if math.isfinite(score) else 0.0
