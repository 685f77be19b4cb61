"""Pages around an edit of a vision that a human decides: before it is asked for, while it waits, once it is written."""

import pytest
from django.test import Client

from governance.models import Proposal
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from tests.api.asking import make_thread
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, account_of, join, make_account, page_of, signed_in
from tests.site.proposal_cast import page_at, seen_on
from tests.site.thread_cast import thread_at

pytestmark = pytest.mark.django_db
SENT = {"origin_goal": "把潮汐表印出来", "done_when": "it hangs on the quay", "non_goals": "no colour", "version": "0"}


@pytest.fixture
def cast() -> Cast:
    return make_cast("alpha", policy={"vision_editors": "nobody"})


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(account_of(cast))


@pytest.fixture
def thread(cast: Cast) -> str:
    return make_thread(cast.dev, "潮汐表")


def asked(cast: Cast, owner: Client, thread: str, **more: str) -> Proposal:
    answer = owner.post(thread_at(cast, thread, "vision"), SENT | more)
    with project_scope(cast.owner.acting):
        made = Proposal.objects.latest("created_at")
    assert answer.headers["Location"] == page_at(cast, made)
    return made


def test_the_form_says_beforehand_that_somebody_decides(cast: Cast, owner: Client, thread: str) -> None:
    page = owner.get(thread_at(cast, thread, "vision")).content.decode()
    assert "The policy lets a human decide your edit" in page
    assert 'name="why"' in page


def test_the_thread_and_the_form_show_what_waits(cast: Cast, owner: Client, thread: str) -> None:
    waiting = page_at(cast, asked(cast, owner, thread))
    for page in (thread_at(cast, thread), thread_at(cast, thread, "vision")):
        assert f'An edit waits for approval: <a href="{waiting}">' in owner.get(page).content.decode()


def test_the_inbox_and_the_page_say_it_in_the_reader_s_language(cast: Cast, owner: Client, thread: str) -> None:
    proposal = asked(cast, owner, thread, why="旧的看不清")
    chinese = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER), CHINESE)
    assert "线程的愿景" in chinese.get(f"{page_of(cast)}inbox").content.decode()
    page = chinese.get(page_at(cast, proposal)).content.decode()
    assert all(words in page for words in ("所涉及的线程", "它的第一版", "旧的看不清", "非目标 <code>non_goals</code>"))
    assert "<code>thread</code>" not in page


def test_a_reviewer_s_own_words_become_the_version(cast: Cast, owner: Client, thread: str) -> None:
    proposal = asked(cast, owner, thread)
    path = page_at(cast, proposal)
    body = "origin_goal: 把潮汐表印出来\ndone_when: [two copies]\nnon_goals: [no colour]\n"
    reviewer = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))
    reviewer.post(f"{path}decide", seen_on(reviewer, path) | {"verb": "edit_and_approve", "body": body})
    page = owner.get(thread_at(cast, thread)).content.decode()
    assert "two copies" in page
    assert "from a proposal" in page
    assert "version 1 of the vision" in owner.get(path).content.decode()


def test_whoever_writes_what_it_is_about_is_told_that_this_is_no_field(cast: Cast, owner: Client, thread: str) -> None:
    path = page_at(cast, asked(cast, owner, thread))
    sent = seen_on(owner, path) | {"verb": "edit_and_approve", "body": "origin_goal: x\nversion: 3\n"}
    answer = owner.post(f"{path}decide", sent)
    assert answer.status_code == 422
    assert "There is no field “version” here." in answer.content.decode()


def test_a_proposal_for_a_thread_put_away_says_why_nothing_is_approved(cast: Cast, owner: Client, thread: str) -> None:
    path = page_at(cast, asked(cast, owner, thread))
    owner.post(thread_at(cast, thread, "archive"))
    page = owner.get(path).content.decode()
    assert "Its thread is archived, so nothing is approved for it." in page
    assert 'disabled aria-describedby="blocked"' in page


def test_another_version_since_is_shown_three_ways_and_written_onto(cast: Cast, owner: Client, thread: str) -> None:
    proposal = asked(cast, owner, thread)
    reviewer = signed_in(join(make_account(), cast, MembershipLevel.OWNER))
    path = thread_at(cast, thread, "vision")
    second = reviewer.post(path, SENT | {"done_when": "never"}).headers["Location"]
    owner.post(f"{second}decide", seen_on(owner, second) | {"verb": "approve"})
    page = owner.get(page_at(cast, proposal)).content.decode()
    assert "The vision has another version by now" in page
    edited = owner.get(page_at(cast, proposal, "edit")).content.decode()
    assert "never" in edited
    form = {"version": "1", "title": "t", "risk": "low", "rationale": "", "body": "origin_goal: x\n"}
    assert owner.post(page_at(cast, proposal, "edit"), form).status_code == 303
    assert "The vision has another version" not in owner.get(page_at(cast, proposal)).content.decode()


def test_the_policy_s_page_and_form_explain_the_rule(cast: Cast, owner: Client) -> None:
    page = owner.get(f"{page_of(cast)}policies", headers=CHINESE).content.decode()
    assert "没有人；每次修改都是提案" in page
    form = owner.get(f"{page_of(cast)}roles/policy/default/propose").content.decode()
    assert "vision_editors: nobody" in form
    assert "owners; every other edit is a proposal" in form
