"""Sign-in by an OpenID Connect provider: what it says, which account that opens, linking and parting the two."""

from datetime import datetime
from typing import Any, override

import jwt
import structlog
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from allauth.utils import build_absolute_uri
from django.conf import settings
from django.contrib import messages
from django.db import IntegrityError, connection, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from governance.accounts import open_account_without_password, record_in_projects
from governance.errors import Clash, Refusal
from governance.models import User
from governance.pages import done
from governance.vocabulary import ProofKind
from greywind_site.identity.entering import arrive, safe
from greywind_site.identity.factors import factors_of
from greywind_site.identity.oidc_settings import OidcSettings

log = structlog.get_logger("greywind.identity")
LINK = "connect"  # allauth's word, kept in the state of a request to the provider
# A key that both sides know would let whoever learns our secret sign tokens.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
NO_ACCOUNT = gettext_lazy(
    "The provider knows you, but opens no account here. Sign in with your password and link the two under your account,"
    " security; or ask an owner of a project to invite you."
)
FAILED = gettext_lazy("The provider could not say who you are. Nothing was changed. Try again, or use another way.")


class Discovery(OpenIDConnectOAuth2Adapter):
    """allauth's side of the protocol, which here also checks the signature and that both answers are of one person."""

    @property
    @override
    def openid_config(self) -> dict[str, Any]:
        found: dict[str, Any] = super().openid_config
        if str(found.get("issuer", "")).rstrip("/") != oidc().issuer_bare:
            raise OAuth2Error("the discovery document is another issuer's")
        return found

    @override
    def get_callback_url(self, request: HttpRequest, app: Any) -> str:
        return str(build_absolute_uri(request, reverse("provider_callback")))

    @override
    def complete_login(self, request: HttpRequest, app: Any, token: Any, **said: Any) -> Any:
        claims = self._checked(str(said["response"].get("id_token") or ""))
        told = self._fetch_user_info(token.token) if "userinfo_endpoint" in self.openid_config else {}
        if told and told.get("sub") != claims["sub"]:
            raise OAuth2Error("the user info is another person's")
        claims = {**told, **claims}
        login = self.get_provider().sociallogin_from_response(request, {"id_token": {"sub": claims["sub"]}})
        login.claims = claims
        # Of all that the provider tells, only the name by which its owner knows the link again is kept.
        login.account.extra_data = {"name": str(claims.get("preferred_username") or claims.get("email") or "")[:150]}
        return login

    def _checked(self, token: str) -> dict[str, Any]:
        """Return what a signed identity token says; raises OAuth2Error unless it is this issuer's, for us and now."""
        try:
            key = self._key(jwt.get_unverified_header(token).get("kid"))
            return jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                audience=oidc().client_id,
                issuer=self.openid_config["issuer"],
                leeway=30,
                options={"require": ["exp", "iat", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise OAuth2Error("the identity token does not hold") from error

    def _key(self, name: str | None) -> jwt.PyJWK:
        from allauth.socialaccount.adapter import get_adapter

        with get_adapter().get_requests_session() as web:
            answer = web.get(self.openid_config["jwks_uri"])
            answer.raise_for_status()
        keys = [key for key in jwt.PyJWKSet.from_dict(answer.json()).keys if name in (None, key.key_id)]
        if len(keys) != 1:
            raise OAuth2Error("no key of the provider fits the identity token")
        return keys[0]


def oidc() -> OidcSettings:
    """Return the settings of the provider."""
    found: OidcSettings = settings.GREYWIND.oidc
    return found


def arrived(request: HttpRequest, login: Any) -> HttpResponse:
    """Go on with whom the provider has named: link them to who is signed in, or let them into their account."""
    if login.state.get("process") == LINK:
        return _linked(request, login)
    account = login.user if login.account.pk else _account_of(request, login)
    if account is None or not account.is_active:
        log.info("provider_opens_nothing")
        messages.error(request, str(NO_ACCOUNT))
        return HttpResponseRedirect(reverse("sign_in"))
    return arrive(request, account, how=ProofKind.PROVIDER, to=safe(request, str(login.state.get("next") or "")))


def failed(request: HttpRequest) -> HttpResponse:
    """Say that it did not work, where the person came from."""
    messages.error(request, str(FAILED))
    return HttpResponseRedirect(reverse("security" if request.user.is_authenticated else "sign_in"))


def links_of(account: User) -> list[dict[str, Any]]:
    """Return the provider's names that open the account: `name`, `since` and `used`."""
    rows = SocialAccount.objects.filter(user=account, provider=oidc().provider_id).order_by("id")
    return [{"name": row.extra_data.get("name", ""), "since": row.date_joined, "used": _used(row)} for row in rows]


def unlink(account: User, *, trace_id: str) -> None:
    """Unlink the account from the provider's. Raises Clash (last_way) when nothing else opens it."""
    if not account.has_usable_password() and not factors_of(account).passkeys:
        raise Clash("nothing else opens this account; add a passkey first", code="last_way")
    with transaction.atomic():
        if _unlinked(account):
            record_in_projects(account, "member.unlink_provider", trace_id=trace_id)


def _unlinked(account: User) -> bool:
    # Django's own delete looks for the link's tokens, a table that the application has no right to.
    with connection.cursor() as cursor:
        statement = "DELETE FROM socialaccount_socialaccount WHERE user_id = %s AND provider = %s"
        cursor.execute(statement, [account.pk, oidc().provider_id])
        return bool(cursor.rowcount)


def _account_of(request: HttpRequest, login: Any) -> User | None:
    """The account that somebody new to us is linked to, or gets; None where the settings open none."""
    name = _name_of(login.claims)
    if name is None:
        return None
    account = User.objects.filter(username=User.normalize_username(name)).first()
    if account is not None:
        return account if oidc().link_claim and _link(request, login, account) else None
    return _signed_up(request, login, name) if oidc().sign_up else None


def _name_of(claims: dict[str, Any]) -> str | None:
    claim = oidc().link_claim or "preferred_username"
    value = claims.get(claim)
    if claim == "email" and claims.get("email_verified") is not True:
        return None
    return value.strip() if isinstance(value, str) and value.strip() else None


def _signed_up(request: HttpRequest, login: Any, name: str) -> User | None:
    try:
        with transaction.atomic():
            account = open_account_without_password(name)
            return account if _link(request, login, account) else None
    except Refusal:
        return None


def _link(request: HttpRequest, login: Any, account: User) -> bool:
    """Link the provider's person to an account that has nobody of theirs yet; returns whether that was so."""
    if not account.is_active or links_of(account):
        return False
    login.account.user = account
    try:
        with transaction.atomic():
            login.account.save()
            record_in_projects(account, "member.link_provider", trace_id=request.META["greywind.trace_id"])
    except IntegrityError:  # somebody else was quicker
        return False
    return True


def _linked(request: HttpRequest, login: Any) -> HttpResponse:
    if not isinstance(request.user, User):
        return failed(request)
    if login.account.pk and login.user == request.user:
        words = gettext("It was linked already.")
    elif not login.account.pk and _link(request, login, request.user):
        words = gettext("Linked. From now on the provider opens this account as well.")
    else:
        messages.error(request, gettext("Not linked: one of the two is linked to another already. Unlink that first."))
        return HttpResponseRedirect(reverse("security"))
    return done(request, words, to=reverse("security"))


def _used(row: SocialAccount) -> datetime | None:
    # The column is written when the link is made as well.
    used: datetime = row.last_login
    return used if (used - row.date_joined).total_seconds() > 1 else None
