"""Addresses around showing who one is."""

from django.urls import path

from greywind_site.identity.confirm_views import confirm
from greywind_site.identity.entry_views import passkey_request, second_step, sign_in_by_passkey
from greywind_site.identity.provider_views import link_provider, provider_callback, sign_in_by_provider
from greywind_site.identity.security_views import (
    end_browsers,
    new_app,
    new_codes,
    new_passkey,
    remove_app,
    remove_passkey,
    security,
    unlink_provider,
)

urlpatterns = [
    path("sign-in/second-step", second_step, name="second_step"),
    path("sign-in/passkey", sign_in_by_passkey, name="sign_in_by_passkey"),
    path("sign-in/provider", sign_in_by_provider, name="sign_in_by_provider"),
    path("sign-in/provider/callback", provider_callback, name="provider_callback"),
    path("passkeys/<str:purpose>/request", passkey_request, name="passkey_request"),
    path("account/confirm", confirm, name="confirm"),
    path("account/security", security, name="security"),
    path("account/security/app", new_app, name="new_app"),
    path("account/security/app/remove", remove_app, name="remove_app"),
    path("account/security/passkey", new_passkey, name="new_passkey"),
    path("account/security/passkeys/<int:passkey>/remove", remove_passkey, name="remove_passkey"),
    path("account/security/codes", new_codes, name="new_codes"),
    path("account/security/browsers/end", end_browsers, name="end_browsers"),
    path("account/security/provider", link_provider, name="link_provider"),
    path("account/security/provider/remove", unlink_provider, name="unlink_provider"),
]
