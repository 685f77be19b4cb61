"""Leaving the demo in a browser: with the keyboard alone and no script, and with the page that looks by itself."""

import httpx2
import pytest

from tests.browser.conftest import SignedIn, client_of
from tests.browser.window import Window
from tests.site.console_cast import make_account

pytestmark = pytest.mark.slow


def typed(seen: Window, selector: str, text: str) -> None:
    seen.tab_to(selector)
    seen.page.keyboard.type(text)


def pressed(seen: Window, selector: str) -> None:
    """Press a link or a button with the keyboard, and wait for the page that it brings."""
    seen.tab_to(selector)
    with seen.page.expect_navigation():
        seen.page.keyboard.press("Enter")


def asked(seen: Window, secret: str) -> None:
    """One request of the agent, as its first command sends it."""
    headers = {"Authorization": f"Bearer {secret}"}
    body = {"user_input": {"raw_text": "write the release notes"}}
    answer = httpx2.post(f"{seen.base}/api/v1/context", json=body, headers=headers, timeout=30, trust_env=False)
    assert answer.status_code == 200


def test_the_keyboard_alone_makes_a_project_an_agent_and_a_key(transactional_db: None, signed_in: SignedIn) -> None:
    client = client_of(make_account())
    with signed_in(client, color_scheme="dark") as seen:
        seen.open("/")
        pressed(seen, "a[href='/projects/new']")
        typed(seen, "#id_name", "mine")
        pressed(seen, "main form button")
        typed(seen, "#id_name", "scribe")
        pressed(seen, "main form button")
        secret = seen.page.inner_text("#secret")
    assert (secret[:3], seen.complaints) == ("gw_", [])


def test_without_scripts_the_path_is_the_same(transactional_db: None, signed_in: SignedIn) -> None:
    client = client_of(make_account())
    with signed_in(client, java_script_enabled=False) as seen:
        seen.open("/projects/new")
        seen.page.fill("#id_name", "mine")
        seen.page.click("main form button")
        seen.page.fill("#id_name", "scribe")
        seen.page.click("main form button")
        asked(seen, seen.page.inner_text("#secret"))
        stop_is_shown = seen.page.get_by_text("Stop looking").is_visible()
        seen.page.get_by_text("Look again").click()
        noticed = seen.page.get_by_text("It has come:").count()
    assert (stop_is_shown, noticed) == (False, 1)


def test_the_page_notices_the_first_packet_by_itself_and_keeps_the_key(
    transactional_db: None, signed_in: SignedIn
) -> None:
    client = client_of(make_account())
    with signed_in(client) as seen:
        seen.open("/projects/new")
        seen.page.fill("#id_name", "mine")
        seen.page.click("main form button")
        seen.page.fill("#id_name", "scribe")
        seen.page.click("main form button")
        secret = seen.page.inner_text("#secret")
        asked(seen, secret)
        seen.page.wait_for_selector("text=It has come:", timeout=30_000)
        kept = seen.page.inner_text("#secret") == secret
    assert (kept, seen.complaints) == (True, [])


def test_looking_stops_when_told(transactional_db: None, signed_in: SignedIn) -> None:
    client = client_of(make_account())
    with signed_in(client) as seen:
        seen.open("/projects/new")
        seen.page.fill("#id_name", "mine")
        seen.page.click("main form button")
        seen.page.fill("#id_name", "scribe")
        seen.page.click("main form button")
        seen.page.get_by_text("Stop looking").click()
        seen.page.wait_for_selector("#progress:not([hx-trigger])", timeout=30_000)
        still_there = seen.page.locator("#secret").count()
    assert (still_there, seen.complaints) == (1, [])
