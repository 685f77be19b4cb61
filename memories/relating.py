"""How a proposal stands to what is known in the same place: says it already, says otherwise, or replaces it."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q

from governance.actors import Acting
from governance.models import Actor
from governance.vocabulary import ActorKind, Audience
from memories.claims import Claim as ClaimFact
from memories.claims import Differing, Registry, Relation, Statement, dated_key, dedupe_key, extract, relate
from memories.finding import memories_sharing
from memories.models import Claim, Memory
from memories.models.claim import MOST_CLAIMS
from memories.policy import standing_policy
from memories.vocabulary import LIVING, MemoryStatus, MemoryType, WriteAction
from memories.weighing import digest_of
from memories.wishes import ClaimWish, MemoryWish

LATEST, LIKE = 40, 24  # memories of the place that a proposal is held against: the newest, and the most alike


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a memory holds, and who reads it there: two that differ in it are never held against each other."""

    scope_type: str
    scope_id: uuid.UUID | None
    audience: str
    audience_role: str | None
    owner_id: uuid.UUID | None

    def where(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """What is known beside a proposal. `same` says it already, `rivals` cannot hold beside it, `older` end with it.

    `key` names what it and its rivals disagree on.
    """

    claims: Sequence[ClaimFact] = ()
    same: Memory | None = None
    rivals: Sequence[Memory] = ()
    older: Sequence[Memory] = ()
    key: str = ""
    subject: str = ""
    attribute: str = ""


@dataclass(slots=True)
class _Found:
    registry: Registry
    same: list[Memory] = field(default_factory=list)
    rivals: list[Memory] = field(default_factory=list)
    older: list[Memory] = field(default_factory=list)
    claim: ClaimFact | None = None


def place_of_wish(acting: Acting, wish: MemoryWish) -> Place:
    """Return where a proposal would hold."""
    return Place(
        scope_type=wish.scope_type,
        scope_id=wish.scope_id,
        audience=Audience.PRIVATE if wish.private else Audience.PROJECT,
        audience_role=None,
        owner_id=acting.actor_id if wish.private else None,
    )


def place_of(memory: Memory) -> Place:
    """Return where a memory holds."""
    return Place(**{name: getattr(memory, name) for name in Place.__slots__})


def key_of(text: str, said_at: datetime) -> str:
    """Return what tells two texts that say the same in the same words from all others.

    "Next Friday", said a week later, is another day, and another text.
    """
    bare = dated_key(text, said_at) if dedupe_key(text) else ""
    return digest_of(bare) if bare else ""


def claims_in(text: str, given: Sequence[ClaimWish], *, said_at: datetime) -> Sequence[ClaimFact]:
    """Return the claims of a text: as its writer gave them, else as they can be read out of it."""
    if not given:
        registry = standing_policy().registry
        return extract(text, observed_at=said_at, zone=said_at.tzinfo or UTC, registry=registry)
    return [
        ClaimFact(
            subject_kind="",
            subject=dedupe_key(claim.subject),
            subject_text=claim.subject,
            attribute=dedupe_key(claim.attribute),
            attribute_text=claim.attribute,
            value=dedupe_key(claim.value),
            value_text=claim.value,
            unit=claim.unit or None,
            valid_from=claim.valid_from,
            valid_to=claim.valid_to,
            inferred=False,
        )
        for claim in given
    ]


def relate_to_known(
    text: str,
    claims: Sequence[ClaimFact],
    *,
    place: Place,
    said_at: datetime,
    skip: Iterable[uuid.UUID] = (),
    episode: bool = False,
) -> Related:
    """Hold a text against the living memories of its place, in the open scope.

    `episode` says that it tells of something that happened: two such on different days are two, and no contradiction.
    """
    mine = Statement(text=text, observed_at=said_at, claims=claims)
    known = _neighbours(mine, place, set(skip))
    said = claims_of(known)
    found = _Found(registry=standing_policy().registry)
    for memory in known:
        _sort(found, memory, mine, said.get(memory.pk, []), happened=episode and memory.type == MemoryType.EPISODE)
    claim = found.claim
    return Related(
        claims=claims,
        same=next(iter(sorted(found.same, key=_standing)), None),
        rivals=[memory for memory in found.rivals if memory.status == MemoryStatus.ACTIVE],
        older=found.older,
        key=conflict_key(claim, place) if claim else "",
        subject=claim.subject_text or claim.subject if claim else "",
        attribute=claim.attribute_text or claim.attribute if claim else "",
    )


def relate_stored(memory: Memory, *, skip: Iterable[uuid.UUID] = ()) -> Related:
    """Hold a stored memory, by its stored claims, against the others of its place as `relate_to_known` does a text."""
    claims = claims_of([memory]).get(memory.pk, [])
    where, others, episode = place_of(memory), {memory.pk, *skip}, memory.type == MemoryType.EPISODE
    return relate_to_known(memory.content, claims, place=where, said_at=memory.said_at, skip=others, episode=episode)


def conflict_key(claim: ClaimFact, place: Place) -> str:
    """Return the name of what a claim speaks of, in one place."""
    return digest_of("\n".join([claim.subject, claim.attribute, place.scope_type, str(place.scope_id or "")]))


def voices(acting: Acting, memories: Sequence[Memory]) -> set[uuid.UUID]:
    """Return which of the memories the same human stands behind as behind whoever acts."""
    actors = {memory.proposed_by_id for memory in memories} | {acting.actor_id}
    human = {
        pk: pk if kind == ActorKind.HUMAN else owned_by
        for pk, kind, owned_by in Actor.objects.filter(pk__in=actors).values_list("pk", "kind", "owned_by_id")
    }
    own = human.get(acting.actor_id)
    return {memory.pk for memory in memories if own is not None and human.get(memory.proposed_by_id) == own}


def _sort(
    found: _Found, memory: Memory, mine: Statement, claims: Sequence[ClaimFact], *, happened: bool = False
) -> None:
    theirs = Statement(text=memory.content, observed_at=memory.said_at, claims=claims)
    judged = relate(theirs, mine, registry=found.registry)
    match judged.relation:
        case Relation.DUPLICATE:
            found.same.append(memory)
        case _ if happened and tuple(judged.differing) == (Differing.DATE,):
            pass
        case Relation.CONFLICT:
            found.rivals.append(memory)
            found.claim = found.claim or judged.new
        case Relation.UPDATE if mine.observed_at >= theirs.observed_at and memory.status == MemoryStatus.ACTIVE:
            found.older.append(memory)
            found.claim = found.claim or judged.new
        case _:
            pass


def _standing(memory: Memory) -> tuple[bool, Any]:
    return memory.status != MemoryStatus.ACTIVE, memory.created_at


def _neighbours(mine: Statement, place: Place, skip: set[uuid.UUID]) -> list[Memory]:
    here = Memory.objects.filter(**place.where(), status__in=LIVING, erased_at=None).exclude(action=WriteAction.DELETE)
    about = Q(pk__in=alike(mine.text)) | Q(dedupe_key=key_of(mine.text, mine.observed_at))
    if mine.claims:
        subjects, attributes = {claim.subject for claim in mine.claims}, {claim.attribute for claim in mine.claims}
        said = Claim.objects.filter(subject_key__in=subjects, attribute__in=attributes)
        about |= Q(pk__in=said.values("memory_id"))
    rows = {memory.pk: memory for memory in here.filter(about).order_by("-created_at")[: LATEST + LIKE]}
    rows |= {memory.pk: memory for memory in here.order_by("-created_at")[:LATEST]}
    return [memory for pk, memory in rows.items() if pk not in skip]


def alike(text: str) -> list[uuid.UUID]:
    """Return the ids of at most LIKE memories in use whose words a text shares most, in the open scope."""
    return memories_sharing(text, most=LIKE)


def claims_of(memories: Sequence[Memory]) -> dict[uuid.UUID, list[ClaimFact]]:
    """Return the stored claims of some memories, in order."""
    said: dict[uuid.UUID, list[ClaimFact]] = {}
    for row in Claim.objects.filter(memory__in=memories, ordinal__lt=MOST_CLAIMS).order_by("ordinal"):
        said.setdefault(row.memory_id, []).append(_fact(row))
    return said


def claims_before(memory: Memory, version: int, text: str) -> Sequence[ClaimFact]:
    """Return what a memory claimed in a former version: as the change that followed it keeps it, else read anew."""
    change = Memory.objects.filter(target=memory, target_version=version, action=WriteAction.UPDATE, version=1)
    kept = Claim.objects.filter(memory__in=change, ordinal__gte=MOST_CLAIMS).order_by("ordinal")
    return [_fact(row) for row in kept] or claims_in(text, (), said_at=memory.said_at)


def _fact(row: Claim) -> ClaimFact:
    return ClaimFact(
        subject_kind=row.subject_kind,
        subject=row.subject_key,
        subject_text=row.subject_text,
        open_class=row.open_class,
        attribute=row.attribute,
        value=row.value,
        value_text=row.value_text,
        unit=row.unit or None,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        raw_time=row.when_text,
        inferred=row.inferred,
    )
