"""Pages of proposals: looking, deciding, saying, writing the next version, taking back."""

from collections.abc import Sequence
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from governance.contracts import active_revision
from governance.decisions import DecisionWish, decide
from governance.errors import Clash, Forbidden, Invalid, NotThere, Refusal
from governance.forms import posted, status_of
from governance.models import Proposal, Revision
from governance.pages import Desk, done, project_page, refused, show
from governance.proposal_forms import (
    CommentForm,
    DecisionForm,
    EditAndApproveForm,
    ProposalForm,
    WithdrawForm,
    as_yaml,
    blame_text,
)
from governance.proposal_page import ProposalPage, Way, proposal_page, ways
from governance.proposal_reading import find_proposal
from governance.proposal_words import IN_FORCE, NEXT_STEPS, ONE_MORE
from governance.proposals import ProposalWish, comment, edit, propose, rebase, withdraw
from governance.scope import project_scope
from governance.vocabulary import ContractKind, DecisionVerb, Deed, ProposalState, Risk

SAYABLE = (Clash, Forbidden, Invalid)


@project_page
@require_safe
def proposal(request: HttpRequest, desk: Desk, proposal_id: str) -> HttpResponse:
    """What a proposal would change, who said what, and the decision."""
    version = request.GET.get("v", "")
    if version and not (version.isascii() and version.isdigit() and len(version) < 7):
        raise Http404
    page = _page(desk, proposal_id, version=int(version) if version else None)
    return _shown(request, desk, page, next_wanted="from" in request.GET)


@require_POST
@project_page
def decide_proposal(request: HttpRequest, desk: Desk, proposal_id: str) -> HttpResponse:
    """Decide what was seen; what moved meanwhile is shown, with the reviewer's words kept."""
    desk.check(Deed.PROPOSE_CONTRACT)
    editing = request.POST.get("verb") == DecisionVerb.EDIT_AND_APPROVE
    form = (EditAndApproveForm if editing else DecisionForm)(request.POST, auto_id="edited_%s" if editing else "id_%s")
    if not form.is_valid():
        return _shown(request, desk, _page(desk, proposal_id), form=form, status=422)
    try:
        with project_scope(desk.acting):
            row = find_proposal(proposal_id, pointer="{proposal_id}")
            wish = form.wish(ContractKind(row.kind))
            decide(desk.acting, row, wish, now=timezone.now())
            row.refresh_from_db()
    except NotThere:
        raise
    except SAYABLE as refusal:
        return _decide_again(request, desk, proposal_id, form=form, refusal=refusal)
    to = f"{reverse('inbox')}?next={proposal_id}" if form.cleaned_data["next"] else _address(desk, proposal_id)
    return done(request, _outcome(row, wish), to=to)


@require_POST
@project_page
def comment_proposal(request: HttpRequest, desk: Desk, proposal_id: str) -> HttpResponse:
    """Say something about a proposal."""
    desk.check(Deed.PROPOSE_CONTRACT)
    form = CommentForm(request.POST, auto_id="comment_%s")
    if form.is_valid():
        try:
            with project_scope(desk.acting):
                row = find_proposal(proposal_id, pointer="{proposal_id}")
                comment(desk.acting, row, form.cleaned_data["text"], now=timezone.now())
        except Invalid as refusal:
            blame_text(form, refusal)
        else:
            return done(request, gettext("Said; everybody in the project may read it."), to=_address(desk, proposal_id))
    return _shown(request, desk, _page(desk, proposal_id), comment_form=form, status=422)


@require_POST
@project_page
def withdraw_proposal(request: HttpRequest, desk: Desk, proposal_id: str) -> HttpResponse:
    """Take an own proposal back."""
    desk.check(Deed.PROPOSE_CONTRACT)
    form = WithdrawForm(request.POST, auto_id="withdraw_%s")
    if not form.is_valid():
        return _shown(request, desk, _page(desk, proposal_id), withdraw_form=form, status=422)
    try:
        with project_scope(desk.acting):
            row = find_proposal(proposal_id, pointer="{proposal_id}")
            withdraw(desk.acting, row, reason=form.cleaned_data["reason"], now=timezone.now())
    except SAYABLE as refusal:
        return refused(request, refusal, to=_address(desk, proposal_id))
    return done(request, gettext("Withdrawn. Nothing changes."), to=_address(desk, proposal_id))


@project_page
def edit_proposal(request: HttpRequest, desk: Desk, proposal_id: str) -> HttpResponse:
    """Write a proposal's next version; on what holds now, where its base moved."""
    desk.check(Deed.PROPOSE_CONTRACT)
    page, status, moved = _page(desk, proposal_id), 200, False
    form = ProposalForm(posted(request), initial=_written(page))
    if form.is_valid():
        try:
            with project_scope(desk.acting):
                _next_version(desk, page, form)
        except NotThere:
            raise
        except SAYABLE as refusal:
            blame_text(form, refusal)
            page, status, moved = _page(desk, proposal_id), refusal.status, isinstance(refusal, Clash)
            _bind(form, version=page.proposal.version)
        else:
            words = gettext("Stored as the next version. What was approved before no longer counts.")
            return done(request, words, to=_address(desk, proposal_id))
    shown: dict[str, Any] = {"form": form, "page": page, "moved": moved, "above": above_proposal(desk, page)}
    status = status if status != 200 else status_of(form)
    return show(request, desk, "governance/proposal_edit.html", status=status, section="inbox", **shown)


