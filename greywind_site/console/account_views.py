"""Signing in and out, and the look of the pages."""

from typing import Any, override

import structlog
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from governance.vocabulary import ProofKind
from greywind_site.console.look import COOKIE, FOLLOW_SYSTEM, LOOKS
from greywind_site.console.throttle import CountingAway, Throttled, one_attempt
from greywind_site.identity.entering import A_YEAR, arrive
from greywind_site.identity.judging import AWAY
from greywind_site.identity.provider import oidc

log = structlog.get_logger("greywind.console")


class SignInForm(AuthenticationForm):
    """Django's form, whose one refusal fits a wrong password, an unknown name and a closed account alike."""

    error_messages = {
        "invalid_login": gettext_lazy("This name and password do not match. Capital letters count in both."),
        "inactive": gettext_lazy("This name and password do not match. Capital letters count in both."),
    }


class SignIn(LoginView):
    """The sign-in page. Django's view rotates the session and follows `next` on this host only."""

    authentication_form = SignInForm
    template_name = "console/sign_in.html"
    redirect_authenticated_user = True

    @override
    def post(self, request: HttpRequest, *args: str, **kwargs: object) -> HttpResponse:
        address = str(request.META.get("REMOTE_ADDR", ""))
        try:
            with one_attempt(request.POST.get("username", ""), address, now=timezone.now()) as attempt:
                response: HttpResponse = super().post(request, *args, **kwargs)
                attempt.succeeded = response.status_code < 400  # a right password leads on, in or to the second step
        except Throttled as throttled:
            return self._refused(_wait_text(throttled.seconds), status=429, retry_after=throttled.seconds)
        except CountingAway:
            log.exception("sign_in_not_counted")
            return self._refused(str(AWAY), status=503, retry_after=5)
        return response

    @override
    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        return arrive(self.request, form.get_user(), how=ProofKind.PASSWORD, to=self.get_success_url())

    @override
    def get_context_data(self, **context: Any) -> dict[str, Any]:
        return super().get_context_data(provider=oidc() if oidc().issuer else None, **context)

    @override
    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        log.info("sign_in_refused")
        return self.render_to_response(self.get_context_data(form=form), status=422)

    def _refused(self, text: str, *, status: int, retry_after: int) -> HttpResponse:
        form = SignInForm(self.request, initial={"username": self.request.POST.get("username", "")})
        response = self.render_to_response(self.get_context_data(form=form, refusal=text), status=status)
        response["Retry-After"] = str(retry_after)
        return response


def _wait_text(seconds: int) -> str:
    form = ngettext(
        "Too many tries for this name. Wait %(seconds)d second, then try again.",
        "Too many tries for this name. Wait %(seconds)d seconds, then try again.",
        seconds,
    )
    return form % {"seconds": seconds}


@require_POST
def set_look(request: HttpRequest) -> HttpResponseBase:
    """Keep the chosen look in a cookie, and go back to where the choice was made."""
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure()):
        target = reverse("home")
    response = HttpResponseRedirect(target)
    keep_look(response, request.POST.get("look", ""))
    return response


def keep_look(response: HttpResponse, look: str) -> None:
    """Keep the chosen look in a cookie of the answer; one that there is not is ignored."""
    if look == FOLLOW_SYSTEM:
        response.delete_cookie(COOKIE, samesite="Lax")
    elif look in LOOKS:
        response.set_cookie(
            COOKIE, look, max_age=A_YEAR, samesite="Lax", httponly=True, secure=settings.SESSION_COOKIE_SECURE
        )
