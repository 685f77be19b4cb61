"""Deciding: bound to what was seen, by whom it may be, once; and what follows from it."""

import threading
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone
from psycopg.types.json import Jsonb

from governance.actors import Acting
from governance.decisions import DecisionWish, decide
from governance.errors import Clash, Forbidden, Invalid, Refusal
from governance.ids import new_id
from governance.models import Actor, AuditEvent, Decision, InboxItem, Proposal, Revision
from governance.proposal_reading import can_decide, sight, why_not
from governance.proposal_texts import TextWish
from governance.proposals import edit
from governance.scope import project_scope
from governance.vocabulary import ContractKind, DecisionReason, DecisionVerb, MembershipLevel
from tests.cast import PERSONA, POLICY, Cast, make_cast
from tests.governing import again, asked, changed, decided, joined

WARM = PERSONA | {"speaking_style": "warm"}
ASKING = PERSONA | {"behavior_rules": ["Ask first."]}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def other(cast: Cast) -> Acting:
    """A second owner."""
    return joined(cast, "second", MembershipLevel.OWNER)


def warm(cast: Cast, body: Any = WARM) -> Proposal:
    return asked(cast.dev.acting, ContractKind.PERSONA, "default", body)


def active(cast: Cast, kind: str = "persona") -> Revision:
    with project_scope(cast.owner.acting):
        return Revision.objects.get(contract__kind=kind, contract__slug="default", state="active")


