"""The first-run page: five steps from an empty project to a correction that the next packet carries."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from governance.agent_forms import NewAgentForm
from governance.agent_views import make_agent
from governance.errors import Refusal
from governance.forms import posted, status_of
from governance.keys import MintedKey
from governance.pages import Desk, blame, done, project_page, show
from governance.vocabulary import Deed
from greywind_site.console.connecting import server_of, ways
from greywind_site.console.first_run import FirstRun, first_run_of

# Every few seconds, for about ten minutes: a page that was left open does not ask for ever.
MOST_LOOKS = 150


@project_page
def start(request: HttpRequest, desk: Desk) -> HttpResponse:
    """The steps and how far the project is. What was just minted is in the snippets of this one answer."""
    form, minted = NewAgentForm(posted(request), roles=()), None
    if request.method == "POST":
        desk.check(Deed.MANAGE_AGENTS)
        form = NewAgentForm(request.POST, roles=first_run_of(desk.acting, now=timezone.now()).roles)
        minted = _made(desk, form)
        if not form.errors and minted is None:
            words = gettext("The agent is there. Make a key for it when it is to begin.")
            return done(request, words, to=reverse("start", args=[desk.seat.public_id]))
    run = first_run_of(desk.acting, now=timezone.now())
    if not form.is_bound:
        form = NewAgentForm(roles=run.roles)
    return show(
        request,
        desk,
        "console/start.html",
        part="progress",
        status=status_of(form),
        section="overview",
        run=run,
        form=form,
        minted=minted,
        ways=ways(server_of(request, minted.secret if minted else None)),
        **_watching(request, run),
    )


def _made(desk: Desk, form: NewAgentForm) -> MintedKey | None:
    """The key of the agent that the form asks for; None with the reasons in the form, or when it asks for no key."""
    if not form.is_valid():
        return None
    try:
        _, minted = make_agent(desk, form)
    except Refusal as refusal:
        blame(form, refusal, fields={"/roles": "first_role"})
        return None
    return minted


def _watching(request: HttpRequest, run: FirstRun) -> dict[str, object]:
    """How often the page has looked by itself, and whether it goes on: not when told to stop, nor without end."""
    asked = request.GET.get("look", "1")
    looks = int(asked) if asked.isdecimal() and len(asked) < 5 else 0
    return {"next_look": looks + 1, "watching": run.waits and 0 < looks < MOST_LOOKS}
