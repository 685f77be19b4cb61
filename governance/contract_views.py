"""Pages that ask for a contract: from nothing, from a file with a look at what was understood of it, or as a change."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from governance.change_reading import ChangeLine, Way, change_lines, ways
from governance.contract_forms import ContractForm, blank_body
from governance.contract_imports import FileForm, Imported, imported
from governance.contracts import active_revision
from governance.errors import Invalid, NotThere
from governance.forms import posted, status_of
from governance.models import Revision
from governance.pages import Desk, done, project_page, show
from governance.proposal_forms import ProposalForm, as_yaml, blame_text, words_for
from governance.proposal_views import SAYABLE
from governance.proposal_words import ASKED
from governance.proposals import ProposalWish, propose
from governance.schemas import checked_slug
from governance.scope import project_scope
from governance.vocabulary import ContractKind, Deed, Risk

KEPT = gettext_lazy("Kept as a draft. It waits for nobody until you ask for a decision.")


@dataclass(frozen=True, slots=True)
class Place:
    """The contract that is asked for, and what holds of it; `active` None: it is new."""

    kind: ContractKind
    slug: str
    active: Revision | None

    @property
    def number(self) -> int:
        return self.active.number if self.active else 0


@project_page
def new_contract(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Say what a contract is to be, or give the file that says it; what was understood is shown before it is asked."""
    desk.check(Deed.PROPOSE_CONTRACT)
    form = ContractForm(posted(request), request.FILES or None, initial={"kind": request.GET.get("kind", "")})
    if form.is_valid():
        sent = form.cleaned_data
        if not sent["source"].strip():
            return done(request, gettext("Fill in what it is to say."), to=_address(desk, sent["kind"], sent["slug"]))
        try:
            taken = _imported(sent)
        except Invalid as refusal:
            blame_text(form, refusal, field="upload" if sent.get("upload") else "text")
        else:
            return _previewed(request, desk, _place(desk, sent["kind"], sent["slug"]), taken)
    above = _above(desk)
    return show(
        request, desk, "governance/contract_new.html", status=status_of(form), section="roles", form=form, above=above
    )


@project_page
def new_proposal(request: HttpRequest, desk: Desk, kind: str, slug: str) -> HttpResponse:
    """Ask for a change of what holds, or for a contract that is not there yet; or keep it as a draft.

    A form elsewhere may send the text to begin with as `begin`; it is shown and nothing is asked for yet.
    """
    desk.check(Deed.PROPOSE_CONTRACT)
    place, status, three = _place(desk, kind, slug), 200, list[Way]()
    begin = {"body": request.POST["begin"]} if "begin" in request.POST else {}
    form = ProposalForm(None if begin else posted(request), initial=_initial(place) | begin)
    if form.is_valid():
        draft = "draft" in request.POST
        try:
            with project_scope(desk.acting):
                made = propose(desk.acting, _wish(form, place, draft=draft), now=timezone.now())
        except SAYABLE as refusal:
            blame_text(form, refusal)
            status = refusal.status
            if refusal.code == "base_moved":
                place = _place(desk, kind, slug)
                three = _moved_ways(desk, place, form)
                form.say_instead(version=str(place.number))
        else:
            to = reverse("proposal", args=[desk.seat.public_id, made.public_id])
            return done(request, KEPT if draft else ASKED, to=to)
    status = status if status != 200 else status_of(form)
    return _shown(request, desk, place, form=form, status=status, ways=three)


def _imported(sent: dict[str, Any]) -> Imported:
    written_as = FileForm(sent["form"]) if sent["form"] else None
    return imported(sent["source"], ContractKind(sent["kind"]), name=sent["slug"], form=written_as)


def _previewed(request: HttpRequest, desk: Desk, place: Place, taken: Imported) -> HttpResponse:
    """Show what a file was understood as, beside the form that asks for it."""
    form = ProposalForm(initial=_initial(place) | {"body": as_yaml(taken.body, place.kind)})
    before = place.active.body if place.active else None
    changes: list[ChangeLine] = change_lines(before, taken.body)
    return _shown(request, desk, place, form=form, taken=taken, changes=changes)


def _shown(
    request: HttpRequest, desk: Desk, place: Place, *, form: ProposalForm, status: int = 200, **more: Any
) -> HttpResponse:
    shown: dict[str, Any] = {"form": form, "place": place, "above": _above(desk), **more}
    shown["words"] = words_for(place.kind)
    return show(request, desk, "governance/proposal_new.html", status=status, section="roles", **shown)


def _above(desk: Desk) -> list[tuple[str, str]]:
    prj = desk.seat.public_id
    return [(reverse("project", args=[prj]), desk.seat.project_name), (reverse("roles", args=[prj]), gettext("Roles"))]


def _address(desk: Desk, kind: str, slug: str) -> str:
    return reverse("new_proposal", args=[desk.seat.public_id, kind, slug])


def _place(desk: Desk, kind: str, slug: str) -> Place:
    """Read what holds under a name; raises NotThere for what can be none."""
    if kind not in set(ContractKind):
        raise NotThere.there("{kind}")
    named = ContractKind(kind)
    checked_slug(named, slug)
    with project_scope(desk.acting, read_only=True):
        return Place(named, slug, active_revision(kind, slug))


def _initial(place: Place) -> dict[str, Any]:
    # With the fields that were not there yet when it was written.
    body = blank_body(place.kind, place.slug) | (place.active.body if place.active else {})
    return {"version": place.number, "body": as_yaml(body, place.kind), "risk": Risk.LOW}


def _wish(form: ProposalForm, place: Place, *, draft: bool) -> ProposalWish:
    text = form.wish(place.kind)
    return ProposalWish(
        kind=place.kind,
        slug=place.slug,
        body=text.body,
        title=text.title or "",
        rationale=text.rationale or "",
        base=form.cleaned_data["version"],
        risk=text.risk,
        draft=draft,
    )


def _moved_ways(desk: Desk, place: Place, form: ProposalForm) -> list[Way]:
    """Return what the writer's base said, what holds now, and what they wrote."""
    number, asked = form.cleaned_data["version"], form.wish(place.kind).body
    with project_scope(desk.acting, read_only=True):
        there = Revision.objects.filter(contract__kind=place.kind, contract__slug=place.slug)
        then = there.filter(number=number).first()
    return ways(then.body if then else {}, place.active.body if place.active else {}, asked)
