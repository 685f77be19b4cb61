"""Pages of proposals: looking, deciding, saying, writing the next version, taking back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from governance.change_reading import ways
from governance.decisions import DecisionWish, decide
from governance.errors import Clash, Forbidden, Invalid, NotThere, Refusal, StepUpNeeded
from governance.forms import posted, status_of
from governance.models import Proposal
from governance.pages import Desk, done, next_in_inbox, project_page, refused, show
from governance.proposal_forms import (
    CommentForm,
    DecisionForm,
    EditAndApproveForm,
    ProposalForm,
    WithdrawForm,
    as_yaml,
    blame_text,
    words_for,
)
from governance.proposal_page import ProposalPage, proposal_page
from governance.proposal_reading import find_proposal, text_of
from governance.proposal_texts import worded
from governance.proposal_words import ASKED, IN_FORCE, NEXT_STEPS, ONE_MORE, TAKEN_UP
from governance.proposals import comment, edit, open_for_decision, rebase, withdraw
from governance.scope import project_scope
from governance.stepping import ask, fresh_enough, kept_form, proof_of
from governance.vocabulary import DecisionVerb, Deed, ProposalKind, ProposalState, Risk

SAYABLE = (Clash, Forbidden, Invalid)


@project_page
@require_safe
def proposal(request: HttpRequest, desk: Desk, proposal_id: str) -> HttpResponse:
    """What a proposal would change, who said what, and the decision."""
    page = _page(desk, proposal_id, version=version_asked(request))
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
            body = text_of(row, row.version).body
            wish = replace(form.wish(ProposalKind(row.kind), body), proof=proof_of(request))
            decide(desk.acting, row, wish, now=timezone.now())
            row.refresh_from_db()
    except NotThere:
        raise
    except StepUpNeeded:
        return ask(request, back=_address(desk, proposal_id), keep=request.POST)
    except SAYABLE as refusal:
        return _decide_again(request, desk, proposal_id, form=form, refusal=refusal)
    to = next_in_inbox(form, proposal_id) if form.cleaned_data["next"] else _address(desk, proposal_id)
    return done(request, _outcome(row, wish), to=to, decided=_address(desk, proposal_id))


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


@require_POST
@project_page
def open_proposal(request: HttpRequest, desk: Desk, proposal_id: str) -> HttpResponse:
    """Put an own draft on the desk of those who may decide it."""
    desk.check(Deed.PROPOSE_CONTRACT)
    try:
        with project_scope(desk.acting):
            row = find_proposal(proposal_id, pointer="{proposal_id}")
            open_for_decision(desk.acting, row, now=timezone.now())
    except SAYABLE as refusal:
        return refused(request, refusal, to=_address(desk, proposal_id))
    return done(request, ASKED, to=_address(desk, proposal_id))


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
            form.say_instead(version=str(page.proposal.version))
        else:
            words = gettext("Stored as the next version. What was approved before no longer counts.")
            return done(request, words, to=_address(desk, proposal_id))
    shown: dict[str, Any] = {"form": form, "page": page, "moved": moved, "above": above_proposal(desk, page)}
    shown["words"] = words_for(page.kind)
    status = status if status != 200 else status_of(form)
    return show(request, desk, "governance/proposal_edit.html", status=status, section="inbox", **shown)


def version_asked(request: HttpRequest) -> int | None:
    """Return the version of a proposal that an address asks for, None for the present one; raises Http404."""
    version = request.GET.get("v", "")
    if version and not (version.isascii() and version.isdigit() and len(version) < 7):
        raise Http404
    return int(version) if version else None


def above_proposal(desk: Desk, page: ProposalPage) -> Sequence[tuple[str, str]]:
    """Return the way down to what lies below a proposal."""
    here = reverse("project", args=[desk.seat.public_id])
    return [(here, desk.seat.project_name), (_address(desk, page.proposal.public_id), str(page.title))]


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
    kept = kept_form(request)
    seen = {"version": page.text.version, "seen_hash": page.seen.seen_hash, "next": next_wanted, **kept}
    editing = isinstance(form, EditAndApproveForm)
    edited = (
        form
        if editing
        else EditAndApproveForm(initial={"body": as_yaml(page.text.body, page.kind)} | seen, auto_id="edited_%s")
    )
    plain = form if form is not None and not editing else DecisionForm(initial=seen)
    editing = editing or kept.get("verb") == DecisionVerb.EDIT_AND_APPROVE
    forms: dict[str, Any] = {"form": plain, "edit_form": edited, "editing": editing, "kept": kept}
    forms["asks_first"] = page.risk == Risk.HIGH and not fresh_enough(request)
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
        texts = (extra["base_then"], extra["base_now"], extra["theirs"])
        shown = {"moved": True, "ways": ways(*(worded(page.kind, text or {}) for text in texts))}
        form.say_instead(version=str(page.text.version), seen_hash=page.seen.seen_hash)
    return _shown(request, desk, page, form=form, status=refusal.status, **shown)


def _outcome(row: Proposal, wish: DecisionWish) -> Any:
    approved = TAKEN_UP.get(ProposalKind(row.kind), IN_FORCE)
    return NEXT_STEPS.get(wish.verb) or (approved if row.state == ProposalState.APPROVED else ONE_MORE)


def _address(desk: Desk, proposal_id: str) -> str:
    return reverse("proposal", args=[desk.seat.public_id, proposal_id])


def _written(page: ProposalPage) -> dict[str, Any]:
    text = page.text
    written = {"version": text.version, "title": text.title, "rationale": text.rationale, "risk": text.risk}
    return written | {"body": as_yaml(text.body, page.kind)}


def _next_version(desk: Desk, page: ProposalPage, form: ProposalForm) -> None:
    wish, seen = form.wish(page.kind, page.text.body), form.cleaned_data["version"]
    write = rebase if page.moved else edit
    write(desk.acting, page.proposal, wish, expected_version=seen, now=timezone.now())
