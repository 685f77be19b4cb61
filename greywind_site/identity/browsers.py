"""The browsers that an account is signed in with. A row is written when one signs in, and goes when it is ended."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session as BrowserSession
from django.core.exceptions import ValidationError
from django.core.validators import validate_ipv46_address
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from governance.models import User

NO_ADDRESS = "0.0.0.0"  # noqa: S104 - not bound to: it stands for an address that is not known

LONGEST_NAME = 200  # the column's width

# The more particular first: most of them also say the names of those that came before.
BROWSERS = (
    ("Edge", r"Edg\w*/(\d+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d+)"),
    ("Chrome", r"(?:Chrome|HeadlessChrome|CriOS)/(\d+)"),
    ("Safari", r"Version/(\d+)[\d.]* .*Safari/"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("macOS", "Mac OS X"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, slots=True)
class Browser:
    """One signed-in browser. `address` '' where it is not known."""

    name: str
    address: str
    since: datetime
    here: bool


def list_browser(request: HttpRequest, account: User) -> None:
    """Put the browser of this request on the account's list."""
    if request.session.session_key is None:
        request.session.save()
    facts = {
        "user": account,
        "ip": _address(request),
        "user_agent": request.headers.get("User-Agent", "")[:LONGEST_NAME],
    }
    UserSession.objects.update_or_create(session_key=request.session.session_key, defaults=facts)


def browsers_of(request: HttpRequest, account: User) -> Sequence[Browser]:
    """Return the browsers whose sessions live, this one first, then the newest."""
    rows = list(UserSession.objects.filter(user=account).order_by("-created_at", "-id"))
    living = _living(row.session_key for row in rows)
    here = request.session.session_key
    found = [_browser(row, here=row.session_key == here) for row in rows if row.session_key in living]
    return sorted(found, key=lambda one: not one.here)


def end_others(request: HttpRequest, account: User) -> int:
    """Sign the account out of every other browser on its list; returns how many there were."""
    with transaction.atomic():
        rows = UserSession.objects.filter(user=account).exclude(session_key=request.session.session_key)
        keys = list(rows.values_list("session_key", flat=True))
        ended = len(_living(keys))
        BrowserSession.objects.filter(session_key__in=keys).delete()
        rows.delete()
    return ended


def named(agent: str) -> str:
    """Return a browser's name and system as people know them; what it says of itself where it is none of the known."""
    browser = next((f"{name} {found[1]}" for name, mark in BROWSERS if (found := re.search(mark, agent))), None)
    system = next((name for name, mark in SYSTEMS if mark in agent), None)
    return ", ".join(filter(None, [browser, system])) if browser else agent


def _living(keys: Iterable[str]) -> set[str]:
    rows = BrowserSession.objects.filter(session_key__in=list(keys), expire_date__gt=timezone.now())
    return set(rows.values_list("session_key", flat=True))


def _browser(row: UserSession, *, here: bool) -> Browser:
    return Browser(named(row.user_agent), "" if row.ip == NO_ADDRESS else row.ip, row.created_at, here)


def _address(request: HttpRequest) -> str:
    address = str(request.META.get("REMOTE_ADDR", ""))
    try:
        validate_ipv46_address(address)
    except ValidationError:
        return NO_ADDRESS
    return address
