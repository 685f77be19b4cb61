"""That a shared memory counts as less sensitive: asked for by a proposal, decided by an owner, and done then."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.errors import Clash, Invalid
from governance.gauges import check_with
from governance.ids import parse_id
from governance.models import Actor, Proposal, ProposalText
from governance.proposals import EDITABLE, ProposalWish, propose
from governance.schemas import check_fields
from governance.scope import record
from governance.undertakings import Undertaking, heard_of, undertake
from governance.vocabulary import Audience, ProposalKind, Risk, Sensitivity, rank
from memories.looking_up import named_memory
from memories.models import Memory, Passage
from memories.relating import place_of
from memories.screening import Category, screen
from memories.turns import take_turn
from memories.vocabulary import MemoryStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowering:
    """That a memory, in the version that was read, should count as `after`, and why."""

    memory: Memory
    version: int
    after: Sensitivity
    why: str


def register_lowering() -> None:
    """Tell governance how a lower sensitivity is checked, asked for and carried out."""
    check_with(ProposalKind.SENSITIVITY, check_body)
    undertake(ProposalKind.SENSITIVITY, Undertaking(ask=ask_lower, apply=lower, made=lowered))


def ask_lower(acting: Acting, body: Mapping[str, Any], now: datetime) -> Mapping[str, Any]:
    """Propose what an agent asks for: `body` names memory_id and sensitivity, and says why (reason).

    Raises Invalid (invalid_body and what `propose_lower` raises), NotThere and Clash.
    """
    check_fields(body, ("memory_id", "sensitivity", "reason"))
    memory = _named(body.get("memory_id"))
    said, why = body.get("sensitivity"), body.get("reason", "")
    if said not in set(Sensitivity):
        raise Invalid.at("/body/sensitivity", f"expected one of {', '.join(Sensitivity)}", code="invalid_body")
    if not isinstance(why, str):
        raise Invalid.at("/body/reason", "expected a text", code="invalid_body")
    wish = Lowering(memory=memory, version=memory.version, after=Sensitivity(said), why=why)
    return heard_of(propose_lower(acting, wish, now=now))


def propose_lower(acting: Acting, wish: Lowering, *, now: datetime) -> Proposal:
    """Ask the project's owners to let a shared memory count as less sensitive, in the open scope.

    Raises Invalid (reason_missing, not_lower, lowering_private, holds_secret), Clash (lowering_waits, version_moved,
    not_in_use) and what `propose` raises.
    """
    if not wish.why.strip():
        raise Invalid.at("/reason", "say why it is less sensitive than it counts as", code="reason_missing")
    memory, slug = wish.memory, wish.memory.public_id
    if Proposal.objects.filter(kind=ProposalKind.SENSITIVITY, slug=slug, state__in=EDITABLE).exists():
        raise Clash.at("/memory_id", "this is asked for already, and waits for a decision", code="lowering_waits")
    before = Sensitivity(memory.sensitivity)
    body = {"memory": slug, "version": wish.version, "before": before, "after": wish.after}
    proposed = ProposalWish(
        kind=ProposalKind.SENSITIVITY,
        slug=slug,
        body=body,
        title=f"{slug}: {before} → {wish.after}",
        rationale=wish.why,
        base=0,
        risk=Risk.HIGH if before is Sensitivity.SECRET else Risk.MEDIUM,
    )
    return propose(acting, proposed, now=now)


def check_body(body: Mapping[str, Any]) -> None:
    """Raise what is wrong with a lowering as the memory stands now, as far as whoever acts may read it."""
    memory = _named(body["memory"], pointer="/body/memory")
    if memory.audience != Audience.PROJECT:
        message = "only what the whole project reads is lowered here; what is somebody's own, they say otherwise"
        raise Invalid.at("/body/memory", message, code="lowering_private")
    if memory.status != MemoryStatus.ACTIVE:
        raise Clash.at("/body/memory", "only what is in use is lowered", code="not_in_use")
    _check_stands(memory, body)
    if rank(Sensitivity(body["after"])) >= rank(Sensitivity(body["before"])):
        message = f"it counts as {body['before']}; name a less sensitive level than that"
        raise Invalid.at("/body/after", message, code="not_lower")
    kinds = screen(memory.content).kinds(Category.SECRET)
    if kinds:
        message = f"it holds a secret ({', '.join(kinds)}), which stays one; say it without that first"
        raise Invalid.at("/body/memory", message, code="holds_secret")


def lower(proposal: Proposal, text: ProposalText, decider: Actor, now: datetime) -> None:
    """Let the memory count as was approved, for the next search and packet. Raises Clash (version_moved, not_in_use)
    where it is no longer what was decided about: then nothing was decided.
    """
    memory = _named(text.body["memory"], pointer="/body/memory")
    take_turn(memory.project_id, place_of(memory))
    memory.refresh_from_db()
    check_body(text.body)
    after = text.body["after"]
    Memory.objects.filter(pk=memory.pk).update(sensitivity=after, updated_at=now)
    Passage.objects.filter(memory=memory).update(sensitivity=after)
    detail = {"proposal": proposal.public_id, "sensitivity": after, "decided_by": decider.public_id}
    record("memory.lower", memory.public_id, detail=detail)


def lowered(proposal: Proposal) -> str:
    """Return the id of the memory that an approved proposal lowered, '' where the open scope may not read it."""
    found = Memory.objects.filter(pk=parse_id("mem", proposal.slug, pointer="/slug")).first()
    return found.public_id if found else ""


def _named(value: Any, *, pointer: str = "/body/memory_id") -> Memory:
    return named_memory(value, pointer=pointer, wanted="name the memory by its id, mem_…")


def _check_stands(memory: Memory, body: Mapping[str, Any]) -> None:
    if (memory.version, memory.sensitivity) != (body["version"], body["before"]):
        message = f"it is version {memory.version} and counts as {memory.sensitivity} by now; read it again"
        raise Clash.at("/body/version", message, code="version_moved")
