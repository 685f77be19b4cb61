"""A thread worked on by hand in a real browser: without scripts, and by the keyboard alone."""

import re

import pytest

from governance.vocabulary import MembershipLevel
from tests.api.asking import make_thread
from tests.browser.conftest import SignedIn, client_of
from tests.browser.window import Window
from tests.cast import Cast, make_cast
from tests.site.console_cast import join, make_account
from tests.site.thread_cast import thread_at

pytestmark = pytest.mark.slow


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def press(seen: Window, name: str) -> None:
    """Follow the link or press the button of this name."""
    page = seen.page
    target = page.get_by_role("button", name=name, exact=True).or_(page.get_by_role("link", name=name, exact=True))
    with page.expect_navigation():
        target.first.click()


def told(seen: Window) -> str:
    return seen.page.locator(".told").inner_text()


def test_a_thread_is_worked_on_without_scripts(cast: Cast, signed_in: SignedIn) -> None:
    client = client_of(join(make_account(), cast, MembershipLevel.MAINTAINER))
    thread = thread_at(cast, make_thread(cast.dev, "解析器"))
    with signed_in(client, java_script_enabled=False) as seen:
        seen.open(thread)
        press(seen, "Write the vision")
        seen.page.fill("#id_origin_goal", "一个解析器")
        press(seen, "Store this version")
        assert "version 1" in told(seen)
        press(seen, "New task")
        seen.page.fill("#id_title", "词法")
        press(seen, "Plan the task")
        press(seen, "Mark as ready")
        assert "now ready" in told(seen)
        press(seen, "解析器")
        press(seen, "Archive")
        press(seen, "Open again")
        assert seen.page.locator(".dag-ready").count() == 1
    assert seen.complaints == []


def test_a_thread_is_renamed_by_the_keyboard_alone(cast: Cast, signed_in: SignedIn) -> None:
    client = client_of(join(make_account(), cast, MembershipLevel.MAINTAINER))
    thread = thread_at(cast, make_thread(cast.dev, "old name"))
    with signed_in(client) as seen:
        seen.open(thread)
        _tab_to(seen, "Rename")
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url(re.compile("/rename$"))
        _tab_to(seen, "", tag="INPUT")
        seen.page.keyboard.press("ControlOrMeta+a")
        seen.page.keyboard.type("new name")
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url(f"**{thread}")
        assert seen.page.locator("h1").inner_text() == "new name"
    assert seen.complaints == []


def test_the_list_is_filtered_in_place(cast: Cast, signed_in: SignedIn) -> None:
    client = client_of(join(make_account(), cast, MembershipLevel.VIEWER))
    make_thread(cast.dev, "解析器")
    make_thread(cast.dev, "other")
    with signed_in(client) as seen:
        seen.open(thread_at(cast, "").removesuffix("/"))
        seen.page.fill("#id_q", "解析")
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url(re.compile("q="))
        seen.page.wait_for_function("document.activeElement.id === 'found'")
        assert seen.page.locator("a.row-link").all_inner_texts() == ["解析器"]
    assert seen.complaints == []


def _tab_to(seen: Window, text: str, *, tag: str = "A") -> None:
    """Press Tab until what has the focus is this element; fails when forty presses do not lead there."""
    for _ in range(40):
        seen.page.keyboard.press("Tab")
        here = seen.page.evaluate("[document.activeElement.tagName, document.activeElement.textContent.trim()]")
        if here == [tag, text]:
            return
    raise AssertionError(f"the keyboard does not reach {tag} {text}")
