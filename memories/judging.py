"""A proposal as the gates see it: its text screened, what it rests on weighed, and what is known beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.actors import Acting
from governance.policies import PolicyRules
from governance.vocabulary import ActorKind, Audience, Sensitivity, rank
from memories.disputes import cooled
from memories.gate_cases import Candidate, Rival, TargetFact
from memories.gates import LONGEST
from memories.identity_words import touches_identity
from memories.known import outlived, was_injected
from memories.models import Memory
from memories.relating import Place, Related, claims_in, key_of, relate_to_known, voices
from memories.screening import Screening, mask, screen
from memories.steering_words import steers
from memories.vocabulary import SPOKEN, MemoryStatus, MemoryType, SourceRank, WriteAction, WriteMode
from memories.weighing import Weighed
from memories.wishes import MemoryWish


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What is known around a proposal. `text` is what may be stored of it: a secret is taken out.

    `said_at` is when it was said, by its writer's word or that of its evidence. `older` are the memories that end as
    it begins, `rivals` those that cannot hold beside it.
    """

    text: str
    said_at: datetime
    place: Place
    weighed: Weighed
    screening: Screening
    related: Related
    target: Memory | None = None
    rivals: Sequence[Memory] = ()
    older: Sequence[Memory] = ()
    voices: frozenset[object] = frozenset()

    @property
    def same(self) -> Memory | None:
        """What says it already; a change that changes nothing is said by what it was to change."""
        return self.related.same


def look_around(
    acting: Acting, wish: MemoryWish, *, place: Place, weighed: Weighed, target: Memory | None, now: datetime
) -> Circumstances:
    """Read what the gates need, in the open scope."""
    screening, text = clean(wish)
    short = text.strip() != "" and len(text) <= LONGEST
    said_at = wish.observed_at or weighed.said_at
    claims = claims_in(text, wish.claims, said_at=said_at) if short else ()
    related = Related(claims=claims)
    if short and wish.action != WriteAction.DELETE:
        # What it is made of is no other statement: it is neither repeated nor contradicted by it.
        skip = [*([target.pk] if target else []), *wish.parents, *([wish.id] if wish.id else [])]
        happened = wish.type == MemoryType.EPISODE
        related = relate_to_known(text, claims, place=place, said_at=said_at, skip=skip, episode=happened)
        if target is not None and target.dedupe_key == key_of(text, said_at) and target.status == MemoryStatus.ACTIVE:
            related = Related(claims=claims, same=target)
    heard = frozenset(voices(acting, [*related.rivals, *related.older, *([target] if target else [])]))
    rivals = [] if _stand_beside(related, now=now) else list(related.rivals)
    weaker = [one for one in related.older if _is_weaker(weighed, one, same_voice=one.pk in heard)]
    return Circumstances(
        text=text,
        said_at=said_at,
        place=place,
        weighed=weighed,
        screening=screening,
        related=related,
        target=target,
        rivals=[*rivals, *weaker],
        older=[one for one in related.older if one not in weaker],
        voices=heard,
    )


def candidate_of(
    acting: Acting, wish: MemoryWish, around: Circumstances, *, rules: PolicyRules, now: datetime
) -> Candidate:
    """Return the proposal as plain values."""
    weighed, target, same = around.weighed, around.target, around.same
    in_use = same is not None and same.status == MemoryStatus.ACTIVE
    said_at = min(around.said_at, weighed.said_at)
    return Candidate(
        text=wish.content,
        origin=wish.origin,
        rank=weighed.rank,
        screening=around.screening,
        rules=rules,
        type=wish.type,
        kind=wish.kind,
        action=wish.action,
        scope_type=wish.scope_type,
        sensitivity=wish.sensitivity,
        audience=Audience(around.place.audience),
        valid_from=wish.valid_from,
        valid_to=wish.valid_to,
        actor_kind=acting.kind,
        cited=weighed.cited,
        target=_target_fact(around, target) if target else None,
        rivals=[Rival(rank=SourceRank(one.source_rank), same_voice=one.pk in around.voices) for one in around.rivals],
        touches_identity=touches_identity(around.text) or (not weighed.signed and steers(around.text)),
        echoes=bool(
            acting.kind is ActorKind.AGENT and in_use and same and not weighed.fresh and was_injected(same, now=now)
        ),
        outlived=same is None
        and wish.action == WriteAction.ADD
        and outlived(around.text, around.related.claims, around.place, said_at=said_at),
        alone=around.place.audience == Audience.PRIVATE,
        signed=weighed.signed,
    )


def clean(wish: MemoryWish) -> tuple[Screening, str]:
    """Return what screening says of a proposal's words, and its text without the secrets in it."""
    if len(wish.content) > LONGEST:
        return Screening(), wish.content
    reason = screen(wish.change_reason)
    content = screen(wish.content)
    graver = max(content, reason, key=lambda one: (rank(one.verdict), rank(one.sensitivity)))
    return graver, mask(wish.content, content.findings)


def _target_fact(around: Circumstances, target: Memory) -> TargetFact:
    return TargetFact(
        in_use=target.status == MemoryStatus.ACTIVE,
        rank=SourceRank(target.source_rank),
        write_mode=WriteMode(target.write_mode),
        sensitivity=Sensitivity(target.sensitivity),
        same_voice=target.pk in around.voices,
    )


def _stand_beside(related: Related, *, now: datetime) -> bool:
    """Return whether somebody has said lately that what they disagree on may stand beside each other."""
    return bool(related.key) and cooled(related, now=now)


def _is_weaker(weighed: Weighed, older: Memory, *, same_voice: bool) -> bool:
    known = SourceRank(older.source_rank)
    if weighed.rank in SPOKEN and known in SPOKEN:
        return not same_voice
    return rank(weighed.rank) < rank(known)
