"""Signing in by what is not a password: the second step, and passkeys."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from governance.models import User
from governance.stepping import fresh_enough
from governance.vocabulary import ProofKind
from greywind_site.identity.entering import arrive, enter, safe, waiting
from greywind_site.identity.factors import factors_of
from greywind_site.identity.forms import WRONG_PASSKEY, CodeForm
from greywind_site.identity.judging import Verdict, judge_second_factor
from greywind_site.identity.passkeys import WrongAnswer, ask_for_any, ask_for_new, shown


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def second_step(request: HttpRequest) -> HttpResponse:
    """The second factor of whoever has just shown the first; everybody else is sent to begin at the beginning."""
    held = waiting(request)
    if held is None:
        return HttpResponseRedirect(reverse("sign_in"))
    account, to = held
    verdict = judge_second_factor(request, account) if request.method == "POST" else Verdict()
    if verdict.kind:
        return enter(request, account, how=verdict.kind, to=safe(request, to))
    shown_here: dict[str, Any] = {"form": CodeForm(autofocus=True), "factors": factors_of(account), "verdict": verdict}
    return verdict.marked(render(request, "identity/second_step.html", shown_here, status=verdict.status))


@never_cache
@require_POST
def sign_in_by_passkey(request: HttpRequest) -> HttpResponse:
    """Sign in whoever's passkey was shown. An unknown one, a wrong answer and a closed account read the same."""
    try:
        account = shown(request, request.POST.get("credential", ""), account=None)
    except WrongAnswer:
        account = None
    if account is None or not account.is_active:
        messages.error(request, str(WRONG_PASSKEY))
        return HttpResponseRedirect(reverse("sign_in"))
    return arrive(request, account, how=ProofKind.PASSKEY, to=safe(request, request.POST.get("next", "")))


@never_cache
@require_POST
def passkey_request(request: HttpRequest, purpose: str) -> HttpResponse:
    """What the browser's passkey dialog needs, as JSON: to sign in, for the second step, to confirm, or to add one."""
    asked = _asked(request, purpose)
    if asked is None:
        raise Http404
    return JsonResponse(asked)


def _asked(request: HttpRequest, purpose: str) -> dict[str, Any] | None:
    held, user = waiting(request), request.user
    match purpose:
        case "sign-in":
            return ask_for_any(None)
        case "second-step" if held is not None:
            return ask_for_any(held[0])
        case "confirm" if isinstance(user, User):
            return ask_for_any(user)
        case "add" if isinstance(user, User) and fresh_enough(request):
            return ask_for_new(user)
    return None
