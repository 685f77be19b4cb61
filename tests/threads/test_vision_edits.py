"""Edits of a vision: at once, or by a proposal where the policy says so; who decides one, and what comes of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from governance.actors import Acting
from governance.errors import Clash, Forbidden, Refusal
from governance.ids import new_id
from governance.models import AuditEvent, Proposal, ProposalText
from governance.policies import PolicyRules, writes_vision
from governance.proposal_texts import TextWish
from governance.proposals import rebase, withdraw
from governance.scope import project_scope
from governance.vocabulary import ActorKind, ContractKind, DecisionVerb, MembershipLevel, ProposalState, Risk
from tests.api.asking import make_thread, ok, refused
from tests.cast import Cast, make_cast
from tests.databases import put_back
from tests.governing import again, changed, decided, joined
from threads.lifecycle import move_thread
from threads.lineage import Moved, Passing, pass_on
from threads.models import Thread, Vision
from threads.vision_edits import revise_vision, take_up
from threads.visions import Approved, VisionWish, current_vision, write_vision
from threads.vocabulary import LineageKind, ThreadState, VisionSource

pytestmark = pytest.mark.django_db
GOAL = "把潮汐表印出来"
FIRST: dict[str, Any] = {"origin_goal": GOAL, "non_goals": ["no colour"], "done_when": ["it is on the quay"]}
MORE = FIRST | {"done_when": ["it is on the quay", "two copies"]}
LESS = FIRST | {"non_goals": []}


@dataclass(frozen=True)
class Quay:
    """A project whose people write visions directly, with a maintainer and a thread whose vision has one version."""

    cast: Cast
    lin: Acting
    thread: str


@pytest.fixture(scope="module")
def quay(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Quay]:
    with put_back(django_db_blocker):
        cast = make_cast("alpha", policy={"vision_editors": "humans"})
        thread = make_thread(cast.dev, "潮汐表")
        revised(cast.owner.acting, thread, FIRST, seen=0)
        yield Quay(cast, joined(cast, "lin", MembershipLevel.MAINTAINER), thread)


@pytest.fixture
def cast(quay: Quay) -> Cast:
    return quay.cast


@pytest.fixture
def lin(quay: Quay) -> Acting:
    """A maintainer beside the owner, who owns the agents."""
    return quay.lin


@pytest.fixture
def thread(quay: Quay) -> str:
    return quay.thread


def row(acting: Acting, thread: str) -> Thread:
    with project_scope(acting):
        return next(each for each in Thread.objects.all() if each.public_id == thread)


def revised(acting: Acting, thread: str, wish: dict[str, Any], *, seen: int) -> Vision | Proposal:
    with project_scope(acting):
        taken = take_up(acting, row(acting, thread))
        return revise_vision(acting, taken, VisionWish(**wish), seen=seen, now=timezone.now())


def put(cast: Cast, thread: str, wish: dict[str, Any], seen: int = 1, **more: str) -> Any:
    return cast.dev.client().call("PUT", f"/threads/{thread}/vision", wish, If_Match=f'"{seen}"', **more)


def asked(cast: Cast, thread: str, wish: dict[str, Any] = MORE, seen: int = 1) -> Proposal:
    answer = put(cast, thread, wish, seen)
    assert answer.status_code == 202, answer.content
    with project_scope(cast.owner.acting):
        return next(one for one in Proposal.objects.all() if one.public_id == answer.json()["proposal_id"])


def newest(cast: Cast, thread: str) -> Vision:
    with project_scope(cast.owner.acting):
        found = current_vision(row(cast.owner.acting, thread))
    assert found is not None
    return found


def weight(cast: Cast, proposal: Proposal) -> tuple[str, str]:
    with project_scope(cast.owner.acting):
        text = ProposalText.objects.filter(proposal=proposal).latest("version")
        return text.risk, text.level


def test_what_the_policy_leaves_open_is_written_at_once(cast: Cast, thread: str) -> None:
    made = revised(cast.owner.acting, thread, MORE, seen=1)
    assert isinstance(made, Vision)
    assert (made.version, made.source, made.proposal_id) == (2, VisionSource.MAINTAINER, None)


def test_an_agent_s_edit_becomes_a_proposal_that_changes_nothing(cast: Cast, thread: str) -> None:
    answer = put(cast, thread, MORE | {"reason": "one got wet"})
    told = answer.json()
    assert (answer.status_code, told["state"], told["held"], told["base"]) == (202, "open", True, 1)
    assert told["page"] == f"/p/{cast.project.public_id}/proposals/{told['proposal_id']}/"
    assert ok(cast.dev.client().get(f"/threads/{thread}/vision"))["version"] == 1
    assert ok(cast.dev.client().get(f"/proposals/{told['proposal_id']}"))["rationale"] == "one got wet"


def test_the_same_again_is_the_same_proposal(cast: Cast, thread: str) -> None:
    first, again_ = put(cast, thread, MORE).json(), put(cast, thread, MORE).json()
    assert (first["id"], first["version"]) == (again_["id"], again_["version"])


def test_other_words_are_the_next_version_of_the_edit_that_waits(cast: Cast, thread: str) -> None:
    first, other = put(cast, thread, MORE).json(), put(cast, thread, LESS).json()
    assert (first["id"], 2) == (other["id"], other["version"])


def test_what_was_sent_back_waits_for_its_proposer_and_says_so(cast: Cast, lin: Acting, thread: str) -> None:
    decided(lin, asked(cast, thread), DecisionVerb.REQUEST_CHANGES)
    told = put(cast, thread, MORE).json()
    shown = ok(cast.dev.client().get(f"/proposals/{told['proposal_id']}"))
    assert (told["state"], "sent back" in shown["message"]) == ("changes_requested", True)
    assert told["message"].endswith(shown["message"])


def test_the_ledger_tells_whether_any_part_of_a_vision_changed(cast: Cast, lin: Acting, thread: str) -> None:
    for number, wish in enumerate((MORE, LESS), start=1):
        revised(lin, thread, wish, seen=number)
    with project_scope(lin):
        first, second = AuditEvent.objects.filter(verb="vision.write", target=thread).order_by("-seq")[:2][::-1]
    assert first.after == second.before
    assert len({first.before, second.before, second.after}) == 3


def test_an_approved_edit_names_its_proposal_proposer_and_decider(cast: Cast, lin: Acting, thread: str) -> None:
    proposal = asked(cast, thread)
    decided(lin, proposal)
    made = newest(cast, thread)
    assert (made.version, made.source, made.done_when) == (2, VisionSource.PROPOSAL, MORE["done_when"])
    assert (made.proposal_id, made.author_id) == (proposal.pk, cast.dev.acting.actor_id)
    assert made.decided_by_id == lin.actor_id
    with project_scope(cast.owner.acting):
        entry = AuditEvent.objects.filter(verb="vision.write", target=thread).latest("seq")
    assert proposal.public_id in entry.detail


@pytest.mark.parametrize(
    ("wish", "risk"),
    [
        (MORE, "low"),
        (FIRST | {"done_when": []}, "medium"),
        (LESS, "high"),
        (FIRST | {"non_goals": ["no colours"]}, "high"),
        (FIRST | {"origin_goal": f"{GOAL} 再寄出去"}, "high"),
    ],
)
def test_it_weighs_what_the_vision_loses(cast: Cast, thread: str, wish: dict[str, Any], risk: str) -> None:
    assert weight(cast, asked(cast, thread, wish)) == (risk, "maintainer")


def test_an_agent_decides_nothing_and_its_owner_not_above_low_risk(cast: Cast, lin: Acting, thread: str) -> None:
    proposal = asked(cast, thread, LESS)
    for who, code in ((cast.tester.acting, "not_a_decider"), (cast.owner.acting, "own_proposal")):
        with pytest.raises(Forbidden) as refusal:
            decided(who, proposal)
        assert refusal.value.code == code


def test_the_decider_s_own_words_are_what_is_written(cast: Cast, lin: Acting, thread: str) -> None:
    proposal = asked(cast, thread)
    body = {"thread": thread, "version": 1, **MORE, "quality_bar": "can be read in rain"}
    decided(lin, proposal, DecisionVerb.EDIT_AND_APPROVE, body=body)
    assert (newest(cast, thread).version, newest(cast, thread).quality_bar) == (2, "can be read in rain")


def test_what_was_sent_back_is_asked_again_by_putting_other_words(cast: Cast, lin: Acting, thread: str) -> None:
    proposal = asked(cast, thread, LESS)
    decided(lin, proposal, DecisionVerb.REQUEST_CHANGES)
    assert asked(cast, thread, MORE).pk == proposal.pk
    assert (again(proposal, lin).state, weight(cast, proposal)[0]) == (ProposalState.OPEN, Risk.LOW)


@pytest.mark.parametrize("end", ["rejected", "withdrawn"])
def test_what_is_not_approved_leaves_the_vision_alone(cast: Cast, lin: Acting, thread: str, end: str) -> None:
    proposal = asked(cast, thread)
    if end == "rejected":
        decided(lin, proposal, DecisionVerb.REJECT)
    else:
        with project_scope(cast.dev.acting):
            withdraw(cast.dev.acting, proposal, reason="", now=timezone.now())
    assert (again(proposal, lin).state, newest(cast, thread).version) == (end, 1)


def test_another_version_since_is_refused_until_it_is_written_onto_that(cast: Cast, lin: Acting, thread: str) -> None:
    proposal = asked(cast, thread)
    revised(lin, thread, FIRST | {"quality_bar": "sharp"}, seen=1)
    with pytest.raises(Clash) as refusal:
        decided(lin, proposal)
    extra = refusal.value.extra
    assert (refusal.value.code, extra["base_then"]["version"], extra["base_now"]["version"]) == ("proposal_moved", 1, 2)
    assert asked(cast, thread, MORE | {"quality_bar": "sharp"}, seen=2).pk == proposal.pk
    decided(lin, proposal)
    assert (newest(cast, thread).version, newest(cast, thread).quality_bar) == (3, "sharp")


def test_a_thread_that_was_put_away_takes_no_edit_but_a_rejection(cast: Cast, lin: Acting, thread: str) -> None:
    proposal = asked(cast, thread)
    with project_scope(lin):
        move_thread(row(lin, thread), ThreadState.ARCHIVED, reason="done")
    with pytest.raises(Clash) as refusal:
        decided(lin, proposal)
    assert refusal.value.code == "thread_archived"
    refused(put(cast, thread, LESS), 409, "thread_not_open")
    decided(lin, proposal, DecisionVerb.REJECT)
    assert newest(cast, thread).version == 1


def test_what_moved_is_written_onto_what_holds_also_of_a_shut_thread(cast: Cast, lin: Acting, thread: str) -> None:
    proposal = asked(cast, thread)
    revised(lin, thread, FIRST | {"quality_bar": "sharp"}, seen=1)
    with project_scope(lin):
        move_thread(row(lin, thread), ThreadState.ARCHIVED, reason="done")
    body = {"thread": thread, "version": 1, **MORE, "quality_bar": "sharp"}
    with project_scope(lin):
        rebase(lin, again(proposal, lin), TextWish(body=body), expected_version=1, now=timezone.now())
    with pytest.raises(Clash) as refusal:
        decided(lin, proposal)
    assert refusal.value.code == "thread_archived"


@pytest.mark.parametrize("editors", ["owners", "everybody"])
def test_a_thread_that_was_put_away_keeps_its_vision(cast: Cast, thread: str, editors: str) -> None:
    """Written at once or proposed: an edit is refused as every other change of it is, and hears what would help."""
    changed(cast, ContractKind.POLICY, "default", {"rules": [], "vision_editors": editors})
    with project_scope(cast.owner.acting):
        move_thread(row(cast.owner.acting, thread), ThreadState.ARCHIVED, reason="done")
    told = refused(put(cast, thread, MORE), 409, "thread_not_open")
    assert (told["errors"][0]["pointer"], "reopen it" in told["detail"]) == ("{thread_id}", True)
    assert newest(cast, thread).version == 1


def test_an_edit_asks_the_policy_once(cast: Cast, thread: str) -> None:
    with CaptureQueriesContext(connection) as asked_for:
        put(cast, thread, MORE)
    reads = [each for each in asked_for if "governance_revision" in each["sql"] and "'policy'" in each["sql"]]
    assert len(reads) == 1


def test_a_private_thread_is_its_owner_s_to_edit(cast: Cast) -> None:
    private = make_thread(cast.dev, "diary", private=True)
    assert ok(cast.dev.client().call("PUT", f"/threads/{private}/vision", FIRST))["version"] == 1
    body = {"thread": private, "version": 1, **MORE}
    refused(cast.dev.client().post("/proposals", {"kind": "vision", "body": body}), 422, "thread_not_shared")
    others, nobodys = (
        cast.tester.client().post("/proposals", {"kind": "vision", "body": body | {"thread": one}}).json()
        for one in (private, f"thr_{'0' * 32}")
    )
    assert others | {"trace_id": ""} == nobodys | {"trace_id": ""}


def test_an_agent_may_ask_though_it_might_write(cast: Cast, thread: str) -> None:
    answer = cast.dev.client().post("/proposals", {"kind": "vision", "body": {"thread": thread, "version": 1, **LESS}})
    assert (answer.status_code, answer.json()["kind"], answer.json()["state"]) == (202, "vision", "open")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": 7}, (422, "unknown_version")),
        ({"version": 0}, (409, "version_moved")),
        ({"version": True}, (422, "invalid_body")),
        ({"origin_goal": " "}, (422, "goal_empty")),
        ({"non_goals": "none"}, (422, "invalid_body")),
        ({"thread": "elsewhere"}, (422, "malformed_id")),
        ({"reason": 5}, (422, "invalid_body")),
    ],
)
def test_a_bad_wish_is_told_so(cast: Cast, thread: str, change: dict[str, Any], told: tuple[int, str]) -> None:
    body = {"thread": thread, "version": 1, **MORE} | change
    refused(cast.dev.client().post("/proposals", {"kind": "vision", "body": body}), *told)


def test_saying_what_it_says_already_is_refused(cast: Cast, thread: str) -> None:
    refused(put(cast, thread, FIRST), 409, "nothing_changed")


def by_hand(who: Acting, thread: str, wish: dict[str, Any], *, told: str = "lets a human decide", **more: Any) -> None:
    """Write a version past the verb that asks the policy, which the database must refuse in these words."""
    held = row(who, thread)
    with pytest.raises(DatabaseError, match=told), project_scope(who):
        write_vision(held, VisionWish(**wish), **({"acting": who} | more))


def test_raw_sql_writes_no_version_that_was_not_approved(cast: Cast, lin: Acting, thread: str) -> None:
    proposal = asked(cast, thread)
    given = Approved(proposal=proposal.pk, proposer=cast.dev.acting.actor_id, decider=lin.actor_id)
    more: dict[str, Any] = {"source": VisionSource.PROPOSAL, "base": newest(cast, thread), "approved": given}
    by_hand(lin, thread, MORE, told="not what was approved", **more)


def test_raw_sql_says_no_earlier_approved_version_again(cast: Cast, lin: Acting, thread: str) -> None:
    proposal = asked(cast, thread)
    decided(lin, proposal)
    revised(lin, thread, LESS, seen=2)
    given = Approved(proposal=proposal.pk, proposer=cast.dev.acting.actor_id, decider=lin.actor_id)
    more: dict[str, Any] = {"source": VisionSource.PROPOSAL, "base": newest(cast, thread), "approved": given}
    by_hand(cast.dev.acting, thread, MORE, told="not what was approved", **more)


@pytest.mark.parametrize("source", ["agent", "maintainer", "first_request", "task_brief", "merge", "split"])
def test_raw_sql_writes_no_version_that_the_policy_lets_a_human_decide(cast: Cast, thread: str, source: str) -> None:
    by_hand(cast.dev.acting, thread, MORE, source=VisionSource(source), base=newest(cast, thread))


def test_raw_sql_writes_a_version_in_nobody_else_s_name(cast: Cast, thread: str) -> None:
    more: dict[str, Any] = {"acting": cast.owner.acting, "source": VisionSource.MAINTAINER}
    by_hand(cast.dev.acting, thread, MORE, base=newest(cast, thread), **more)


def test_raw_sql_begins_no_vision_of_a_thread_that_was_not_split(cast: Cast) -> None:
    by_hand(cast.dev.acting, make_thread(cast.dev, "harbour"), MORE, source=VisionSource.SPLIT, base=None)


def test_raw_sql_joins_no_more_than_what_two_threads_want(cast: Cast, thread: str) -> None:
    """A merge of its own, with words of neither thread beside those of both."""
    acting, other = cast.dev.acting, make_thread(cast.dev, "harbour")
    revised(cast.owner.acting, other, {"origin_goal": "paint the harbour"}, seen=0)
    passing = Passing(
        kind=LineageKind.MERGE,
        source=row(acting, other),
        target=row(acting, thread),
        moved=Moved(),
        reason="one",
        act=new_id(),
        before={"vision": [1, 2]},
    )
    with project_scope(acting):
        pass_on(acting, passing, now=timezone.now())
    more = FIRST | {"non_goals": ["no colour", "no rest"]}
    by_hand(acting, thread, more, source=VisionSource.MERGE, base=newest(cast, thread))


def test_raw_sql_calls_no_loss_light(cast: Cast, thread: str) -> None:
    proposal = asked(cast, thread, LESS)
    text = ProposalText(project_id=cast.project.pk, proposal=proposal, version=2, body_hash="x", title="t", risk="low")
    text.level, text.author_id = "maintainer", cast.dev.acting.actor_id
    text.body = {"thread": thread, "version": 1, "quality_bar": "", "user_priorities": [], **LESS}
    with pytest.raises(DatabaseError, match="loses more"), project_scope(cast.dev.acting), transaction.atomic():
        text.save()


@pytest.mark.parametrize(
    ("editors", "writers"),
    [
        (None, {"agent", "maintainer", "owner"}),
        ("everybody", {"agent", "maintainer", "owner"}),
        ("humans", {"maintainer", "owner"}),
        ("owners", {"owner"}),
        ("nobody", set()),
        ("misspelt", {"agent", "maintainer", "owner"}),
    ],
)
def test_the_policy_says_who_writes_directly(editors: str | None, writers: set[str]) -> None:
    rules = PolicyRules.of({"vision_editors": editors})
    people = {"agent": (ActorKind.AGENT, None)} | {
        level.value: (ActorKind.HUMAN, level) for level in (MembershipLevel.MAINTAINER, MembershipLevel.OWNER)
    }
    assert {name for name, who in people.items() if writes_vision(rules, *who)} == writers


def test_an_unknown_word_in_the_policy_is_named(cast: Cast) -> None:
    body = {"rules": [], "vision_editors": "somebody"}
    problem = refused(
        cast.dev.client().post("/proposals", {"kind": "policy", "slug": "default", "title": "x", "body": body}),
        422,
        "invalid_body",
    )
    assert problem["errors"][0]["pointer"] == "/body/vision_editors"


def test_a_refusal_leaves_no_proposal_behind(cast: Cast, thread: str) -> None:
    with pytest.raises(Refusal):
        revised(cast.dev.acting, thread, MORE, seen=4)
    with project_scope(cast.owner.acting):
        assert not Proposal.objects.filter(kind="vision").exists()


def test_undoing_a_merge_says_the_approved_version_again(cast: Cast, lin: Acting, thread: str) -> None:
    proposal = asked(cast, thread)
    decided(lin, proposal)
    other = make_thread(cast.dev, "harbour")
    revised(cast.owner.acting, other, {"origin_goal": "paint the harbour"}, seen=0)
    for deed, more in (("merge", {"into_thread_id": thread}), ("undo", {})):
        ok(cast.dev.client().post(f"/threads/{other}/{deed}", {"reason": "so", **more}, If_Match="*"))
    made = newest(cast, thread)
    assert (made.version, made.source, made.proposal_id) == (4, VisionSource.PROPOSAL, proposal.pk)


def test_what_was_asked_of_a_merged_thread_is_not_approved(cast: Cast, lin: Acting, thread: str) -> None:
    proposal, into = asked(cast, thread), make_thread(cast.dev, "harbour")
    revised(cast.owner.acting, into, {"origin_goal": "paint the harbour"}, seen=0)
    ok(cast.dev.client().post(f"/threads/{thread}/merge", {"into_thread_id": into, "reason": "one"}, If_Match="*"))
    with pytest.raises(Clash) as refusal:
        decided(lin, proposal)
    assert refusal.value.code == "thread_passed_on"
    assert refused(put(cast, thread, LESS), 409, "thread_not_open")["successors"] == [into]
