"""Pages of budget profiles: the list, one profile with every figure's origin, and the form that asks for a change."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from governance.errors import Clash, Forbidden, Invalid
from governance.exports import as_file
from governance.forms import posted, status_of
from governance.models import Project
from governance.pages import Desk, blame, done, project_page, show
from governance.proposal_words import ASKED
from governance.proposals import ProposalWish, propose
from governance.schemas import checked_body
from governance.scope import project_scope
from governance.vocabulary import ContractKind, Deed, Phase, Risk
from sessions.budget_chart import window_bar
from sessions.budget_forms import BudgetForm
from sessions.budget_json import profile_json, profiles_json
from sessions.budget_reading import ProfileLine, ProfilePage, find_profile, profile_lines, profile_page
from sessions.effect_reading import MOST_PACKETS, Effect, effect_on_profile

SECTION = "budgets"
DOWNLOAD = "download"  # in an address: the same as a file
PREVIEW = "preview"  # in the address of a form: what it would do, and nothing is asked for


@project_page
@require_safe
def budgets(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Every profile: window, counting and how sure that is, caps, thresholds, what recent packets came to."""
    with project_scope(desk.acting, read_only=True):
        lines = profile_lines(_project(desk))
    if DOWNLOAD in request.GET:
        return as_file(profiles_json(lines), "budgets.json", "application/json")
    shown: dict[str, Any] = {"lines": lines, "above": _above(desk)}
    return show(request, desk, "sessions/budgets.html", section=SECTION, **shown)


@project_page
@require_safe
def budget(request: HttpRequest, desk: Desk, profile: str) -> HttpResponse:
    """One profile: reserves drawn to the window, layers with floors and caps, origins, what was learnt, versions."""
    page = _page(request, desk, profile)
    if DOWNLOAD in request.GET:
        return as_file(profile_json(page), f"{page.line.slug}.json", "application/json")
    shown: dict[str, Any] = {"page": page, "bar": window_bar(page.budget), "phases": list(Phase), "risks": list(Risk)}
    return show(request, desk, "sessions/budget.html", section=SECTION, above=_above(desk, here=False), **shown)


@project_page
def propose_budget(request: HttpRequest, desk: Desk, profile: str) -> HttpResponse:
    """Ask for a change of a profile, or look first at what it would do to the last packets.

    Sums over the window are refused here, with their figures.
    """
    desk.check(Deed.PROPOSE_CONTRACT)
    with project_scope(desk.acting, read_only=True):
        line = find_profile(_project(desk), profile)
    form, status = BudgetForm(posted(request), body=line.body, version=line.revision or 0), 200
    if form.is_bound and PREVIEW in request.GET:
        return _shown(request, desk, line, form, effect=_effect(desk, line, form))
    if form.is_valid():
        try:
            with project_scope(desk.acting):
                made = propose(desk.acting, _wish(form, line), now=timezone.now())
        except Invalid as refusal:
            form.blame_body(refusal)
        except (Clash, Forbidden) as refusal:
            blame(form, refusal)
            status = refusal.status
        else:
            return done(request, ASKED, to=reverse("proposal", args=[desk.seat.public_id, made.public_id]))
    return _shown(request, desk, line, form, status=status)


def _shown(
    request: HttpRequest, desk: Desk, line: ProfileLine, form: BudgetForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    status = status if status != 200 else status_of(form)
    shown: dict[str, Any] = {"line": line, "form": form, "most": MOST_PACKETS, "above": _above(desk, line.slug), **more}
    return show(request, desk, "sessions/budget_propose.html", status=status, part="asked", section=SECTION, **shown)


def _effect(desk: Desk, line: ProfileLine, form: BudgetForm) -> Effect | None:
    """Work out what the figures of a form would do, without storing them; None where it says what is wrong."""
    if not form.figures_are_right():
        return None
    try:
        body = checked_body(ContractKind.BUDGET_PROFILE, form.body())
    except Invalid as refusal:
        form.blame_body(refusal)
        return None
    if body == line.body:
        form.add_error(None, gettext("No figure differs from what holds; change one to see what it would do."))
        return None
    with project_scope(desk.acting, read_only=True):
        return effect_on_profile(line.slug, line.body if line.revision else None, body)


def _project(desk: Desk) -> Project:
    return Project.objects.get(pk=desk.acting.project_id)


def _page(request: HttpRequest, desk: Desk, profile: str) -> ProfilePage:
    """Read a profile under the phase and risk of the address; what is none of these is execution at low risk."""
    phase, risk = request.GET.get("phase", ""), request.GET.get("risk", "")
    with project_scope(desk.acting, read_only=True):
        return profile_page(
            _project(desk),
            profile,
            phase=Phase(phase) if phase in set(Phase) else Phase.EXECUTE,
            risk=Risk(risk) if risk in set(Risk) else Risk.LOW,
        )


def _wish(form: BudgetForm, line: ProfileLine) -> ProposalWish:
    sent = form.cleaned_data
    return ProposalWish(
        kind=ContractKind.BUDGET_PROFILE,
        slug=line.slug,
        body=form.body(),
        title=sent["title"],
        rationale=sent["rationale"],
        base=sent["version"],
    )


def _above(desk: Desk, *further: str, here: bool = True) -> list[tuple[str, str]]:
    prj = desk.seat.public_id
    way = [(reverse("project", args=[prj]), desk.seat.project_name)]
    if further or not here:
        way.append((reverse("budgets", args=[prj]), gettext("Budgets")))
    return way + [(reverse("budget", args=[prj, name]), name) for name in further]
