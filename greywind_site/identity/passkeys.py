"""Passkeys: what a browser is asked for, and whether its answer is one of the account's.

The challenge stands in the session and is good for one answer. A passkey always asks its holder for a finger, a face
or a PIN, so it is both factors at once.
"""

import json
from typing import Any

import structlog
from allauth.mfa.webauthn.internal import auth
from cryptography.exceptions import InvalidSignature
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from governance.models import User

log = structlog.get_logger("greywind.identity")
MOST_BYTES = 64 * 1024
# Whatever a forged answer makes the parsers raise, it is one and the same refusal.
NOT_AN_ANSWER = (ValidationError, ValueError, TypeError, KeyError, AttributeError, IndexError, InvalidSignature)


class WrongAnswer(Exception):
    """The browser's answer is none, or not to what was asked."""


def ask_for_new(account: User) -> dict[str, Any]:
    """Return what a browser needs to make a passkey for the account. The request is allauth's present one."""
    return dict(auth.begin_registration(account, passwordless=True))


def ask_for_any(account: User | None) -> dict[str, Any]:
    """Return what a browser needs to show a passkey: one of the account's, or any of this site's."""
    return dict(auth.begin_authentication(account))


def made(request: HttpRequest, answer: str) -> dict[str, Any]:
    """Return the new passkey, as it is stored; raises WrongAnswer."""
    credential = _parsed(answer)
    try:
        auth.parse_registration_response(credential)
        auth.complete_registration(credential)
    except NOT_AN_ANSWER as error:
        log.info("passkey_refused", error=type(error).__name__)
        raise WrongAnswer from error
    finally:
        _use_up(request)
    return credential


def shown(request: HttpRequest, answer: str, *, account: User | None) -> User:
    """Return whose passkey was shown; with `account` it must be theirs. Notes the use. Raises WrongAnswer."""
    credential = _parsed(answer)
    try:
        auth.parse_authentication_response(credential)
        holder: User = account or auth.extract_user_from_response(credential)
        passkey = auth.complete_authentication(holder, credential)
    except NOT_AN_ANSWER as error:
        log.info("passkey_refused", error=type(error).__name__)
        raise WrongAnswer from error
    finally:
        _use_up(request)
    passkey.record_usage()
    return holder


def _parsed(answer: str) -> dict[str, Any]:
    try:
        credential = json.loads(answer) if len(answer) <= MOST_BYTES else None
    except (ValueError, RecursionError) as error:
        raise WrongAnswer from error
    if not isinstance(credential, dict):
        raise WrongAnswer
    return credential


def _use_up(request: HttpRequest) -> None:
    request.session.pop(auth.STATE_SESSION_KEY, None)
