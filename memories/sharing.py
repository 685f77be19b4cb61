"""What follows when an offered memory is approved: a shared one is written by the same gates, and says where it is
from only as far as its offerer agreed."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from governance.actors import Acting, acting_as
from governance.audit import fingerprint
from governance.errors import Clash, Invalid
from governance.gauges import check_with
from governance.models import Actor, Proposal, ProposalText
from governance.people import level_of
from governance.permissions import can
from governance.scope import record
from governance.undertakings import Undertaking, undertake
from governance.vocabulary import ActorKind, Audience, Deed, ProposalKind, Sensitivity
from memories.candidates import is_pending
from memories.models import MemoryEvidence
from memories.offers import ask_human
from memories.screening import Category, screen
from memories.vocabulary import KnowledgeStatus, MemoryKind, MemoryType, Origin, SourceRank, WriteOutcome
from memories.wishes import EvidenceWish, MemoryWish
from memories.writes import admit, submit

WORDS: Mapping[str, type[StrEnum]] = {
    "type": MemoryType,
    "kind": MemoryKind,
    "origin": Origin,
    "rank": SourceRank,
    "knowledge": KnowledgeStatus,
}


def register_offers() -> None:
    """Tell governance how offered memories are checked, asked for and shared."""
    check_with(ProposalKind.MEMORY, check_body)
    undertake(ProposalKind.MEMORY, Undertaking(ask=ask_human, apply=share, made=shared_as))


def check_body(body: Mapping[str, Any]) -> None:
    """Raise Invalid for a word that memories do not have (invalid_body), and for a secret (offer_holds_secret)."""
    for name, words in WORDS.items():
        if body[name] not in set(words):
            raise Invalid.at(f"/body/{name}", f"expected one of {', '.join(words)}", code="invalid_body")
    kinds = screen(body["content"]).kinds(Category.SECRET)
    if kinds:
        message = f"it holds a secret ({', '.join(kinds)}), which is never shared"
        raise Invalid.at("/body/content", message, code="offer_holds_secret")


def share(proposal: Proposal, text: ProposalText, decider: Actor, now: datetime) -> None:
    """Write the approved text as a shared memory, in the name of whoever offered it, by the gates of every other one.

    What the gates leave to a human is let in on the decider's word; what says otherwise than what is known opens a
    conflict. Raises Clash (gate_refused) where a gate refuses it: then nothing was decided.
    """
    written = submit(_author(proposal, decider), _wish(proposal, text), now=now)
    if written.outcome is WriteOutcome.REJECTED:
        message = f"the gates refuse it ({written.code}): {written.missing}; edit it, or reject it"
        raise Clash.at("/body/content", message, code="gate_refused")
    memory = written.memory
    if is_pending(memory) and written.conflict is None:
        written = admit(acting_as(decider), memory, reason="its proposal was approved", now=now)
    detail = {"memory": memory.public_id, "outcome": written.outcome}
    record("memory.share", proposal.public_id, after=fingerprint(text.body["content"]), detail=detail)


def shared_as(proposal: Proposal) -> str:
    """Return the id of the memory that a proposal became, '' where it is none."""
    cited = MemoryEvidence.objects.filter(ref=_ref(proposal, proposal.version), audience=Audience.PROJECT)
    found = cited.select_related("memory").order_by("created_at", "id").first()
    return found.memory.public_id if found else ""


def _ref(proposal: Proposal, version: int) -> str:
    return f"{proposal.ref}@{version}"


def _author(proposal: Proposal, decider: Actor) -> Acting:
    """Return whoever offered it; the decider where they may not write here any more."""
    offerer = Acting(project_id=proposal.project_id, actor_id=proposal.proposer_id, kind=ActorKind.HUMAN)
    return offerer if can(level_of(offerer), Deed.PROPOSE_MEMORY) else acting_as(decider)


def _wish(proposal: Proposal, text: ProposalText) -> MemoryWish:
    body = text.body
    origin = Origin(body["origin"])
    if origin is Origin.USER_EXPLICIT and body["rank"] != SourceRank.USER_EXPLICIT:
        origin = Origin.AGENT_INFERRED  # being signed by its offerer now makes it no stronger than it was
    named = body["named"]
    return MemoryWish(
        content=body["content"],
        type=MemoryType(body["type"]),
        kind=MemoryKind(body["kind"]),
        sensitivity=Sensitivity(body["sensitivity"]),
        origin=origin,
        knowledge_status=KnowledgeStatus(body["knowledge"]),
        change_reason=f"from a private memory of {named}"[:500] if named else "from a private memory",
        evidence=[EvidenceWish(ref=_ref(proposal, text.version))],
    )
