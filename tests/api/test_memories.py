"""Memories over HTTP: proposed and held, shown with their evidence, and found once a human admitted them."""

from datetime import UTC, datetime

import pytest

from governance.scope import project_scope
from memories.models import Memory
from memories.writes import admit
from tests.api.asking import append, event, make_thread, ok, open_session, refused
from tests.cast import Api, Cast, at

LESSON = "The config parser must keep comments; 解析器必须保留注释。"


@pytest.fixture
def api(cast: Cast) -> Api:
    return cast.dev.client()


def said(api: Api, text: str = "就这么定 · agreed", **more: object) -> list[dict]:
    """Evidence: an event in which a user says it, vouched for by the harness."""
    spoken = event(text, attested=True, **more)
    return [{"ref": append(api, open_session(api, make_thread(api)), spoken)["results"][0]["ref"]}]


def proposed(api: Api, content: str = LESSON, **more: object) -> dict:
    cited = {} if "evidence" in more else {"evidence": said(api)}
    return ok(api.post("/memories", {"content": content, "type": "semantic", **cited, **more}))


def admitted(cast: Cast, api: Api, content: str = LESSON, **more: object) -> str:
    memory_id = str(proposed(api, content, **more)["id"])
    with project_scope(cast.owner.acting):
        admit(cast.owner.acting, Memory.objects.get(content=content), reason="test", now=at(9))
    return memory_id


def test_a_proposal_is_held(api: Api) -> None:
    memory = proposed(api)
    assert (memory["outcome"], memory["held"], memory["source_rank"]) == ("held", True, "trusted_agent")


def test_what_is_held_is_held_when_it_is_said_again(cast: Cast, api: Api) -> None:
    first, again = proposed(api), proposed(api)
    assert (again["outcome"], again["id"], again["held"]) == ("duplicate_of", first["id"], True)
    with project_scope(cast.owner.acting):
        admit(cast.owner.acting, Memory.objects.get(content=LESSON), reason="test", now=at(9))
    assert proposed(api)["held"] is False


def test_a_held_memory_is_not_found(api: Api) -> None:
    proposed(api)
    told = ok(api.get("/memories/search?q=config parser comments"))
    assert (told["results"], told["abstained"], told["searched"]["considered"]) == ([], True, 0)


@pytest.mark.parametrize("query", ["comments of the config parser", "保留注释"])
def test_an_admitted_memory_is_found_in_both_languages(cast: Cast, api: Api, query: str) -> None:
    memory = admitted(cast, api)
    found = ok(api.get(f"/memories/search?q={query}"))["results"]
    assert [hit["ref"] for hit in found] == [f"memory://{memory}@1"]
    assert found[0]["reason"].startswith("shares ")


def test_a_hit_says_which_leg_found_it_and_where(cast: Cast, api: Api) -> None:
    admitted(cast, api)
    [hit] = ok(api.get("/memories/search?q=comments of the config parser"))["results"]
    marked = [hit["content"][start:end] for start, end in hit["marks"]]
    assert (hit["found_by"], hit["legs"]["lexical"] > 0) == (["lexical"], True)
    assert {"config", "parser", "comments"} <= set(marked)


@pytest.mark.parametrize(
    ("narrowed", "count"), [("source=fact", 1), ("source=event", 0), ("until=2020-01-01T00:00:00Z", 0)]
)
def test_a_search_is_narrowed(cast: Cast, api: Api, narrowed: str, count: int) -> None:
    admitted(cast, api)
    assert len(ok(api.get(f"/memories/search?q=config parser comments&{narrowed}"))["results"]) == count


@pytest.mark.parametrize("odd", ["source=nonsense", "thread_id=thr_x", "since=yesterday", "limit=0", "limit=x"])
def test_a_search_that_cannot_be_read_is_refused(api: Api, odd: str) -> None:
    assert api.get(f"/memories/search?q=config&{odd}").status_code == 422


@pytest.mark.parametrize("odd", ["1700000000", "2026-11-30T00:00:00", "yesterday", ""])
def test_a_moment_without_its_zone_is_told_how_to_write_one(api: Api, odd: str) -> None:
    [fault] = refused(api.get(f"/memories/search?q=config&since={odd}"), 422, "invalid")["errors"]
    assert (fault["pointer"], "2026-11-30T08:00:00Z" in fault["message"]) == ("?since", True)


def test_a_while_that_ends_before_it_begins_is_refused(api: Api) -> None:
    asked = "/memories/search?q=config&since=2026-03-01T00:00:00Z&until=2026-02-01T00:00:00Z"
    assert refused(api.get(asked), 422, "invalid")["errors"][0]["pointer"] == "?until"


@pytest.mark.parametrize("moment", ["as_of", "valid_at"])
def test_what_a_search_of_the_past_cannot_be_narrowed_to_is_refused(api: Api, moment: str) -> None:
    asked = f"/memories/search?q=config&{moment}=2026-03-01T00:00:00Z&source=fact"
    assert refused(api.get(asked), 422, "invalid")["errors"][0]["pointer"] == "?source"


