"""Agents ask for changes over HTTP and never decide them; a running attempt keeps what it started with."""

from typing import Any

import pytest

from governance.models import AuditEvent, Proposal
from governance.proposals import MOST_OPEN
from governance.scope import project_scope
from governance.vocabulary import ContractKind, DecisionVerb
from greywind_site.api import api
from sessions.models import BudgetProfile
from tests.api.asking import ask, compiled, ok, refused
from tests.cast import PERSONA, Api, Cast, Member
from tests.governing import changed, decided

WARM = PERSONA | {"speaking_style": "warm"}
ROLE = {"slug": "dev", "duties": ["other work"], "hard_boundaries": ["do not merge alone"]}
POLICY = {"rules": ["Be brief."]}
PROFILE = {"self_id": "me", "preference_model": {"communication": {"tone": "dry"}}}


def wish(body: Any = WARM, kind: str = "persona", slug: str = "default", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "slug": slug, "body": body, "title": "a change", **more}


def row(cast: Cast, shown: dict[str, Any]) -> Proposal:
    with project_scope(cast.owner.acting):
        return Proposal.objects.get(pk=shown["id"].removeprefix("prp_"))


@pytest.mark.parametrize(
    ("kind", "slug", "body"),
    [
        ("persona", "default", WARM),
        ("role", "dev", ROLE),
        ("policy", "default", POLICY),
        ("self_profile", "mine", PROFILE),
    ],
)
def test_an_agent_asks_and_is_told_that_a_human_decides(cast: Cast, kind: str, slug: str, body: Any) -> None:
    shown = ok(cast.dev.client().post("/proposals", wish(body, kind, slug)))
    assert (shown["state"], shown["held"], "a human" in shown["message"]) == ("open", True, True)


def test_a_budget_profile_is_read_to_its_end(cast: Cast) -> None:
    with project_scope(cast.dev.acting):
        body = BudgetProfile.objects.newest().get(slug="gpt-5@codex").body
    ask_for = {"kind": "budget_profile", "slug": "gpt-5@codex"}
    assert ok(cast.dev.client().post("/proposals", wish(body, **ask_for)))["risk"] == "high"
    problem = refused(
        cast.dev.client().post("/proposals", wish(body | {"factor": 0.1}, **ask_for)), 422, "invalid_body"
    )
    assert problem["errors"][0]["pointer"] == "/body/factor"


def test_what_names_a_role_is_said_once(cast: Cast) -> None:
    asked = wish({"duties": ["other work"]}, "role", "dev")
    shown = ok(cast.dev.client().post("/proposals", asked))
    assert (shown["slug"], shown["body"]["slug"]) == ("dev", "dev")


def test_two_names_of_one_role_are_refused_at_the_field(cast: Cast) -> None:
    problem = refused(cast.dev.client().post("/proposals", wish(ROLE, "role", "tester")), 422, "invalid_body")
    [fault] = problem["errors"]
    assert (fault["pointer"], "must be tester" in fault["message"]) == ("/body/slug", True)


def test_a_stale_base_hears_what_is_active(cast: Cast) -> None:
    changed(cast, ContractKind.PERSONA, "default", PERSONA | {"speaking_style": "dry"})
    problem = refused(cast.dev.client().post("/proposals", wish(base=1)), 409, "base_moved")
    assert (problem["current"]["number"], problem["current"]["body"]["speaking_style"]) == (2, "dry")


def test_a_fault_of_the_body_is_named_by_its_pointer(cast: Cast) -> None:
    answer = cast.dev.client().post("/proposals", wish({"name": "x", "behavior_rules": [7]}))
    assert refused(answer, 422, "invalid_body")["errors"][0]["pointer"] == "/body/behavior_rules/0"


@pytest.mark.parametrize("kind", ["memory", "sensitivity", "vision"])
def test_what_a_body_says_alone_is_refused_beside_it(cast: Cast, kind: str) -> None:
    """Defaults say nothing, so a client that writes them out loses nothing."""
    sent = {"kind": kind, "body": {}, "rationale": "so", "base": 3, "risk": "low", "subject": None}
    told = refused(cast.dev.client().post("/proposals", sent), 422, "invalid")["errors"]
    assert [each["pointer"] for each in told] == ["/rationale", "/base"]
    assert "/body/reason" in told[0]["message"]


@pytest.mark.parametrize(("kind", "known"), [("memory", "memory_id"), ("sensitivity", "reason"), ("vision", "version")])
def test_an_unknown_field_of_such_a_body_is_named_with_the_known_ones(cast: Cast, kind: str, known: str) -> None:
    sent = {"kind": kind, "body": {known: "x", "wat": 1, "a/b": 2}}
    told = refused(cast.dev.client().post("/proposals", sent), 422, "invalid_body")["errors"]
    assert [each["pointer"] for each in told] == ["/body/a~1b", "/body/wat"]
    assert known in told[0]["message"]


def test_a_role_that_is_too_long_hears_the_tokens(cast: Cast) -> None:
    body = ROLE | {"duties": ["Read every line of the module aloud and sign for it in the book."] * 150}
    problem = refused(cast.dev.client().post("/proposals", wish(body, "role", "dev")), 422, "contract_too_long")
    assert problem["needed"] > problem["allowed"] == 1200


def test_a_body_over_64_kb_is_refused(cast: Cast) -> None:
    answer = cast.dev.client().post("/proposals", wish({"name": "x", "behavior_rules": ["长" * 3000] * 10}))
    refused(answer, 422, "body_too_large")


