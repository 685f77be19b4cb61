"""Confirming who one is before what weighs much: decisions of high risk, and the members of a project."""

import json
from urllib.parse import unquote

import pytest
from django.test import Client
from django.utils import timezone

from governance.models import AuditEvent, Decision, User
from governance.people import members
from governance.proposal_forms import as_yaml
from governance.proposal_texts import TextWish
from governance.proposals import edit
from governance.scope import project_scope
from governance.stepping import MOST_KEPT
from governance.vocabulary import MembershipLevel, ProposalState
from tests.cast import PERSONA, Cast, make_cast
from tests.governing import again
from tests.site.console_cast import CHINESE, ENGLISH, PASSWORD, join, make_account, page_of, proven, signed_in
from tests.site.identity_cast import code_of, session_of, with_app, with_codes
from tests.site.proposal_cast import bolder, page_at, seen_on, softer

CONFIRM = "/account/confirm"
BOLDEST = {**PERSONA, "identity_core": {"hard_boundaries": ["My own boundary."]}}
WORDS = "因为 it guards what matters"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def account(cast: Cast) -> User:
    return join(make_account(), cast, MembershipLevel.OWNER)


@pytest.fixture
def alone(cast: Cast) -> Client:
    """The same for the only owner, who may decide what they wrote themselves."""
    return proven(signed_in(User.objects.get(username="owner-alpha")), minutes_ago=6)


@pytest.fixture
def stale(account: User) -> Client:
    """A browser whose owner has shown who they are, but a while ago."""
    return proven(signed_in(account), minutes_ago=6)


def decide(client: Client, path: str, verb: str = "approve", **more: str):
    return client.post(f"{path}decide", seen_on(client, path) | {"verb": verb, "text": WORDS} | more)


def stepped_up(cast: Cast) -> list[str]:
    with project_scope(cast.owner.acting, read_only=True):
        entries = AuditEvent.objects.filter(verb="proposal.approve")
        return [json.loads(entry.detail)["stepped_up"] for entry in entries]


def test_a_decision_of_high_risk_asks_first(cast: Cast, stale: Client) -> None:
    proposal = bolder(cast.dev)
    path = page_at(cast, proposal)
    answer = decide(stale, path)
    assert (answer.status_code, unquote(answer["Location"])) == (303, f"{CONFIRM}?to={path}")
    assert again(proposal, cast.owner.acting).state == ProposalState.OPEN


def test_what_was_typed_is_there_after_confirming_and_then_counts(cast: Cast, stale: Client) -> None:
    path = page_at(cast, bolder(cast.dev))
    decide(stale, path, reason_code="unsafe")
    page = stale.post(CONFIRM, {"password": PASSWORD, "to": path}, follow=True).content.decode()
    assert (WORDS in page, '<option value="unsafe" selected>' in page, "your text is here again" in page) == (True,) * 3
    assert decide(stale, path).status_code == 303
    assert stepped_up(cast) == ["password"]


def test_an_edited_text_is_there_after_confirming(cast: Cast, alone: Client) -> None:
    path = page_at(cast, bolder(cast.dev))
    decide(alone, path, "edit_and_approve", body=as_yaml(BOLDEST))
    page = alone.get(path).content.decode()
    assert "My own boundary." in page
    assert '<details class="fold" open>' in page


def test_what_was_kept_is_shown_once(cast: Cast, stale: Client) -> None:
    path = page_at(cast, bolder(cast.dev))
    decide(stale, path)
    assert [WORDS in stale.get(path).content.decode() for _ in range(2)] == [True, False]


def test_what_was_kept_is_bound_to_what_was_seen(cast: Cast, stale: Client) -> None:
    proposal = bolder(cast.dev)
    path = page_at(cast, proposal)
    decide(stale, path)
    with project_scope(cast.dev.acting):
        edit(cast.dev.acting, proposal, TextWish(body=BOLDEST), expected_version=1, now=timezone.now())
    proven(stale)
    answer = decide(stale, path)
    assert (answer.status_code, WORDS in answer.content.decode()) == (409, True)


def test_what_nobody_came_back_for_is_forgotten(cast: Cast, stale: Client) -> None:
    path = page_at(cast, bolder(cast.dev))
    decide(stale, path)
    session_of(stale, lambda kept: kept["kept"].update(at=kept["kept"]["at"] - 901))
    assert WORDS not in stale.get(path).content.decode()


def test_what_is_larger_than_any_form_is_not_kept(cast: Cast, stale: Client) -> None:
    stale.post(f"{page_of(cast)}members/invite", {"username": "x" * (MOST_KEPT + 1)})
    assert "kept" not in stale.session


@pytest.mark.parametrize("verb", ["reject", "request_changes"])
def test_every_verb_on_high_risk_asks_first(cast: Cast, stale: Client, verb: str) -> None:
    path = page_at(cast, bolder(cast.dev))
    decide(stale, path, verb, reason_code="unsafe")
    with project_scope(cast.owner.acting, read_only=True):
        assert not Decision.objects.exists()


