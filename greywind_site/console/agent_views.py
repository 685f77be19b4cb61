"""Agents and their keys: the list, and one agent."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from governance.agent_forms import AgentForm
from governance.agent_views import agent_at
from governance.agents import rename_agent, set_roles
from governance.errors import Clash, Refusal
from governance.exports import export_asked, exports_at
from governance.forms import posted, status_of
from governance.marks import check_mark, mark_of
from governance.models import Actor
from governance.pages import Desk, blame, done, project_page, show
from governance.scope import project_scope
from governance.vocabulary import Deed
from greywind_site.console.agent_exports import agents_export
from greywind_site.console.crew import AgentFacts, agent_facts, crew_of


@project_page
@require_safe
def agents(request: HttpRequest, desk: Desk) -> HttpResponseBase:
    """Every agent with its roles and keys; every member may see it, and no secret is there to see. With `as` it is a
    file, a line for each key.
    """
    lines = crew_of(desk.acting, now=timezone.now())
    form = export_asked(request)
    if form is not None:
        return agents_export(lines, form)
    return show(request, desk, "console/agents.html", section="agents", lines=lines, exports=exports_at(""))


@project_page
def agent(request: HttpRequest, desk: Desk, agent_id: str) -> HttpResponse:
    """One agent: its keys, its last work, and for owners its name and roles to change."""
    facts = agent_facts(desk.acting, agent_id, now=timezone.now())
    form, status = _form(request, facts), None
    if request.method == "POST":
        desk.check(Deed.MANAGE_AGENTS)
    if form.is_valid():
        try:
            _change(desk, agent_id, form)
        except Refusal as refusal:
            blame(form, refusal, fields={"/roles": "first_role"})
            status = 409 if isinstance(refusal, Clash) else None
        else:
            words = gettext("The agent is changed. It acts in its new roles from its next attempt on.")
            return done(request, words, to=reverse("agent", args=[desk.seat.public_id, agent_id]))
    return show(
        request,
        desk,
        "console/agent.html",
        status=status or status_of(form),
        section="agents",
        facts=facts,
        form=form,
        mark=_mark(facts.line.agent),
    )


def _form(request: HttpRequest, facts: AgentFacts) -> AgentForm:
    held = facts.line.agent.roles
    initial = {"name": facts.line.agent.name, "first_role": held[0] if held else "", "other_roles": held[1:]}
    # A role that lost its contract is still shown as held, so that it can be taken away.
    return AgentForm(posted(request), initial=initial, roles=sorted({*facts.roles, *held}))


def _change(desk: Desk, agent_id: str, form: AgentForm) -> None:
    with project_scope(desk.acting):
        found = agent_at(agent_id)
        check_mark(form.cleaned_data["seen"], found.name, *found.roles)
        if form.cleaned_data["name"] != found.name:
            rename_agent(desk.acting, found, form.cleaned_data["name"])
        if form.held != found.roles:
            set_roles(desk.acting, found, form.held)


def _mark(agent: Actor) -> str:
    return mark_of(agent.name, *agent.roles)
