"""What the tools know by heart is what the API says, and what they shorten stays whole characters."""

import os
import subprocess
import sys
from enum import StrEnum

import httpx2
import pytest

from governance import vocabulary as governing
from greywind_site.client.http import GreyWind, Refused
from greywind_site.client.mcp import vocabulary as known
from greywind_site.client.mcp.paths import part
from greywind_site.client.mcp.refusals import refused
from greywind_site.client.mcp.review_tools import SETTLED
from greywind_site.client.mcp.server import TOOLS, call_tool
from greywind_site.client.mcp.text import shortened
from greywind_site.embedded.instance import CHECKOUT
from memories import vocabulary as remembering
from memories.lifecycle import FORWARD
from sessions import vocabulary as conversing

SAME = [
    (known.Phase, governing.Phase),
    (known.Risk, governing.Risk),
    (known.Sensitivity, governing.Sensitivity),
    (known.MemoryType, remembering.MemoryType),
    (known.MemoryKind, remembering.MemoryKind),
    (known.MemoryStatus, remembering.MemoryStatus),
    (known.ScopeType, remembering.ScopeType),
    (known.SourceType, remembering.SourceType),
    (known.Speaker, conversing.EventRole),
    (known.Unit, conversing.ReadUnit),
]
FEWER = [
    (known.EntryKind, conversing.EventKind),
    (known.Origin, remembering.Origin),
    (known.WriteAction, remembering.WriteAction),
]


def words(of: type[StrEnum]) -> set[str]:
    return {word.value for word in of}


@pytest.mark.parametrize(("ours", "theirs"), SAME)
def test_the_words_are_those_of_the_api(ours: type[StrEnum], theirs: type[StrEnum]) -> None:
    assert words(ours) == words(theirs)


@pytest.mark.parametrize(("ours", "theirs"), FEWER)
def test_an_agent_is_offered_no_word_that_the_api_does_not_know(ours: type[StrEnum], theirs: type[StrEnum]) -> None:
    assert words(ours) < words(theirs)


def test_what_has_not_passed_every_gate_waits_for_a_human() -> None:
    before = FORWARD[: FORWARD.index(remembering.MemoryStatus.COMMITTED)]
    assert words(known.MemoryStatus) - {word.value for word in SETTLED} == {word.value for word in before}


def test_no_tool_is_named_for_a_decision() -> None:
    deciding = ("approve", "decide", "admit", "reject", "merge", "settle", "mint", "revoke")
    assert [name for name in TOOLS if any(word in name for word in deciding)] == []


@pytest.mark.parametrize("text", ["short", "长" * 10, ""])
def test_a_text_that_fits_is_left_alone(text: str) -> None:
    assert shortened(text, 10) == text


@pytest.mark.parametrize("cut", range(2, 12))
def test_a_text_is_never_cut_inside_a_character(cut: int) -> None:
    family = "👩‍👩‍👧"
    head = shortened(f"家{family}e\u0301{family}", cut).removesuffix("…")
    assert head in {"", "家", f"家{family}", f"家{family}e\u0301"}


@pytest.mark.parametrize("step", ["../../key", "mem_1?x=1", "mem_1#x", "..", "a/b", "记"])
def test_an_id_cannot_lead_to_another_path(step: str) -> None:
    assert set(part(step)) <= set("abcdefghijklmnopqrstuvwxyzABCDEF0123456789_%")


@pytest.mark.parametrize(
    "told", [{}, {"GREYWIND_URL": "http://127.0.0.1:1"}, {"GREYWIND_URL": "nowhere", "GREYWIND_KEY": "gw_x"}]
)
def test_without_an_address_and_a_key_stdio_says_so_and_keeps_the_protocol_clean(told: dict[str, str]) -> None:
    command = [sys.executable, "-m", "greywind_site.client.mcp"]
    environment = {"PATH": os.environ["PATH"]} | told
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "GREYWIND_KEY" in done.stderr or "http://127.0.0.1:8000" in done.stderr


def test_a_refusal_tells_an_agent_what_to_do_with_a_bounded_choice() -> None:
    candidates = [{"thread_id": f"thr_{n}", "title": "同名"} for n in range(40)]
    told = refused(Refused(409, {"code": "thread_ambiguous", "detail": "several fit", "candidates": candidates}))
    assert ("thread_id" in told.remedy, told.more["candidates"]) == (True, candidates[:10])


@pytest.mark.parametrize("extra", [{"current": {"secret": 1}}, {"candidates": ["x" * 5000]}, {"shortfall": []}])
def test_a_refusal_tells_nothing_that_helps_nobody(extra: dict[str, object]) -> None:
    assert refused(Refused(412, {"code": "version_moved", "detail": "moved"} | extra)).more == {}


@pytest.mark.parametrize("answer", [{}, [], None, {"results": [{}], "next": None}])
def test_an_answer_of_another_shape_is_no_crash(answer: object) -> None:
    server = httpx2.MockTransport(lambda _request: httpx2.Response(200, json=answer))
    told = call_tool(GreyWind("http://127.0.0.1:8000", "gw_x", transport=server), "review_status", {})
    assert (told.is_error, told.structured_content["error"]["code"]) == (True, "unexpected_answer")


def test_a_bomb_in_a_list_sent_as_text_is_refused() -> None:
    greywind = GreyWind(
        "http://127.0.0.1:8000",
        "gw_x",
        transport=httpx2.MockTransport(lambda _request: pytest.fail("the API was asked")),
    )
    told = call_tool(greywind, "session_append", {"session_id": "ses_1", "entries": "[" * 200_000})
    assert [fault["pointer"] for fault in told.structured_content["error"]["fields"]] == ["/entries"]
