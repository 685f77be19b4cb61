"""What a packet costs: every token accounted for, limits that only lower, and refusals that name the shortfall."""

from typing import Any

import pytest

from governance.models import AuditEvent
from governance.projects import limit_project
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from sessions.context.vocabulary import Dialect, LimitOrigin
from sessions.models import ContextPacket
from sessions.required import CAPPED_BY
from sessions.vocabulary import EventKind
from tests.api.asking import append, ask, compiled, event, layer, make_thread, ok, open_session, refused, tokens
from tests.cast import Cast
from tests.governing import changed

DIALECTS = [dialect.value for dialect in Dialect]
WORDS = {
    "user": "请检查解析器在跨越午夜时的时区换算，and tell me which log row moved to the wrong day.",
    "assistant": "I read the log: the row of Monday moved to Sunday; 时区没有换算。I set the zone explicitly.",
    "tool": "app.toml:12: unexpected key\n" * 60,
}


def long_session(cast: Cast, rounds: int = 100) -> str:
    """Return a session of three events a round, in both languages, with tool results over their cap."""
    session = open_session(cast.dev, make_thread(cast.dev))
    for first in range(0, rounds, 50):
        entries = [entry for n in range(first, min(first + 50, rounds)) for entry in turn(n)]
        append(cast.dev, session, *entries)
    return session


def turn(n: int) -> list[dict[str, Any]]:
    result = WORDS["tool"] * (8 if n % 20 == 0 else 1)
    return [
        event(f"{n}: {WORDS['user']}", f"u{n}", attested=True),
        event(f"{n}: {WORDS['assistant']}", f"a{n}", role="assistant"),
        event(f"{n}: {result}", f"t{n}", role="tool", kind=EventKind.TOOL_RESULT, tool="grep"),
    ]


def contents(prompt: dict[str, Any]) -> str:
    """Return everything that a prompt in any dialect would send, joined."""
    parts = [prompt.get("instructions", ""), *(block["text"] for block in prompt.get("system", []))]
    for message in prompt["messages"]:
        content = message["content"]
        parts += [content] if isinstance(content, str) else [block["text"] for block in content]
    return "".join(parts)


