"""What happened again and again: accounts of the same, from several sessions or days, make one proposal."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance import refs
from governance.actors import Acting
from governance.models.base import reach_of
from governance.vocabulary import Audience, Sensitivity, rank
from memories.candidates import add_evidence, add_parents, is_pending
from memories.claims import Registry
from memories.models import Memory, MemoryEvidence, MemoryParent
from memories.policy import Standing
from memories.relating import alike, place_of_wish
from memories.sameness import tells_the_same
from memories.turns import take_turn
from memories.vocabulary import (
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ScopeType,
    SourceRank,
)
from memories.weighing import Kept
from memories.wishes import EvidenceWish, MemoryWish
from memories.writes import submit

RECURRING = "it recurred"
MOST_CITED = 40  # refs of one proposal; the accounts themselves come first
INSTRUCTIVE = (MemoryKind.LESSON, MemoryKind.SOP)
WISHING = ("prefer", "would rather", "likes ", "偏好", "喜欢", "更愿意", "希望", "习惯")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """Episodes that tell the same, the oldest first, and how many sessions and days they come from."""

    told: Sequence[Memory]
    cited: Sequence[MemoryEvidence]

    @property
    def sessions(self) -> int:
        events = [row.ref for row in self.cited if row.ref.startswith("event://")]
        return len({ref.removeprefix("event://").partition("/")[0] for ref in events})

    @property
    def days(self) -> int:
        return len({one.said_at.date() for one in self.told})


def learn_from_recurrence(acting: Acting, memory: Memory, standing: Standing, *, now: datetime) -> Memory | None:
    """Propose what an episode and its like amount to, in the open scope; returns the proposal, if it is a new one.

    It passes the same gates as any other, rests on all of the episodes and is made of them. What was proposed from
    some of them before is given the others as evidence while it lives, and is not proposed again when it does not.
    """
    if not _tells(memory):
        return None
    accounts = accounts_of(memory, standing.registry)
    if max(accounts.sessions, accounts.days) < standing.recurring:
        return None
    made = MemoryParent.objects.filter(parent__in=accounts.told, reason=RECURRING).values("memory_id")
    known = list(Memory.objects.filter(pk__in=made).order_by("created_at", "id"))
    if known:
        for one in known:
            _bear_out(one, accounts)
        return None
    wish = _wish(acting, accounts)
    take_turn(acting.project_id, place_of_wish(acting, wish))
    return submit(acting, wish, now=now).memory


def accounts_of(memory: Memory, registry: Registry) -> Accounts:
    """Return an episode with those of the same audience that tell the same; at most as many as a search finds."""
    near = Memory.objects.filter(
        pk__in=alike(memory.content),
        status=MemoryStatus.ACTIVE,
        type=MemoryType.EPISODE,
        sensitivity=memory.sensitivity,
        **reach_of(memory),
    )
    same = [one for one in near.exclude(pk=memory.pk) if _tells(one) and _alike(one, memory, registry)]
    told = sorted([memory, *same], key=lambda one: (one.said_at, str(one.pk)))
    cited = MemoryEvidence.objects.filter(memory__in=told).order_by("memory_id", "ordinal")
    return Accounts(told=told, cited=list(cited))


def _tells(memory: Memory) -> bool:
    settled = memory.knowledge_status != KnowledgeStatus.DISPUTED
    return memory.type == MemoryType.EPISODE and memory.audience != Audience.ROLE and settled


def _alike(one: Memory, other: Memory, registry: Registry) -> bool:
    same = tells_the_same(one.content, other.content, at=other.said_at, registry=registry)
    return one.kind == other.kind and same


def _wish(acting: Acting, accounts: Accounts) -> MemoryWish:
    # The weightiest account speaks for all, the newest of equals; no word of it is made up.
    speaks = max(accounts.told, key=lambda one: (rank(SourceRank(one.source_rank)), one.said_at))
    places = {(one.scope_type, one.scope_id) for one in accounts.told}
    here = places.pop() if len(places) == 1 else (ScopeType.PROJECT, None)
    opening = refs.which_resolve([row.ref for row in accounts.cited], acting)
    further = dict.fromkeys((row.ref, row.quote) for row in accounts.cited if row.ref in opening)
    cited = [*((one.ref, "") for one in accounts.told), *further]
    return MemoryWish(
        content=speaks.content,
        type=_type(speaks),
        kind=MemoryKind(speaks.kind),
        scope_type=ScopeType(here[0]),
        scope_id=here[1],
        importance=max(one.importance for one in accounts.told),
        origin=Origin.AGENT_INFERRED,
        sensitivity=Sensitivity(speaks.sensitivity),
        change_reason=RECURRING,
        observed_at=max(one.said_at for one in accounts.told),
        private=speaks.audience == Audience.PRIVATE,
        evidence=[EvidenceWish(ref=ref, quote=quote) for ref, quote in cited[:MOST_CITED]],
        parents=[one.pk for one in accounts.told],
    )


def _type(memory: Memory) -> MemoryType:
    if memory.kind in INSTRUCTIVE:
        return MemoryType.PROCEDURAL
    text = memory.content.casefold()
    return MemoryType.PREFERENCE if any(word in text for word in WISHING) else MemoryType.SEMANTIC


def _bear_out(made: Memory, accounts: Accounts) -> None:
    """Give a proposal that lives the accounts that came since; none from a weaker source than it has."""
    if made.status != MemoryStatus.ACTIVE and not is_pending(made):
        return
    had = set(MemoryParent.objects.filter(memory=made).values_list("parent_id", flat=True))
    weight = rank(SourceRank(made.source_rank))
    fresh = [one for one in accounts.told if one.pk not in had and rank(SourceRank(one.source_rank)) >= weight]
    borne = had | {one.pk for one in fresh}
    further = [row for row in accounts.cited if row.memory_id in borne]
    offered = [
        *(Kept(ref=one.ref, quote="", quote_hash=one.content_hash) for one in fresh),
        *(Kept(ref=row.ref, quote=row.quote, quote_hash=row.quote_hash) for row in further),
    ]
    cited = set(MemoryEvidence.objects.filter(memory=made).values_list("ref", flat=True))
    new = {kept.ref: kept for kept in offered if kept.ref not in cited}
    if new:
        add_evidence(made, list(new.values())[: max(MOST_CITED - len(cited), 0)])
    add_parents(made, fresh, reason=RECURRING)
