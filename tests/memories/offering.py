"""Short ways to offer what somebody keeps for themselves, and to see who reads what of it."""

from typing import Any

from django.db import connection
from django.utils import timezone

from governance.models import Proposal
from governance.scope import project_scope
from governance.vocabulary import Audience
from memories.models import Memory
from memories.offers import ConsentWish, agree, asked_offering, offers_of, own_offering
from memories.retrieval import Limits, Scope, retrieve
from memories.vocabulary import MemoryStatus
from tests.cast import Cast, Member
from tests.memories.learning import Desk, stated

SAID = "潮位站的备用电池在 Windkessel 柜里 · the spare battery is in the Windkessel locker"


def kept(by: Member, text: str = SAID, **more: Any) -> Memory:
    return stated(by, text, private=True, **more).memory


def offered(by: Member, memory: Memory, **more: Any) -> Proposal:
    with project_scope(by.acting):
        offering = own_offering(by.acting, Memory.objects.get(pk=memory.pk))
        wish = ConsentWish(**({"seen": offering.seen, "agrees": True, "title": "a battery"} | more))
        return agree(by.acting, offering, wish, now=timezone.now())


def asked(cast: Cast, text: str = SAID) -> tuple[Memory, Any]:
    """Let the personal agent keep something, and ask its human."""
    desk = Desk(cast.personal)
    memory = desk.learn(text, private=True).memory
    return memory, ask(cast.personal, memory)


def ask(by: Member, memory: Memory) -> Any:
    return by.client().post("/proposals", {"kind": "memory", "body": {"memory_id": memory.public_id}})


def answered(cast: Cast, **more: Any) -> Proposal:
    """Let the human agree to what their agent asks."""
    acting = cast.owner.acting
    with project_scope(acting):
        offering = asked_offering(acting, offers_of(acting)[0])
        wish = ConsentWish(seen=offering.seen, agrees=True, title="a battery", **more)
        return agree(acting, offering, wish, now=timezone.now())


def shared(by: Member) -> list[Memory]:
    with project_scope(by.acting):
        return list(Memory.objects.filter(audience=Audience.PROJECT, status=MemoryStatus.ACTIVE))


def found(by: Member) -> list[str]:
    with project_scope(by.acting, read_only=True):
        hits = retrieve("Windkessel 备用电池", scope=Scope(thread_id=None, now=timezone.now()), limits=Limits(most=5))
    return [hit.text for hit in hits.hits]


def rows_of(by: Member, *tables: str) -> str:
    """Everything that somebody may read of these tables, as text."""
    with project_scope(by.acting), connection.cursor() as cursor:
        return "".join(str(cursor.execute(f"SELECT t::text FROM {table} t").fetchall()) for table in tables)


EVERYTHING = (
    "memories_memory",
    "memories_offer",
    "memories_passage",
    "governance_proposaltext",
    "governance_inboxitem",
)
