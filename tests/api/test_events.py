"""The transcript over HTTP: gap-free, exactly once, all or none, and what large results become."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from governance.scope import project_scope
from sessions.models import Event
from tests.api.asking import append, event, make_thread, ok, open_session, refused, tokens
from tests.cast import Api, Cast

ODD = {
    "a special token": "<|endoftext|><|im_start|>",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈🙂",
    "right to left": "שלום عربي \u202eabc",
    "a million spaces": " " * 1_000_000,
    "a long word": "a" * 300_000,
    "tags": "hid\U000e0041den",
    "controls": "a\x01\x1f\x7f\u2028b",
    "nothing": "",
}


@pytest.fixture
def api(cast: Cast) -> Api:
    return cast.dev.client()


@pytest.fixture
def session(api: Api) -> str:
    return open_session(api, make_thread(api))


def listed(api: Api, session: str, query: str = "") -> list[dict]:
    return list(ok(api.get(f"/sessions/{session}/events{query}"))["results"])


def read_whole(api: Api, ref: str) -> str:
    """The text of an event, read by its ref in pieces."""
    read, offset = "", 0
    while offset is not None:
        piece = ok(api.get(f"/evidence?ref={ref}&offset={offset}&limit=4000"))
        read, offset = read + piece["text"], piece["next"]
    return read


def test_events_are_numbered_from_one_in_the_order_sent(api: Api, session: str) -> None:
    done = append(api, session, *[event(f"turn {n}", f"e{n}") for n in range(3)])
    assert [(row["seq"], row["client_id"]) for row in done["results"]] == [(1, "e0"), (2, "e1"), (3, "e2")]


def test_an_event_is_shown_as_it_was_sent(api: Api, session: str) -> None:
    more = {
        "kind": "tool_call",
        "tool": "grep",
        "failed": True,
        "occurred_at": "2026-03-11T14:10:00Z",
        "meta": {"a": [1, 2.5]},
    }
    append(api, session, event("查找", role="assistant", **more))
    shown = listed(api, session)[0]
    assert {name: shown[name] for name in ("text", "tool", "failed", "meta")} == {
        "text": "查找",
        "tool": "grep",
        "failed": True,
        "meta": {"a": [1, 2.5]},
    }
    assert shown["attested_by"] == "agent"


def test_a_missing_time_stays_null(api: Api, session: str) -> None:
    append(api, session, event("when?"))
    assert listed(api, session)[0]["occurred_at"] is None


def test_five_hundred_events_are_one_append(api: Api, session: str) -> None:
    assert append(api, session, *[event("x", f"e{n}") for n in range(500)])["head_seq"] == 500


def test_five_hundred_and_one_are_refused(api: Api, session: str) -> None:
    answer = api.post(f"/sessions/{session}/events", {"events": [event("x", f"e{n}") for n in range(501)]})
    assert refused(answer, 422, "invalid")["errors"][0]["pointer"] == "/events"


def test_sending_again_stores_nothing_twice(api: Api, session: str) -> None:
    first = append(api, session, event("a", "e1"), event("b", "e2"))
    second = append(api, session, event("a", "e1"), event("b", "e2"), event("c", "e3"))
    assert [row["replayed"] for row in second["results"]] == [True, True, False]
    assert [row["id"] for row in second["results"][:2]] == [row["id"] for row in first["results"]]
    assert second["head_seq"] == 3


def test_a_known_client_id_with_other_words_is_refused_whole(api: Api, session: str) -> None:
    append(api, session, event("a", "e1"))
    answer = api.post(f"/sessions/{session}/events", {"events": [event("new", "e2"), event("other", "e1")]})
    assert refused(answer, 409, "client_id_reused")["errors"][0]["pointer"] == "/events/1/client_id"
    assert len(listed(api, session)) == 1


def test_a_client_id_stands_once_in_a_request(api: Api, session: str) -> None:
    answer = api.post(f"/sessions/{session}/events", {"events": [event("a", "e1"), event("a", "e1")]})
    refused(answer, 422, "client_id_twice")


def test_the_same_client_id_in_another_session_is_another_event(api: Api, session: str) -> None:
    append(api, session, event("a", "e1"))
    other = open_session(api, make_thread(api, "other"))
    assert append(api, other, event("b", "e1"))["results"][0]["replayed"] is False


def test_a_closed_session_takes_no_more(api: Api, session: str) -> None:
    ok(api.post(f"/sessions/{session}/close", {}))
    refused(api.post(f"/sessions/{session}/events", {"events": [event("a")]}), 409, "session_closed")


def test_only_a_key_with_the_scope_attests(api: Api, session: str) -> None:
    append(api, session, event("a", attested=True))
    assert listed(api, session)[0]["attested_by"] == "harness"


@pytest.mark.parametrize("kind", ["constraint", "correction"])
def test_a_demand_needs_somebody_who_vouches(api: Api, session: str, kind: str) -> None:
    answer = api.post(f"/sessions/{session}/events", {"events": [event("never", kind=kind)]})
    assert refused(answer, 422, "attestation_needed")["errors"][0]["pointer"] == "/events/0/attested"


def test_concurrent_writers_leave_no_gap(cast: Cast, api: Api, session: str) -> None:
    def write(writer: int) -> int:
        try:
            for n in range(8):
                append(cast.dev.client(), session, event("x", f"w{writer}-{n}a"), event("y", f"w{writer}-{n}b"))
            return writer
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, range(4))) == [0, 1, 2, 3]
    with project_scope(cast.dev.acting):
        seqs = list(Event.objects.order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, 65))


def test_concurrent_repetitions_store_once(cast: Cast, api: Api, session: str) -> None:
    def write(_: int) -> bool:
        try:
            return bool(append(cast.dev.client(), session, event("x", "same"))["results"][0]["replayed"])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(write, range(4))) == [False, True, True, True]


def test_a_result_over_its_cap_is_head_tail_and_ref(api: Api, session: str) -> None:
    whole = "".join(f"{n}: 日志 line of the log\n" for n in range(4000))
    ref = append(api, session, event(whole, role="tool", kind="tool_result"))["results"][0]["artifact_ref"]
    kept = listed(api, session)[0]
    assert kept["text"].startswith("0: 日志")
    assert "3999: 日志 line of the log" in kept["text"]
    assert ref in kept["text"]
    assert kept["tokens"] == tokens(kept["text"].rstrip() + "\n") < 2100


def test_what_the_ref_of_a_result_reads_piece_by_piece_is_the_original(api: Api, session: str) -> None:
    whole = "".join(f"{n}: 日志 🙂 of the log\n" for n in range(3000))
    ref = append(api, session, event(whole, role="tool", kind="tool_result"))["results"][0]["artifact_ref"]
    read, offset = "", 0
    while offset is not None:
        piece = ok(api.get(f"/artifacts/{ref.removeprefix('artifact://')}?offset={offset}&limit=4000"))
        read, offset = read + piece["text"], piece["next"]
    assert hashlib.sha256(read.encode()).hexdigest() == hashlib.sha256(whole.encode()).hexdigest() == piece["sha256"]


def test_a_long_message_is_listed_as_head_tail_and_ref_and_kept_whole(api: Api, session: str) -> None:
    whole = "".join(f"{n}: 解析器 🙂 of the message\n" for n in range(2000))
    ref = append(api, session, event(whole), event("short", "e2"))["results"][0]["ref"]
    long, short = listed(api, session)
    assert (long["whole"], short["whole"], short["text"]) == (False, True, "short")
    assert tokens(long["text"]) <= 4000 < long["tokens"]
    assert (long["text"][:3], ref in long["text"], long["text"].rstrip()[-3:]) == ("0: ", True, whole.rstrip()[-3:])
    assert read_whole(api, ref) == whole


def test_a_result_under_its_cap_stays_whole(api: Api, session: str) -> None:
    done = append(api, session, event("short result", role="tool", kind="tool_result"))
    assert (done["results"][0]["artifact_ref"], listed(api, session)[0]["text"]) == (None, "short result")


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_text_is_stored_and_counted(api: Api, session: str, text: str) -> None:
    row = append(api, session, event(text))["results"][0]
    shown = listed(api, session)[0]
    assert (shown["text"] if shown["whole"] else read_whole(api, row["ref"])) == text
    assert row["tokens"] >= 1


def test_numbers_that_json_can_carry_come_back(api: Api, session: str) -> None:
    numbers = {"big": 2**63 - 1, "small": -(2**63) + 1, "float": 1e15, "tiny": 5e-324, "zero": -0.0, "half": 0.5}
    append(api, session, event("numbers", meta=numbers))
    assert listed(api, session)[0]["meta"] == numbers


def test_events_are_read_in_pages_without_gap(api: Api, session: str) -> None:
    append(api, session, *[event("x", f"e{n}") for n in range(25)])
    seqs, cursor = [], ""
    while cursor is not None:
        page = ok(api.get(f"/sessions/{session}/events?limit=10" + (f"&cursor={cursor}" if cursor else "")))
        seqs, cursor = seqs + [row["seq"] for row in page["results"]], page["next"]
    assert seqs == list(range(1, 26))


def test_the_first_page_has_nothing_before_it(api: Api, session: str) -> None:
    append(api, session, *[event("x", f"e{n}") for n in range(25)])
    first = ok(api.get(f"/sessions/{session}/events?limit=10"))
    second = ok(api.get(f"/sessions/{session}/events?limit=10&cursor={first['next']}"))
    assert first["previous"] is None
    assert listed(api, session, f"?limit=10&cursor={second['previous']}") == first["results"]
