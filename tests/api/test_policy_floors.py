"""A policy's floors over HTTP: refused at their field, kept by the next attempt, and the same bytes on replay."""

from typing import Any

import pytest
from django.db import connection

from governance.scope import project_scope
from governance.vocabulary import ContractKind
from sessions.models import ContextPacket
from tests.api.asking import compiled, layer, ok, refused
from tests.cast import POLICY, Cast, make_cast
from tests.databases import owner_link
from tests.governing import changed

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
FLOORS = {"memories": 0.12}
OF_POLICIES = "WHERE contract_id IN (SELECT id FROM governance_contract WHERE kind = 'policy')"


@pytest.fixture
def cast() -> Cast:
    return make_cast("alpha")


def verdict(cast: Cast, packet: dict[str, Any]) -> str:
    found: str = ok(cast.dev.client().get(f"/context/{packet['packet_id']}/replay"))["verdict"]
    return found


@pytest.mark.parametrize(
    ("floors", "pointers"),
    [
        ({"nonsense": 99, "memories": -3}, ["/body/budget_floors/nonsense", "/body/budget_floors/memories"]),
        ({"dialogue": 0.9, "summary": 0.9}, ["/body/budget_floors"]),
    ],
)
def test_floors_that_no_budget_can_keep_are_refused(cast: Cast, floors: dict[str, Any], pointers: list[str]) -> None:
    wish = {"kind": "policy", "slug": "default", "title": "t", "body": POLICY | {"budget_floors": floors}}
    problem = refused(cast.dev.client().post("/proposals", wish), 422, "invalid_body")
    assert [one["pointer"] for one in problem["errors"]] == pointers


def test_an_approved_floor_is_the_next_attempts_and_is_shown_again(cast: Cast) -> None:
    before = compiled(cast.dev)
    changed(cast, ContractKind.POLICY, "default", POLICY | {"budget_floors": FLOORS})
    running = compiled(cast.dev, session_id=before["session"]["id"])
    ok(cast.dev.client().post(f"/sessions/{before['session']['id']}/attempts", {}))
    after = compiled(cast.dev, session_id=before["session"]["id"])
    shown = [(layer(one, "memories")["floor"], layer(one, "memories")["origin"]) for one in (before, running, after)]
    cap = after["budget"]["input_cap"]
    assert shown[0] == shown[1] == (cap * 500 // 10_000, "default")
    assert shown[2] == (cap * 1_200 // 10_000, "policy")
    assert [verdict(cast, one) for one in (before, running, after)] == ["identical"] * 3
    assert ok(cast.dev.client().get(f"/context/{after['packet_id']}")) == after


def test_a_packet_of_before_floors_were_kept_is_rebuilt_without_them(cast: Cast) -> None:
    packet = compiled(cast.dev)
    said = """'{"nonsense": 99, "memories": -3, "dialogue": 0.5}'"""
    with owner_link(str(connection.settings_dict["NAME"])) as link:
        link.execute("SET session_replication_role = replica")
        link.execute("UPDATE agent_sessions_contextpacket SET receipt = receipt - 'floors'")
        link.execute(
            f"UPDATE governance_revision SET body = jsonb_set(body, '{{budget_floors}}', {said}) {OF_POLICIES}"
        )
    with project_scope(cast.dev.acting):
        assert "floors" not in ContextPacket.objects.get().receipt
    assert verdict(cast, packet) == "identical"
    later = compiled(cast.dev, session_id=packet["session"]["id"])
    assert layer(later, "dialogue")["origin"] == "policy"
    [warning] = [one["message"] for one in later["warnings"] if one["code"] == "unusable_floors"]
    assert "budget_floors/memories, budget_floors/nonsense" in warning
    assert verdict(cast, later) == "identical"
