"""Keys: one answer for every key that is no good, and the scope that each endpoint needs."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from governance.agents import add_agent
from governance.keys import mint
from governance.models import Actor, ApiKey
from governance.scope import project_scope
from governance.vocabulary import KeyScope
from tests.api.endpoints import CALLS, OF_THE_PROJECT, Call, filled, ids_of, owned_by, random_like
from tests.api.test_outsider import heard
from tests.cast import ROLES, Api
from tests.stage import Stage, stage

__all__ = ["stage"]  # the fixture of this module
EVERY = [*CALLS, *OF_THE_PROJECT]
FIRST = {call.operation: call for call in reversed(EVERY)}
ONCE = sorted(FIRST.values(), key=str)
# What each endpoint needs, written again by hand: a scope that is missing here or too many is a defect.
NEEDED = {
    "append_events": {"session:write"},
    "change_task": {"session:write"},
    "change_thread": {"session:write"},
    "checkpoint_session": {"session:write"},
    "close_session": {"session:write"},
    "compile_context": {"context:compile"},
    "create_task": {"session:write"},
    "create_thread": {"session:write"},
    "explain_context": {"context:compile"},
    "get_context": {"context:compile"},
    "get_memory": {"memory:read"},
    "get_proposal": {"proposal:create"},
    "get_session": {"session:write"},
    "get_summary": {"session:write"},
    "get_task": {"session:write"},
    "get_thread": {"session:write"},
    "get_vision": {"session:write"},
    "give_memory_feedback": {"memory:read"},
    "interrupt_session": {"session:write"},
    "list_constraints": {"session:write"},
    "list_events": {"session:write"},
    "list_memories": {"memory:read"},
    "list_proposals": {"proposal:create"},
    "list_threads": {"session:write"},
    "merge_thread": {"session:write"},
    "open_session": {"session:write"},
    "propose_contract": {"proposal:create"},
    "propose_memory": {"memory:propose"},
    "put_vision": {"session:write"},
    "read_artifact": {"evidence:read"},
    "read_evidence": {"evidence:read"},
    "replay_context": {"context:compile"},
    "report_outcome": {"context:compile"},
    "resolve_thread": {"context:compile"},
    "resume_session": {"session:write"},
    "retire_constraint": {"session:write", "event:attest"},
    "search_memories": {"memory:read"},
    "send_back_task": {"session:write"},
    "split_thread": {"session:write"},
    "show_key": set(),
    "start_attempt": {"session:write"},
    "store_artifact": {"session:write"},
    "withdraw_proposal": {"proposal:create"},
    "undo_thread": {"session:write"},
    "write_handoff": {"session:write"},
}


@dataclass(frozen=True)
class Bad:
    """An Authorization header that must not open anything."""

    kind: str
    header: str | None


@pytest.fixture(scope="module")
def bad_keys(stage: Stage) -> list[Bad]:
    """One header of every kind that is refused."""
    actor, good, now = stage.alpha.dev.actor, stage.alpha.dev.secret, timezone.now()
    with project_scope(stage.alpha.owner.acting):
        lapsed = mint(actor, scopes=list(KeyScope), expires_at=now - timedelta(seconds=1)).secret
        revoked = mint(actor, scopes=list(KeyScope))
        ApiKey.objects.filter(pk=revoked.key.pk).update(revoked_at=now)
        retired = add_agent(stage.alpha.owner.acting, "retired", roles=ROLES, now=now)
        idle = mint(retired, scopes=list(KeyScope)).secret
        Actor.objects.filter(pk=retired.pk).update(active=False)
    return [
        Bad("missing", None),
        Bad("empty", ""),
        Bad("another scheme", f"Basic {good}"),
        Bad("no secret", "Bearer "),
        Bad("malformed", "Bearer gw_x"),
        Bad("not ours", "Bearer sk-" + "a" * 48),
        Bad("unknown", "Bearer gw_zzzzzzzz_" + "a" * 43),
        Bad("wrong", f"Bearer {good[:-1]}{'A' if good[-1] != 'A' else 'B'}"),
        Bad("padded", f"Bearer {good}="),
        Bad("lapsed", f"Bearer {lapsed}"),
        Bad("revoked", f"Bearer {revoked.secret}"),
        Bad("of an actor that was put out", f"Bearer {idle}"),
    ]


def knock(call: Call, header: str | None, ids: dict[str, str]) -> Any:
    """Call an endpoint with a raw Authorization header, or without one."""
    named = {name.replace("_", "-"): value for name, value in call.headers.items()}
    sent = {"Authorization": header} if header is not None else {}
    return Client(raise_request_exception=False).generic(
        call.method,
        f"/api/v1{filled(call.path, ids)}",
        data=json.dumps(filled(call.body, ids)),
        content_type="application/json",
        headers=named | sent,
    )


@pytest.mark.parametrize("call", ONCE, ids=str)
def test_every_bad_key_hears_the_same(stage: Stage, bad_keys: list[Bad], call: Call) -> None:
    ids = ids_of(stage.ours) | owned_by(stage.ours)
    answers = {bad.kind: heard(knock(call, bad.header, ids), {}) for bad in bad_keys}
    assert {kind: answer for kind, answer in answers.items() if answer != answers["missing"]} == {}
    assert answers["missing"][0] == 401


def test_a_bad_key_hears_how_to_come_in(stage: Stage, bad_keys: list[Bad]) -> None:
    answers = [knock(FIRST["list_threads"], bad.header, {}) for bad in bad_keys]
    assert {(answer["WWW-Authenticate"], answer.json()["code"]) for answer in answers} == {
        ("Bearer", "unauthenticated")
    }


def test_every_cause_of_a_refused_key_is_named_at_once(stage: Stage, bad_keys: list[Bad]) -> None:
    told = {knock(FIRST["list_threads"], bad.header, {}).json()["errors"][0]["message"] for bad in bad_keys}
    [sentence] = told
    assert [cause in sentence for cause in ("unknown", "lapsed", "revoked", "agent is off", "an owner")] == [True] * 5


@pytest.mark.parametrize("language", [None, "zh-hans", "en"])
def test_an_answer_claims_no_language_that_it_is_not_in(stage: Stage, language: str | None) -> None:
    accepted = {"Accept-Language": language} if language else {}
    good = {"Authorization": f"Bearer {stage.alpha.dev.secret}"}
    heads = [
        Client().get("/api/v1/threads", headers=sent | accepted).headers.get("Content-Language") for sent in (good, {})
    ]
    assert heads == [None, "en"]


def test_a_good_key_opens_what_bad_ones_do_not(stage: Stage) -> None:
    assert knock(FIRST["list_threads"], f"Bearer {stage.alpha.dev.secret}", {}).status_code == 200


def test_every_operation_has_its_scopes_written_down() -> None:
    assert {call.operation: set(call.scopes) for call in EVERY} == NEEDED


@pytest.fixture(scope="module")
def with_scopes(stage: Stage) -> Any:
    """Makes clients of the dev whose key carries just these scopes."""
    made: dict[frozenset[KeyScope], Api] = {}

    def client(scopes: set[KeyScope]) -> Api:
        kind = frozenset(scopes)
        if kind not in made:
            with project_scope(stage.alpha.owner.acting):
                made[kind] = Api(mint(stage.alpha.dev.actor, scopes=scopes).secret)
        return made[kind]

    return client


def asking(stage: Stage, call: Call) -> dict[str, str]:
    """Ids that are nobody's, so that a call which gets in finds nothing and uses nothing up."""
    return random_like(ids_of(stage.ours), call.asks) | owned_by(stage.ours)


