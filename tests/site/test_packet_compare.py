"""Packets beside each other: what came, went and changed, told by what they said and not by how much they took."""

from typing import Any

import pytest
from django.test import Client

from governance.models import User
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from greywind_site.erasing.blanking import RECEIPT
from sessions.models import ContextPacket
from sessions.packet_compare import Side
from sessions.packet_compare import comparison as compared
from sessions.packet_forms import NOT_HERE
from tests.api.asking import append, compiled, event, make_thread, ok, open_session, tokens
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, join, make_account, signed_in
from tests.site.test_packet_list import contexts_of
from tests.site.test_packet_pages import shown, worked

RED, BLUE = ({"app": "paint", "summary": f"{colour} apple"} for colour in ("red", "blue"))
ESTIMATED = {"profile": "claude-sonnet@claude-code"}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def viewer(cast: Cast) -> User:
    return join(make_account(), cast, MembershipLevel.VIEWER)


@pytest.fixture
def client(viewer: User) -> Client:
    return signed_in(viewer)


def test_a_packet_leads_to_the_comparison_with_the_one_before(cast: Cast, client: Client) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    first = compiled(cast.dev, session_id=session)["packet_id"]
    append(cast.dev, session, event("Keep the parser’s comments."))
    second = compiled(cast.dev, session_id=session)["packet_id"]
    assert f"contexts/compare?a={first}&amp;b={second}" in shown(client, cast, second)
    assert "Compare with the one before" not in shown(client, cast, first)


def test_a_comparison_names_what_came_and_went(cast: Cast, client: Client) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    first = compiled(cast.dev, "one", session_id=session)
    append(cast.dev, session, event("Keep the parser’s comments."))
    second = compiled(cast.dev, "two words more", session_id=session)
    both = comparison(client, cast, a=first["packet_id"], b=second["packet_id"])
    changed = {(move.change.value, one.layer.value) for one in both.changes for move in one.moves}
    assert {("added", "dialogue"), ("changed", "input")} <= changed
    assert sum(pair.more for pair in both.layers) == second["budget"]["used"] - first["budget"]["used"]


def test_packets_chosen_in_the_list_are_compared_from_the_older_one_on(cast: Cast, client: Client) -> None:
    older, newer = [compiled(cast.dev, text)["packet_id"] for text in ("one", "two words more")]
    answer = client.get(contexts_of(cast, "compare"), {"of": [newer, older]})
    assert answer.context["form"].data == {"a": older, "b": newer, "c": ""}


def test_a_packet_compared_with_itself_has_no_differences(cast: Cast, client: Client) -> None:
    answer = worked(cast)
    both = comparison(client, cast, a=answer["packet_id"], b=answer["packet_id"])
    items = sum(len(row["items"]) for row in answer["budget"]["layers"])
    assert (list(both.changes), both.same) == ([], items)


def test_another_version_of_a_source_is_a_change(cast: Cast, client: Client) -> None:
    api, thread = cast.dev.client(), make_thread(cast.dev)
    session = open_session(api, thread)
    first = compiled(api, session_id=session)["packet_id"]
    ok(api.call("PATCH", f"/threads/{thread}", {"title": "parser of the config"}, If_Match="*"))
    both = comparison(client, cast, a=first, b=compiled(api, session_id=session)["packet_id"])
    assert [move.change.value for one in both.changes if one.layer == "thread" for move in one.moves] == ["changed"]


def test_a_comparison_of_what_is_not_there_keeps_the_form_and_says_so_beside_the_field(
    cast: Cast, client: Client
) -> None:
    packet, path = compiled(cast.dev)["packet_id"], contexts_of(cast, "compare")
    assert client.get(path).status_code == client.get(path, {"a": packet, "b": packet}).status_code == 200
    foreign = compiled(make_cast("beta").dev)["packet_id"]
    for other in ("x", "pkt_" + "0" * 32, foreign):
        answer = client.get(path, {"a": packet, "b": other})
        form = answer.context["form"]
        assert (answer.status_code, answer.context["both"], list(form.errors)) == (404, None, ["b"])
        assert form.errors["b"] == [str(NOT_HERE)]
        assert (form["a"].value(), form["b"].value()) == (packet, other)
    assert client.get(path, {"a": packet}).status_code == 422


