"""The conflict desk in a real browser: settled by the keyboard on one screen, and by two at once; both languages."""

from typing import Any

import pytest

from governance.vocabulary import MembershipLevel
from tests.browser.conftest import SignedIn, client_of
from tests.browser.window import Window
from tests.memories.learning import Contradiction, auto_cast, read
from tests.site.console_cast import join, make_account, page_of

pytestmark = pytest.mark.slow

OLD, NEW = Contradiction.OLD, Contradiction.NEW
WORDS = {
    "en": ("Claims and evidence", "Word by word", "The next packet may then carry:", "Settled.", "somebody settled it"),
    "zh-hans": ("主张与证据", "逐词对比", "之后，下一个上下文包可以带上：", "已裁决。", "已有人裁决了它"),
}


class Dispute(Contradiction):
    """An open conflict, its two memories and its address."""

    @property
    def page(self) -> str:
        return f"{page_of(self.cast)}conflicts/{self.conflict.public_id}/"


@pytest.fixture
def dispute(transactional_db: None) -> Dispute:
    return Dispute(auto_cast())


@pytest.mark.parametrize("language", list(WORDS))
def test_a_conflict_is_settled_on_one_screen_by_the_keyboard(
    dispute: Dispute, signed_in: SignedIn, language: str
) -> None:
    client = client_of(join(make_account(), dispute.cast, MembershipLevel.MAINTAINER), language)
    options = {"locale": language, "extra_http_headers": {"Accept-Language": language}}
    evidence, differ, carry, settled, _ = WORDS[language]
    with signed_in(client, **options) as seen:
        seen.open(dispute.page)
        for words in (OLD, NEW, "就这么定 · agreed", evidence, differ, carry):
            assert seen.page.get_by_text(words).first.is_visible(), words
        seen.tab_to("a[href='#decide']")
        seen.page.keyboard.press("Enter")
        seen.page.keyboard.press("1")
        marked, there = seen.page.evaluate("document.activeElement.value"), seen.path
        seen.tab_to("form[action$='/settle'] button")
        with seen.page.expect_navigation():
            seen.page.keyboard.press("Enter")
        told = seen.page.get_by_role("status").first.inner_text()
        complaints, axe = seen.complaints, seen.axe()
    assert (marked, there) == (f"take_new:{dispute.new.public_id}", f"{dispute.page}")
    assert (told.startswith(settled), complaints, axe) == (True, [], [])
    assert read(dispute.cast.dev, dispute.new).status == "active"


@pytest.mark.parametrize("language", list(WORDS))
def test_of_two_reviewers_at_once_one_wins_and_the_other_keeps_the_text(
    dispute: Dispute, signed_in: SignedIn, language: str
) -> None:
    one, other = (client_of(join(make_account(), dispute.cast, MembershipLevel.MAINTAINER), language) for _ in "12")
    options: dict[str, Any] = {"locale": language, "extra_http_headers": {"Accept-Language": language}}
    with signed_in(one, **options) as first:
        first.open(dispute.page)
        second = first.beside(other, **options)
        second.open(dispute.page)
        decide(first, "keep_old")
        second.page.locator("input[value='merge']").check()
        second.page.fill("#id_text", "Port of the gauge: 80 by day, 90 at night")
        second.page.fill("#id_reason", "两个都对 · both are right")
        with second.page.expect_navigation():
            second.page.locator("form[action$='/settle'] button").click()
        shown = second.page.locator("main").inner_text()
    for words in (WORDS[language][4], "Port of the gauge: 80 by day, 90 at night", "两个都对 · both are right"):
        assert words in shown, words
    assert read(dispute.cast.dev, dispute.old).status == "active"


def test_no_number_key_sends_anything_and_none_acts_while_somebody_types(dispute: Dispute, signed_in: SignedIn) -> None:
    client = client_of(join(make_account(), dispute.cast, MembershipLevel.MAINTAINER))
    with signed_in(client) as seen:
        seen.open(dispute.page)
        seen.page.keyboard.press("2")
        before = seen.page.locator("input[name='way']:checked").count()
        seen.page.locator("#id_reason").press("2")
        typed = seen.page.input_value("#id_reason")
        during = seen.page.locator("input[name='way']:checked").count()
    assert (before, typed, during, read(dispute.cast.dev, dispute.new).status) == (0, "2", 0, "evidence_checked")


def test_the_desk_fits_a_narrow_screen_and_works_without_scripts(dispute: Dispute, signed_in: SignedIn) -> None:
    client = client_of(join(make_account(), dispute.cast, MembershipLevel.MAINTAINER))
    with signed_in(client, viewport={"width": 320, "height": 640}, java_script_enabled=False) as seen:
        seen.open(dispute.page)
        decide(seen, "keep_old")
    assert read(dispute.cast.dev, dispute.old).knowledge_status != "disputed"


def decide(seen: Window, verb: str) -> None:
    """Mark a way and send the form."""
    seen.page.locator(f"input[value^='{verb}']").check()
    with seen.page.expect_navigation():
        seen.page.locator("form[action$='/settle'] button").click()
