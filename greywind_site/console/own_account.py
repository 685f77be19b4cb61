"""The account's own page: how pages speak to it, and its password."""

from typing import Any, override
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import override as speaking
from django.views.decorators.debug import sensitive_post_parameters

from governance.accounts import choose_password, set_preferences
from governance.forms import ConsoleForm, posted, status_of
from governance.models import User
from governance.pages import account_page, done
from governance.project_forms import LANGUAGES
from governance.stepping import ask, fresh_enough
from governance.vocabulary import Language
from greywind_site.console.account_views import keep_look
from greywind_site.console.look import COOKIE, FOLLOW_SYSTEM, LOOKS
from greywind_site.console.words import word
from greywind_site.identity.browsers import end_others, list_browser
from greywind_site.identity.confirm_views import signed_in
from greywind_site.identity.entering import A_YEAR
from greywind_site.identity.factors import has_second_factor


def zones() -> list[tuple[str, str]]:
    """Return the time zones by the names of their places, UTC first."""
    return [("UTC", "UTC"), *((name, name) for name in sorted(available_timezones()) if _is_a_place(name))]


def _is_a_place(name: str) -> bool:
    return "/" in name and not name.startswith(("Etc/", "SystemV/", "US/", "posix", "right"))


class AccountForm(ConsoleForm):
    """Time zone, language and look."""

    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"), choices=zones, help_text=gettext_lazy("In which all times are shown to you.")
    )
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=LANGUAGES)
    look = forms.ChoiceField(label=gettext_lazy("Appearance"), choices=[(look, word(look)) for look in LOOKS])


class OwnPasswordForm(ConsoleForm, PasswordChangeForm):
    """Django's form, in the house style."""

    @override
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["new_password1"].help_text = gettext_lazy(
            "At least 12 characters, unlike your name, and none of the passwords that everybody tries first."
        )
        self.fields["new_password2"].help_text = ""


@account_page
def account(request: HttpRequest) -> HttpResponse:
    """Who is signed in, and what they set for themselves."""
    user = signed_in(request)
    initial = {
        "time_zone": user.time_zone,
        "language": user.language or request.LANGUAGE_CODE,
        "look": request.COOKIES.get(COOKIE, FOLLOW_SYSTEM),
    }
    form = AccountForm(posted(request), initial=initial)
    if form.is_valid():
        return _kept(request, user, form.cleaned_data)
    return render(request, "console/account.html", {"form": form}, status=status_of(form))


def _kept(request: HttpRequest, user: User, wanted: dict[str, str]) -> HttpResponse:
    language = Language(wanted["language"])
    set_preferences(user, time_zone=wanted["time_zone"], language=language)
    with speaking(language):
        response = done(request, gettext("Stored; pages look like this from now on."), to=reverse("account"))
    response.set_cookie(settings.LANGUAGE_COOKIE_NAME, language, max_age=A_YEAR, samesite="Lax")
    keep_look(response, wanted["look"])
    return response


@sensitive_post_parameters()
@account_page
def change_password(request: HttpRequest) -> HttpResponse:
    """Choose another password; other browsers that are signed in with the old one are signed out."""
    user = signed_in(request)
    if not user.must_change_password and has_second_factor(user) and not fresh_enough(request):
        return ask(request, back=request.path)
    form = OwnPasswordForm(user, posted(request))
    if form.is_valid():
        choose_password(user, form.cleaned_data["new_password1"], trace_id=request.META["greywind.trace_id"])
        end_others(request, user)
        update_session_auth_hash(request, user)
        list_browser(request, user)
        words = gettext("The new password counts from now on. Other browsers have to sign in again.")
        return done(request, words, to=reverse("home"))
    first = user.must_change_password
    return render(request, "console/password.html", {"form": form, "first": first}, status=status_of(form))