@project_page
def new_proposal(request: HttpRequest, desk: Desk, kind: str, slug: str) -> HttpResponse:
    """Ask for a change of what holds."""
    desk.check(Deed.PROPOSE_CONTRACT)
    active = _active(desk, kind, slug)
    initial = {"version": active.number, "body": as_yaml(active.body), "risk": Risk.LOW}
    form, status, three = ProposalForm(posted(request), initial=initial), 200, list[Way]()
    if form.is_valid():
        try:
            with project_scope(desk.acting):
                made = propose(desk.acting, _wish(form, active), now=timezone.now())
        except SAYABLE as refusal:
            blame_text(form, refusal)
            status = refusal.status
            if refusal.code == "base_moved":
                active = _active(desk, kind, slug)
                three = _moved_ways(desk, active, form)
                _bind(form, version=active.number)
        else:
            words = gettext("Proposed. It waits in the inbox of those who may decide it.")
            return done(request, words, to=_address(desk, made.public_id))
    status = status if status != 200 else status_of(form)
    above = [(reverse("project", args=[desk.seat.public_id]), desk.seat.project_name)]
    shown: dict[str, Any] = {"form": form, "active": active, "kind": ContractKind(kind), "ways": three, "above": above}
    return show(request, desk, "governance/proposal_new.html", status=status, section="roles", **shown)


def above_proposal(desk: Desk, page: ProposalPage) -> Sequence[tuple[str, str]]:
    """Return the way down to what lies below a proposal."""
    here = reverse("project", args=[desk.seat.public_id])
    return [(here, desk.seat.project_name), (_address(desk, page.proposal.public_id), page.title)]


def _page(desk: Desk, proposal_id: str, *, version: int | None = None) -> ProposalPage:
    with project_scope(desk.acting, read_only=True):
        return proposal_page(desk.acting, proposal_id, version=version)


def _shown(
    request: HttpRequest,
    desk: Desk,
    page: ProposalPage,
    *,
    status: int = 200,
    form: DecisionForm | None = None,
    next_wanted: bool = False,
    **shown: Any,
) -> HttpResponse:
    """Show the page; of its two decision forms the one that was sent keeps what it holds."""
    seen = {"version": page.text.version, "seen_hash": page.seen.seen_hash, "next": next_wanted}
    editing = isinstance(form, EditAndApproveForm)
    edited = (
        form if editing else EditAndApproveForm(initial=seen | {"body": as_yaml(page.text.body)}, auto_id="edited_%s")
    )
    plain = form if form is not None and not editing else DecisionForm(initial=seen)
    forms: dict[str, Any] = {"form": plain, "edit_form": edited, "editing": editing}
    forms |= {"comment_form": CommentForm(auto_id="comment_%s"), "withdraw_form": WithdrawForm(auto_id="withdraw_%s")}
    above = [(reverse("project", args=[desk.seat.public_id]), desk.seat.project_name)]
    context: dict[str, Any] = {"page": page, "ways": page.ways, "above": above} | forms | shown
    return show(request, desk, "governance/proposal.html", status=status, section="inbox", **context)


def _decide_again(
    request: HttpRequest, desk: Desk, proposal_id: str, *, form: DecisionForm, refusal: Refusal
) -> HttpResponse:
    """Show what stands now beside what the reviewer wrote, which is kept and bound to what is seen now."""
    blame_text(form, refusal)
    page = _page(desk, proposal_id)
    shown: dict[str, Any] = {}
    if refusal.code == "proposal_moved":
        extra = refusal.extra
        shown = {"moved": True, "ways": ways(extra["base_then"] or {}, extra["base_now"] or {}, extra["theirs"])}
        _bind(form, version=page.text.version, seen_hash=page.seen.seen_hash)
    return _shown(request, desk, page, form=form, status=refusal.status, **shown)


def _bind(form: DecisionForm | ProposalForm, **now: Any) -> None:
    """Let a form that is shown again speak of what its page shows."""
    kept = cast("QueryDict", form.data).copy()
    for name, value in now.items():
        kept[name] = str(value)
    form.data = kept


def _outcome(row: Proposal, wish: DecisionWish) -> Any:
    return NEXT_STEPS.get(wish.verb) or (IN_FORCE if row.state == ProposalState.APPROVED else ONE_MORE)


def _address(desk: Desk, proposal_id: str) -> str:
    return reverse("proposal", args=[desk.seat.public_id, proposal_id])


def _written(page: ProposalPage) -> dict[str, Any]:
    text = page.text
    written = {"version": text.version, "title": text.title, "rationale": text.rationale, "risk": text.risk}
    return written | {"body": as_yaml(text.body)}


def _next_version(desk: Desk, page: ProposalPage, form: ProposalForm) -> None:
    wish, seen = form.wish(page.kind), form.cleaned_data["version"]
    write = rebase if page.moved else edit
    write(desk.acting, page.proposal, wish, expected_version=seen, now=timezone.now())


def _active(desk: Desk, kind: str, slug: str) -> Revision:
    """Read what holds; raises NotThere."""
    with project_scope(desk.acting, read_only=True):
        found = active_revision(kind, slug)
    if found is None:
        raise NotThere.there("{slug}")
    return found


def _wish(form: ProposalForm, active: Revision) -> ProposalWish:
    kind = ContractKind(active.contract.kind)
    text = form.wish(kind)
    return ProposalWish(
        kind=kind,
        slug=active.contract.slug,
        body=text.body,
        title=text.title or "",
        rationale=text.rationale or "",
        base=form.cleaned_data["version"],
        risk=text.risk,
    )


def _moved_ways(desk: Desk, active: Revision, form: ProposalForm) -> list[Way]:
    """Return what the writer's base said, what holds now, and what they wrote."""
    number, asked = form.cleaned_data["version"], form.wish(ContractKind(active.contract.kind)).body
    with project_scope(desk.acting, read_only=True):
        then = Revision.objects.filter(contract=active.contract, number=number).first()
    return ways(then.body if then else {}, active.body, asked)
