"""Making an agent, and switching one off and on."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.agent_forms import NO_KEY, NewAgentForm
from governance.agents import add_agent, find_agent, known_roles, set_active
from governance.errors import Refusal
from governance.forms import posted, status_of
from governance.ids import public_id
from governance.keys import MintedKey, issue
from governance.models import Actor
from governance.pages import Desk, blame, done, id_in_path, project_page, show
from governance.scope import project_scope
from governance.vocabulary import PRESET_SCOPES, Deed, KeyPreset


def agent_at(agent_id: str) -> Actor:
    """Return the agent of the open scope with this id in an address; raises NotThere, and Http404 for no id at all."""
    return find_agent(public_id("act", id_in_path("act", agent_id)), pointer="{agent_id}")


@project_page
def new_agent(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Make an agent, and its first key in the same step; the key is on this one answer and nowhere else."""
    desk.check(Deed.MANAGE_AGENTS)
    with project_scope(desk.acting, read_only=True):
        roles = known_roles()
    form = NewAgentForm(posted(request), roles=roles)
    if form.is_valid():
        try:
            agent, minted = make_agent(desk, form)
        except Refusal as refusal:
            blame(form, refusal, fields={"/roles": "first_role"})
        else:
            return _made(request, desk, agent, minted=minted)
    return show(
        request, desk, "governance/new_agent.html", status=status_of(form), section="agents", form=form, roles=roles
    )


def make_agent(desk: Desk, form: NewAgentForm) -> tuple[Actor, MintedKey | None]:
    """Make the agent of a valid form with the key that it asks for, both or neither. Raises what the verbs raise."""
    now, preset = timezone.now(), form.cleaned_data["key"]
    with project_scope(desk.acting):
        agent = add_agent(desk.acting, form.cleaned_data["name"], roles=form.held, now=now)
        if preset == NO_KEY:
            return agent, None
        return agent, issue(desk.acting, agent, scopes=PRESET_SCOPES[KeyPreset(preset)], now=now)


def _made(request: HttpRequest, desk: Desk, agent: Actor, *, minted: MintedKey | None) -> HttpResponse:
    if minted is None:
        to = reverse("agent", args=[desk.seat.public_id, agent.public_id])
        return done(request, gettext("The agent is there. Make a key for it when it is to begin."), to=to)
    return show(request, desk, "governance/key_made.html", section="agents", agent=agent, minted=minted)


@require_POST
@project_page
def switch_agent(request: HttpRequest, desk: Desk, agent_id: str) -> HttpResponse:
    """Switch an agent off, and with it every key that it has, or on again."""
    desk.check(Deed.MANAGE_AGENTS)
    active = request.POST.get("active") == "yes"
    with project_scope(desk.acting):
        set_active(desk.acting, agent_at(agent_id), active=active)
    words = (
        gettext("The agent is on again; its living keys open the project.")
        if active
        else gettext("The agent is off: none of its keys opens anything until it is switched on.")
    )
    return done(request, words, to=reverse("agent", args=[desk.seat.public_id, agent_id]))
