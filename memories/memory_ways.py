"""What a human may do about a memory: which ways are open from where it stands, and taking one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext

from governance.errors import Clash
from governance.pages import Desk
from governance.permissions import NEEDED, can
from governance.vocabulary import Audience, Deed, MembershipLevel
from memories.erasing import erase
from memories.models import Memory
from memories.outcome_words import what_became_of_it
from memories.rechecking import recheck
from memories.relating import place_of
from memories.retiring import archive, restore, revoke
from memories.store_words import DONE, Way
from memories.turns import take_turn
from memories.unmerging import unmerge
from memories.vocabulary import PENDING, ArchivedFor, MemoryStatus, WriteOutcome
from memories.writes import admit, refuse

WAYS: Mapping[MemoryStatus, Sequence[Way]] = {
    **dict.fromkeys(PENDING, (Way.ADMIT, Way.REFUSE, Way.RECHECK)),
    MemoryStatus.COMMITTED: (Way.ARCHIVE, Way.REVOKE),
    MemoryStatus.ACTIVE: (Way.ARCHIVE, Way.REVOKE),
    MemoryStatus.ARCHIVED: (Way.RESTORE, Way.REVOKE),
}
WIDE = (Way.REVOKE, Way.ERASE)  # what was made of the memory goes with it


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A way that is open from where the memory stands, and the level that it needs where the reader's is too low."""

    way: Way
    needed: MembershipLevel | None


def ways_of(memory: Memory, *, disputed: bool = False) -> Sequence[Way]:
    """Return the ways that are open to somebody; a side of an unsettled conflict is decided there."""
    ways = () if disputed and memory.status in PENDING else WAYS.get(MemoryStatus(memory.status), ())
    if memory.archived_for == ArchivedFor.MERGED and Way.RESTORE in ways:
        ways = (Way.UNMERGE, Way.REVOKE)
    return [*ways, *([] if memory.erased_at else [Way.ERASE])]


def buttons_of(desk: Desk, memory: Memory, *, disputed: bool) -> Sequence[Button]:
    """Return what is shown to this reader."""
    return [
        Button(way=way, needed=None if may(desk, memory, way) else NEEDED[_deed(way)])
        for way in ways_of(memory, disputed=disputed)
    ]


def may(desk: Desk, memory: Memory, way: Way) -> bool:
    """Return whether the reader's level allows it. What is somebody's alone, they may erase whatever their level."""
    return (way is Way.ERASE and is_own(desk, memory)) or can(desk.seat.level, _deed(way))


def check_way(desk: Desk, memory: Memory, way: Way) -> None:
    """Raise Forbidden, which names the level that is needed, unless the reader may."""
    if not may(desk, memory, way):
        desk.check(_deed(way))


def is_own(desk: Desk, memory: Memory) -> bool:
    """Return whether a memory is the reader's alone."""
    return memory.audience == Audience.PRIVATE and memory.owner_id == desk.acting.actor_id


def as_seen(memory: Memory, *, version: int, status: str) -> None:
    """Hold a memory of the open scope for a change; raises Clash (version_moved) unless it stands as it was seen."""
    take_turn(memory.project_id, place_of(memory))
    memory.refresh_from_db()
    if (memory.version, memory.status) != (version, status):
        raise Clash("status: it moved since you opened the page; read it again.", code="version_moved")


def take(desk: Desk, memory: Memory, way: Way, *, reason: str, now: datetime, missing: str = "") -> Promise | str:
    """Do it in the open scope, and return what became of it in words. Raises Forbidden and Clash, as the verbs do."""
    check_way(desk, memory, way)
    acting = desk.acting
    match way:
        case Way.ADMIT:
            written = admit(acting, memory, reason=reason, now=now)
            if written.outcome is WriteOutcome.CONFLICT:
                return gettext("It says otherwise than what is known. A conflict is open until somebody settles it.")
        case Way.REFUSE:
            refuse(acting, memory, reason=reason, now=now, missing=missing)
        case Way.ARCHIVE:
            archive(acting, memory, reason=reason, now=now)
        case Way.RESTORE:
            restore(acting, memory, reason=reason, now=now)
        case Way.UNMERGE:
            unmerge(acting, memory, reason=reason, now=now)
        case Way.RECHECK:
            return what_became_of_it(recheck(acting, memory, now=now))
        case Way.REVOKE:
            revoke(acting, memory, reason=reason, now=now)
        case Way.ERASE:
            erase(acting, memory, reason=reason, now=now)
    return DONE[way]


def _deed(way: Way) -> Deed:
    return Deed.ERASE_MEMORY if way is Way.ERASE else Deed.DECIDE_MEMORY
