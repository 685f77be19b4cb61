"""What a memory's page shows, read in the open scope."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.functional import Promise

from governance.actors import Acting
from governance.diffs import Span, word_diff
from governance.errors import NotThere
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.policies import PolicyRules
from governance.vocabulary import Audience, Sensitivity
from memories.entering import Fact, Spot, spots_of
from memories.models import Claim, ConflictSide, GateVerdict, Injection, Memory, MemoryEvidence
from memories.models.claim import MOST_CLAIMS
from memories.models.conflict import UNSETTLED
from memories.policy import policy_body
from memories.proofs import Proof, cards_for, proof_of
from memories.store_words import reason_of
from memories.vocabulary import (
    PENDING,
    ArchivedFor,
    Gate,
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ScopeType,
    SourceRank,
    WriteAction,
)
from threads.models import Task, Thread

MOST_INLINE = 4_000  # characters of a text whose difference is shown at once; a longer one has a page of its own for it


@dataclass(frozen=True, slots=True)
class Words:
    """A text of somebody, and in which language it is."""

    text: str

    @property
    def language(self) -> str:
        return language_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one gate said; `decider` is the human on whose word it passed, or ''."""

    gate: Gate | str
    passed: bool
    reason: Promise | str
    explanation: str
    decider: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimLine:
    """One statement read out of the text, or given with it. `phrase` is the time as it was said."""

    subject: Words
    attribute: Words
    value: Words
    unit: str
    valid_from: datetime | None
    valid_to: datetime | None
    phrase: str
    inferred: bool


class OfMemory:
    """What is shown of a memory, with the words that its columns hold."""

    __slots__ = ()
    memory: Memory

    @property
    def status(self) -> MemoryStatus:
        return MemoryStatus(self.memory.status)

    @property
    def rank(self) -> SourceRank:
        return SourceRank(self.memory.source_rank)

    @property
    def origin(self) -> Origin:
        return Origin(self.memory.origin)

    @property
    def scope(self) -> ScopeType:
        return ScopeType(self.memory.scope_type)

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(self.memory.sensitivity)

    @property
    def knowledge(self) -> KnowledgeStatus:
        return KnowledgeStatus(self.memory.knowledge_status)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCard(OfMemory):
    """A memory's page. `scope_title` names the thread or task that it holds on, `thread_id` the thread, or ''.

    `target` is what the memory says that it would change or take away, where that opens for the reader; `uses` counts
    the packets that carried it; `conflict_id` is the unsettled conflict that it is a side of, or ''.
    """

    memory: Memory
    text: Words
    target: Words | None
    scope_title: Words | None
    thread_id: str
    proposer: str
    change_reason: Words | None
    uses: int
    last_used: datetime | None
    conflict_id: str
    proofs: Sequence[Proof]
    verdicts: Sequence[Verdict]
    claims: Sequence[ClaimLine]
    spots: Sequence[Sequence[Spot]]

    @property
    def ref(self) -> str:
        return self.memory.ref

    @property
    def type(self) -> MemoryType:
        return MemoryType(self.memory.type)

    @property
    def kind(self) -> MemoryKind:
        return MemoryKind(self.memory.kind)

    @property
    def action(self) -> WriteAction:
        return WriteAction(self.memory.action)

    @property
    def lowers(self) -> bool:
        """Whether it may be asked that it counts as less sensitive."""
        shared = self.memory.audience == Audience.PROJECT and self.status is MemoryStatus.ACTIVE
        return shared and self.sensitivity is not Sensitivity.PUBLIC

    @property
    def archived_for(self) -> ArchivedFor | None:
        return ArchivedFor(self.memory.archived_for) if self.memory.archived_for else None

    @property
    def waits(self) -> bool:
        return self.status in PENDING

    @property
    def private(self) -> bool:
        return self.memory.audience == Audience.PRIVATE

    @property
    def reason(self) -> Promise | str:
        """Why it waits or was refused, or ''."""
        return reason_of(self.memory.reason_code) if self.memory.reason_code else ""

    @property
    def gap(self) -> Words | None:
        """What would help a refused one; of one that waits the stored sentence only repeats why."""
        refused = self.status is MemoryStatus.REJECTED and self.memory.evidence_gap
        return worded(self.memory.evidence_gap) if refused else None

    @property
    def target_id(self) -> str:
        """The memory that it would change, or ''."""
        return public_id("mem", self.memory.target_id) if self.memory.target_id else ""

    @property
    def spans(self) -> Sequence[Span]:
        """By which words it differs from what it would change; () where it changes nothing, or too much to be shown."""
        if self.target is None or self.action is not WriteAction.UPDATE:
            return ()
        before, after = self.target.text, self.text.text
        return word_diff(before, after) if max(len(before), len(after)) <= MOST_INLINE else ()

    @property
    def next_id(self) -> str:
        """The memory that took its place, or ''."""
        return public_id("mem", self.memory.superseded_by_id) if self.memory.superseded_by_id else ""


