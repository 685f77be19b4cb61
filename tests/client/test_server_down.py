"""No server, a silent one, a refusing one: the harness goes on, and what was said arrives later, once."""

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from greywind_site.client.hooks.given import Moment
from tests.cast import Cast
from tests.client.harness import Harness, expected, finished, recorded
from tests.client.relay import Relay
from tests.client.stored import told, transcript_of
from tests.client.test_conversation import sorted_results

pytestmark = pytest.mark.slow


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes every call and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def nobody() -> str:
    """The address of a port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


def waiting(harness: Harness) -> list[str]:
    lines = [line for queue in harness.home.rglob("queue.jsonl") for line in queue.read_text().splitlines()]
    return [json.loads(line)["client_id"] for line in lines]


def test_what_waited_is_delivered_once_when_the_server_is_back(harness: Harness, cast: Cast, nobody: str) -> None:
    url, harness.environment["GREYWIND_URL"] = harness.environment["GREYWIND_URL"], nobody
    harness.play(recorded())
    harness.environment["GREYWIND_URL"] = url
    assert harness.greywind("queue", "deliver", "--rekey").code == 0
    assert harness.greywind("queue", "deliver", "--rekey").code == 0
    assert sorted_results(told(transcript_of(cast))) == sorted_results(expected())


def test_the_next_hook_delivers_what_waited_first(harness: Harness, cast: Cast) -> None:
    with Relay(harness.environment["GREYWIND_URL"]) as relay:
        harness.environment["GREYWIND_URL"] = relay.url
        harness.play(recorded()[:2])
        relay.up = False
        harness.play(recorded()[2:4])
        assert waiting(harness)
        relay.up = True
        harness.play(recorded()[4:])
    assert sorted_results(told(transcript_of(cast))) == sorted_results(expected())
    assert waiting(harness) == []


def test_an_answer_that_was_lost_stores_nothing_twice(harness: Harness, cast: Cast) -> None:
    with Relay(harness.environment["GREYWIND_URL"]) as relay:
        harness.environment["GREYWIND_URL"] = relay.url
        harness.play(recorded()[:2])
        relay.answers = False
        harness.play(recorded()[2:4])
        relay.answers = True
        harness.play(recorded()[4:])
    assert sorted_results(told(transcript_of(cast))) == sorted_results(expected())


@pytest.mark.parametrize("moment", Moment)
def test_a_silent_server_costs_no_more_than_the_limit(tmp_path: Path, silent: str, moment: Moment) -> None:
    limits = {"GREYWIND_HOOK_LIMIT": "0.6", "GREYWIND_HOOK_START_LIMIT": "0.6"}
    harness = Harness(tmp_path, url=silent, key="gw_test_key", **limits)
    call = next(call for step in recorded() for call in step["calls"] if call["hook"] == moment)
    harness.write({"type": "assistant", "uuid": "a", "message": {"content": "said"}})
    said = finished_soon(harness.start(call["hook"], call["input"]))
    assert said == (0, 1)
    assert waiting(harness)


def finished_soon(process: "subprocess.Popen[str]") -> tuple[int, int]:
    """The exit code and the number of lines for the person; a hook that hangs fails here."""
    said = finished(process)
    return said.code, len(said.stderr.splitlines())


def test_an_address_that_did_not_answer_is_left_alone_for_a_while(tmp_path: Path, silent: str) -> None:
    harness = Harness(tmp_path, url=silent, key="gw_test_key", GREYWIND_HOOK_LIMIT="3")
    harness.hook("user-prompt-submit", prompt="one")
    said = harness.hook("user-prompt-submit", prompt="two")
    assert (said.code, said.stderr) == (0, "")
    assert len(waiting(harness)) == 2


def test_a_refused_key_keeps_everything(harness: Harness, cast: Cast) -> None:
    harness.environment["GREYWIND_KEY"] = "gw_nobody_x"
    said = harness.hook("user-prompt-submit", prompt="hello")
    assert "401" in said.stderr
    assert len(waiting(harness)) == 1


def test_the_start_of_a_session_tells_the_person(tmp_path: Path, nobody: str) -> None:
    said = Harness(tmp_path, url=nobody, key="gw_test_key").hook("session-start", source="startup")
    assert said.code == 0
    assert f"{nobody} does not answer" in said.json["systemMessage"]


@pytest.mark.parametrize("stdin", ["", "not json", "[]", "{}", '{"session_id": 5}', "\x00"])
def test_nonsense_on_standard_input_is_one_line(tmp_path: Path, nobody: str, stdin: str) -> None:
    said = Harness(tmp_path, url=nobody, key="gw_test_key").greywind("hook", "stop", stdin=stdin)
    assert (said.code, said.stdout, len(said.stderr.splitlines())) == (0, "", 1)


def test_an_unknown_hook_is_one_line(tmp_path: Path) -> None:
    said = Harness(tmp_path, url="", key="").greywind("hook", "post-everything", stdin="{}")
    assert (said.code, said.stdout, len(said.stderr.splitlines())) == (0, "", 1)


def test_without_a_profile_the_harness_goes_on(tmp_path: Path) -> None:
    said = Harness(tmp_path, url="", key="").hook("stop")
    assert (said.code, said.stdout) == (0, "")
    assert "greywind login" in said.stderr


def test_two_hooks_at_once_keep_all_their_entries(tmp_path: Path, nobody: str) -> None:
    harness = Harness(tmp_path, url=nobody, key="gw_test_key")
    given = [
        {"tool_name": "Bash", "tool_use_id": f"toolu_{n}", "tool_input": {}, "tool_response": "x"} for n in range(8)
    ]
    for process in [harness.start("post-tool-use", fields) for fields in given]:
        finished(process)
    assert sorted(waiting(harness)) == sorted(f"toolu_{n}:{end}" for n in range(8) for end in ("call", "result"))


def test_what_is_kept_is_private(tmp_path: Path, nobody: str) -> None:
    harness = Harness(tmp_path, url=nobody, key="gw_test_key")
    harness.hook("user-prompt-submit", prompt="secret plan")
    kept = [path for path in (tmp_path / ".local/state/greywind").rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o077 for path in kept} == {0}
