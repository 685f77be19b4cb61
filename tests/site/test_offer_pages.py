"""Offering a private memory in the console: what is read before consent, who may answer, and what others see."""

import re
from typing import Any

import pytest
from django.test import Client

from governance.actors import acting_as
from governance.models import Actor, Proposal, User
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel, ProposalState
from memories.models import Memory, Offer
from tests.cast import Cast, Member
from tests.memories.learning import Desk, auto_cast, stated
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, page_of, signed_in
from tests.site.proposal_cast import page_at, seen_on

SAID = "备用电池在 Windkessel 柜里 · the spare battery is in the locker <script>alert(1)</script>"
SEEN = re.compile(r'name="seen" value="([^"]*)"')
TITLE = {"title": "a battery", "rationale": "so that others find it"}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return auto_cast()


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"))


@pytest.fixture
def lin(cast: Cast) -> Member:
    """A maintainer, who keeps something for themselves."""
    account = join(make_account(), cast, MembershipLevel.MAINTAINER)
    with project_scope(cast.owner.acting):
        actor = Actor.objects.get(user=account)
    return Member(actor, acting_as(actor))


def browser(by: Member, language: dict[str, str] = ENGLISH) -> Client:
    return signed_in(User.objects.get(username=by.actor.name), language)


def offer_page(cast: Cast, memory: Memory) -> str:
    return f"{page_of(cast)}memories/{memory.public_id}/offer"


def sent(client: Client, path: str, **more: Any) -> Any:
    seen = SEEN.search(client.get(path).content.decode())
    return client.post(path, TITLE | {"seen": seen.group(1) if seen else ""} | more)


def proposals(by: Member) -> list[Proposal]:
    with project_scope(by.acting):
        return list(Proposal.objects.all())


@pytest.mark.parametrize(
    ("language", "words"), [(ENGLISH, "Exactly this would be shared"), (CHINESE, "将要分享的就是这段文字")]
)
def test_the_page_shows_what_would_be_shared_and_with_whom(
    cast: Cast, lin: Member, language: dict[str, str], words: str
) -> None:
    page = browser(lin, language).get(offer_page(cast, stated(lin, SAID, private=True).memory)).content.decode()
    assert (words in page, "&lt;script&gt;" in page, "<script>alert" in page) == (True, True, False)


def test_without_the_tick_nothing_is_shared_and_the_words_stay(cast: Cast, lin: Member) -> None:
    answer = sent(browser(lin), offer_page(cast, stated(lin, SAID, private=True).memory))
    assert (answer.status_code, b"so that others find it" in answer.content) == (422, True)
    assert proposals(lin) == []


def test_a_text_that_moved_is_read_again_before_consent(cast: Cast, lin: Member) -> None:
    client, path = browser(lin), offer_page(cast, stated(lin, SAID, private=True).memory)
    answer = client.post(path, TITLE | {"seen": "sha256:old", "agrees": "on"})
    assert (answer.status_code, b"so that others find it" in answer.content) == (409, True)
    assert 'name="agrees" checked' not in answer.content.decode()


def test_from_offer_to_shared_memory(cast: Cast, lin: Member, owner: Client) -> None:
    answer = sent(browser(lin), offer_page(cast, stated(lin, SAID, private=True).memory), agrees="on")
    [proposal] = proposals(cast.owner)
    there = page_at(cast, proposal)
    page = owner.get(there).content.decode()
    assert (answer.status_code, "agreed that this is shared" in page, "Windkessel" in page) == (303, True, True)
    owner.post(page_at(cast, proposal, "decide"), seen_on(owner, there) | {"verb": "approve"})
    assert "a memory of the project" in owner.get(there).content.decode()


def test_an_owner_edits_and_approves(cast: Cast, lin: Member, owner: Client) -> None:
    sent(browser(lin), offer_page(cast, stated(lin, SAID, private=True).memory), agrees="on")
    [proposal] = proposals(cast.owner)
    body = "content: The battery is in locker 3.\ntype: semantic\nkind: fact\nsensitivity: work\n"
    form = seen_on(owner, page_at(cast, proposal)) | {"verb": "edit_and_approve", "body": body}
    assert owner.post(page_at(cast, proposal, "decide"), form).status_code == 303
    with project_scope(cast.dev.acting):
        assert Memory.objects.get().content == "The battery is in locker 3."


def test_taken_back_its_page_says_so_without_the_words(cast: Cast, lin: Member, owner: Client) -> None:
    sent(browser(lin), offer_page(cast, stated(lin, SAID, private=True).memory), agrees="on")
    [proposal] = proposals(lin)
    browser(lin).post(page_at(cast, proposal, "withdraw"), {"reason": ""})
    page = owner.get(page_at(cast, proposal)).content.decode()
    assert ("It was taken back" in page, "Windkessel" in page) == (True, False)


def test_what_is_offered_and_waits_links_to_its_proposal(cast: Cast, lin: Member) -> None:
    client, path = browser(lin), offer_page(cast, stated(lin, SAID, private=True).memory)
    sent(client, path, agrees="on")
    page = client.get(path).content.decode()
    assert (proposals(lin)[0].public_id in page, 'name="agrees"' in page) == (True, False)


def test_nobody_else_finds_the_page(cast: Cast, lin: Member, owner: Client) -> None:
    memory = stated(lin, SAID, private=True).memory
    assert owner.get(offer_page(cast, memory)).status_code == 404


def test_what_is_shared_already_is_not_offered(cast: Cast, lin: Member) -> None:
    assert browser(lin).get(offer_page(cast, stated(lin, SAID).memory)).status_code == 404


def agents_question(cast: Cast) -> Offer:
    memory = Desk(cast.personal).learn(SAID, private=True).memory
    cast.personal.client().post("/proposals", {"kind": "memory", "body": {"memory_id": memory.public_id}})
    with project_scope(cast.owner.acting):
        return Offer.objects.get()


def test_an_agents_question_waits_among_its_humans_own_memories(cast: Cast, lin: Member, owner: Client) -> None:
    there = f"{page_of(cast)}offers/{agents_question(cast).public_id}/"
    assert (there in owner.get("/me/memories").content.decode(), owner.get(there).status_code) == (True, 200)
    assert (there in browser(lin).get("/me/memories").content.decode(), browser(lin).get(there).status_code) == (
        False,
        404,
    )


def test_a_human_agrees_for_their_agent(cast: Cast, owner: Client) -> None:
    sent(owner, f"{page_of(cast)}offers/{agents_question(cast).public_id}/", agrees="on", named="on")
    [proposal] = proposals(cast.owner)
    assert (proposal.state, proposal.proposer_id) == (ProposalState.OPEN, cast.owner.actor.pk)
    assert "personal-alpha" in owner.get(page_at(cast, proposal)).content.decode()


def test_a_human_says_no_to_their_agent(cast: Cast, owner: Client) -> None:
    there = f"{page_of(cast)}offers/{agents_question(cast).public_id}/"
    assert owner.post(f"{there}decline").status_code == 303
    assert (proposals(cast.owner), owner.get(there).status_code) == ([], 404)


def test_the_inbox_and_the_roles_know_its_kind(cast: Cast, lin: Member, owner: Client) -> None:
    sent(browser(lin), offer_page(cast, stated(lin, SAID, private=True).memory), agrees="on")
    assert "memory to share" in owner.get("/inbox?kind=memory").content.decode()
    assert proposals(lin)[0].public_id not in owner.get(f"{page_of(cast)}roles/").content.decode()
    assert owner.get(page_at(cast, proposals(lin)[0], "effect")).status_code == 404
