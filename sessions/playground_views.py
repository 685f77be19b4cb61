"""The playground: a compile tried out, and what would have to be proposed for it to be so."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from governance.errors import Clash, Forbidden, Invalid, NotThere
from governance.forms import posted, status_of
from governance.pages import Desk, blame, project_page, show
from governance.proposal_forms import as_yaml
from governance.schemas import checked_body
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from sessions.context.vocabulary import Dialect
from sessions.playground import OtherText, older_revisions, standing_text, try_out
from sessions.playground_changes import Change, changes_of, slugs_for
from sessions.playground_choices import offered
from sessions.playground_forms import OLDER, Offered, PlaygroundForm, older_field
from sessions.playground_reading import Tried, tried

SAYABLE = (Clash, Forbidden, Invalid, NotThere)
FIELDS = {
    "/role": "role",
    "/thread_id": "thread",
    "/task_id": "task",
    "/budget/profile": "profile",
    "/budget": "max_input_tokens",
}
CONTEXTS = gettext_lazy("Context packets")
LOAD = "load"  # in an address: the form comes back with more in it, and nothing is tried yet
TEXT = "text"  # what a button loads: the text that holds; anything else is what can be chosen now
NO_KIND = gettext_lazy("Say first whose text it is.")
NO_TEXT = gettext_lazy("There is no such text: none was ever approved.")


@project_page
def playground(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Try a compile out with other texts or figures. Nothing is stored; that something was disclosed is recorded."""
    if request.method == "POST" and LOAD in request.GET:
        return _loaded(request, desk)
    said = {"dialect": Dialect.OPENAI_CHAT.value, **(request.POST or request.GET).dict()}
    choices = offered(desk.acting, said)
    form = PlaygroundForm(posted(request), initial=_begun(said, choices), offered=choices)
    if not form.is_valid():
        return _shown(request, desk, form)
    older = _older_texts(desk, form)
    if form.errors:
        return _shown(request, desk, form)
    wish = form.what_if(older)
    try:
        drafts = try_out(form.ask(), wish, acting=desk.acting, phases=form.phases)
    except SAYABLE as refusal:
        blame(form, refusal, fields=FIELDS)
        return _shown(request, desk, form)
    found = tried(desk.acting, drafts)
    slugs = slugs_for(role=form.cleaned_data["role"], profile=found.profile)
    return _shown(request, desk, form, found=found, changes=changes_of(desk.acting, wish, slugs))


def _loaded(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Show the form as it is, with what can be chosen for its thread and role, or with the text that holds."""
    said, untold = request.POST.dict(), None
    choices = offered(desk.acting, said)
    if request.GET[LOAD] == TEXT:
        said, untold = _with_present_text(desk, said, choices)
    form = PlaygroundForm(initial=_begun(said, choices), offered=choices)
    return _shown(request, desk, form, untold=untold)


def _shown(
    request: HttpRequest,
    desk: Desk,
    form: PlaygroundForm,
    *,
    found: Tried | None = None,
    changes: Sequence[Change] = (),
    untold: Promise | None = None,
) -> HttpResponse:
    shown: dict[str, Any] = {"form": form, "found": found, "changes": changes, "untold": untold, "above": _above(desk)}
    return show(
        request,
        desk,
        "sessions/playground.html",
        status=status_of(form),
        part="choices",
        section="contexts",
        **shown,
    )


def _above(desk: Desk) -> Sequence[tuple[str, Any]]:
    prj = desk.seat.public_id
    return [(reverse("project", args=[prj]), desk.seat.project_name), (reverse("contexts", args=[prj]), CONTEXTS)]


def _begun(said: Mapping[str, str], choices: Offered) -> dict[str, str]:
    return {"role": next(iter(choices.roles), ""), **said}


def _with_present_text(desk: Desk, said: dict[str, str], choices: Offered) -> tuple[dict[str, str], Promise | None]:
    """Return what the form holds with the text that is in force, or why there is none to bring."""
    if said.get("text_of") not in (ContractKind.ROLE, ContractKind.POLICY):
        return said, NO_KIND
    kind = ContractKind(said["text_of"])
    role = said.get("role", "")
    slug = slugs_for(role=role if role in choices.roles else "", profile="")[kind]
    with project_scope(desk.acting, read_only=True):
        body = standing_text(kind, slug)
    return (said | {"body": as_yaml(body, kind)}, None) if body else (said, NO_TEXT)


def _older_texts(desk: Desk, form: PlaygroundForm) -> Mapping[ContractKind, OtherText]:
    """Return the texts of the older revisions that are to hold; one that may hold no more is said beside its field."""
    ids, texts = form.older(), {}
    for revision in older_revisions(desk.acting, ids.values()) if ids else ():
        kind = ContractKind(revision.contract.kind)
        try:
            texts[kind] = OtherText(checked_body(kind, revision.body), older=revision)
        except Invalid:
            words = gettext("What it says is no longer allowed, so it can neither be tried nor hold again.")
            form.add_error(older_field(kind), words)
    return {kind: texts[kind] for kind in OLDER if kind in texts}