def refused(who: Acting, proposal: Proposal, verb: DecisionVerb = DecisionVerb.APPROVE, **more: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        decided(who, proposal, verb, **more)
    return caught.value


def test_an_approval_puts_the_text_in_force_and_the_former_one_out(cast: Cast) -> None:
    before, proposal = active(cast), warm(cast)
    decision = decided(cast.owner.acting, proposal)
    now = active(cast)
    with project_scope(cast.owner.acting):
        former = Revision.objects.get(pk=before.pk)
    assert (now.number, now.base_id, now.body["speaking_style"], former.state) == (2, before.pk, "warm", "superseded")
    assert (now.proposal_id, now.decided_by_id, now.proposed_by_id, decision.self_approved) == (
        proposal.pk,
        cast.owner.actor.pk,
        cast.dev.actor.pk,
        False,
    )


def test_an_approval_closes_the_matter(cast: Cast) -> None:
    proposal = warm(cast)
    decided(cast.owner.acting, proposal)
    with project_scope(cast.owner.acting):
        assert InboxItem.objects.get(ref=proposal.ref).state == "done"
    assert again(proposal, cast.owner.acting).state == "approved"


def test_the_ledger_names_both_texts_by_their_keyed_hashes(cast: Cast) -> None:
    decided(cast.owner.acting, warm(cast))
    with project_scope(cast.owner.acting):
        entry = AuditEvent.objects.get(verb="contract.change")
        said = AuditEvent.objects.get(verb="proposal.approve")
    assert (entry.before[:5], entry.after[:5], entry.before == entry.after) == ("hmac:", "hmac:", False)
    assert (entry.before, entry.after) == (said.before, said.after)


def test_an_approval_of_a_new_contract_makes_it(cast: Cast) -> None:
    proposal = asked(cast.dev.acting, ContractKind.ROLE, "scribe", {"slug": "scribe", "duties": ["write"]})
    decided(cast.owner.acting, proposal)
    with project_scope(cast.owner.acting):
        made = Revision.objects.get(contract__slug="scribe")
    assert (made.number, made.state, made.base_id) == (1, "active", None)


def test_a_rejection_says_why_and_ends_it(cast: Cast) -> None:
    proposal = warm(cast)
    decided(cast.owner.acting, proposal, DecisionVerb.REJECT, reason_code=DecisionReason.UNSAFE)
    with project_scope(cast.owner.acting):
        assert Decision.objects.get(proposal=proposal).reason_code == "unsafe"
    assert (again(proposal, cast.owner.acting).state, active(cast).number) == ("rejected", 1)


@pytest.mark.parametrize(
    ("verb", "more", "code"),
    [
        (DecisionVerb.REJECT, {"reason_code": None}, "reason_missing"),
        (DecisionVerb.REQUEST_CHANGES, {"text": " "}, "reason_missing"),
        (DecisionVerb.EDIT_AND_APPROVE, {}, "body_missing"),
        (DecisionVerb.EDIT_AND_APPROVE, {"body": {"wat": 1}}, "invalid_body"),
        (DecisionVerb.APPROVE, {"text": "x" * 8001}, "too_long"),
    ],
)
def test_what_a_decision_lacks_is_named(cast: Cast, verb: DecisionVerb, more: dict[str, Any], code: str) -> None:
    refusal = refused(cast.owner.acting, warm(cast), verb, **more)
    assert (type(refusal), refusal.code) == (Invalid, code)


def test_what_was_sent_back_is_open_again_once_it_is_edited(cast: Cast) -> None:
    proposal = warm(cast)
    decided(cast.owner.acting, proposal, DecisionVerb.REQUEST_CHANGES)
    assert again(proposal, cast.owner.acting).state == "changes_requested"
    with project_scope(cast.dev.acting):
        edit(cast.dev.acting, proposal, TextWish(body=ASKING), expected_version=1, now=timezone.now())
        item = InboxItem.objects.get(ref=proposal.ref)
    assert (again(proposal, cast.dev.acting).state, item.state, item.risk) == ("open", "open", "medium")


def moved_by(cast: Cast, how: str, proposal: Proposal) -> None:
    match how:
        case "text":
            with project_scope(cast.dev.acting):
                edit(cast.dev.acting, proposal, TextWish(body=ASKING), expected_version=1, now=timezone.now())
        case "base":
            changed(cast, ContractKind.PERSONA, "default", PERSONA | {"speaking_style": "dry"})
        case "policy":
            changed(cast, ContractKind.POLICY, "default", POLICY | {"rules": ["Be brief."]})
        case "state":
            decided(cast.owner.acting, proposal, DecisionVerb.REJECT)


@pytest.mark.parametrize("how", ["text", "base", "policy", "state"])
def test_whoever_saw_an_older_state_is_refused_with_what_there_is_now(cast: Cast, how: str) -> None:
    proposal = warm(cast)
    with project_scope(cast.owner.acting):
        seen = sight(again(proposal, cast.owner.acting))
    moved_by(cast, how, proposal)
    refusal = refused(cast.owner.acting, proposal, expected_version=1, seen_hash=seen.seen_hash)
    assert (type(refusal), refusal.code) == (Clash, "proposal_moved")
    assert (refusal.extra["base_then"], refusal.extra["base_now"]) == (seen.base.body, active(cast).body)
    assert refusal.extra["theirs"]["speaking_style"] in ("warm", "calm and exact")


def test_the_state_that_a_clash_shows_can_be_decided_on(cast: Cast) -> None:
    proposal = warm(cast)
    moved_by(cast, "policy", proposal)
    shown = refused(cast.owner.acting, proposal, seen_hash="sha256:old").extra
    decided(cast.owner.acting, proposal, expected_version=shown["version"], seen_hash=shown["seen_hash"])
    assert active(cast).number == 2


def test_at_low_risk_the_decider_may_edit_and_approve(cast: Cast, other: Acting) -> None:
    proposal = warm(cast)
    body = PERSONA | {"speaking_style": "dry"}
    decision = decided(other, proposal, DecisionVerb.EDIT_AND_APPROVE, body=body)
    assert (decision.version, decision.self_approved, active(cast).body["speaking_style"]) == (2, False, "dry")


def test_above_low_risk_whoever_edits_is_an_author_and_does_not_decide(cast: Cast, other: Acting) -> None:
    body = PERSONA | {"behavior_rules": ["Ask."]}
    refusal = refused(other, warm(cast), DecisionVerb.EDIT_AND_APPROVE, body=body)
    assert (type(refusal), refusal.code, active(cast).number) == (Forbidden, "own_proposal", 1)


def test_a_refused_edit_and_approval_leaves_nothing(cast: Cast, other: Acting) -> None:
    proposal = warm(cast)
    refused(other, proposal, DecisionVerb.EDIT_AND_APPROVE, body=PERSONA | {"behavior_rules": ["Ask."]})
    assert again(proposal, other).version == 1


def test_the_only_human_may_decide_on_their_agents_proposal_and_the_row_says_so(cast: Cast) -> None:
    assert decided(cast.owner.acting, warm(cast, ASKING)).self_approved


def test_the_human_who_owns_the_agent_leaves_it_to_another(cast: Cast, other: Acting) -> None:
    proposal = warm(cast, ASKING)
    assert refused(cast.owner.acting, proposal).code == "own_proposal"
    assert not decided(other, proposal).self_approved


@pytest.mark.parametrize("who", ["dev", "tester", "personal"])
@pytest.mark.parametrize("verb", DecisionVerb)
def test_an_agent_decides_nothing(cast: Cast, who: str, verb: DecisionVerb) -> None:
    refusal = refused(getattr(cast, who).acting, warm(cast), verb, body=ASKING)
    assert (type(refusal), refusal.code) == (Forbidden, "not_a_decider")


def test_the_button_says_why_it_is_disabled(cast: Cast, other: Acting) -> None:
    proposal = again(warm(cast, ASKING), other)
    with project_scope(cast.owner.acting):
        seen = sight(proposal)
        told = why_not(cast.owner.acting, seen)
    with project_scope(other):
        assert can_decide(other, seen)
    assert told is not None
    assert (told.code, "medium" in told.message) == ("own_proposal", True)


def both_needed(cast: Cast) -> None:
    changed(cast, ContractKind.POLICY, "default", POLICY | {"two_deciders_for": ["low", "high"]})


def test_where_the_policy_asks_for_two_the_second_approval_decides(cast: Cast) -> None:
    both_needed(cast)
    second = joined(cast, "second", MembershipLevel.OWNER)
    proposal = warm(cast)
    decided(cast.owner.acting, proposal)
    assert (again(proposal, second).state, active(cast).number) == ("open", 1)
    decided(second, proposal)
    assert (again(proposal, second).state, active(cast).number) == ("approved", 2)


def test_nobody_gives_both_of_two_approvals(cast: Cast) -> None:
    both_needed(cast)
    joined(cast, "second", MembershipLevel.OWNER)
    proposal = warm(cast)
    decided(cast.owner.acting, proposal)
    assert refused(cast.owner.acting, proposal).code == "already_decided"


def test_an_approval_lapses_when_the_text_is_edited(cast: Cast) -> None:
    both_needed(cast)
    second = joined(cast, "second", MembershipLevel.OWNER)
    proposal = warm(cast)
    decided(cast.owner.acting, proposal)
    with project_scope(cast.dev.acting):
        changed_text = TextWish(body=PERSONA | {"speaking_style": "dry"})
        edit(cast.dev.acting, proposal, changed_text, expected_version=1, now=timezone.now())
    decided(second, proposal)
    assert (again(proposal, second).state, active(cast).number) == ("open", 1)


def at_once(*deciding: tuple[Acting, Proposal, DecisionVerb]) -> list[str]:
    """Let everybody decide at one moment on what they saw before; returns what they heard, sorted."""
    gate, heard = threading.Barrier(len(deciding)), []

    def press(who: Acting, proposal: Proposal, verb: DecisionVerb, seen_hash: str) -> None:
        reason = DecisionReason.WRONG
        wish = DecisionWish(
            verb=verb, expected_version=1, seen_hash=seen_hash, reason_code=reason, text="x", proof="passkey"
        )
        try:
            gate.wait()
            with project_scope(who):
                decide(who, proposal, wish, now=timezone.now())
            heard.append("done")
        except Refusal as refusal:
            heard.append(refusal.code)
        finally:
            connection.close()

    pressing = [threading.Thread(target=press, args=(*each, seen_by(each[0], each[1]))) for each in deciding]
    for thread in pressing:
        thread.start()
    for thread in pressing:
        thread.join()
    return sorted(heard)


def seen_by(who: Acting, proposal: Proposal) -> str:
    with project_scope(who):
        return sight(Proposal.objects.get(pk=proposal.pk)).seen_hash


def test_of_two_who_decide_at_once_one_wins(cast: Cast, other: Acting) -> None:
    proposal = warm(cast)
    heard = at_once((cast.owner.acting, proposal, DecisionVerb.APPROVE), (other, proposal, DecisionVerb.REJECT))
    assert heard == ["done", "proposal_moved"]


def test_of_two_proposals_approved_at_once_one_holds(cast: Cast, other: Acting) -> None:
    two = warm(cast), warm(cast, PERSONA | {"speaking_style": "dry"})
    approve = DecisionVerb.APPROVE
    assert at_once((cast.owner.acting, two[0], approve), (other, two[1], approve)) == ["done", "proposal_moved"]
    assert active(cast).number == 2


def test_of_two_new_contracts_of_one_slug_one_is_made(cast: Cast, other: Acting) -> None:
    bodies = [{"slug": "scribe", "duties": [duty]} for duty in ("write", "read")]
    two = [asked(cast.tester.acting, ContractKind.ROLE, "scribe", body) for body in bodies]
    with project_scope(cast.owner.acting):
        Actor.objects.filter(pk=cast.tester.actor.pk).update(owned_by=None)
    approve = DecisionVerb.APPROVE
    assert at_once((cast.owner.acting, two[0], approve), (other, two[1], approve)) == ["done", "proposal_moved"]


# What plain SQL of the application role hears, around every verb.


def sql(who: Acting, statement: str, values: Any = ()) -> str | None:
    """Run a statement in a scope and take it back; returns the SQLSTATE of a refusal."""
    try:
        with transaction.atomic():
            with project_scope(who):
                connection.cursor().execute(statement, values or None)
            transaction.set_rollback(True)
    except DatabaseError as error:
        return str(getattr(error.__cause__, "sqlstate", ""))
    return None


INSERT = (
    "INSERT INTO governance_decision (id, project_id, created_at, proposal_id, version, base_id, seen_hash, verb,"
    " reason_code, text, decider_id, self_approved) VALUES (%s, %s, now(), %s, %s, %s, %s, %s, '', '', %s, false)"
)


def row(cast: Cast, proposal: Proposal, **other: Any) -> list[Any]:
    """Return the values of a decision that the owner could make; `other` changes some."""
    with project_scope(cast.owner.acting):
        seen = sight(again(proposal, cast.owner.acting))
    values = {
        "id": new_id(),
        "project": cast.project.pk,
        "proposal": proposal.pk,
        "version": seen.proposal.version,
        "base": seen.text.base_id,
        "seen_hash": seen.seen_hash,
        "verb": "approve",
        "decider": cast.owner.actor.pk,
    }
    return list((values | other).values())


def test_the_rows_of_these_tests_are_good_where_nothing_is_changed(cast: Cast) -> None:
    assert sql(cast.owner.acting, INSERT, row(cast, warm(cast))) is None


@pytest.mark.parametrize("verb", DecisionVerb)
def test_sql_as_an_agent_cannot_decide_in_its_own_name(cast: Cast, verb: DecisionVerb) -> None:
    values = row(cast, warm(cast), decider=cast.dev.actor.pk, verb=verb)
    assert sql(cast.dev.acting, INSERT, values) == "GW006"


@pytest.mark.parametrize("verb", DecisionVerb)
def test_sql_as_an_agent_cannot_decide_in_a_humans_name(cast: Cast, verb: DecisionVerb) -> None:
    assert sql(cast.dev.acting, INSERT, row(cast, warm(cast), verb=verb)) == "GW006"


@pytest.mark.parametrize(
    "other", [{"version": 2}, {"version": 0}, {"seen_hash": "sha256:" + "0" * 64}, {"base": None}], ids=repr
)
def test_sql_cannot_decide_what_does_not_stand_there(cast: Cast, other: dict[str, Any]) -> None:
    assert sql(cast.owner.acting, INSERT, row(cast, warm(cast), **other)) == "GW006"


def test_sql_cannot_decide_on_a_text_that_was_edited_since(cast: Cast) -> None:
    proposal = warm(cast)
    values = row(cast, proposal)
    moved_by(cast, "text", proposal)
    assert sql(cast.owner.acting, INSERT, values) == "GW006"


@pytest.mark.parametrize("how", ["base", "policy"])
def test_sql_cannot_decide_on_what_has_moved_beneath_it(cast: Cast, how: str) -> None:
    proposal = warm(cast)
    values = row(cast, proposal)
    moved_by(cast, how, proposal)
    assert sql(cast.owner.acting, INSERT, values) == "GW006"


@pytest.mark.parametrize("verb", [DecisionVerb.APPROVE, DecisionVerb.REJECT])
def test_sql_cannot_decide_what_is_closed(cast: Cast, verb: DecisionVerb) -> None:
    proposal = warm(cast)
    values = row(cast, proposal, id=new_id(), verb=DecisionVerb.REJECT)
    decided(cast.owner.acting, proposal, verb)
    assert sql(cast.owner.acting, INSERT, values) in {"GW006", "23505"}


@pytest.mark.parametrize("state", ["approved", "rejected", "changes_requested"])
def test_sql_cannot_close_what_nobody_decided(cast: Cast, state: str) -> None:
    warm(cast)
    assert sql(cast.owner.acting, "UPDATE governance_proposal SET state = %s", [state]) == "GW006"


def test_sql_cannot_open_again_what_was_sent_back(cast: Cast) -> None:
    decided(cast.owner.acting, warm(cast), DecisionVerb.REQUEST_CHANGES)
    assert sql(cast.owner.acting, "UPDATE governance_proposal SET state = 'open'") == "GW006"


REVISION = (
    "INSERT INTO governance_revision SELECT (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(),"
    " 'number', 7, 'state', 'active') || %s)).* FROM governance_revision r"
    " WHERE r.contract_id = (SELECT id FROM governance_contract WHERE kind = 'persona' AND slug = 'default')"
    " ORDER BY r.number DESC LIMIT 1"
)
RETIRE = "UPDATE governance_revision SET state = 'superseded' WHERE state = 'active'; "


def forged(who: Acting, **values: Any) -> str | None:
    """Try to put a revision in force by hand, after retiring the present one."""
    told = Jsonb({name: str(value) if value else None for name, value in values.items()})
    try:
        with transaction.atomic():
            with project_scope(who):
                connection.cursor().execute(RETIRE)
                connection.cursor().execute(REVISION, [told])
            transaction.set_rollback(True)
    except DatabaseError as error:
        return str(getattr(error.__cause__, "sqlstate", ""))
    return None


def test_sql_cannot_put_a_text_in_force_without_a_proposal(cast: Cast) -> None:
    assert forged(cast.owner.acting, proposal_id=None) == "GW006"


@pytest.mark.parametrize("verb", [None, DecisionVerb.REJECT, DecisionVerb.REQUEST_CHANGES])
def test_sql_cannot_put_in_force_what_nobody_approved(cast: Cast, verb: DecisionVerb | None) -> None:
    proposal, base = warm(cast), active(cast)
    if verb:
        decided(cast.owner.acting, proposal, verb)
    assert forged(cast.owner.acting, proposal_id=proposal.pk, base_id=base.pk) == "GW006"


def test_sql_cannot_use_an_approval_twice(cast: Cast) -> None:
    proposal = warm(cast)
    decided(cast.owner.acting, proposal)
    base = active(cast)
    assert forged(cast.owner.acting, proposal_id=proposal.pk, base_id=base.pk) in {"GW006", "23505"}


@pytest.mark.parametrize("who", ["dev", "tester", "personal"])
def test_sql_as_an_agent_cannot_put_a_text_in_force(cast: Cast, who: str) -> None:
    proposal = warm(cast)
    decided(cast.owner.acting, proposal)
    acting = getattr(cast, who).acting
    assert forged(acting, proposal_id=None, decided_by_id=acting.actor_id) == "GW006"


@pytest.mark.parametrize(
    "change", ["decided_by_id = proposed_by_id", "decided_at = now()", "reason = 'x'", "proposal_id = NULL"]
)
def test_sql_cannot_change_what_was_decided(cast: Cast, change: str) -> None:
    decided(cast.owner.acting, warm(cast))
    statement = f"UPDATE governance_revision SET {change} WHERE proposal_id IS NOT NULL"
    assert sql(cast.owner.acting, statement) == "GW001"


def test_the_birth_of_a_contract_is_an_owners(cast: Cast) -> None:
    maintainer = joined(cast, "keeper", MembershipLevel.MAINTAINER)
    statement = (
        "INSERT INTO governance_revision SELECT (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(),"
        " 'contract_id', c.id, 'decided_by_id', %s::text))).* FROM governance_revision r, fresh c LIMIT 1"
    )
    fresh = (
        "WITH fresh AS (INSERT INTO governance_contract SELECT (jsonb_populate_record(c, jsonb_build_object('id',"
        " gen_random_uuid(), 'slug', 'fresh'))).* FROM governance_contract c LIMIT 1 RETURNING *) "
    )
    heard = {who.actor_id: sql(who, fresh + statement, [str(who.actor_id)]) for who in (maintainer, cast.owner.acting)}
    assert heard == {maintainer.actor_id: "GW006", cast.owner.actor.pk: None}


def test_a_decision_is_there_once(cast: Cast) -> None:
    both_needed(cast)
    joined(cast, "second", MembershipLevel.OWNER)
    proposal = warm(cast)
    decided(cast.owner.acting, proposal)
    assert sql(cast.owner.acting, INSERT, row(cast, proposal)) == "23505"