def card_of(acting: Acting, memory_id: uuid.UUID) -> MemoryCard:
    """Return a memory's card; raises NotThere. The number of statements is fixed for the schemes that are cited."""
    row: Any = _rows().filter(pk=memory_id).first()
    if row is None:
        raise NotThere
    fact = Fact(sensitivity=Sensitivity(row.sensitivity), knowledge=row.knowledge_status)
    verdicts = GateVerdict.objects.filter(memory=row).select_related("decided_by").order_by("created_at", "id")
    return MemoryCard(
        memory=row,
        text=worded(row.content),
        target=worded(row.target_text) if row.target_text else None,
        scope_title=worded(row.scope_title) if row.scope_title else None,
        thread_id=thread_id_of(row),
        proposer=made_visible(row.proposed_by.name),
        change_reason=worded(row.change_reason) if row.change_reason else None,
        uses=row.uses or 0,
        last_used=row.last_used,
        conflict_id=public_id("cfl", row.conflict_pk) if row.conflict_pk else "",
        proofs=_proofs(acting, row),
        verdicts=[_verdict(one) for one in verdicts],
        claims=[_claim(one) for one in Claim.objects.filter(memory=row, ordinal__lt=MOST_CLAIMS).order_by("ordinal")],
        spots=spots_of(fact, PolicyRules.of(row.policy)),
    )


def worded(text: str) -> Words:
    """Return a text of somebody for a page: what acts unseen in it is shown as marks."""
    return Words(made_visible(text))


def scope_title() -> Coalesce:
    """Return the title of the thread or task that a row of Memory holds on, for an annotation."""
    thread = Thread.objects.filter(pk=OuterRef("scope_id")).values("title")[:1]
    task = Task.objects.filter(pk=OuterRef("scope_id")).values("title")[:1]
    return Coalesce(Subquery(thread), Subquery(task))


def last_used() -> Subquery:
    """Return when a packet carried a row of Memory last, for an annotation."""
    uses = Injection.objects.filter(memory=OuterRef("pk")).order_by().values("memory")
    return Subquery(uses.annotate(last=Max("at")).values("last"))


def _rows() -> QuerySet[Memory]:
    """Return memories with what the page needs of other tables, so that one statement brings it."""
    uses = Injection.objects.filter(memory=OuterRef("pk")).order_by().values("memory")
    sides = ConflictSide.objects.filter(memory=OuterRef("pk"), conflict__state__in=UNSETTLED)
    target = Memory.objects.filter(pk=OuterRef("target_id")).values("content")[:1]
    return Memory.objects.select_related("proposed_by").annotate(
        target_text=Subquery(target),
        scope_title=scope_title(),
        uses=Subquery(uses.annotate(n=Count("pk")).values("n")),
        last_used=last_used(),
        conflict_pk=Subquery(sides.values("conflict_id")[:1]),
        policy=policy_body(),
    )


def _proofs(acting: Acting, memory: Memory) -> list[Proof]:
    rows = list(MemoryEvidence.objects.filter(memory=memory).order_by("ordinal"))
    cards = cards_for((row.ref for row in rows), acting)
    return [proof_of(row.ref, row.quote, cards) for row in rows]


def thread_id_of(memory: Memory) -> str:
    """Return the public id of the thread that a memory holds on, or ''."""
    on_thread = memory.scope_type == ScopeType.THREAD
    return public_id("thr", memory.scope_id) if on_thread and memory.scope_id else ""


def _verdict(row: GateVerdict) -> Verdict:
    decider = row.decided_by
    return Verdict(
        gate=Gate(row.gate) if row.gate in set(Gate) else row.gate,
        passed=row.passed,
        reason=reason_of(row.reason_code) if row.reason_code else "",
        explanation="" if decider else made_visible(row.explanation),
        decider=made_visible(decider.name) if decider else "",
        at=row.created_at,
    )


def _claim(row: Claim) -> ClaimLine:
    return ClaimLine(
        subject=worded(row.subject_text or row.subject_key),
        attribute=worded(row.attribute),
        value=worded(row.value_text or row.value),
        unit=made_visible(row.unit),
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        phrase=made_visible(row.when_text),
        inferred=row.inferred,
    )
