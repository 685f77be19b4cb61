"""Passkeys in a real browser with a virtual authenticator, and the way of two factors without any script."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pytest_django.live_server_helper import LiveServer

from governance.models import User
from governance.vocabulary import MembershipLevel
from tests.browser.test_every_page import ALL_VISITS
from tests.browser.window import Window, window
from tests.cast import Cast, make_cast
from tests.site.console_cast import PASSWORD, join, make_account, proven, signed_in
from tests.site.identity_cast import code_of
from tests.site.proposal_cast import bolder, page_at

pytestmark = pytest.mark.slow
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
type Browse = Callable[..., AbstractContextManager["Person"]]


class Person(Window):
    """Somebody with a device that keeps passkeys."""

    def take_device(self) -> None:
        self.device = self.page.context.new_cdp_session(self.page)
        self.device.send("WebAuthn.enable")
        made = self.device.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        self.authenticator = made["authenticatorId"]

    def refuse(self) -> None:
        """Give the wrong finger from now on."""
        self.device.send("WebAuthn.setUserVerified", {"authenticatorId": self.authenticator, "isUserVerified": False})

    def sign_in(self, name: str) -> None:
        self.open("/sign-in")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", PASSWORD)
        self.page.press("#id_password", "Enter")
        self.page.wait_for_url(lambda url: not url.endswith("/sign-in"))

    def press(self, name: str, *, to: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()
        self.page.wait_for_url(self.base + to)

    def add_passkey(self) -> None:
        self.open("/account/security/passkey")
        self.page.fill("#id_name", "我的笔记本 laptop")
        self.page.get_by_role("button", name="Make the passkey").click()
        self.page.wait_for_selector(".recovery-codes")

    def faults(self) -> list[str]:
        """What is wrong with the open page, narrow and dark as well as wide and light."""
        found = []
        for width, look in ALL_VISITS[:2]:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(color_scheme=look)
            found += [*self.axe(), *(["sticks out"] if self.overflow() > 0 else [])]
        return found

    def leave(self) -> None:
        self.press("Sign out", to="/sign-in")


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def account(cast: Cast) -> User:
    return join(make_account(), cast, MembershipLevel.OWNER)


@pytest.fixture
def browse(chromium: Path, live_server: LiveServer) -> Browse:
    """Opens a window at a name: no passkey is bound to a bare address."""
    base = f"http://localhost:{urlsplit(live_server.url).port}"

    @contextmanager
    def visit(*, device: bool = True, **options: object) -> Iterator[Person]:
        with window(chromium, base, kind=Person, **options) as seen:
            if device:
                seen.take_device()
            yield seen

    return visit


def test_a_passkey_opens_the_account_alone_and_as_the_second_step(browse: Browse, account: User) -> None:
    with browse() as seen:
        seen.sign_in(account.username)
        seen.add_passkey()
        faults = seen.faults()
        seen.open("/account/security")
        listed = seen.page.locator("td bdi").first.inner_text()
        seen.leave()
        seen.press("Sign in with a passkey", to="/")
        seen.leave()
        seen.open("/account")
        seen.page.fill("#id_username", account.username)
        seen.page.fill("#id_password", PASSWORD)
        seen.press("Sign in", to="/sign-in/second-step")
        faults += seen.faults()
        seen.press("Use a passkey", to="/account")
    assert (listed, faults, seen.complaints, seen.abroad) == ("我的笔记本 laptop", [], [], [])


def test_the_wrong_finger_opens_nothing_and_says_so(browse: Browse, account: User) -> None:
    with browse() as seen:
        seen.sign_in(account.username)
        seen.add_passkey()
        seen.leave()
        seen.refuse()
        seen.page.get_by_role("button", name="Sign in with a passkey").click()
        seen.page.wait_for_selector(".passkey-said:not([hidden])")
        said = seen.page.locator(".passkey-said").inner_text()
    assert (said[:32], seen.path) == ("The passkey was not shown. Try a", "/sign-in")


def test_a_decision_is_confirmed_by_passkey_and_the_words_are_kept(browse: Browse, cast: Cast, account: User) -> None:
    path = page_at(cast, bolder(cast.dev))
    late = proven(signed_in(account), minutes_ago=6).cookies["sessionid"].value
    with browse() as seen:
        seen.sign_in(account.username)
        seen.add_passkey()
        seen.take_seat({"sessionid": late})
        seen.open(path)
        seen.page.fill("#id_text", "因为 it matters")
        seen.page.get_by_role("button", name="Approve", exact=True).click()
        seen.page.wait_for_url("**/account/confirm*")
        seen.press("Use a passkey", to=path)
        kept = seen.page.input_value("#id_text")
        seen.press("Approve", to=path)
        told = seen.page.locator(".told").inner_text()
    assert (kept, "force" in told, seen.complaints) == ("因为 it matters", True, [])


def test_two_factors_and_confirming_work_without_scripts(browse: Browse, cast: Cast, account: User) -> None:
    path = page_at(cast, bolder(cast.dev))
    late = proven(signed_in(account), minutes_ago=6).cookies["sessionid"].value
    with browse(device=False, java_script_enabled=False, locale="zh-CN") as seen:
        seen.sign_in(account.username)
        seen.open("/account/security/app")
        secret = seen.page.locator("#secret").inner_text()
        seen.page.fill("#id_code", code_of(secret))
        seen.page.press("#id_code", "Enter")
        seen.page.wait_for_selector(".recovery-codes")
        recovery = seen.page.locator(".recovery-codes code").first.inner_text()
        seen.take_seat({"sessionid": late})
        seen.open(path)
        seen.page.fill("#id_text", "因为 it matters")
        seen.page.locator("button[value=approve]").click()
        seen.page.fill("#id_code", recovery)
        seen.press("确认", to=path)
        kept = seen.page.input_value("#id_text")
        seen.page.context.clear_cookies()
        seen.sign_in(account.username)
        seen.page.fill("#id_code", code_of(secret, steps=1))
        seen.page.press("#id_code", "Enter")
        seen.page.wait_for_url(seen.base + "/")
    assert kept == "因为 it matters"
