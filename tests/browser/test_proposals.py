"""A review in a real browser: without scripts, by the keyboard alone, and by two people at once; in both languages."""

import re

import pytest

from governance.models import Proposal
from governance.vocabulary import ContractKind, MembershipLevel, ProposalState
from tests.api.asking import append, compiled, event, make_thread, open_session
from tests.browser.conftest import SignedIn, client_of
from tests.browser.window import Window
from tests.cast import Cast, make_cast
from tests.governing import again, asked
from tests.site.console_cast import join, make_account, page_of
from tests.site.proposal_cast import page_at, softer

pytestmark = pytest.mark.slow

TABS = 80  # presses that are enough to cross a page
WORDS = {
    "en": {
        "evidence": "Evidence",
        "effect": "Compile the last packets with it",
        "approve": "Approve",
        "in": "in force",
    },
    "zh-hans": {"evidence": "证据", "effect": "用它重新编译最近的上下文包", "approve": "批准", "in": "生效"},
}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def waiting(cast: Cast) -> list[Proposal]:
    """Two proposals that wait for a maintainer, the first with evidence and a packet that it would change."""
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, event("请说得温和一些"))
    compiled(cast.dev, session_id=session)
    calmer = softer(cast.dev, rationale=f"用户要求如此：event://{session}/1")
    role = {"slug": "tester", "duties": ["do the work of tester", "say what was not tested"]}
    return [
        calmer,
        asked(cast.dev.acting, ContractKind.ROLE, "tester", role | {"hard_boundaries": ["do not merge alone"]}),
    ]


def first_of_inbox(seen: Window, cast: Cast) -> None:
    """Open the inbox, and from there what waits first."""
    seen.open(f"{page_of(cast)}inbox")
    with seen.page.expect_navigation():
        seen.page.locator("a.row-link").first.click()


def press(seen: Window, verb: str) -> None:
    with seen.page.expect_navigation():
        seen.page.locator(f"form[action$='/decide'] button[value='{verb}']").first.click()


@pytest.mark.parametrize("language", list(WORDS))
def test_a_review_without_scripts(cast: Cast, waiting: list[Proposal], signed_in: SignedIn, language: str) -> None:
    client, words = client_of(join(make_account(), cast, MembershipLevel.MAINTAINER), language), WORDS[language]
    options = {"java_script_enabled": False, "locale": language, "extra_http_headers": {"Accept-Language": language}}
    with signed_in(client, **options) as seen:
        first_of_inbox(seen, cast)
        decided_first = seen.path
        assert seen.page.get_by_role("heading", name=words["evidence"], exact=True).count() == 1
        with seen.page.expect_navigation():
            seen.page.get_by_role("link", name=words["effect"]).click()
        assert seen.page.locator("#effect-shown").count() == 1
        seen.page.go_back()
        seen.page.fill("#id_text", "看过了")
        seen.page.check("#id_next")
        press(seen, "approve")
        assert ("/proposals/prp_" in seen.path, seen.path == decided_first) == (True, False)
        press(seen, "approve")
        assert words["in"] in seen.page.locator(".told").first.inner_text()
    assert seen.complaints == []
    states = {again(proposal, cast.owner.acting).state for proposal in waiting}
    assert states == {ProposalState.APPROVED}


@pytest.mark.parametrize("language", list(WORDS))
def test_a_review_by_the_keyboard_alone(
    cast: Cast, waiting: list[Proposal], signed_in: SignedIn, language: str
) -> None:
    client = client_of(join(make_account(), cast, MembershipLevel.MAINTAINER), language)
    options = {"locale": language, "extra_http_headers": {"Accept-Language": language}}
    with signed_in(client, **options) as seen:
        keys = seen.page.keyboard
        seen.open(f"{page_of(cast)}inbox")
        seen.tab_to("a.row-link", most=TABS)
        keys.press("Enter")
        seen.page.wait_for_url(re.compile("/proposals/"))
        seen.tab_to("#effect-link a", most=TABS)
        keys.press("Enter")
        seen.page.wait_for_selector("#effect-title:focus")
        assert seen.axe() == []
        seen.tab_to("#id_text", most=TABS)
        keys.type("看过了")
        seen.tab_to("button[value='approve']", most=TABS)
        keys.press("Enter")
        seen.page.wait_for_selector(".told")
    assert (seen.complaints, seen.abroad) == ([], [])
    states = [again(proposal, cast.owner.acting).state for proposal in waiting]
    assert sorted(states) == sorted([ProposalState.APPROVED, ProposalState.OPEN])


def test_of_two_reviewers_one_wins_and_the_other_keeps_the_words(
    cast: Cast, waiting: list[Proposal], signed_in: SignedIn
) -> None:
    one, other = (client_of(join(make_account(), cast, MembershipLevel.MAINTAINER)) for _ in range(2))
    here = page_at(cast, waiting[0])
    with signed_in(one) as first:
        second = first.beside(other)
        for seen in (first, second):
            seen.open(here)
            seen.page.fill("#id_text", "my own words")
        press(first, "approve")
        press(second, "request_changes")
        assert "in force" in first.page.locator(".told").first.inner_text()
        assert "Nothing was decided" in second.page.locator(".alert-danger").first.inner_text()
        assert "my own words" in second.page.locator("main").inner_text()
        assert [line for line in second.complaints if "409" not in line] == []
        assert second.axe() == []
    assert again(waiting[0], cast.owner.acting).state == ProposalState.APPROVED


def test_a_contract_is_taken_from_a_file(cast: Cast, signed_in: SignedIn) -> None:
    client = client_of(join(make_account(), cast, MembershipLevel.MAINTAINER))
    with signed_in(client) as seen:
        seen.open(f"{page_of(cast)}roles/new")
        seen.page.select_option("#id_kind", "role")
        seen.page.fill("#id_slug", "scribe")
        file = {"name": "AGENTS.md", "mimeType": "text/markdown", "buffer": "# 写作\n\n- 短句\n".encode()}
        seen.page.set_input_files("#id_upload", files=[file])
        with seen.page.expect_navigation():
            seen.page.get_by_role("button", name="Look at it").click()
        assert (seen.page.get_by_text("写作: 短句").count() > 0, seen.axe(), seen.overflow()) == (True, [], 0)
        seen.page.fill("#id_title", "a scribe")
        with seen.page.expect_navigation():
            seen.page.get_by_role("button", name="Propose it").click()
        assert "Proposed" in seen.page.locator(".told").first.inner_text()
    assert seen.complaints == []
