"""Approving several proposals of low risk by one form: what is shown, what is decided, and what is told of the rest."""

from datetime import datetime

import pytest
from django.test import Client
from django.utils import timezone

from governance import bulk_decisions, decisions
from governance.actors import Acting
from governance.contracts import install
from governance.decisions import DecisionWish
from governance.models import AuditEvent, Decision, Proposal, User
from governance.proposal_texts import TextWish
from governance.proposals import edit
from governance.scope import LedgerUnwritable, project_scope
from governance.vocabulary import ContractKind, MembershipLevel, ProposalState
from tests.cast import PERSONA, Cast, make_cast
from tests.governing import again, asked
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in, statements
from tests.site.proposal_cast import SOFTER, bolder, softer


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"))


def elsewhere(cast: Cast) -> Proposal:
    """A change of another persona's style, of low risk as well."""
    with project_scope(cast.owner.acting):
        install(ContractKind.PERSONA, "second", PERSONA, by=cast.owner.actor, reason="to change it", now=timezone.now())
    return asked(cast.tester.acting, ContractKind.PERSONA, "second", SOFTER)


def page(cast: Cast, *chosen: Proposal) -> str:
    return f"{page_of(cast)}proposals/approve-many?" + "&".join(f"id={one.public_id}" for one in chosen)


def bound(client: Client, path: str) -> list[str]:
    return [line.bound for line in client.get(path).context["ready"]]


def states(cast: Cast, *chosen: Proposal) -> list[str]:
    return [again(one, cast.owner.acting).state for one in chosen]


def test_several_are_approved_each_with_an_entry_of_its_own(cast: Cast, owner: Client) -> None:
    chosen = [softer(cast.dev), elsewhere(cast)]
    answer = owner.post(page(cast), {"seen": bound(owner, page(cast, *chosen))})
    assert (answer.status_code, states(cast, *chosen)) == (303, [ProposalState.APPROVED] * 2)
    with project_scope(cast.owner.acting):
        assert AuditEvent.objects.filter(verb="proposal.approve").count() == 2
    assert "2 approved." in owner.get(answer["Location"]).content.decode()


def test_one_that_moved_is_told_and_stops_no_other(cast: Cast, owner: Client) -> None:
    moved, kept = softer(cast.dev), elsewhere(cast)
    seen = bound(owner, page(cast, moved, kept))
    with project_scope(cast.dev.acting):
        wish = TextWish(body={**PERSONA, "speaking_style": "loud"})
        edit(cast.dev.acting, moved, wish, expected_version=1, now=timezone.now())
    answer = owner.post(page(cast), {"seen": seen})
    assert states(cast, moved, kept) == [ProposalState.OPEN, ProposalState.APPROVED]
    said = owner.get(answer["Location"]).content.decode()
    assert all(words in said for words in ("a change: This moved", "1 approved. 1 was not approved"))


def test_where_nothing_is_approved_the_text_is_kept(cast: Cast, owner: Client) -> None:
    chosen = softer(cast.dev)
    answer = owner.post(page(cast), {"seen": f"{chosen.public_id} 7 sha256:0", "text": "read by both of us"})
    said = answer.content.decode()
    assert (answer.status_code, ">read by both of us</textarea>" in said, "0 approved. 1 was not" in said) == (
        409, True, True,
    )  # fmt: skip


def test_a_form_that_names_nothing_says_so(cast: Cast, owner: Client) -> None:
    answer = owner.post(page(cast), {"seen": "garbage"})
    assert "Nothing was chosen" in owner.get(answer["Location"]).content.decode()


def test_a_fault_on_the_way_is_told_and_what_was_approved_stays(
    cast: Cast, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = [softer(cast.dev), elsewhere(cast)]
    seen, decide = bound(owner, page(cast, *chosen)), decisions.decide

    def failing(acting: Acting, row: Proposal, wish: DecisionWish, *, now: datetime) -> Decision:
        if row.pk == chosen[1].pk:
            raise LedgerUnwritable
        return decide(acting, row, wish, now=now)

    monkeypatch.setattr(bulk_decisions, "decide", failing)
    said = owner.get(owner.post(page(cast), {"seen": seen})["Location"]).content.decode()
    assert states(cast, *chosen) == [ProposalState.APPROVED, ProposalState.OPEN]
    assert "1 approved. 1 was not approved" in said
    assert owner.post(page(cast), {"seen": bound(owner, page(cast, chosen[1]))}).status_code == 503


def test_two_on_one_contract_are_not_both_approved(cast: Cast, owner: Client) -> None:
    chosen = [softer(cast.dev), softer(cast.tester)]
    owner.post(page(cast), {"seen": bound(owner, page(cast, *chosen))})
    assert states(cast, *chosen) == [ProposalState.APPROVED, ProposalState.OPEN]


def test_what_weighs_more_is_shown_and_not_approved_with_others(cast: Cast, owner: Client) -> None:
    grave = bolder(cast.dev)
    shown = owner.get(page(cast, grave))
    assert (shown.context["ready"], "decided on its own page" in shown.content.decode()) == ([], True)
    owner.post(page(cast), {"seen": [shown.context["lines"][0].bound, "x", "prp_0 1 sha256:0"]})
    assert states(cast, grave) == [ProposalState.OPEN]


def test_a_viewer_and_a_stranger_approve_nothing(cast: Cast) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    stranger = signed_in(make_account())
    heard = [client.post(page(cast), {"seen": "x 1 y"}).status_code for client in (viewer, stranger)]
    assert heard == [403, 404]


def test_the_inbox_of_a_project_offers_the_light_ones(cast: Cast) -> None:
    light, grave = softer(cast.dev), bolder(cast.dev)
    shown = signed_in(User.objects.get(username="owner-alpha"), CHINESE).get(f"{page_of(cast)}inbox").content.decode()
    offered = [f'name="id" value="{one.public_id}"' in shown for one in (light, grave)]
    assert (offered, "查看所选" in shown) == ([True, False], True)


def test_more_of_them_take_no_more_statements(cast: Cast, owner: Client) -> None:
    chosen = [softer(cast.dev), elsewhere(cast)]
    few = statements(owner, page(cast, *chosen))
    chosen += [softer(member) for member in (cast.tester, cast.owner)]
    assert few == statements(owner, page(cast, *chosen)) <= 12
