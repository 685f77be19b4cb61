"""From a first proof to a signed-in session: at once, or after a second factor where the account has one."""

import hmac
import time
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from governance.models import User
from governance.stepping import note_proof
from governance.vocabulary import ProofKind
from greywind_site.identity.browsers import list_browser
from greywind_site.identity.factors import has_second_factor

WAITING = "entering"  # key in the session: who has shown the first factor and not yet the second
WAITING_SECONDS = 600
A_YEAR = 365 * 24 * 3600
SECOND = frozenset({ProofKind.TOTP, ProofKind.RECOVERY_CODE, ProofKind.PASSKEY})


def arrive(request: HttpRequest, account: User, *, how: ProofKind, to: str) -> HttpResponse:
    """Let somebody in who has shown one factor: at once, or by way of the page that asks for the second."""
    if how not in SECOND and has_second_factor(account):
        request.session[WAITING] = {
            "account": str(account.pk),
            "hash": account.get_session_auth_hash(),
            "at": time.time(),
            "to": to,
        }
        return HttpResponseRedirect(reverse("second_step"))
    return enter(request, account, how=how, to=to)


def enter(request: HttpRequest, account: User, *, how: ProofKind, to: str) -> HttpResponse:
    """Sign the account in and go on to `to`, an address on this host. The session gets a new key."""
    request.session.pop(WAITING, None)
    login(request, account, backend=settings.AUTHENTICATION_BACKENDS[0])
    if is_enough(account, how):
        note_proof(request, how)
    list_browser(request, account)
    response = HttpResponseRedirect(to)
    if account.language:
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, account.language, max_age=A_YEAR, samesite="Lax")
    return response


def is_enough(account: User, how: ProofKind) -> bool:
    """Return whether this proof is the strongest that the account can give.

    A provider's word may rest on a sign-in of last week, so it is enough only for whoever has nothing else.
    """
    if how in SECOND:
        return True
    if has_second_factor(account):
        return False
    return how == ProofKind.PASSWORD or not account.has_usable_password()


def waiting(request: HttpRequest) -> tuple[User, str] | None:
    """Return who has shown the first factor in this session, and where they are going; None for nobody any more."""
    held: dict[str, Any] | None = request.session.get(WAITING)
    if not held or time.time() - held["at"] > WAITING_SECONDS:
        request.session.pop(WAITING, None)
        return None
    account = User.objects.filter(pk=held["account"], is_active=True).first()
    # A password that was changed meanwhile is no first factor any more.
    if account is None or not hmac.compare_digest(held["hash"], account.get_session_auth_hash()):
        del request.session[WAITING]
        return None
    return account, str(held["to"])


def safe(request: HttpRequest, to: str, *, otherwise: str = "home") -> str:
    """Return the address where it lies on this host, else that of the page `otherwise`."""
    here = url_has_allowed_host_and_scheme(to, {request.get_host()}, require_https=request.is_secure())
    return to if to and here else reverse(otherwise)
