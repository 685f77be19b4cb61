"""People with second factors, and what their devices show."""

import time
from collections.abc import Callable
from typing import Any

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.test import Client

from governance.models import User
from greywind_site.identity.factors import add_app, new_secret
from tests.site.console_cast import ENGLISH, PASSWORD


def with_app(account: User) -> str:
    """Give the account an authenticator app; returns its secret."""
    secret = new_secret()
    add_app(account, secret, trace_id="trc_test")
    return secret


def with_codes(account: User) -> list[str]:
    """Give the account an authenticator app; returns the recovery codes that came with it."""
    codes = add_app(account, new_secret(), trace_id="trc_test")
    assert codes is not None
    return codes


def code_of(secret: str, *, steps: int = 0) -> str:
    """What an app with this secret shows now, or so many half minutes later."""
    return format_hotp_value(hotp_value(secret.replace(" ", ""), int(time.time()) // 30 + steps))


def first_step(account: User, *, to: str = "/", headers: dict[str, str] | None = None) -> Client:
    """A browser in which the account has given its password, and no more."""
    client = Client(headers=headers or ENGLISH)
    client.post("/sign-in", {"username": account.username, "password": PASSWORD, "next": to})
    return client


def is_in(client: Client) -> bool:
    """Whether somebody is signed in."""
    return client.get("/account").status_code == 200


def session_of(client: Client, change: Callable[[Any], None]) -> None:
    """Change what lies in the browser's session."""
    session = client.session
    change(session)
    session.save()