def test_the_fifty_first_waits_for_the_others(cast: Cast) -> None:
    api_ = cast.dev.client()
    for _ in range(MOST_OPEN):
        ok(api_.post("/proposals", wish()))
    refused(api_.post("/proposals", wish()), 409, "too_many_open")


def test_the_list_holds_what_this_agent_proposed(cast: Cast) -> None:
    mine = ok(cast.dev.client().post("/proposals", wish()))["id"]
    ok(cast.tester.client().post("/proposals", wish()))
    assert [each["id"] for each in ok(cast.dev.client().get("/proposals"))["results"]] == [mine]


def test_a_list_of_one_state_holds_no_other(cast: Cast) -> None:
    ok(cast.dev.client().post("/proposals", wish()))
    assert ok(cast.dev.client().get("/proposals?state=approved"))["results"] == []


def test_what_was_decided_is_told(cast: Cast) -> None:
    shown = ok(cast.dev.client().post("/proposals", wish()))
    decided(cast.owner.acting, row(cast, shown), DecisionVerb.REQUEST_CHANGES, text="说得更清楚些")
    told = ok(cast.dev.client().get(f"/proposals/{shown['id']}"))
    assert (told["state"], told["decisions"][0]["text"], told["held"]) == ("changes_requested", "说得更清楚些", True)


def test_an_agent_takes_its_own_back(cast: Cast) -> None:
    shown = ok(cast.dev.client().post("/proposals", wish()))
    assert ok(cast.dev.client().post(f"/proposals/{shown['id']}/withdraw", {}))["state"] == "withdrawn"
    refused(cast.dev.client().post(f"/proposals/{shown['id']}/withdraw", {}), 409, "invalid_transition")


def test_a_colleague_reads_it_and_cannot_take_it_back(cast: Cast) -> None:
    shown = ok(cast.dev.client().post("/proposals", wish()))
    assert ok(cast.tester.client().get(f"/proposals/{shown['id']}"))["id"] == shown["id"]
    refused(cast.tester.client().post(f"/proposals/{shown['id']}/withdraw", {}), 403, "not_the_proposer")


def test_a_repeated_request_proposes_once(cast: Cast) -> None:
    sent = [cast.dev.client().post("/proposals", wish(), Idempotency_Key="k1") for _ in range(2)]
    assert sent[0].json() == sent[1].json()
    assert len(ok(cast.dev.client().get("/proposals"))["results"]) == 1


DECIDING = ["approve", "decide", "decision", "decisions", "reject", "open", "edit"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_no_key_reaches_a_decision(cast: Cast, method: str) -> None:
    api_ = cast.dev.client()
    shown = ok(api_.post("/proposals", wish()))
    paths = [f"/proposals/{shown['id']}/{word}" for word in DECIDING]
    heard = {api_.call(method, path, {"verb": "approve"}).status_code for path in paths}
    assert (heard <= {404, 405}, row(cast, shown).state) == (True, "open")


@pytest.mark.parametrize("field", ["state", "verb", "decision", "self_approved", "decided_by", "level"])
def test_a_proposal_cannot_bring_its_own_decision(cast: Cast, field: str) -> None:
    answer = cast.dev.client().post("/proposals", wish() | {field: "approved"})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, f"/{field}")


def test_no_operation_of_the_api_speaks_of_deciding() -> None:
    names = [call["operationId"] for path in api.get_openapi_schema()["paths"].values() for call in path.values()]
    assert [name for name in names if any(word in name for word in ("approve", "decide", "reject"))] == []


def duties(member: Member | Api, **more: Any) -> list[str]:
    return compiled(member, **more)["packet"]["persona"]["role"]["duties"]


def test_a_running_attempt_keeps_its_contract_and_the_next_has_the_new_one(cast: Cast) -> None:
    first = compiled(cast.dev)
    session = first["session"]["id"]
    changed(cast, ContractKind.ROLE, "dev", ROLE)
    assert duties(cast.dev, session_id=session) == ["do the work of dev"]
    ok(cast.dev.client().post(f"/sessions/{session}/attempts", {}))
    assert duties(cast.dev, session_id=session) == ["other work"]


def test_the_packet_says_which_revision_it_holds(cast: Cast) -> None:
    before = compiled(cast.dev)["packet"]["persona"]["role"]["revision"]
    changed(cast, ContractKind.ROLE, "dev", ROLE)
    ok(cast.dev.client().post("/threads", {"title": "another matter"}))
    packet = ok(cast.tester.client().post("/context", ask("a wholly different matter of the moon", role="tester")))
    assert packet["packet"]["persona"]["role"]["slug"] == "tester"
    assert before == compiled(cast.dev)["packet"]["persona"]["role"]["revision"]


def test_every_call_that_changes_is_in_the_ledger(cast: Cast) -> None:
    shown = ok(cast.dev.client().post("/proposals", wish()))
    ok(cast.dev.client().post(f"/proposals/{shown['id']}/withdraw", {"reason": "no"}))
    with project_scope(cast.owner.acting):
        entries = AuditEvent.objects.filter(target=shown["id"]).order_by("seq")
        verbs = [(entry.verb, entry.actor) for entry in entries]
    dev = cast.dev.actor.public_id
    assert verbs == [("proposal.create", dev), ("proposal.open", dev), ("proposal.withdraw", dev)]
