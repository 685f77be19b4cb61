"""Asking for a change: what is checked, what is kept, and who may take it back."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from governance.contracts import install
from governance.errors import Clash, Forbidden, Invalid, Refusal
from governance.models import AuditEvent, Contract, InboxItem, Proposal, ProposalText, Revision
from governance.proposal_desk import sweep_expired
from governance.proposal_reading import comments_of, find_proposal, sight, texts_of
from governance.proposal_texts import TextWish
from governance.proposals import (
    MOST_OPEN,
    ProposalWish,
    comment,
    edit,
    open_for_decision,
    propose,
    propose_revert,
    rebase,
    withdraw,
)
from governance.scope import project_scope
from governance.vocabulary import ContractKind, DecisionVerb, MembershipLevel, ProposalState, Risk
from tests.cast import PERSONA, Cast, Member, make_cast
from tests.governing import again, asked, changed, decided, joined

WARM = PERSONA | {"speaking_style": "warm"}
ROLE = {"slug": "dev", "duties": ["other work"], "hard_boundaries": ["do not merge alone"]}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def warm(cast: Cast, who: Member | None = None, **more: Any) -> Proposal:
    return asked((who or cast.dev).acting, ContractKind.PERSONA, "default", WARM, **more)


def refused(cast: Cast, refusal: type[Refusal], *, who: Member | None = None, **wish: Any) -> Refusal:
    base = {"kind": ContractKind.PERSONA, "slug": "default", "body": WARM, "title": "t"}
    with pytest.raises(refusal) as caught, project_scope((who or cast.dev).acting) as scope:
        propose(scope.acting, ProposalWish(**(base | wish)), now=timezone.now())
    return caught.value


def test_a_proposal_waits_with_its_text_on_the_desk(cast: Cast) -> None:
    proposal = warm(cast)
    with project_scope(cast.owner.acting):
        item = InboxItem.objects.get(ref=proposal.ref)
        text = sight(again(proposal, cast.owner.acting)).text
    assert (proposal.state, item.state, item.risk, text.body["speaking_style"]) == ("open", "open", "low", "warm")


def test_a_text_says_what_it_costs_before_and_after(cast: Cast) -> None:
    with project_scope(cast.owner.acting):
        text = ProposalText.objects.get(proposal=warm(cast, cast.owner))
    assert 0 < text.tokens_after < text.tokens_before


def test_a_new_contract_costs_nothing_before(cast: Cast) -> None:
    proposal = asked(cast.dev.acting, ContractKind.ROLE, "scribe", {"slug": "scribe", "duties": ["write"]})
    with project_scope(cast.dev.acting):
        assert ProposalText.objects.get(proposal=proposal).tokens_before == 0


def test_the_ledger_keeps_the_proposal_without_its_words(cast: Cast) -> None:
    proposal = warm(cast)
    with project_scope(cast.owner.acting):
        entries = AuditEvent.objects.filter(target=proposal.public_id).order_by("seq")
        said = [(row.verb, row.after[:5], "warm" in f"{row.reason}{row.detail}") for row in entries]
    assert said == [("proposal.create", "hmac:", False), ("proposal.open", "open", False)]


def test_the_proposer_may_raise_the_risk(cast: Cast) -> None:
    with project_scope(cast.dev.acting):
        assert sight(again(warm(cast, risk=Risk.HIGH), cast.dev.acting)).text.risk == "high"


def test_the_proposer_may_not_lower_the_risk(cast: Cast) -> None:
    proposal = asked(cast.dev.acting, ContractKind.ROLE, "dev", ROLE | {"permissions": ["merge"]}, risk=Risk.LOW)
    with project_scope(cast.dev.acting):
        assert sight(proposal).text.risk == "high"


@pytest.mark.parametrize(
    ("wish", "code", "pointer"),
    [
        ({"body": {"name": "x", "wat": 1}}, "invalid_body", "/body/wat"),
        ({"body": {}}, "invalid_body", "/body/name"),
        ({"body": {"name": "x", "behavior_rules": [""]}}, "invalid_body", "/body/behavior_rules/0"),
        ({"body": {"name": "x\x00"}}, "invalid_body", "/body/name"),
        ({"body": {"name": "x", "identity_core": {"voice": {"language": ["\ud800"]}}}}, "invalid_body", "/body"),
        ({"body": {"name": "x", "behavior_rules": ["长" * 3000] * 10}}, "body_too_large", "/body"),
        ({"body": PERSONA}, "nothing_changed", "/body"),
        ({"slug": "Not A Slug"}, "slug_invalid", "/slug"),
        ({"slug": "a@b"}, "slug_invalid", "/slug"),
        ({"title": "  "}, "title_missing", "/title"),
        ({"title": "t" * 301}, "too_long", "/title"),
        ({"rationale": "r" * 8001}, "too_long", "/rationale"),
        ({"rationale": "r\x00"}, "not_storable", "/rationale"),
        ({"kind": ContractKind.ROLE, "slug": "dev", "body": ROLE | {"slug": "chief"}}, "invalid_body", "/body/slug"),
        ({"kind": ContractKind.BUDGET_PROFILE, "slug": "a@b", "body": {"name": "a@b"}}, "invalid_body", "/body"),
    ],
)
def test_what_is_wrong_is_named(cast: Cast, wish: dict[str, Any], code: str, pointer: str) -> None:
    refusal = refused(cast, Invalid, **wish)
    assert refusal.code == code
    assert refusal.faults[0].pointer.startswith(pointer)


def test_a_role_contract_over_its_cap_says_what_it_needs_and_may_have(cast: Cast) -> None:
    body = ROLE | {"duties": [f"Duty {n}: read every line aloud and sign for it." for n in range(150)]}
    refusal = refused(cast, Invalid, kind=ContractKind.ROLE, slug="dev", body=body)
    assert (refusal.code, refusal.extra["allowed"]) == ("contract_too_long", 1200)
    assert str(refusal.extra["needed"]) in refusal.detail


def test_a_stale_base_is_refused_with_what_is_active(cast: Cast) -> None:
    changed(cast, ContractKind.PERSONA, "default", PERSONA | {"speaking_style": "dry"})
    refusal = refused(cast, Clash, base=1)
    assert (refusal.code, refusal.extra["current"]["number"]) == ("base_moved", 2)


def test_a_contract_that_is_private_is_not_proposed(cast: Cast) -> None:
    with project_scope(cast.dev.acting):
        reach = {"audience": "private", "owner": cast.dev.actor}
        Contract.objects.create(project=cast.project, kind=ContractKind.PERSONA, slug="own", **reach)
    assert refused(cast, Invalid, slug="own").code == "private"


def test_an_agent_in_a_loop_does_not_bury_the_desk(cast: Cast) -> None:
    for _ in range(MOST_OPEN):
        warm(cast)
    assert refused(cast, Clash).code == "too_many_open"


@pytest.mark.parametrize("level", [MembershipLevel.VIEWER])
def test_a_viewer_proposes_nothing(cast: Cast, level: MembershipLevel) -> None:
    viewer = Member(cast.owner.actor, joined(cast, "viewer", level))
    assert refused(cast, Forbidden, who=viewer).code == "level_too_low"


def test_a_draft_is_on_nobodys_desk_until_it_is_opened(cast: Cast) -> None:
    proposal = warm(cast, draft=True)
    with project_scope(cast.dev.acting):
        assert not InboxItem.objects.filter(ref=proposal.ref).exists()
        open_for_decision(cast.dev.acting, proposal, now=timezone.now())
        assert InboxItem.objects.filter(ref=proposal.ref).exists()


def test_an_edit_is_the_next_version_and_keeps_the_last(cast: Cast) -> None:
    proposal = warm(cast)
    with project_scope(cast.owner.acting):
        wish = TextWish(body=PERSONA | {"speaking_style": "dry"})
        edit(cast.owner.acting, proposal, wish, expected_version=1, now=timezone.now())
        styles = [text.body["speaking_style"] for text in texts_of(proposal)]
    assert (styles, again(proposal, cast.owner.acting).version) == (["dry", "warm"], 2)


def test_an_edit_of_another_version_is_refused_with_three_texts(cast: Cast) -> None:
    proposal = warm(cast)
    with pytest.raises(Clash) as caught, project_scope(cast.owner.acting):
        edit(cast.owner.acting, proposal, TextWish(body=PERSONA), expected_version=4, now=timezone.now())
    extra = caught.value.extra
    assert (caught.value.code, extra["version"], extra["theirs"]["speaking_style"]) == ("proposal_moved", 1, "warm")


@pytest.mark.parametrize("who", ["tester", "personal"])
def test_an_agent_edits_and_withdraws_only_its_own(cast: Cast, who: str) -> None:
    proposal, other = warm(cast), getattr(cast, who).acting
    for act in (
        lambda: edit(other, proposal, TextWish(body=ROLE), expected_version=1, now=timezone.now()),
        lambda: withdraw(other, proposal, reason="", now=timezone.now()),
        lambda: comment(other, proposal, "hm", now=timezone.now()),
    ):
        with pytest.raises(Forbidden, match="only whoever proposed it"), project_scope(other):
            act()


def test_the_proposer_takes_a_proposal_back(cast: Cast) -> None:
    proposal = warm(cast)
    with project_scope(cast.dev.acting):
        withdraw(cast.dev.acting, proposal, reason="better idea", now=timezone.now())
        assert InboxItem.objects.get(ref=proposal.ref).state == "done"
    assert again(proposal, cast.dev.acting).state == "withdrawn"


def test_the_human_who_owns_the_agent_takes_its_proposal_back(cast: Cast) -> None:
    proposal = warm(cast)
    with project_scope(cast.owner.acting):
        withdraw(cast.owner.acting, proposal, reason="", now=timezone.now())
    assert again(proposal, cast.dev.acting).state == "withdrawn"


def test_what_is_closed_takes_no_more_text(cast: Cast) -> None:
    proposal = warm(cast)
    decided(cast.owner.acting, proposal)
    with pytest.raises(Clash, match="approved"), project_scope(cast.dev.acting):
        edit(cast.dev.acting, proposal, TextWish(body=ROLE), expected_version=1, now=timezone.now())


def test_a_comment_stands_beside_the_version_it_is_about(cast: Cast) -> None:
    proposal = warm(cast)
    with project_scope(cast.owner.acting):
        comment(cast.owner.acting, proposal, "  why? 为什么  ", now=timezone.now())
        said = [(row.text, row.version) for row in comments_of(proposal)]
    assert said == [("why? 为什么", 1)]


def test_rebasing_moves_a_proposal_onto_what_holds_now(cast: Cast) -> None:
    proposal = warm(cast)
    newest = changed(cast, ContractKind.PERSONA, "default", PERSONA | {"relationship_to_user": "peer"})
    with project_scope(cast.dev.acting):
        assert sight(again(proposal, cast.dev.acting)).moved
        both = TextWish(body=WARM | {"relationship_to_user": "peer"})
        rebase(cast.dev.acting, proposal, both, expected_version=1, now=timezone.now())
        seen = sight(again(proposal, cast.dev.acting))
    assert (seen.moved, seen.base, seen.text.version) == (False, newest, 2)


def test_rebasing_onto_the_same_revision_is_nothing(cast: Cast) -> None:
    proposal = warm(cast)
    with pytest.raises(Invalid, match="already"), project_scope(cast.dev.acting):
        rebase(cast.dev.acting, proposal, TextWish(body=WARM), expected_version=1, now=timezone.now())


def test_reverting_is_a_new_proposal_on_what_holds_now(cast: Cast) -> None:
    changed(cast, ContractKind.PERSONA, "default", WARM)
    with project_scope(cast.dev.acting):
        first = Revision.objects.get(contract__kind="persona", number=1)
        proposal = propose_revert(cast.dev.acting, first, rationale="it was better", now=timezone.now())
        seen = sight(proposal)
    assert (proposal.reverts, seen.base.number, seen.text.body) == (first, 2, first.body)


def test_a_revert_that_is_approved_makes_a_new_revision(cast: Cast) -> None:
    changed(cast, ContractKind.PERSONA, "default", WARM)
    with project_scope(cast.dev.acting):
        first = Revision.objects.get(contract__kind="persona", number=1)
        proposal = propose_revert(cast.dev.acting, first, rationale="", now=timezone.now())
    decided(cast.owner.acting, proposal)
    with project_scope(cast.dev.acting):
        active = Revision.objects.get(contract__kind="persona", state="active")
    assert (active.number, active.body) == (3, first.body)


def test_nobody_decides_so_it_expires(cast: Cast) -> None:
    proposal = warm(cast)
    assert sweep_expired(now=timezone.now() + timedelta(days=29)) == 0
    assert sweep_expired(now=timezone.now() + timedelta(days=31)) == 1
    assert again(proposal, cast.dev.acting).state == ProposalState.EXPIRED
    with project_scope(cast.owner.acting):
        assert InboxItem.objects.get(ref=proposal.ref).state == "done"


def test_what_was_decided_does_not_expire(cast: Cast) -> None:
    decided(cast.owner.acting, warm(cast), DecisionVerb.REJECT)
    assert sweep_expired(now=timezone.now() + timedelta(days=31)) == 0


def test_a_contract_is_installed_once(cast: Cast) -> None:
    with pytest.raises(Clash, match="propose a change"), project_scope(cast.owner.acting):
        install(ContractKind.PERSONA, "default", WARM, by=cast.owner.actor, reason="r", now=timezone.now())


def test_a_new_self_profile_is_about_the_human_behind_the_agent(cast: Cast) -> None:
    proposal = asked(cast.dev.acting, ContractKind.SELF_PROFILE, "mine", {"self_id": "me"})
    decided(cast.owner.acting, proposal)
    with project_scope(cast.dev.acting):
        assert Contract.objects.get(kind="self_profile").subject_id == cast.owner.actor.pk


def test_a_proposal_of_another_project_is_not_there(cast: Cast) -> None:
    proposal, other = warm(cast), make_cast("beta")
    with pytest.raises(Refusal, match="no such thing"), project_scope(other.owner.acting):
        find_proposal(proposal.public_id, pointer="{proposal}")


@pytest.mark.parametrize(
    "change",
    [
        (
            "INSERT INTO governance_proposaltext SELECT (jsonb_populate_record(t, jsonb_build_object('id',"
            " gen_random_uuid(), 'version', 2, 'risk', 'low'))).* FROM governance_proposaltext t"
        ),
        (
            "INSERT INTO governance_proposaltext SELECT (jsonb_populate_record(t, jsonb_build_object('id',"
            " gen_random_uuid(), 'version', 2, 'level', 'maintainer'))).* FROM governance_proposaltext t"
        ),
        (
            "INSERT INTO governance_proposal SELECT (jsonb_populate_record(p, jsonb_build_object('id',"
            " gen_random_uuid(), 'state', 'draft', 'version', 0, 'proposer_id', a.id))).* FROM governance_proposal p,"
            " governance_actor a WHERE a.name = 'tester-alpha'"
        ),
    ],
    ids=["a lower risk", "a lower level", "another's name"],
)
def test_plain_sql_cannot_make_a_proposal_look_smaller(cast: Cast, change: str) -> None:
    asked(cast.dev.acting, ContractKind.ROLE, "dev", ROLE | {"permissions": ["merge"]})
    with project_scope(cast.dev.acting), pytest.raises(DatabaseError) as caught, transaction.atomic():
        connection.cursor().execute(change)
    assert caught.value.__cause__.sqlstate == "GW006"
