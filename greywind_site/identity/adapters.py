"""What allauth asks of a site: how secrets are kept, who a passkey is for, and what happens after a provider's word."""

import base64
from typing import Any, override

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, _build_apps_from_settings
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.http import HttpRequest

SITE = "GreyWind"


def _cipher() -> Fernet:
    key = HKDF(SHA256(), length=32, salt=None, info=b"greywind.identity.factors").derive(settings.SECRET_KEY.encode())
    return Fernet(base64.urlsafe_b64encode(key))


class SecondFactors(DefaultMFAAdapter):
    """Keeps the secrets of codes encrypted under the site's secret key: a copy of the database holds none of them."""

    @override
    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    @override
    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret; one under another key reads as a fresh one, that no code fits."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return base64.b32encode(Fernet.generate_key()[:20]).decode()

    @override
    def _get_site_name(self) -> str:
        return SITE

    @override
    def _get_user_identifier(self, user: Any) -> str:
        return str(user.get_username())


class Providers(DefaultSocialAccountAdapter):
    """Providers come from the configuration alone, and every answer of theirs is ours to judge."""

    @override
    def list_apps(self, request: HttpRequest, provider: Any = None, client_id: Any = None) -> list[Any]:
        found = _build_apps_from_settings(provider=provider, client_id=client_id)
        return [app for apps in found.values() for app in apps]

    @override
    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Take over: what allauth would do next is not reached."""
        from greywind_site.identity.provider import arrived

        raise ImmediateHttpResponse(arrived(request, sociallogin))

    @override
    def on_authentication_error(self, request: HttpRequest, provider: Any, **_: Any) -> None:
        """Say so on a page of ours."""
        from greywind_site.identity.provider import failed

        raise ImmediateHttpResponse(failed(request))
