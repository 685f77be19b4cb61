"""Decisions that nobody may make, by every verb, through console and API: nothing comes of them."""

import pytest
from django.test import Client
from django.utils import timezone

from governance.models import Decision, Proposal, User
from governance.proposal_forms import as_yaml
from governance.proposal_reading import sight
from governance.proposal_texts import TextWish
from governance.proposals import edit
from governance.scope import project_scope
from governance.vocabulary import ContractKind, DecisionVerb, MembershipLevel
from tests.cast import PERSONA, POLICY, Cast, Member, make_cast
from tests.governing import again, asked, changed
from tests.site.console_cast import join, make_account, signed_in
from tests.site.proposal_cast import page_at, seen_on

ASKING = PERSONA | {"behavior_rules": ["Ask first."]}  # of medium risk: its author leaves it to another
OTHER = PERSONA | {"behavior_rules": ["Ask twice."]}
SAID = {"reason_code": "wrong", "text": "so", "body": as_yaml(OTHER)}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"))


def second(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.OWNER))


def asking(by: Member) -> Proposal:
    return asked(by.acting, ContractKind.PERSONA, "default", ASKING)


def standing(cast: Cast, proposal: Proposal) -> dict[str, str]:
    """Return what a decision would have to refer to; a page that offers no decision does not show it."""
    with project_scope(cast.owner.acting):
        return {"version": "1", "seen_hash": sight(again(proposal, cast.owner.acting)).seen_hash}


def every_verb(client: Client, path: str, bound: dict[str, str]) -> set[int]:
    """Try all four; returns what was answered."""
    return {client.post(path, bound | SAID | {"verb": verb}).status_code for verb in DecisionVerb}


def made(cast: Cast, proposal: Proposal) -> tuple[str, int]:
    """Return the proposal's state and how many decisions there are on it."""
    with project_scope(cast.owner.acting):
        return again(proposal, cast.owner.acting).state, Decision.objects.filter(proposal=proposal).count()


@pytest.mark.parametrize("author", ["owner", "dev"])
def test_nobody_decides_on_their_own_or_their_agents_change(cast: Cast, owner: Client, author: str) -> None:
    second(cast)
    proposal = asking(getattr(cast, author))
    heard = every_verb(owner, page_at(cast, proposal, "decide"), standing(cast, proposal))
    assert (heard, made(cast, proposal)) == ({403}, ("open", 0))


def test_the_one_human_there_is_may_and_the_row_says_so(cast: Cast, owner: Client) -> None:
    proposal = asking(cast.dev)
    bound = seen_on(owner, page_at(cast, proposal))
    owner.post(page_at(cast, proposal, "decide"), bound | SAID | {"verb": "approve"})
    with project_scope(cast.owner.acting):
        assert Decision.objects.get(proposal=proposal).self_approved


def test_nobody_decides_on_a_text_that_was_changed_since(cast: Cast, owner: Client) -> None:
    proposal = asking(cast.dev)
    bound = seen_on(owner, page_at(cast, proposal))
    with project_scope(cast.dev.acting):
        edit(cast.dev.acting, proposal, TextWish(body=OTHER), expected_version=1, now=timezone.now())
    heard = every_verb(owner, page_at(cast, proposal, "decide"), bound)
    assert (heard, made(cast, proposal)) == ({409}, ("open", 0))


def test_an_approval_is_not_used_again(cast: Cast, owner: Client) -> None:
    proposal = asking(cast.dev)
    bound = seen_on(owner, page_at(cast, proposal))
    path = page_at(cast, proposal, "decide")
    owner.post(path, bound | SAID | {"verb": "approve"})
    assert (every_verb(owner, path, bound), made(cast, proposal)) == ({409}, ("approved", 1))


def test_one_approval_is_not_two(cast: Cast) -> None:
    changed(cast, ContractKind.POLICY, "default", POLICY | {"two_deciders_for": ["medium"]})
    one, proposal = second(cast), asking(cast.dev)
    second(cast)
    path, bound = page_at(cast, proposal, "decide"), seen_on(one, page_at(cast, proposal))
    heard = [one.post(path, bound | SAID | {"verb": "approve"}).status_code for _ in range(2)]
    assert (heard, made(cast, proposal)) == ([303, 409], ("open", 1))


def test_an_agents_key_opens_no_page_of_decisions(cast: Cast) -> None:
    proposal = asking(cast.dev)
    bearing = Client(headers={"Authorization": f"Bearer {cast.dev.secret}"})
    heard = every_verb(bearing, page_at(cast, proposal, "decide"), {"version": "1", "seen_hash": "sha256:0"})
    assert (heard <= {302, 401, 403, 404}, made(cast, proposal)) == (True, ("open", 0))


@pytest.mark.parametrize("word", ["decide", "decision", "decisions", "approve", "edit_and_approve", "reject"])
def test_an_agents_key_reaches_no_decision_in_the_api(cast: Cast, word: str) -> None:
    proposal = asking(cast.dev)
    body = {"verb": "approve", "version": 1, "seen_hash": "sha256:0"}
    answer = cast.dev.client().post(f"/proposals/{proposal.public_id}/{word}", body)
    assert (answer.status_code, made(cast, proposal)) == (404, ("open", 0))
