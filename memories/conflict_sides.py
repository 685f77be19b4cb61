"""One side of a conflict as its page shows it: its words, what bears it out, who said it, and how often it was used."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef
from django.db.models.functions import JSONObject

from governance.actors import Acting
from governance.citations import Citation
from governance.ids import public_id
from governance.invisible import made_visible
from governance.models import Actor
from memories.conflict_outlook import Standing, takes_away
from memories.conflict_trail import name_of
from memories.models import Claim, ConflictSide, Memory, MemoryEvidence
from memories.models.claim import MOST_CLAIMS
from memories.proofs import Proof, cards_for, proof_of
from memories.reading import OfMemory, Words, scope_title, thread_id_of, worded
from memories.vocabulary import (
    PENDING,
    KnowledgeStatus,
    MemoryStatus,
    SideRole,
)

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CAN_HOLD = (*PENDING, MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What a side says of what; `phrase` is the time as it was said."""

    attribute: Words
    value: Words
    phrase: str
    inferred: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Side(OfMemory):
    """One claim of a conflict. `letter` names it on the page; `uses` are the packets of 30 days that carried it."""

    letter: str
    row: ConflictSide
    memory: Memory
    text: Words
    values: Sequence[Value]
    evidence: Sequence[Proof]
    scope_title: Words | None
    thread_id: str
    who: str
    human: str
    uses: int

    @property
    def role(self) -> SideRole:
        return SideRole(self.row.role)

    @property
    def can_hold(self) -> bool:
        """Whether it can still come into use, or go on in it: a refused, revoked or erased one cannot."""
        return self.memory.status in CAN_HOLD and self.memory.erased_at is None

    @property
    def standing(self) -> Standing:
        return Standing(
            letter=self.letter,
            status=self.status,
            sensitivity=self.sensitivity,
            source=self.rank,
            before=KnowledgeStatus(self.row.knowledge_before),
            takes_away=takes_away(self.memory.action),
        )


def sides_for(
    acting: Acting, rows: Sequence[ConflictSide], impact: Mapping[uuid.UUID, int], actors: Mapping[str, Actor]
) -> list[Side]:
    """Read what stands behind each side: one statement, and one for each scheme that its evidence is of."""
    claims = Claim.objects.filter(memory=OuterRef("pk"), ordinal__lt=MOST_CLAIMS).order_by("ordinal")
    cited = MemoryEvidence.objects.filter(memory=OuterRef("pk")).order_by("ordinal")
    saying = JSONObject(
        attribute="attribute", value="value", text="value_text", unit="unit", phrase="when_text", inferred="inferred"
    )
    found: Any = Memory.objects.filter(pk__in=[row.memory_id for row in rows]).annotate(
        scope_title=scope_title(),
        said=ArraySubquery(claims.values(said=saying)),
        cited=ArraySubquery(cited.values(cited=JSONObject(ref="ref", quote="quote"))),
    )
    by_id = {row.pk: row for row in found}
    cards = cards_for((one["ref"] for row in by_id.values() for one in row.cited), acting)
    return [
        _side(letter, row, by_id[row.memory_id], cards=cards, uses=impact.get(row.memory_id, 0), actors=actors)
        for letter, row in zip(_letters(len(rows)), rows, strict=True)
    ]


def _side(
    letter: str,
    row: ConflictSide,
    found: Any,
    *,
    cards: Mapping[str, Citation],
    uses: int,
    actors: Mapping[str, Actor],
) -> Side:
    memory = row.memory
    writer = actors.get(public_id(Actor.PREFIX, memory.proposed_by_id))
    behind = public_id(Actor.PREFIX, writer.owned_by_id) if writer and writer.owned_by_id else ""
    return Side(
        letter=letter,
        row=row,
        memory=memory,
        text=worded(memory.content),
        values=[_value(one) for one in found.said],
        evidence=[proof_of(one["ref"], one["quote"], cards) for one in found.cited],
        scope_title=worded(found.scope_title) if found.scope_title else None,
        thread_id=thread_id_of(memory),
        who=made_visible(writer.name) if writer else "",
        human=name_of(actors, behind),
        uses=uses,
    )


def _value(said: Mapping[str, Any]) -> Value:
    words = " ".join(part for part in (said["text"] or said["value"], said["unit"]) if part)
    return Value(
        attribute=worded(said["attribute"]),
        value=worded(words),
        phrase=made_visible(said["phrase"]),
        inferred=said["inferred"],
    )


def _letters(count: int) -> list[str]:
    """Return a name for each side: letters, and after the last one letters with a number."""
    return [LETTERS[n % 26] + (str(n // 26 + 1) if n >= len(LETTERS) else "") for n in range(count)]
