"""Whether a proposal may be made at all: by whom, how often, about what, and where."""

from dataclasses import replace
from datetime import datetime, timedelta

from governance.actors import Acting
from governance.errors import Clash, Forbidden, Invalid, NotThere, PreconditionFailed, TooMany
from governance.vocabulary import ActorKind, Audience
from memories.models import Memory
from memories.relating import place_of
from memories.scopes import check_scope
from memories.turns import take_turn
from memories.vocabulary import SPOKEN, MemoryStatus, Origin, ScopeType, WriteAction
from memories.weighing import Weighed
from memories.wishes import MemoryWish

HOUR = timedelta(hours=1)


def check_wish(wish: MemoryWish) -> None:
    """Raise Invalid for a wish that contradicts itself or names a place that is not here."""
    if wish.valid_from and wish.valid_to and wish.valid_to < wish.valid_from:
        raise Invalid.at("/valid_to", "lies before valid_from")
    needs = wish.action in (WriteAction.UPDATE, WriteAction.DELETE)
    if needs != (wish.target_id is not None):
        word = "is needed" if needs else "has no place"
        raise Invalid.at("/target_id", f"{word} with the action {wish.action}")
    if wish.expected_version is not None and not needs:
        raise Invalid.at("/expected_version", f"has no place with the action {wish.action}")
    check_scope(wish.scope_type, wish.scope_id)


def changes_own(acting: Acting, wish: MemoryWish) -> bool:
    """Return whether a wish is about a memory that whoever acts keeps for themselves: for that no level is needed."""
    if wish.target_id is None:
        return False
    own = Memory.objects.filter(pk=wish.target_id, audience=Audience.PRIVATE, owner_id=acting.actor_id)
    return own.exists()


def check_voice(acting: Acting, wish: MemoryWish, weighed: Weighed) -> None:
    """Raise Forbidden (origin_not_held) when an agent speaks for a user whom nothing that it cites quotes."""
    if wish.origin is not Origin.USER_EXPLICIT or acting.kind is ActorKind.HUMAN:
        return
    if not any(fact.opens and fact.source in SPOKEN for fact in weighed.cited):
        message = "only a human's own statement is user_explicit; cite the event in which a user says it"
        raise Forbidden.at("/origin", message, code="origin_not_held")


def within_rate(acting: Acting, most: int, *, now: datetime) -> None:
    """Raise TooMany (proposals_too_many) when an agent has proposed as much as it may in an hour."""
    if acting.kind is not ActorKind.AGENT:
        return
    lately = Memory.objects.filter(proposed_by_id=acting.actor_id, created_at__gt=now - HOUR)
    if lately.count() < most:
        return
    first = lately.order_by("-created_at").values_list("created_at", flat=True)[most - 1]
    wait = max(1, int((first + HOUR - now).total_seconds()) + 1)
    message = f"this agent has proposed {most} memories within an hour, which is all that it may; wait {wait} seconds"
    raise TooMany(message, code="proposals_too_many", extra={"retry_after": wait})


def target_of(wish: MemoryWish) -> Memory | None:
    """Return the memory that a wish is about, locked; None where it is about none.

    Raises NotThere, and where the wish says which version it saw: Clash (target_not_in_use) and PreconditionFailed
    (version_moved).
    """
    if wish.target_id is None:
        return None
    target = Memory.objects.filter(pk=wish.target_id).first()
    if target is None:
        raise NotThere.there("/target_id")
    take_turn(target.project_id, place_of(target))
    target = Memory.objects.select_for_update().get(pk=target.pk)
    if wish.expected_version is None:
        return target
    if target.status != MemoryStatus.ACTIVE:
        raise Clash.at("/target_id", "it is not in use any more; read it again", code="target_not_in_use")
    if wish.expected_version != target.version:
        message = f"you saw version {wish.expected_version}, and now there is {target.version}; read it again"
        raise PreconditionFailed.at("/expected_version", message, extra={"version": target.version})
    return target


def at_target(wish: MemoryWish, target: Memory | None) -> MemoryWish:
    """Return the wish in the place of what it is about: a change is read by whoever reads what it changes."""
    if target is None:
        return wish
    private = target.audience == Audience.PRIVATE
    return replace(wish, scope_type=ScopeType(target.scope_type), scope_id=target.scope_id, private=private)
