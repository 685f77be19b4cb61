"""Artifacts and evidence over HTTP: content kept once, read in bounded pieces that add up, whoever may."""

import hashlib

import pytest

from governance.models import AuditEvent
from governance.scope import project_scope
from sessions.models import Artifact
from tests.api.asking import append, event, make_thread, ok, open_session, refused, tokens
from tests.cast import Api, Cast

TEXT = "".join(f"{n}: 日志 👩‍👩‍👧 line\n" for n in range(700)) + "no newline at the end"


@pytest.fixture
def api(cast: Cast) -> Api:
    return cast.dev.client()


@pytest.fixture
def session(api: Api) -> str:
    return open_session(api, make_thread(api))


def stored(api: Api, session: str, content: str = TEXT) -> dict:
    return ok(api.post("/artifacts", {"session_id": session, "content": content}))


def pieces(api: Api, path: str, limit: int) -> list[dict]:
    found, offset = [], 0
    while offset is not None:
        found.append(ok(api.get(f"{path}offset={offset}&limit={limit}")))
        offset = found[-1]["next"]
    return found


def test_an_artifact_says_what_it_holds(api: Api, session: str) -> None:
    kept = stored(api, session, "one\ntwo 二\n")
    assert kept["sha256"] == hashlib.sha256("one\ntwo 二\n".encode()).hexdigest()
    assert (kept["size"], kept["lines"], kept["tokens"]) == (12, 2, tokens("one\ntwo 二\n"))


def test_the_same_content_is_kept_once(cast: Cast, api: Api, session: str) -> None:
    assert stored(api, session)["id"] == stored(api, session)["id"]
    with project_scope(cast.dev.acting):
        assert Artifact.objects.count() == 1


def test_the_same_content_in_a_private_place_is_another_artifact(api: Api, session: str) -> None:
    private = open_session(api, make_thread(api, private=True))
    assert stored(api, session)["id"] != stored(api, private)["id"]


@pytest.mark.parametrize(("unit", "limit"), [("tokens", 1000), ("tokens", 997), ("lines", 100), ("lines", 1000)])
def test_pieces_add_up_to_the_whole(api: Api, session: str, unit: str, limit: int) -> None:
    parts = pieces(api, f"/artifacts/{stored(api, session)['id']}?unit={unit}&", limit)
    assert "".join(part["text"] for part in parts) == TEXT
    assert {part["total"] for part in parts} == {tokens(TEXT) if unit == "tokens" else 701}


def test_a_piece_holds_no_more_than_was_asked(api: Api, session: str) -> None:
    parts = pieces(api, f"/artifacts/{stored(api, session)['id']}?unit=lines&", 100)
    assert max(part["text"].count("\n") for part in parts) == 100


def test_a_read_behind_the_end_is_empty(api: Api, session: str) -> None:
    piece = ok(api.get(f"/artifacts/{stored(api, session)['id']}?offset=999999"))
    assert (piece["text"], piece["next"]) == ("", None)


def test_without_a_limit_a_read_is_bounded(api: Api, session: str) -> None:
    piece = ok(api.get(f"/artifacts/{stored(api, session)['id']}"))
    assert (piece["next"], tokens(piece["text"]) <= 810) == (800, True)


def test_a_read_is_in_the_ledger(cast: Cast, api: Api, session: str) -> None:
    kept = stored(api, session)["id"]
    ok(api.get(f"/artifacts/{kept}"))
    with project_scope(cast.dev.acting):
        assert AuditEvent.objects.get(verb="evidence.read").target == kept


def test_an_artifact_beside_a_private_session_is_its_owners(cast: Cast, api: Api) -> None:
    kept = stored(api, open_session(api, make_thread(api, private=True)))["id"]
    refused(cast.tester.client().get(f"/artifacts/{kept}"), 404, "not_found")


def test_evidence_opens_an_event(api: Api, session: str) -> None:
    ref = append(api, session, event("said so"))["results"][0]["ref"]
    assert ok(api.get(f"/evidence?ref={ref}"))["text"] == "said so"


def test_evidence_opens_a_span_of_events(api: Api, session: str) -> None:
    append(api, session, event("one", "e1"), event("two", "e2", role="assistant"))
    text = ok(api.get(f"/evidence?ref=event://{session}/1-2"))["text"]
    assert text == "[1 user message]\none\n\n[2 assistant message]\ntwo"


@pytest.mark.parametrize("span", ["1-3", "2-1", "0", "3", "1-999", "1-x"])
def test_a_span_that_is_not_all_there_is_not_there(api: Api, session: str, span: str) -> None:
    append(api, session, event("one", "e1"), event("two", "e2"))
    refused(api.get(f"/evidence?ref=event://{session}/{span}"), 404, "not_found")


def test_evidence_opens_the_part_of_an_artifact_that_its_fragment_names(api: Api, session: str) -> None:
    ref = stored(api, session)["ref"]
    assert ok(api.get(f"/evidence?ref={ref}%23l=1,2"))["text"] == "".join(TEXT.splitlines(keepends=True)[1:3])


def test_evidence_is_read_in_pieces_that_add_up(api: Api, session: str) -> None:
    ref = stored(api, session)["ref"]
    parts = pieces(api, f"/evidence?ref={ref}&", 3000)
    assert "".join(part["text"] for part in parts) == TEXT


def test_evidence_opens_the_contract_behind_a_packet(api: Api, session: str) -> None:
    body = ok(api.post("/context", {"user_input": {"raw_text": "go on"}, "session_id": session}))
    layers = {row["layer"]: row for row in body["budget"]["layers"]}
    ref = layers["role"]["items"][0]["ref"].partition("#")[0]
    assert "do the work of dev" in ok(api.get(f"/evidence?ref={ref}"))["text"]


def test_evidence_of_a_private_session_is_its_owners(cast: Cast, api: Api) -> None:
    ref = append(api, open_session(api, make_thread(api, private=True)), event("mine"))["results"][0]["ref"]
    refused(cast.tester.client().get(f"/evidence?ref={ref}"), 404, "not_found")