def sums(budget: dict[str, Any]) -> tuple[int, int, int]:
    """Return the three sums that must be what the budget says: used, input cap and window."""
    window = sum(budget["reserves"].values()) + budget["input_cap"] + budget["unused"]
    return sum(row["used"] for row in budget["layers"]), sum(budget["groups"].values()), window


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_prompt_counts_exactly_what_is_said(cast: Cast, dialect: str) -> None:
    body = compiled(cast.dev, format=dialect)
    assert body["budget"]["method"] == "exact"
    assert tokens(body["prompt"]["text"]) == body["budget"]["used"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_messages_are_the_text(cast: Cast, dialect: str) -> None:
    prompt = compiled(cast.dev, format=dialect)["prompt"]
    assert contents(prompt) == prompt["text"]


def test_layers_groups_and_reserves_add_up(cast: Cast) -> None:
    budget = compiled(cast.dev, budget={"max_input_tokens": 12000})["budget"]
    assert sums(budget) == (budget["used"], budget["input_cap"], budget["window"])


def test_the_items_of_a_layer_and_its_headings_are_what_it_used(cast: Cast) -> None:
    rows = compiled(cast.dev, session_id=long_session(cast, 10))["budget"]["layers"]
    assert [row["used"] for row in rows] == [
        row["headings"] + sum(item["tokens"] for item in row["items"]) for row in rows
    ]


@pytest.mark.parametrize("cap", [4_000, 12_000, 100_000])
def test_a_long_transcript_fits_every_cap_exactly(cast: Cast, cap: int) -> None:
    body = compiled(cast.dev, session_id=long_session(cast), budget={"max_input_tokens": cap})
    budget = body["budget"]
    assert tokens(body["prompt"]["text"]) == budget["used"] <= budget["input_cap"] <= cap
    assert sums(budget) == (budget["used"], budget["input_cap"], budget["window"])


def test_a_profile_that_estimates_never_counts_less_than_there_is(cast: Cast) -> None:
    limits = {"profile": "claude-sonnet@claude-code", "max_input_tokens": 12_000}
    body = compiled(cast.dev, session_id=long_session(cast, 20), budget=limits)
    assert body["budget"]["method"] == "estimate"
    assert tokens(body["prompt"]["text"]) <= body["budget"]["used"] <= 12_000


def test_at_twelve_thousand_the_last_ten_turns_are_in(cast: Cast) -> None:
    session = long_session(cast)
    body = compiled(cast.dev, session_id=session, budget={"max_input_tokens": 12_000})
    texts = [turn["text"] for turn in body["packet"]["session"]["recent_dialogue"]]
    expected = [f"{n}: {WORDS[role]}" for n in range(90, 100) for role in ("user", "assistant")]
    assert [text for text in expected if text not in texts] == []


def test_what_is_left_out_is_listed_once_with_its_reason(cast: Cast) -> None:
    body = compiled(cast.dev, session_id=long_session(cast), budget={"max_input_tokens": 4_000})
    dropped = [row for name in ("dialogue", "tool_results") for row in layer(body, name)["dropped"]]
    assert dropped
    assert len({row["ref"] for row in dropped}) == len(dropped)
    assert {row["reason"] for row in dropped} <= {"input_cap", "layer_cap", "count_limit"}


def test_a_request_lowers_the_cap_and_says_so(cast: Cast) -> None:
    budget = compiled(cast.dev, budget={"max_input_tokens": 3000})["budget"]
    assert (budget["input_cap"], budget["input_cap_origin"]) == (3000, "request")


def test_a_request_cannot_raise_the_cap(cast: Cast) -> None:
    own = compiled(cast.dev)["budget"]["input_cap"]
    assert compiled(cast.dev, budget={"max_input_tokens": 2_000_000})["budget"]["input_cap"] == own


def test_a_task_lowers_the_cap_of_whoever_asks_for_more(cast: Cast) -> None:
    body = {"thread_id": make_thread(cast.dev), "title": "small", "max_input_tokens": 2500}
    task = cast.dev.client().post("/tasks", body).json()["id"]
    budget = compiled(cast.dev, task_id=task, budget={"max_input_tokens": 9000})["budget"]
    assert (budget["input_cap"], budget["input_cap_origin"]) == (2500, "task")


def test_an_unknown_profile_gets_the_conservative_one_and_a_warning(cast: Cast) -> None:
    body = compiled(cast.dev, budget={"profile": "no-such-model@no-such-harness"})
    assert body["budget"]["profile"] == "default@conservative"
    assert "unknown_profile" in {warning["code"] for warning in body["warnings"]}


def test_a_known_profile_is_used(cast: Cast) -> None:
    body = compiled(cast.dev, budget={"profile": "claude-sonnet@claude-code"})
    assert body["budget"]["profile"] == "claude-sonnet@claude-code"


@pytest.mark.parametrize("name", ["no-harness", "a@b@c", "UPPER@x", "@", "a@", "with space@x", "x@\n"])
def test_a_malformed_profile_name_is_refused(cast: Cast, name: str) -> None:
    problem = refused(cast.dev.client().post("/context", ask(budget={"profile": name})), 422, "malformed_profile")
    assert problem["errors"][0]["pointer"] == "/budget/profile"


def large_contract(cast: Cast) -> None:
    """Give the dev a role contract of some thousand tokens."""
    duties = [f"Duty {n}: read every line of module {n} aloud and sign for it in the book." for n in range(50)]
    changed(cast, ContractKind.ROLE, "dev", {"slug": "dev", "duties": duties})


def test_a_role_contract_larger_than_the_cap_is_refused_with_the_shortfall(cast: Cast) -> None:
    large_contract(cast)
    answer = cast.dev.client().post("/context", ask(budget={"max_input_tokens": 700}))
    problem = refused(answer, 422, "required_content_exceeds_budget")
    short = {row["layer"]: row for row in problem["shortfall"]}
    assert short["role"]["needed"] > short["role"]["available"] >= 0


def test_a_refusal_names_the_budget_that_was_asked_for(cast: Cast) -> None:
    answer = cast.dev.client().post("/context", ask(budget={"max_input_tokens": 40}))
    problem = refused(answer, 422, "required_content_exceeds_budget")
    assert problem["errors"][0]["pointer"] == "/budget/max_input_tokens"
    assert (problem["input_cap_origin"], "which the request asks for" in problem["errors"][0]["message"]) == (
        "request",
        True,
    )


def test_a_refusal_names_the_project_whose_cap_holds(cast: Cast) -> None:
    with project_scope(cast.owner.acting):
        limit_project(cast.owner.acting, 5)
    problem = refused(cast.dev.client().post("/context", ask()), 422, "required_content_exceeds_budget")
    [fault] = problem["errors"]
    assert (fault["pointer"], problem["input_cap_origin"]) == ("/budget", "project")
    assert "5 tokens, which the project sets (an owner changes it in the console under Settings)" in fault["message"]


def test_a_refusal_names_the_task_whose_cap_holds(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    task = ok(cast.dev.client().post("/tasks", {"thread_id": thread, "title": "t", "max_input_tokens": 9}))["id"]
    problem = refused(cast.dev.client().post("/context", ask(task_id=task)), 422, "required_content_exceeds_budget")
    assert (problem["input_cap_origin"], "PATCH /tasks/{id}" in problem["errors"][0]["message"]) == ("task", True)


def test_every_origin_of_a_cap_has_words() -> None:
    assert set(CAPPED_BY) == set(LimitOrigin)


def test_a_refusal_is_recorded(cast: Cast) -> None:
    large_contract(cast)
    answer = cast.dev.client().post("/context", ask(budget={"max_input_tokens": 700}))
    with project_scope(cast.dev.acting):
        packet = ContextPacket.objects.get()
        entry = AuditEvent.objects.get(verb="context.refuse")
    assert (packet.refused, packet.decisions["shortfall"]) == (True, answer.json()["shortfall"])
    assert entry.target == packet.public_id == answer.json()["packet_id"]


def test_a_refused_packet_cannot_be_shown(cast: Cast) -> None:
    answer = cast.dev.client().post("/context", ask(budget={"max_input_tokens": 40}))
    shown = cast.dev.client().get(f"/context/{answer.json()['packet_id']}")
    refused(shown, 410, "packet_was_refused")


def test_an_input_larger_than_the_cap_is_refused_as_the_input_layer(cast: Cast) -> None:
    answer = cast.dev.client().post("/context", ask("word " * 5000, budget={"max_input_tokens": 4000}))
    problem = refused(answer, 422, "required_content_exceeds_budget")
    assert "input" in {row["layer"] for row in problem["shortfall"]}


@pytest.mark.parametrize(
    "text", ["<|endoftext|> stop <|im_start|>", "🙂👩‍👩‍👧 family", "שלום عربي \u202e rtl", " " * 1_000_000]
)
def test_odd_text_is_ordinary_text(cast: Cast, text: str) -> None:
    body = compiled(cast.dev, text)
    assert body["packet"]["user_input"]["raw_text"] == text
    assert tokens(body["prompt"]["text"]) == body["budget"]["used"]
