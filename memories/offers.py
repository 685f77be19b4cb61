"""Offering a private memory to the project: an agent asks its human, the human agrees, and a proposal carries it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.audit import fingerprint
from governance.consents import consent_of
from governance.errors import Clash, Forbidden, Invalid, NotThere
from governance.models import Actor, Proposal
from governance.people import check_may
from governance.policy_rules import Handling
from governance.proposals import EDITABLE, ProposalWish, propose
from governance.schemas import check_fields
from governance.scope import record
from governance.vocabulary import ActorKind, Audience, Deed, ProposalKind, Sensitivity, rank
from governance.web import row_here
from memories.looking_up import named_memory
from memories.models import Memory, Offer
from memories.policy import standing_policy
from memories.screening import Category, screen
from memories.vocabulary import MemoryStatus, OfferState
from memories.weighing import digest_of

ABOUT = ("type", "kind", "sensitivity", "origin", "knowledge_status", "source_rank")
KEEPS_APART = (Handling.REFUSE, Handling.PRIVATE)
MOST_REASON = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Offering:
    """A text that its human may share, and where it comes from. `offer` is the agent's question, None for an own."""

    memory_id: Any
    version: int
    content: str
    about: Mapping[str, str]
    whose: str
    offer: Offer | None = None

    @property
    def seen(self) -> str:
        """The hash of what is seen, which consent is bound to."""
        return digest_of(self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentWish:
    """What a human says to an offering. `seen` is the hash of the text that they read; `named` lets the shared memory
    say whose it was.
    """

    seen: str
    agrees: bool
    title: str
    rationale: str = ""
    named: bool = False


def ask_human(acting: Acting, body: Mapping[str, Any], now: datetime) -> Mapping[str, Any]:
    """Keep an agent's wish to share a private memory of its own until the human who owns it answers; nobody else sees
    it. `body` names the memory (`memory_id`) and may say why (`reason`). Asking again changes nothing.

    Raises Invalid, NotThere for a memory that is not its own, and Clash (offer_declined, offer_waits).
    """
    if acting.kind is not ActorKind.AGENT:
        raise Forbidden("a human offers a memory in the console, where they agree to share it", code="consent_missing")
    reason, memory = _reason_in(body), _named_memory(acting, body)
    human = Actor.objects.filter(pk=acting.actor_id).values_list("owned_by_id", flat=True).first()
    if human is None:
        raise Invalid.at("/kind", "no human owns this agent, so nobody could agree", code="no_human")
    check_offerable(memory.content, Sensitivity(memory.sensitivity))
    earlier = Offer.objects.filter(memory=memory).select_related("proposal").order_by("-created_at").first()
    if earlier is not None and earlier.state == OfferState.ASKED:
        return _heard(earlier)
    _check_free(memory.pk, version=memory.version, earlier=earlier)
    offer = Offer.objects.create(
        project_id=acting.project_id,
        created_at=now,
        memory=memory,
        memory_version=memory.version,
        asked_by_id=acting.actor_id,
        human_id=human,
        content=memory.content,
        about=about_of(memory),
        reason=reason,
    )
    record("offer.ask", offer.public_id, after=fingerprint(memory.content))
    return _heard(offer)


def own_offering(acting: Acting, memory: Memory) -> Offering:
    """Return what the human who acts would share of their own. Raises NotThere for what is not theirs alone."""
    if memory.audience != Audience.PRIVATE or memory.owner_id != acting.actor_id:
        raise NotThere
    return Offering(
        memory_id=memory.pk,
        version=memory.version,
        content=memory.content,
        about=about_of(memory),
        whose=Actor.objects.values_list("name", flat=True).get(pk=acting.actor_id),
    )


def asked_offering(acting: Acting, offer: Offer) -> Offering:
    """Return what an agent of the human who acts asks them to share. Raises NotThere for anybody else's."""
    if offer.human_id != acting.actor_id or offer.asked_by_id == acting.actor_id:
        raise NotThere
    return Offering(
        memory_id=offer.memory_id,
        version=offer.memory_version,
        content=offer.content,
        about=offer.about,
        whose=offer.asked_by.name,
        offer=offer,
    )


def agree(acting: Acting, offering: Offering, wish: ConsentWish, *, now: datetime) -> Proposal:
    """Share a text on the consent of the human who acts: a proposal carries it, which an owner decides.

    Raises Invalid (consent_missing, offer_holds_secret, offer_stays_private), Clash (version_moved, offer_waits,
    offer_not_in_use), and what `propose` does.
    """
    check_may(acting, Deed.PROPOSE_MEMORY)
    offer = _held(acting, offering, now=now)
    if not wish.agrees:
        raise Invalid.at("/agrees", "say that you agree; without that nobody else reads it", code="consent_missing")
    if wish.seen != offering.seen:
        raise Clash.at("/seen", "the text moved since you read it; read it again", code="version_moved")
    check_offerable(offering.content, Sensitivity(offering.about["sensitivity"]))
    proposal = propose(acting, _proposed(acting, offer, offering, wish, now=now), now=now)
    offer.state, offer.content, offer.reason = OfferState.AGREED, "", ""
    offer.answered_at, offer.proposal = now, proposal
    offer.save(update_fields=["state", "content", "reason", "answered_at", "proposal"])
    detail = {"offer": offer.public_id, "version": offering.version, "named": wish.named, "at": now.isoformat()}
    record("memory.consent", proposal.public_id, after=fingerprint(offering.content), detail=detail)
    return proposal


def decline(acting: Acting, offer: Offer, *, now: datetime) -> None:
    """Answer an agent that its memory stays private. Raises NotThere and Clash (not_waiting)."""
    asked_offering(acting, offer)
    if offer.state != OfferState.ASKED:
        raise Clash.at("/state", "it is answered already", code="not_waiting")
    offer.state, offer.content, offer.reason, offer.answered_at = OfferState.DECLINED, "", "", now
    offer.save(update_fields=["state", "content", "reason", "answered_at"])
    record("offer.decline", offer.public_id)


def find_offer(text: str, *, pointer: str) -> Offer:
    """Return an offer that waits for an answer, as far as whoever acts may see it; raises NotThere, also for no id."""
    asked = Offer.objects.filter(state=OfferState.ASKED).select_related("asked_by")
    return row_here(asked, Offer.PREFIX, text, pointer=pointer)


def offers_of(acting: Acting) -> list[Offer]:
    """Return what agents of the human who acts ask them to share, oldest first."""
    asked = Offer.objects.filter(human_id=acting.actor_id, state=OfferState.ASKED).select_related("asked_by")
    return list(asked.order_by("created_at", "id"))


def offered_as(memory: Memory) -> Proposal | None:
    """Return the latest proposal that carried a memory, as far as whoever acts may know of it."""
    agreed = Offer.objects.filter(memory=memory, state=OfferState.AGREED).select_related("proposal")
    latest = agreed.order_by("-created_at", "-id").first()
    return latest.proposal if latest else None


def forget_asking(memory: Memory) -> None:
    """Take the words of an erased memory out of what an agent asked about it."""
    Offer.objects.filter(memory=memory).update(content="", reason="")


def about_of(memory: Memory) -> dict[str, str]:
    """Return what a memory is, beside what it says."""
    return {name: str(getattr(memory, name)) for name in ABOUT}


def check_offerable(content: str, said: Sensitivity) -> None:
    """Raise Invalid (offer_holds_secret, offer_stays_private) for what may not leave its owner, whoever agrees."""
    found = screen(content)
    if found.kinds(Category.SECRET) or said is Sensitivity.SECRET:
        kinds = ", ".join(found.kinds(Category.SECRET)) or "marked as secret"
        raise Invalid.at("/content", f"it holds a secret ({kinds}), which is never shared", code="offer_holds_secret")
    level = max(said, found.sensitivity, key=rank) if found.kinds(Category.PERSONAL) else said
    if standing_policy().rules.writing[level] in KEEPS_APART:
        message = f"the policy keeps {level} content where its owner alone reads it"
        raise Invalid.at("/content", message, code="offer_stays_private")


def _held(acting: Acting, offering: Offering, *, now: datetime) -> Offer:
    """Return the row of the offering, locked: the agent's question, or a fresh one for one's own."""
    if offering.offer is not None:
        held = Offer.objects.select_for_update().filter(pk=offering.offer.pk, state=OfferState.ASKED).first()
        if held is None:
            raise Clash.at("/state", "it is answered already", code="not_waiting")
        return held
    memory = Memory.objects.select_for_update().get(pk=offering.memory_id)
    if memory.status != MemoryStatus.ACTIVE:
        raise Clash.at("/memory", "only what is in use is offered", code="offer_not_in_use")
    _check_free(memory.pk)
    return Offer.objects.create(
        project_id=acting.project_id,
        created_at=now,
        memory=memory,
        memory_version=memory.version,
        asked_by_id=acting.actor_id,
        human_id=acting.actor_id,
    )


def _check_free(memory_id: Any, *, version: int = 0, earlier: Offer | None = None) -> None:
    """Raise Clash when the memory is offered and undecided, or when this very version was declined."""
    waiting = Offer.objects.filter(memory_id=memory_id, proposal__state__in=EDITABLE).select_related("proposal").first()
    if waiting is not None and waiting.proposal is not None:
        message = "it is offered already, and waits for a decision; withdraw that one first"
        extra = {"proposal_id": waiting.proposal.public_id}
        raise Clash.at("/memory_id", message, code="offer_waits", extra=extra)
    if earlier is not None and earlier.state == OfferState.DECLINED and earlier.memory_version == version:
        raise Clash.at("/memory_id", "your human said no to this; it stays private", code="offer_declined")


def _proposed(acting: Acting, offer: Offer, offering: Offering, wish: ConsentWish, *, now: datetime) -> ProposalWish:
    about = offering.about
    body = {
        "content": offering.content,
        "type": about["type"],
        "kind": about["kind"],
        "sensitivity": about["sensitivity"],
        "origin": about["origin"],
        "rank": about["source_rank"],
        "knowledge": about["knowledge_status"],
        "named": offering.whose if wish.named else "",
        "consent": consent_of(acting, offering.content, now=now),
    }
    slug = offer.public_id
    return ProposalWish(
        kind=ProposalKind.MEMORY, slug=slug, body=body, title=wish.title, rationale=wish.rationale, base=0
    )


def _named_memory(acting: Acting, body: Mapping[str, Any]) -> Memory:
    wanted = "name the private memory that would be shared"
    memory = named_memory(body.get("memory_id"), pointer="/body/memory_id", wanted=wanted)
    if (memory.audience, memory.owner_id) != (Audience.PRIVATE, acting.actor_id):
        message = "it is shared already; only a private memory of your own is offered"
        raise Invalid.at("/body/memory_id", message, code="not_private")
    if memory.status != MemoryStatus.ACTIVE:
        raise Clash.at("/body/memory_id", "only what is in use is offered", code="offer_not_in_use")
    return memory


def _reason_in(body: Mapping[str, Any]) -> str:
    check_fields(body, ("memory_id", "reason"))  # the text that is offered is the memory's own
    reason = body.get("reason", "")
    if not isinstance(reason, str) or len(reason) > MOST_REASON:
        raise Invalid.at("/body/reason", f"expected a text of at most {MOST_REASON} characters", code="invalid_body")
    return reason.strip()


def _heard(offer: Offer) -> Mapping[str, Any]:
    return {
        "id": offer.public_id,
        "kind": ProposalKind.MEMORY,
        "state": offer.state,
        "held": True,
        "proposal_id": None,
        "message": "Nobody but your human has seen it. They agree or decline in the console, under their own memories; "
        "once they agree it is a proposal, and an owner of the project decides it.",
    }
