"""What a compile reads of a transcript: the last entries, and the words of the latest exchanges before them."""

from collections.abc import Sequence

import pytest
from django.utils import timezone

from governance.scope import project_scope
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Session
from sessions.reading import EXCHANGES, tail_of
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import EventKind, EventRole
from tests.cast import Cast, make_cast
from threads.lifecycle import ThreadWish, create_thread

CALLS = 6  # tool calls in each exchange


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def exchange(n: int) -> list[NewEvent]:
    """One request, its tool calls, and the answer."""
    said = NewEvent(client_id=f"u{n}", role=EventRole.USER, kind=EventKind.MESSAGE, text=f"request {n}")
    calls = [
        NewEvent(client_id=f"c{n}-{k}", role=EventRole.ASSISTANT, kind=EventKind.TOOL_CALL, text="ls")
        for k in range(CALLS)
    ]
    reply = NewEvent(client_id=f"a{n}", role=EventRole.ASSISTANT, kind=EventKind.MESSAGE, text=f"answer {n}")
    return [said, *calls, reply]


def read(cast: Cast, *, exchanges: int, most: int, without: str | None = None) -> Sequence[str]:
    """Return the texts that are read of a session of so many exchanges."""
    acting = cast.dev.acting
    with project_scope(acting):
        thread = create_thread(acting, ThreadWish(title="t"), now=timezone.now())
        session = open_or_resume(acting, thread, OpenWish(role="dev"), now=timezone.now()).session
        append(acting, session.pk, [e for n in range(exchanges) for e in exchange(n)], now=timezone.now())
        return [row.text for row in tail_of(Session.objects.get(pk=session.pk), most=most, without=without)]


def test_words_of_the_latest_exchanges_are_read_beyond_the_tail(cast: Cast) -> None:
    texts = read(cast, exchanges=EXCHANGES + 2, most=10)
    assert [text for text in texts if text.startswith("request")] == [f"request {n}" for n in range(2, EXCHANGES + 2)]


def test_tool_calls_are_read_inside_the_tail_alone(cast: Cast) -> None:
    assert read(cast, exchanges=EXCHANGES, most=CALLS + 2).count("ls") == CALLS


def test_a_short_session_is_read_whole(cast: Cast) -> None:
    assert len(read(cast, exchanges=1, most=50)) == CALLS + 2


def test_an_empty_session_reads_as_nothing(cast: Cast) -> None:
    acting = cast.dev.acting
    with project_scope(acting):
        thread = create_thread(acting, ThreadWish(title="t"), now=timezone.now())
        session = open_or_resume(acting, thread, OpenWish(role="dev"), now=timezone.now()).session
        assert tail_of(session, most=10) == []


def test_the_event_that_the_request_carries_is_not_read(cast: Cast) -> None:
    assert "request 1" not in read(cast, exchanges=2, most=50, without="u1")