@pytest.mark.parametrize(("call", "scope"), [(call, scope) for call in ONCE for scope in call.scopes], ids=str)
def test_a_key_without_the_scope_is_told_which_one_it_lacks(
    stage: Stage, with_scopes: Any, call: Call, scope: KeyScope
) -> None:
    answer = call.send(with_scopes(set(KeyScope) - {scope}), asking(stage, call))
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")
    assert scope in answer.json()["detail"]


@pytest.mark.parametrize("call", ONCE, ids=str)
def test_a_key_with_just_the_scopes_gets_in(stage: Stage, with_scopes: Any, call: Call) -> None:
    answer = call.send(with_scopes(set(call.scopes)), asking(stage, call))
    assert answer.status_code in (200, 201, 404, 422), answer.content
    assert answer.json().get("code") != "scope_missing"


def test_an_attested_event_needs_a_scope_of_its_own(stage: Stage, with_scopes: Any) -> None:
    said = {"client_id": "attested", "role": "user", "text": "do it", "attested": True}
    path = f"/sessions/{stage.ours.session.public_id}/events"
    answer = with_scopes({KeyScope.SESSION_WRITE}).post(path, {"events": [said]})
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")


def test_no_scope_lets_a_key_decide() -> None:
    assert not {scope for scope in KeyScope if any(word in scope for word in ("decide", "approve", "admit", "review"))}


def test_a_key_is_stored_as_a_hash_alone(stage: Stage) -> None:
    with project_scope(stage.alpha.owner.acting):
        stored = ApiKey.objects.get(actor=stage.alpha.dev.actor, name="dev-alpha")
    secret = stage.alpha.dev.secret.removeprefix(f"gw_{stored.prefix}_")
    assert (len(bytes(stored.digest)), secret in str(stored.__dict__)) == (32, False)
