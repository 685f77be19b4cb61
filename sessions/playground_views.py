"""The playground: a compile tried out, and what would have to be proposed for it to be so."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy

from governance.errors import Clash, Forbidden, Invalid, NotThere
from governance.forms import posted, status_of
from governance.pages import Desk, blame, project_page, show
from governance.proposal_forms import as_yaml
from governance.vocabulary import ContractKind
from sessions.context.vocabulary import Dialect
from sessions.playground import WhatIf, body_with_caps, present_text, try_out
from sessions.playground_forms import PlaygroundForm
from sessions.playground_reading import Tried, offered, tried

SAYABLE = (Clash, Forbidden, Invalid, NotThere)
FIELDS = {"/role": "role", "/thread_id": "thread", "/budget/profile": "profile", "/budget": "max_input_tokens"}
CONTEXTS = gettext_lazy("Context packets")
LOAD = "load"  # the button that brings the present text into the form


@dataclass(frozen=True, slots=True)
class Proposable:
    """A change that was tried out, as the form of a proposal begins with it."""

    kind: ContractKind
    slug: str
    body: str


@project_page
def playground(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Try a compile out with other texts or figures. Nothing is stored; that something was disclosed is recorded."""
    choices = offered(desk.acting)
    begin = {"role": next(iter(choices.roles), ""), "dialect": Dialect.OPENAI_CHAT.value, **request.GET.dict()}
    if LOAD in request.POST:
        form = PlaygroundForm(initial=_with_present_text(request, desk), offered=choices)
        return _shown(request, desk, form)
    form = PlaygroundForm(posted(request), initial=begin, offered=choices)
    if not form.is_valid():
        return _shown(request, desk, form)
    try:
        drafts = try_out(form.ask(), form.what_if(), acting=desk.acting, phases=form.phases)
    except SAYABLE as refusal:
        blame(form, refusal, fields=FIELDS)
        return _shown(request, desk, form)
    found = tried(desk.acting, drafts)
    return _shown(request, desk, form, found=found, proposals=_proposals(desk, form, found))


def _shown(
    request: HttpRequest,
    desk: Desk,
    form: PlaygroundForm,
    *,
    found: Tried | None = None,
    proposals: Sequence[Proposable] = (),
) -> HttpResponse:
    shown: dict[str, Any] = {"form": form, "found": found, "proposals": proposals, "above": _above(desk)}
    return show(request, desk, "sessions/playground.html", status=status_of(form), section="contexts", **shown)


def _above(desk: Desk) -> Sequence[tuple[str, Any]]:
    prj = desk.seat.public_id
    return [(reverse("project", args=[prj]), desk.seat.project_name), (reverse("contexts", args=[prj]), CONTEXTS)]


def _with_present_text(request: HttpRequest, desk: Desk) -> dict[str, Any]:
    """Return what the form holds, and the text that is in force where another was to be tried."""
    said = request.POST.dict()
    if said.get("text_of") in (ContractKind.ROLE, ContractKind.POLICY):
        kind = ContractKind(said["text_of"])
        body = present_text(desk.acting, kind, _slug(kind, said.get("role", "")))
        said["body"] = as_yaml(body, kind) if body else ""
    return said


def _slug(kind: ContractKind, role: str) -> str:
    """Return which contract of a kind the text of is tried out: the asked role's, or the one policy."""
    return role if kind is ContractKind.ROLE else "default"


def _proposals(desk: Desk, form: PlaygroundForm, found: Tried) -> Sequence[Proposable]:
    """Return what would have to be proposed, for whoever may propose it."""
    wish: WhatIf = form.what_if()
    if not desk.may["propose_contract"]:
        return ()
    asked = []
    if wish.kind is not None and wish.body is not None:
        slug = _slug(wish.kind, form.cleaned_data["role"])
        asked.append(Proposable(wish.kind, slug, as_yaml(wish.body, wish.kind)))
    if wish.caps:
        kind = ContractKind.BUDGET_PROFILE
        body = body_with_caps(desk.acting, found.profile, wish.caps)
        asked.append(Proposable(kind, found.profile, as_yaml(body, kind)))
    return asked
