"""Making a project."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext

from governance.errors import Refusal
from governance.forms import posted, status_of
from governance.models import User
from governance.pages import account_page, blame, done
from governance.project_forms import NewProjectForm
from governance.projects import open_project
from governance.vocabulary import Language


@account_page
def new_project(request: HttpRequest) -> HttpResponse:
    """Any signed-in account may make a project, and is its first owner."""
    form = NewProjectForm(posted(request), initial={"language": _language()})
    if form.is_valid():
        try:
            return _made(request, form)
        except Refusal as refusal:
            blame(form, refusal)
    return render(request, "governance/new_project.html", {"form": form}, status=status_of(form))


def _made(request: HttpRequest, form: NewProjectForm) -> HttpResponse:
    project, _ = open_project(
        form.cleaned_data["name"],
        owner=_account(request),
        now=timezone.now(),
        language=Language(form.cleaned_data["language"]),
        trace_id=request.META["greywind.trace_id"],
    )
    words = gettext("The project is there and you own it. Now connect an agent: it takes five steps.")
    return done(request, words, to=reverse("start", args=[project.public_id]))


def _account(request: HttpRequest) -> User:
    account = request.user
    if not isinstance(account, User):
        raise TypeError("account_page lets nobody in who is not signed in")
    return account


def _language() -> str:
    return Language.EN if (get_language() or "").startswith("en") else Language.ZH_HANS
