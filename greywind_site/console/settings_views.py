"""Settings of a project."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext

from governance.errors import Clash, Refusal
from governance.forms import posted, status_of
from governance.marks import check_mark, mark_of
from governance.models import Project
from governance.pages import Desk, blame, done, project_page, show
from governance.project_forms import SettingsForm
from governance.projects import limit_project, rename_project
from governance.scope import project_scope
from governance.vocabulary import Deed
from sessions.least_packet import least_tokens


@project_page
def project_settings(request: HttpRequest, desk: Desk) -> HttpResponse:
    """The project's name and its cap on packets, for owners; with the profile of requests that name none."""
    desk.check(Deed.MANAGE_PROJECT)
    with project_scope(desk.acting, read_only=True):
        project = Project.objects.get(pk=desk.acting.project_id)
    initial = {"name": project.name, "max_input_tokens": project.max_input_tokens}
    form, status = SettingsForm(posted(request), initial=initial), None
    if form.is_valid() and _has_room(desk, form, project):
        try:
            _change(desk, form)
        except Refusal as refusal:
            blame(form, refusal)
            status = 409 if isinstance(refusal, Clash) else None
        else:
            words = gettext("The settings are stored; they count from the next request on.")
            return done(request, words, to=reverse("project_settings", args=[desk.seat.public_id]))
    return show(
        request,
        desk,
        "console/settings.html",
        status=status or status_of(form),
        section="settings",
        form=form,
        project=project,
        mark=_mark(project),
    )


def _has_room(desk: Desk, form: SettingsForm, project: Project) -> bool:
    """Whether a new cap leaves room for what every packet holds; where it does not, the form says how much that is."""
    cap = form.cleaned_data["max_input_tokens"]
    if cap is None or cap == project.max_input_tokens:
        return True
    with project_scope(desk.acting, read_only=True):
        least = least_tokens()
    if least is None or cap >= least.tokens:
        return True
    words = gettext(
        "No packet of the role “%(role)s” would fit: persona, policy and role contract alone take %(tokens)s tokens. "
        "Write at least that, or leave the field empty."
    )
    form.add_error("max_input_tokens", words % {"role": least.role, "tokens": least.tokens})
    return False


def _change(desk: Desk, form: SettingsForm) -> None:
    wanted = form.cleaned_data
    with project_scope(desk.acting):
        project = Project.objects.select_for_update().get(pk=desk.acting.project_id)
        check_mark(wanted["seen"], project.name, project.max_input_tokens)
        if wanted["name"] != project.name:
            rename_project(desk.acting, wanted["name"])
        if wanted["max_input_tokens"] != project.max_input_tokens:
            limit_project(desk.acting, wanted["max_input_tokens"])


def _mark(project: Project) -> str:
    return mark_of(project.name, project.max_input_tokens)
