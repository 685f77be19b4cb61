"""The demo with everybody in it, and a browser that is signed in."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from governance.models import User
from greywind_site.demo.credentials import DemoCredentials
from tests.browser.window import Window, window
from tests.demos import owner_of, stored_demo
from tests.site import console_cast

type SignedIn = Callable[..., AbstractContextManager[Window]]


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo project as a first `up` makes it."""

    credentials: DemoCredentials

    @property
    def account(self) -> User:
        return owner_of(self.credentials)

    @property
    def page(self) -> str:
        return f"/p/{self.credentials.project_id}/"


@pytest.fixture
def demo(transactional_db: None, tmp_path: Path) -> Demo:
    return Demo(stored_demo(tmp_path))


@pytest.fixture
def signed_in(chromium: Path, live_server: LiveServer) -> SignedIn:
    """Opens a window in which an account is signed in; `client` is its Django client, made before."""

    @contextmanager
    def opened(client: Client, **options: Any) -> Iterator[Window]:
        with window(chromium, live_server.url, **options) as seen:
            seen.take_seat({name: morsel.value for name, morsel in client.cookies.items()})
            yield seen

    return opened


def client_of(account: User, language: str = "en") -> Client:
    """A Django client in which the account is signed in."""
    return console_cast.signed_in(account, {"Accept-Language": language})
