"""A packet that comes near its budget asks for a summary of its session, in its own transaction."""

from typing import Any

import pytest

from governance.models import Job
from governance.scope import project_scope
from governance.working import Shift
from sessions.models import ContextPacket, Session
from sessions.vocabulary import Chore
from tests.api.asking import append, ask, compiled, event, layer, make_thread, ok, open_session
from tests.cast import Cast, make_cast

CAP = {"max_input_tokens": 1_250}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def session(cast: Cast) -> str:
    """A session in which a good deal was said, and nothing too much."""
    window = open_session(cast.dev, make_thread(cast.dev))
    said = (event(f"第 {n} 号潮位计在哪里？ " + "It stands at the pier. " * 6, client_id=f"e{n}") for n in range(12))
    append(cast.dev, window, *said)
    return window


def jobs(cast: Cast) -> list[tuple[str, str]]:
    """Kind and subject of all work that waits."""
    with project_scope(cast.dev.acting):
        return list(Job.objects.values_list("kind", "subject"))


def told(cast: Cast, session: str, **more: Any) -> dict[str, Any]:
    """What a packet says of its session's summary."""
    found: dict[str, Any] = compiled(cast.dev, session_id=session, budget=CAP, **more)["consolidation"]
    return found


def test_a_summary_is_asked_for_once_and_the_packet_says_so(cast: Cast, session: str) -> None:
    answers = [told(cast, session) for _ in range(2)]
    assert [(row["queued"], row["threshold"], row["trigger"]) for row in answers] == 2 * [(True, "soft", "layer_share")]
    assert jobs(cast) == [(Chore.SUMMARISE, session)]


def test_nothing_was_left_out_when_it_is_asked_for(cast: Cast, session: str) -> None:
    body = compiled(cast.dev, session_id=session, budget=CAP)
    assert layer(body, "dialogue")["dropped"] == []
    assert {item["step"] for item in layer(body, "dialogue")["items"]} == {"full"}


def test_a_packet_with_room_asks_for_nothing(cast: Cast, session: str) -> None:
    answer = ok(cast.dev.client().post("/context", ask(session_id=session)))["consolidation"]
    assert (answer["queued"], answer["threshold"], answer["trigger"]) == (False, "none", None)
    assert jobs(cast) == []


def test_a_rehearsal_asks_for_nothing(cast: Cast, session: str) -> None:
    assert told(cast, session, dry_run=True)["queued"] is False
    assert jobs(cast) == []


def test_the_session_goes_on_in_its_own_window(cast: Cast, session: str) -> None:
    told(cast, session)
    with project_scope(cast.dev.acting):
        assert Session.objects.count() == 1
        assert ContextPacket.objects.get().decisions["consolidation"]["queued"] is True


def test_what_was_read_and_found_to_be_nothing_is_not_asked_for_again(cast: Cast) -> None:
    window = open_session(cast.dev, make_thread(cast.dev, "chatter"))
    said = (event("The gauge is fine.", client_id=f"n{n}", role="assistant") for n in range(120))
    append(cast.dev, window, *said)
    before = told(cast, window)
    Shift().work()
    body = compiled(cast.dev, session_id=window, budget=CAP)
    after, summary = body["consolidation"], body["summary"]
    assert (before["queued"], before["uncovered"], after["queued"], after["uncovered"]) == (True, 120, False, 0)
    assert summary["covers"] == f"event://{window}/1-120"
    with project_scope(cast.dev.acting):
        assert list(Job.objects.values_list("state", flat=True)) == ["done"]
