"""Out of the queue: in order, past what is refused for ever, and stopping at what is not."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from greywind_site.client.hooks import window as windows
from greywind_site.client.hooks.delivering import Outcome, deliver
from greywind_site.client.hooks.events import message
from greywind_site.client.hooks.taking_in import Full, put, take_in
from greywind_site.client.hooks.window import Window, window_of
from greywind_site.client.profile import Profile
from greywind_site.client.wire import Answer, NoAnswer, Wire

PROFILE = Profile("http://127.0.0.1:1", "gw_abcdefgh_secret")
type Judge = Callable[[list[dict[str, Any]]], Answer | None]


class Server(Wire):
    """Answers as a session does; `judge` may refuse the entries of a request."""

    def __init__(self, judge: Judge = lambda _: None) -> None:
        super().__init__(PROFILE, deadline=time.monotonic() + 60)
        self.judge, self.stored, self.opened = judge, list[dict[str, Any]](), 0

    def call(self, _method: str, path: str, body: Any = None) -> Answer:
        if path == "/threads/resolve":
            return Answer(200, {"rule": "binding", "thread_id": "thr_1"})
        if path == "/sessions":
            self.opened += 1
            return Answer(201, {"id": f"ses_{self.opened}", "recovery": "opened"})
        refusal = self.judge(body["events"])
        if refusal is None:
            self.stored += body["events"]
        return refusal or Answer(201, {"results": []})


@pytest.fixture
def window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Window:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return window_of(PROFILE, "session")


def fill(window: Window, *texts: str, **more: Any) -> None:
    with window.open() as notes:
        put(window, notes, [message(text, "assistant", text, **more) for text in texts])


def sent(window: Window, server: Server) -> tuple[Outcome, list[str]]:
    return deliver(window, PROFILE, server), [event["text"] for event in server.stored]


def refusing(text: str, answer: Answer) -> Judge:
    return lambda events: answer if any(event["text"] == text for event in events) else None


def test_entries_go_out_in_order_and_the_queue_is_empty(window: Window) -> None:
    fill(window, *"abc")
    assert sent(window, Server()) == (Outcome(delivered=3), ["a", "b", "c"])
    assert window.queue.stat().st_size == 0


def test_a_named_entry_is_set_aside_with_its_reason(window: Window) -> None:
    fill(window, *"abc")
    refusal = Answer(422, {"code": "invalid", "detail": "no", "errors": [{"pointer": "/events/1/text"}]})
    assert sent(window, Server(refusing("b", refusal))) == (Outcome(delivered=2, aside=1), ["a", "c"])
    assert '"reason":"422 invalid: no"' in window.aside.read_text()


@pytest.mark.parametrize(("status", "code"), [(409, "client_id_reused"), (413, "too_large"), (400, "malformed")])
def test_an_unnamed_bad_entry_is_found(window: Window, status: int, code: str) -> None:
    fill(window, *"abc")
    assert sent(window, Server(refusing("b", Answer(status, {"code": code})))) == (
        Outcome(delivered=2, aside=1),
        ["a", "c"],
    )


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
def test_a_refusal_that_is_not_about_the_content_keeps_it(window: Window, status: int) -> None:
    fill(window, *"ab")
    outcome, stored = sent(window, Server(lambda _: Answer(status, {"code": "no"})))
    assert (outcome.waiting, outcome.aside, stored) == (2, 0, [])
    assert sent(window, Server()) == (Outcome(delivered=2), ["a", "b"])


def test_a_closed_session_is_opened_anew(window: Window) -> None:
    fill(window, "a")
    deliver(window, PROFILE, Server())
    fill(window, "b")
    answers = [Answer(409, {"code": "session_closed"})]
    assert sent(window, Server(lambda _: answers.pop() if answers else None)) == (Outcome(delivered=1), ["b"])


def test_a_session_that_stays_closed_is_not_asked_for_ever(window: Window) -> None:
    fill(window, "a")
    outcome, _ = sent(window, Server(lambda _: Answer(409, {"code": "session_closed"})))
    assert (outcome.waiting, outcome.aside) == (1, 0)


def test_without_the_right_to_attest_prompts_go_out_unattested(window: Window) -> None:
    fill(window, "a", attested=True)
    server = Server(lambda events: Answer(403, {"code": "scope_missing"}) if "attested" in events[0] else None)
    assert sent(window, server) == (Outcome(delivered=1), ["a"])


def test_a_break_in_the_middle_goes_on_behind_it(window: Window) -> None:
    fill(window, *(f"{n}" for n in range(250)))
    calls = []

    def judge(events: list[dict[str, Any]]) -> None:
        calls.append(events)
        if len(calls) == 2:
            raise NoAnswer("gone")

    outcome, stored = sent(window, Server(judge))
    assert (len(stored), outcome.waiting, outcome.reason) == (100, 150, "gone")
    assert sent(window, Server())[1] == [f"{n}" for n in range(100, 250)]


def test_a_torn_line_is_dropped_and_the_next_one_is_whole(window: Window) -> None:
    fill(window, "a")
    with window.queue.open("ab") as file:
        file.write(b'{"client_id": "torn", "te')
    fill(window, "b")
    assert sent(window, Server())[1] == ["a", "b"]


def test_a_full_queue_takes_no_more(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "LARGEST_QUEUE", 100)
    with pytest.raises(Full):
        fill(window, "x" * 200)


def test_what_found_no_room_is_read_again_later(
    window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"type":"user","uuid":"u{n}","message":{{"content":"{n}"}}}}\n' for n in range(20)))
    monkeypatch.setattr(windows, "LARGEST_QUEUE", 1_000)
    server, rounds = Server(), 0
    while len(server.stored) < 20:
        rounds += 1
        with window.open() as notes:
            full = _take_in(window, notes, str(path))
        assert full or rounds > 1
        deliver(window, PROFILE, server)
    assert [event["text"] for event in server.stored] == [str(n) for n in range(20)]


def _take_in(window: Window, notes: Any, path: str) -> bool:
    try:
        take_in(window, notes, path)
    except Full:
        return True
    return False


def test_another_key_is_not_told_what_came_before(window: Window, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"type":"user","uuid":"u","message":{"content":"for the first project"}}\n')
    with window.open() as notes:
        take_in(window, notes, str(path))
    other = window_of(Profile(PROFILE.url, "gw_zyxwvuts_secret"), "session")
    with other.open() as notes:
        take_in(other, notes, str(path))
        assert list(other.waiting(notes)) == []