def test_a_decision_of_low_risk_asks_nothing(cast: Cast, stale: Client) -> None:
    proposal = softer(cast.dev)
    decide(stale, page_at(cast, proposal))
    assert again(proposal, cast.owner.acting).state == ProposalState.APPROVED


def test_an_edit_that_raises_the_risk_asks_first(cast: Cast, alone: Client) -> None:
    proposal = softer(cast.dev)
    answer = decide(alone, page_at(cast, proposal), "edit_and_approve", body=as_yaml(BOLDEST))
    assert answer["Location"].startswith(CONFIRM)
    assert again(proposal, cast.owner.acting).version == 1


@pytest.mark.parametrize(("language", "words"), [(ENGLISH, "first asked to confirm"), (CHINESE, "确认本人身份")])
def test_the_page_says_beside_the_button_that_it_will_ask(
    cast: Cast, account: User, language: dict[str, str], words: str
) -> None:
    path = page_at(cast, bolder(cast.dev))
    pages = [proven(signed_in(account, language), minutes_ago=ago).get(path).content.decode() for ago in (6, 0)]
    assert [words in page for page in pages] == [True, False]


def test_the_ledger_says_how_and_that_nothing_was_asked(cast: Cast, account: User, stale: Client) -> None:
    decide(stale, page_at(cast, softer(cast.dev)))
    client = proven(signed_in(account), minutes_ago=6)
    client.post(CONFIRM, {"code": code_of(with_app(account))})
    decide(client, page_at(cast, bolder(cast.dev)))
    assert sorted(stepped_up(cast)) == ["", "totp"]


def test_the_minutes_are_the_operator_s(cast: Cast, stale: Client, settings) -> None:
    settings.GREYWIND = settings.GREYWIND.model_copy(update={"step_up_minutes": 10})
    decide(stale, page_at(cast, bolder(cast.dev)))
    assert stepped_up(cast) == ["password"]


def test_the_password_is_not_enough_for_who_has_a_second_factor(account: User, stale: Client) -> None:
    with_app(account)
    answer = stale.post(CONFIRM, {"password": PASSWORD})
    assert (answer.status_code, 'name="password"' in answer.content.decode()) == (422, False)


def test_a_recovery_code_confirms(account: User, stale: Client) -> None:
    assert stale.post(CONFIRM, {"code": with_codes(account)[3]})["Location"] == "/account/security"


@pytest.mark.parametrize("answer", ["", "{}", '{"id": 1}'])
def test_what_is_no_passkey_confirms_nothing(account: User, stale: Client, answer: str) -> None:
    with_app(account)
    stale.post("/passkeys/confirm/request")
    assert stale.post(CONFIRM, {"credential": answer}).status_code == 422


def test_a_wrong_password_confirms_nothing_and_counts(stale: Client) -> None:
    taken = [stale.post(CONFIRM, {"password": "guess"}).status_code for _ in range(6)]
    assert taken == [422] * 5 + [429]


@pytest.mark.parametrize("to", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)", ""])
def test_confirming_leads_nowhere_else(stale: Client, to: str) -> None:
    assert 'value="/account/security"' in stale.get(CONFIRM, {"to": to}).content.decode()
    assert stale.post(CONFIRM, {"password": PASSWORD, "to": to})["Location"] == "/account/security"


def test_confirming_wants_the_token_of_its_form(account: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(account)
    assert strict.post(CONFIRM, {"password": PASSWORD}).status_code == 403


@pytest.mark.parametrize("language", [CHINESE, ENGLISH])
def test_the_confirming_page_speaks_both_languages(account: User, language: dict[str, str]) -> None:
    page = signed_in(account, language).get(CONFIRM).content.decode()
    assert ("确认是你本人" in page) == (language == CHINESE)


def test_a_proof_ends_with_the_session(stale: Client) -> None:
    stale.post(CONFIRM, {"password": PASSWORD})
    stale.post("/sign-out")
    assert "proof" not in stale.session


def test_an_invitation_asks_first_and_keeps_what_was_typed(cast: Cast, stale: Client) -> None:
    path = f"{page_of(cast)}members/invite"
    answer = stale.post(path, {"username": "new-person", "level": "viewer"})
    page = stale.post(CONFIRM, {"password": PASSWORD, "to": path}, follow=True).content.decode()
    assert unquote(answer["Location"]) == f"{CONFIRM}?to={path}"
    assert ('value="new-person"' in page, 'value="viewer"' in page) == (True, True)


@pytest.mark.parametrize("what", ["", "reset-password", "remove"])
def test_a_member_s_level_password_and_place_ask_first(cast: Cast, stale: Client, what: str) -> None:
    other = join(make_account(), cast, MembershipLevel.VIEWER)
    with project_scope(cast.owner.acting, read_only=True):
        actor = next(one.actor for one in members() if one.username == other.username)
    path = f"{page_of(cast)}members/{actor.public_id}/"
    answer = stale.post(path + what, {"level": "owner"})
    assert (answer.status_code, unquote(answer["Location"])) == (303, f"{CONFIRM}?to={path}")
    with project_scope(cast.owner.acting, read_only=True):
        assert [one.level for one in members() if one.username == other.username] == [MembershipLevel.VIEWER]
