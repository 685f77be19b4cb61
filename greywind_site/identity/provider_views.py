"""The way to an OpenID Connect provider and back."""

from typing import Any

import structlog
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from requests import RequestException

from greywind_site.identity.entering import safe
from greywind_site.identity.provider import LINK, Discovery, failed, oidc
from greywind_site.identity.security_views import confirmed_page

log = structlog.get_logger("greywind.identity")
# Whatever a provider's answer lacks or garbles, it is one and the same failure.
NOT_AN_ANSWER = (RequestException, OAuth2Error, KeyError, ValueError, TypeError, AttributeError)


@never_cache
@require_POST
def sign_in_by_provider(request: HttpRequest) -> HttpResponse:
    """Send somebody to the provider, to come back signed in."""
    return _onward(request, "login", to=safe(request, request.POST.get("next", "")))


@require_POST
@confirmed_page
def link_provider(request: HttpRequest) -> HttpResponse:
    """Send the account's owner to the provider, to come back with the two linked."""
    return _onward(request, LINK, to="")


@never_cache
@require_safe
def provider_callback(request: HttpRequest) -> HttpResponse:
    """Where the provider sends people back to."""
    _provider(request)
    view = OAuth2CallbackView.adapter_view(Discovery(request, oidc().provider_id))
    try:
        response: HttpResponse = view(request)
    except NOT_AN_ANSWER as error:
        log.warning("provider_answer_unusable", error=type(error).__name__)
        return failed(request)
    return response


def _onward(request: HttpRequest, process: str, *, to: str) -> HttpResponse:
    """A page that goes on to the provider by itself: a form's own answer may not lead to another site."""
    provider = _provider(request)
    try:
        there = provider.redirect(request, process, next_url=to)["Location"]
    except NOT_AN_ANSWER as error:
        log.warning("provider_not_reached", error=type(error).__name__)
        return failed(request)
    return render(request, "identity/onward.html", {"there": there, "name": oidc().name})


def _provider(request: HttpRequest) -> Any:
    try:
        provider = get_adapter(request).get_provider(request, provider=oidc().provider_id)
    except SocialApp.DoesNotExist as error:
        raise Http404 from error
    provider.oauth2_adapter_class = Discovery
    return provider