def test_search_abstains_where_nothing_is_about_it(cast: Cast, api: Api) -> None:
    admitted(cast, api)
    assert ok(api.get("/memories/search?q=weather in Lisbon"))["abstained"] is True


def test_a_memory_is_shown_with_its_evidence(api: Api) -> None:
    [cited] = said(api, "keep my comments")
    memory = proposed(api, evidence=[cited | {"quote": "keep my comments"}])
    shown = ok(api.get(f"/memories/{memory['id']}"))["evidence"]
    assert shown == [{**cited, "quote": "keep my comments", "readable": True}]


def test_evidence_that_does_not_open_is_refused(api: Api) -> None:
    told = proposed(api, evidence=[{"ref": f"event://ses_{'0' * 32}/1"}])
    assert (told["outcome"], told["code"]) == ("rejected", "evidence_unresolvable")


def test_an_agent_cannot_speak_for_the_user(api: Api) -> None:
    body = {"content": LESSON, "type": "preference", "origin": "user_explicit"}
    assert refused(api.post("/memories", body), 403, "origin_not_held")["errors"][0]["pointer"] == "/origin"


@pytest.mark.parametrize("action", ["UPDATE", "DELETE"])
def test_a_change_names_its_target(api: Api, action: str) -> None:
    answer = api.post("/memories", {"content": LESSON, "type": "semantic", "action": action})
    assert refused(answer, 422, "invalid")["errors"][0]["pointer"] == "/target_id"


def test_an_addition_has_no_target(api: Api) -> None:
    body = {"content": LESSON, "type": "semantic", "target_id": proposed(api)["id"]}
    assert refused(api.post("/memories", body), 422, "invalid")["errors"][0]["pointer"] == "/target_id"


def test_a_scope_names_its_thread(api: Api) -> None:
    thread = make_thread(api)
    memory = proposed(api, scope_type="thread", scope_id=thread)
    assert (memory["scope_type"], memory["scope_id"]) == ("thread", thread)


def test_a_thread_scope_without_a_thread_is_refused(api: Api) -> None:
    answer = api.post("/memories", {"content": LESSON, "type": "semantic", "scope_type": "thread"})
    assert refused(answer, 422, "unknown_scope")["errors"][0]["pointer"] == "/scope_id"


def test_a_project_scope_names_nothing(api: Api) -> None:
    body = {"content": LESSON, "type": "semantic", "scope_id": make_thread(api)}
    assert refused(api.post("/memories", body), 422, "invalid")["errors"][0]["pointer"] == "/scope_id"


def test_a_private_memory_is_its_owners(cast: Cast, api: Api) -> None:
    memory = proposed(api, private=True)["id"]
    assert ok(api.get(f"/memories/{memory}"))["audience"] == "private"
    refused(cast.tester.client().get(f"/memories/{memory}"), 404, "not_found")


def test_every_field_is_kept(api: Api) -> None:
    sent = {
        "kind": "lesson",
        "importance": 0.75,
        "confidence": 0.25,
        "sensitivity": "public",
        "retention_days": 30,
        "write_mode": "merge",
        "knowledge_status": "open",
        "change_reason": "回顾",
    }
    shown = ok(api.get(f"/memories/{proposed(api, **sent)['id']}"))
    assert {name: shown[name] for name in sent} == sent


def test_times_are_kept_as_moments(api: Api) -> None:
    shown = proposed(api, observed_at="2026-03-11T14:10:00+09:00")
    assert datetime.fromisoformat(shown["observed_at"]) == datetime(2026, 3, 11, 5, 10, tzinfo=UTC)


def test_an_end_before_the_beginning_is_refused(api: Api) -> None:
    body = {"valid_from": "2026-03-02T00:00:00Z", "valid_to": "2026-03-01T00:00:00Z"}
    answer = api.post("/memories", {"content": LESSON, "type": "semantic", **body})
    assert refused(answer, 422, "invalid")["errors"][0]["pointer"] == "/valid_to"


@pytest.mark.parametrize("content", ["a" * 20_000, "句" * 20_000, "<|endoftext|> " * 1_400])
def test_the_largest_memory_is_admitted_and_does_not_break_the_search(cast: Cast, api: Api, content: str) -> None:
    admitted(cast, api, content)
    assert ok(api.get("/memories/search?q=config"))["abstained"] is True


@pytest.mark.parametrize(
    ("content", "code"),
    [("a" * 1_000_000, "content_too_long"), ("句" * 300_000, "content_too_long"), (" " * 1_000_000, "content_empty")],
)
def test_a_text_that_is_no_memory_is_refused_with_a_code(api: Api, content: str, code: str) -> None:
    assert proposed(api, content)["code"] == code
