"""A recorded conversation through the hooks, as a harness pipes it: whole, in order, and each entry once."""

from pathlib import Path

import pytest

from tests.cast import Cast
from tests.client.harness import Harness, expected, recorded
from tests.client.stored import sessions_of, told, transcript_of

pytestmark = pytest.mark.slow


def sorted_results(rows: list[list[str]]) -> list[list[str]]:
    """Two tools that worked at the same time may report in either order."""
    return rows[:4] + sorted(rows[4:6]) + rows[6:]


def test_the_transcript_is_complete_and_in_order(harness: Harness, cast: Cast) -> None:
    harness.play(recorded())
    assert sorted_results(told(transcript_of(cast))) == sorted_results(expected())


def test_every_hook_ends_well_and_is_silent(harness: Harness) -> None:
    said = harness.play(recorded())
    assert {(answer.code, answer.stderr) for answer in said} == {(0, "")}


def test_only_the_start_of_a_session_answers_the_model(harness: Harness) -> None:
    names = [call["hook"] for step in recorded() for call in step["calls"]]
    answered = [name for name, said in zip(names, harness.play(recorded()), strict=True) if said.stdout]
    assert answered == ["session-start"] * 3


def test_context_comes_in_the_harness_s_own_form(harness: Harness) -> None:
    said = harness.hook("session-start", hook_event_name="SessionStart", source="startup")
    output = said.json["hookSpecificOutput"]
    assert output.keys() == {"hookEventName", "additionalContext"}
    assert output["hookEventName"] == "SessionStart"
    assert "灰风" in output["additionalContext"]


def test_after_a_compaction_the_context_knows_what_was_said(harness: Harness) -> None:
    said = harness.play(recorded()[:5])[-1]
    assert "把登录页改成深色主题，不要动布局" in said.context
    assert "continued" in said.context.splitlines()[0]


def test_a_resumed_session_says_that_it_was_resumed(harness: Harness) -> None:
    said = harness.play(recorded()[:8])[-1]
    assert said.context.splitlines()[0].endswith("resumed.")


def test_a_resumed_window_is_not_given_again_what_its_transcript_shows(harness: Harness) -> None:
    harness.hook("user-prompt-submit", prompt="keep the comments")
    first = harness.hook("session-start", source="startup").context
    harness.write({"type": "system", "uuid": "h1", "content": first})
    later = harness.hook("session-start", source="resume").context
    assert "keep the comments" in first
    assert "keep the comments" not in later.partition("§§ dialogue")[2]


def test_a_resumed_window_that_never_showed_the_context_is_given_the_whole(harness: Harness) -> None:
    harness.hook("user-prompt-submit", prompt="keep the comments")
    harness.hook("session-start", source="startup")
    assert "keep the comments" in harness.hook("session-start", source="resume").context.partition("§§ dialogue")[2]


def test_two_sessions_of_a_folder_share_its_thread(harness: Harness, cast: Cast) -> None:
    harness.hook("session-start", source="startup")
    harness.session = "second"
    harness.hook("session-start", source="startup")
    assert len(sessions_of(cast)) == 1


def test_the_thread_is_named_after_the_folder(harness: Harness, cast: Cast) -> None:
    harness.hook("session-start", source="startup")
    [thread] = cast.dev.client().get("/threads").json()["results"]
    assert thread["title"] == "登录 页"


def test_a_context_stays_below_what_the_harness_shows(harness: Harness, cast: Cast) -> None:
    harness.play(recorded()[:2])
    harness.write(*({"type": "assistant", "uuid": f"x{n}", "message": {"content": "long " * 400}} for n in range(20)))
    harness.hook("stop")
    said = harness.hook("session-start", source="compact")
    assert 2_000 < len(said.context) < 10_000


def test_the_same_words_twice_are_two_prompts(harness: Harness, cast: Cast) -> None:
    for n in range(2):
        harness.hook("user-prompt-submit", prompt="继续")
        harness.write({"type": "user", "uuid": f"u{n}", "message": {"content": "继续"}})
    assert [event["text"] for event in transcript_of(cast)] == ["继续", "继续"]


def test_a_lost_state_stores_nothing_twice(harness: Harness, cast: Cast) -> None:
    harness.play(recorded())
    before = told(transcript_of(cast))
    for notes in harness.home.rglob("notes.json"):
        notes.unlink()
    harness.hook("stop")
    [queue] = harness.home.rglob("queue.jsonl")
    assert (told(transcript_of(cast)), queue.read_text()) == (before, "")


def test_a_history_from_before_is_taken_in_first(harness: Harness, cast: Cast) -> None:
    harness.write(*recorded()[2]["transcript"])
    harness.hook("user-prompt-submit", prompt="继续")
    assert [event["text"] for event in transcript_of(cast)][::3] == [expected()[0][-1], expected()[3][-1]]
    assert transcript_of(cast)[-1]["text"] == "继续"


def test_a_prompt_that_the_transcript_has_already_is_one(harness: Harness, cast: Cast) -> None:
    harness.write({"type": "user", "uuid": "u", "message": {"content": "继续"}})
    harness.hook("user-prompt-submit", prompt="继续")
    harness.write({"type": "assistant", "uuid": "a", "message": {"content": "go"}})
    harness.hook("stop")
    assert [(e["text"], e["attested_by"]) for e in transcript_of(cast)] == [("继续", "harness"), ("go", "agent")]


def test_a_helper_s_tools_are_not_the_agent_s(harness: Harness, cast: Cast) -> None:
    harness.hook("user-prompt-submit", prompt="look around")
    harness.hook(
        "post-tool-use", agent_id="7", tool_name="Read", tool_use_id="toolu_9", tool_input={}, tool_response="x"
    )
    assert [event["text"] for event in transcript_of(cast)] == ["look around"]


def test_without_a_transcript_what_the_harness_says_is_kept(harness: Harness, cast: Cast) -> None:
    harness.transcript = Path("/nowhere/at all.jsonl")
    harness.hook("user-prompt-submit", prompt="hello there")
    harness.hook(
        "post-tool-use", tool_name="Bash", tool_use_id="toolu_1", tool_input={"command": "ls"}, tool_response="a"
    )
    harness.hook("stop", last_assistant_message="done")
    kinds = [(event["role"], event["kind"]) for event in transcript_of(cast)]
    assert kinds == [("user", "message"), ("assistant", "tool_call"), ("tool", "tool_result"), ("assistant", "message")]
