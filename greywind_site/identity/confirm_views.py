"""Confirming who one is, once more, before something that weighs much."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters

from governance.models import User
from governance.pages import account_page, done
from governance.stepping import KEPT, note_proof
from greywind_site.identity.entering import safe
from greywind_site.identity.factors import factors_of
from greywind_site.identity.forms import CodeForm, ConfirmForm
from greywind_site.identity.judging import Verdict, judge_password, judge_second_factor


@sensitive_post_parameters()
@account_page
def confirm(request: HttpRequest) -> HttpResponse:
    """Ask for a second factor, or for the password of an account that has none; then go back to where it was asked."""
    account = signed_in(request)
    to = safe(request, request.POST.get("to") or request.GET.get("to", ""), otherwise="security")
    factors = factors_of(account)
    verdict = _judged(request, account, strong=factors.any) if request.method == "POST" else Verdict()
    if verdict.kind:
        note_proof(request, verdict.kind)
        return done(request, _next_step(request), to=to)
    shown: dict[str, Any] = {
        "code_form": CodeForm(),
        "password_form": ConfirmForm(),
        "factors": factors,
        "by_password": not factors.any and account.has_usable_password(),
        "to": to,
        "verdict": verdict,
        "cancel": reverse("home") if to == reverse("security") else to,
    }
    return verdict.marked(render(request, "identity/confirm.html", shown, status=verdict.status))


def _next_step(request: HttpRequest) -> str:
    if KEPT in request.session:
        return gettext("Confirmed. Nothing was sent yet: your text is here again. Look once more, then send it.")
    return gettext("Confirmed. For the next minutes you are not asked again.")


def _judged(request: HttpRequest, account: User, *, strong: bool) -> Verdict:
    if not strong:
        return judge_password(request, account, request.POST.get("password", ""))
    return judge_second_factor(request, account)


def signed_in(request: HttpRequest) -> User:
    """Return the account that looks at an `account_page`."""
    if not isinstance(request.user, User):
        raise TypeError("account_page lets nobody in who is not signed in")
    return request.user
