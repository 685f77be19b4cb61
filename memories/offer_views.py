"""Pages on which a human reads exactly what would be shared of a private memory, and agrees or not."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.errors import Clash, Forbidden, Invalid, Refusal
from governance.forms import posted, status_of
from governance.models import Proposal
from governance.pages import Desk, blame, done, id_in_path, project_page, refused, show
from governance.proposal_reading import deciders
from governance.proposals import EDITABLE
from governance.refusal_words import told
from governance.scope import project_scope
from governance.vocabulary import Deed, MembershipLevel, Sensitivity
from memories.looking_up import find_memory
from memories.models import Memory
from memories.offer_forms import ConsentForm
from memories.offers import (
    Offering,
    agree,
    asked_offering,
    check_offerable,
    decline,
    find_offer,
    offered_as,
    own_offering,
)
from memories.reading import worded
from memories.vocabulary import MemoryStatus

type Find = Callable[[], tuple[Offering, Memory | None]]


@project_page
def offer_memory(request: HttpRequest, desk: Desk, memory_id: str) -> HttpResponse:
    """Offer an own private memory to the project."""
    pk = id_in_path("mem", memory_id)

    def find() -> tuple[Offering, Memory | None]:
        memory = find_memory(pk)
        return own_offering(desk.acting, memory), memory

    return _offered(request, desk, find)


@project_page
def answer_offer(request: HttpRequest, desk: Desk, offer_id: str) -> HttpResponse:
    """Answer an agent of one's own that asks to share its private memory."""

    def find() -> tuple[Offering, Memory | None]:
        return asked_offering(desk.acting, find_offer(offer_id, pointer="{offer_id}")), None

    return _offered(request, desk, find)


@require_POST
@project_page
def decline_offer(request: HttpRequest, desk: Desk, offer_id: str) -> HttpResponse:
    """Leave an agent's memory private."""
    try:
        with project_scope(desk.acting):
            decline(desk.acting, find_offer(offer_id, pointer="{offer_id}"), now=timezone.now())
    except Clash as refusal:
        return refused(request, refusal, to=reverse("own_memories"))
    return done(request, gettext("It stays private. Nobody else has seen it."), to=reverse("own_memories"))


def _offered(request: HttpRequest, desk: Desk, find: Find) -> HttpResponse:
    desk.check(Deed.PROPOSE_MEMORY)
    form, status = ConsentForm(posted(request)), None
    if form.is_valid():
        try:
            proposal = _agreed(desk, find, form)
        except (Clash, Forbidden, Invalid) as refusal:
            blame(form, refusal)
            status = refusal.status
        else:
            words = gettext("Offered, with your consent. An owner decides; until then you may take it back.")
            return done(request, words, to=_address(desk, proposal))
    with project_scope(desk.acting, read_only=True):
        offering, memory = find()
        form.see(offering)
        waits, barred = _waiting(memory), _barred(offering, memory)
        context: dict[str, Any] = {
            "offering": offering,
            "memory": memory,
            "text": worded(offering.content),
            "sensitivity": Sensitivity(offering.about["sensitivity"]),
            "why": worded(offering.offer.reason) if offering.offer else None,
            "alone": deciders(MembershipLevel.OWNER) == {desk.acting.actor_id},
            "waits": _address(desk, waits) if waits else "",
            "barred_words": told(barred.code, barred.detail) if barred else "",
        }
    status = status or status_of(form)
    return show(request, desk, "memories/offer.html", status=status, section="memories", form=form, **context)


def _agreed(desk: Desk, find: Find, form: ConsentForm) -> Proposal:
    with project_scope(desk.acting):
        offering, _ = find()
        return agree(desk.acting, offering, form.wish(), now=timezone.now())


def _waiting(memory: Memory | None) -> Proposal | None:
    """Return the proposal of the memory that nobody has decided yet."""
    proposal = offered_as(memory) if memory else None
    return proposal if proposal is not None and proposal.state in EDITABLE else None


def _barred(offering: Offering, memory: Memory | None) -> Refusal | None:
    """Return why the text cannot be offered at all."""
    if memory is not None and memory.status != MemoryStatus.ACTIVE:
        return Clash.at("/memory", "only what is in use is offered", code="offer_not_in_use")
    try:
        check_offerable(offering.content, Sensitivity(offering.about["sensitivity"]))
    except Invalid as refusal:
        return refusal
    return None


def _address(desk: Desk, proposal: Proposal) -> str:
    return reverse("proposal", args=[desk.seat.public_id, proposal.public_id])