def test_other_words_of_as_many_tokens_are_a_change(cast: Cast, client: Client) -> None:
    assert tokens("继续") == tokens("停止")
    session = open_session(cast.dev, make_thread(cast.dev))
    asked = [(text, screen) for text, screen in (("继续", RED), ("停止", BLUE))]
    first, second = [compiled(cast.dev, text, session_id=session, ui_context=screen) for text, screen in asked]
    both = comparison(client, cast, a=first["packet_id"], b=second["packet_id"])
    assert first["budget"]["used"] == second["budget"]["used"]
    assert moves(both) == {"request://raw_text": ["changed"], f"session://{session}#screen": ["changed"]}


def test_attached_context_is_told_apart_by_its_words(cast: Cast, client: Client) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    first, second = [
        compiled(cast.dev, session_id=session, user_input={"raw_text": "继续", "attached_context": text})["packet_id"]
        for text in ("red apple", "blue apple")
    ]
    assert moves(comparison(client, cast, a=first, b=second)) == {"request://attached_context": ["changed"]}


def test_other_tasks_are_told_apart_by_how_they_stand(cast: Cast, client: Client) -> None:
    thread = make_thread(cast.dev)
    task = ok(cast.dev.client().post("/tasks", {"thread_id": thread, "title": "red apple"}))["id"]
    session = open_session(cast.dev, thread)
    first = compiled(cast.dev, session_id=session)["packet_id"]
    ok(cast.dev.client().call("PATCH", f"/tasks/{task}", {"title": "blue apple"}, If_Match="*"))
    found = moves(comparison(client, cast, a=first, b=compiled(cast.dev, session_id=session)["packet_id"]))
    assert [changes for ref, changes in found.items() if ref.endswith("_tasks")] == [["changed"]]


def test_what_is_only_counted_in_another_way_is_the_same(cast: Cast, client: Client) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, event("Keep the parser’s comments. 保留注释。"))
    exact, estimate = [
        compiled(cast.dev, text, session_id=session, budget=budget)
        for text, budget in (("继续", {}), ("停止", ESTIMATED))
    ]
    assert (exact["budget"]["method"], estimate["budget"]["method"]) == ("exact", "estimate")
    path, ids = contexts_of(cast, "compare"), {"a": exact["packet_id"], "b": estimate["packet_id"]}
    answer = client.get(path, ids)
    assert moves(answer.context["both"]) == {"request://raw_text": ["changed"]}
    assert "counted in different ways" in answer.content.decode()
    assert "counted in different ways" not in client.get(path, ids | {"b": ids["a"]}).content.decode()


def test_of_three_each_says_what_became_of_it_there(cast: Cast, client: Client) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    asked = [("继续", None), ("继续", "only here"), ("停止", None)]
    a, b, c = [
        compiled(cast.dev, session_id=session, user_input={"raw_text": text, "attached_context": more})["packet_id"]
        for text, more in asked
    ]
    answer = client.get(contexts_of(cast, "compare"), {"a": a, "b": b, "c": c})
    [attached, words] = sorted(answer.context["both"].changes, key=lambda one: one.source.ref)
    assert [(move.side, move.change) for move in attached.moves] == [(2, "added"), (3, "gone")]
    assert [(move.side, move.change) for move in words.moves] == [(3, "changed")]
    assert "2 · added" in answer.content.decode()
    back = comparison(client, cast, a=b, b=a, c=b)
    assert moves(back) == {"request://attached_context": ["gone", "added"]}


def test_what_was_erased_since_cannot_be_compared(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    ids = [compiled(cast.dev, text, session_id=session, ui_context=RED)["packet_id"] for text in ("继续", "停止")]
    with project_scope(cast.dev.acting):
        rows = {row.public_id: row for row in ContextPacket.objects.select_related("session", "thread")}
    erased, there = (rows[one] for one in ids)
    for part, values in RECEIPT.items():
        erased.receipt[part] |= values
    with project_scope(cast.dev.acting):
        both = compared([Side.of(erased), Side.of(there)], project_id=cast.project.pk)
    assert moves(both) == {"request://raw_text": ["not_known"], f"session://{session}#screen": ["not_known"]}


def test_the_comparison_is_told_in_chinese(cast: Cast, client: Client) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    a, b = [compiled(cast.dev, "继续", session_id=session, budget=one)["packet_id"] for one in ({}, ESTIMATED)]
    page = client.get(contexts_of(cast, "compare"), {"a": a, "b": b}, headers=CHINESE).content.decode()
    assert "它们计算 token 的方式不同" in page


def moves(both: Any) -> dict[str, list[str]]:
    """Return by ref what became of everything that is not the same in all."""
    return {one.source.ref: [move.change.value for move in one.moves] for one in both.changes}


def comparison(client: Client, cast: Cast, **ids: str) -> Any:
    return client.get(contexts_of(cast, "compare"), ids).context["both"]
