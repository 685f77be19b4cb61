"""How an account is kept safe: its second factors, its provider, and the browsers that it is signed in with."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from governance.errors import Clash
from governance.forms import posted, status_of
from governance.models import User
from governance.pages import account_page, done, refused
from governance.stepping import ask, fresh_enough, note_proof
from governance.vocabulary import ProofKind
from greywind_site.identity.browsers import browsers_of, end_others
from greywind_site.identity.codes import drawn, pending_secret, readable, setup_address, use_up_secret
from greywind_site.identity.confirm_views import signed_in
from greywind_site.identity.factors import add_app, add_passkey, factors_of, fits, remove_factor, renew_codes
from greywind_site.identity.forms import WRONG_CODE, WRONG_PASSKEY, AppForm, PasskeyForm
from greywind_site.identity.passkeys import WrongAnswer, made
from greywind_site.identity.provider import links_of, unlink

type View = Callable[..., HttpResponseBase]


def confirmed_page(view: View) -> View:
    """An account's page that opens only right after its owner has confirmed who they are."""

    @wraps(view)
    def asks_first(request: HttpRequest, **named: Any) -> HttpResponseBase:
        if fresh_enough(request):
            return view(request, **named)
        return ask(request, back=request.path if request.method in ("GET", "HEAD") else reverse("security"))

    return account_page(asks_first)


@account_page
@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """What opens the account, and where it is open."""
    account = signed_in(request)
    shown: dict[str, Any] = {
        "factors": factors_of(account),
        "has_password": account.has_usable_password(),
        "links": links_of(account),
        "provider": settings.GREYWIND.oidc if settings.GREYWIND.oidc.issuer else None,
        "browsers": browsers_of(request, account),
        "fresh": fresh_enough(request),
    }
    return render(request, "identity/security.html", shown)


@sensitive_post_parameters()
@confirmed_page
def new_app(request: HttpRequest) -> HttpResponse:
    """Add an authenticator app: its secret as a picture and as text, until the app shows a code that fits."""
    account = signed_in(request)
    if factors_of(account).totp_since is not None:
        return done(request, gettext("The account has an authenticator app already."), to=reverse("security"))
    secret, form = pending_secret(request), AppForm(posted(request))
    if form.is_valid():
        if fits(secret, form.cleaned_data["code"]):
            use_up_secret(request)
            return _added(request, account, lambda trace: add_app(account, secret, trace_id=trace), how=ProofKind.TOTP)
        form.add_error("code", str(WRONG_CODE))
    address = setup_address(account, secret)
    shown = {"form": form, "secret": readable(secret), "address": address, "picture": drawn(address)}
    return render(request, "identity/new_app.html", shown, status=status_of(form))


@confirmed_page
def new_passkey(request: HttpRequest) -> HttpResponse:
    """Add a passkey: the browser makes it, the account keeps its public half."""
    account, form = signed_in(request), PasskeyForm(posted(request))
    if form.is_valid():
        try:
            credential = made(request, form.cleaned_data["credential"])
        except WrongAnswer:
            form.add_error(None, str(WRONG_PASSKEY))
        else:
            name = form.cleaned_data["name"]
            return _added(
                request,
                account,
                lambda trace: add_passkey(account, name, credential, trace_id=trace),
                how=ProofKind.PASSKEY,
            )
    return render(request, "identity/new_passkey.html", {"form": form}, status=status_of(form))


def _added(
    request: HttpRequest, account: User, add: Callable[[str], list[str] | None], *, how: ProofKind
) -> HttpResponse:
    """Add a factor; the first one ends the other browsers' sessions, which began without it, and brings codes along."""
    first = not factors_of(account).any
    try:
        codes = add(_trace(request))
    except Clash as refusal:
        return refused(request, refusal, to=reverse("security"))
    note_proof(request, how)
    if first:
        end_others(request, account)
    if codes:
        return _codes_page(request, codes, first=True)
    return done(request, gettext("Added. It can be used from the next sign-in on."), to=reverse("security"))


@require_POST
@confirmed_page
def remove_app(request: HttpRequest) -> HttpResponse:
    """Take the authenticator app away."""
    return _removed(request, ProofKind.TOTP)


@require_POST
@confirmed_page
def remove_passkey(request: HttpRequest, passkey: int) -> HttpResponse:
    """Take one passkey away."""
    return _removed(request, ProofKind.PASSKEY, pk=passkey)


def _removed(request: HttpRequest, kind: ProofKind, *, pk: int | None = None) -> HttpResponse:
    account = signed_in(request)
    if not remove_factor(account, kind, pk=pk, trace_id=_trace(request)):
        return done(request, gettext("It was gone already."), to=reverse("security"))
    if factors_of(account).any:
        words = gettext("Removed. It opens nothing any more.")
    else:
        words = gettext("Removed. Signing in needs the password alone now, and the recovery codes are void.")
    return done(request, words, to=reverse("security"))


@require_POST
@confirmed_page
def new_codes(request: HttpRequest) -> HttpResponse:
    """Replace the recovery codes; the new ones are on this one answer and nowhere else."""
    try:
        codes = renew_codes(signed_in(request), trace_id=_trace(request))
    except Clash as refusal:
        return refused(request, refusal, to=reverse("security"))
    return _codes_page(request, codes, first=False)


@require_POST
@confirmed_page
def end_browsers(request: HttpRequest) -> HttpResponse:
    """Sign out everywhere else."""
    ended = end_others(request, signed_in(request))
    words = ngettext("%(n)d other browser is signed out.", "%(n)d other browsers are signed out.", ended)
    return done(request, words % {"n": ended}, to=reverse("security"))


@require_POST
@confirmed_page
def unlink_provider(request: HttpRequest) -> HttpResponse:
    """Unlink the account from the provider's."""
    account = signed_in(request)
    try:
        unlink(account, trace_id=_trace(request))
    except Clash as refusal:
        return refused(request, refusal, to=reverse("security"))
    return done(request, gettext("Unlinked. The provider does not open this account any more."), to=reverse("security"))


def _codes_page(request: HttpRequest, codes: list[str], *, first: bool) -> HttpResponse:
    return render(request, "identity/codes.html", {"codes": [readable(code) for code in codes], "first": first})


def _trace(request: HttpRequest) -> str:
    return str(request.META["greywind.trace_id"])
