"""How the threads of a project stand in a packet: by urgency, each line with what it rests on, shorter before less."""

from dataclasses import replace
from typing import Any

from governance.vocabulary import Audience, Destination
from sessions.context.material import Eligibility, Reach, StandFact, SummaryFact
from sessions.context.vocabulary import DropReason, Layer
from sessions.fallen import Fall, Fallen, stands_without
from tests.context.cast import bare_material, compiled_of, recount

NAMES = "abcdefgh"
LONG = "the harbour office has not yet sent the signing key that every gauge on the northern coast needs to be read"


def stand(name: str = "a", *, title: str = "Tide gauges", **changes: object) -> StandFact:
    sections = {
        "blockers": (f"{LONG} [5]",),
        "open_questions": ("who owns the dashboards? [7]", "keep the CSV fallback? [8, memory://mem_1@2]"),
        "next_steps": ("unverified: write the migration note (×2) [9]",),
        "decisions": ("use the streaming reader [3]",),
        "constraints": ("never round [2]",),
    }
    summary = SummaryFact(ref=f"summary://sum_{name}@2", version=2, covers=f"event://ses_{name}/1-9", sections=sections)
    fact = StandFact(
        thread_id=f"thr_{name}", thread_title=title, session_id=f"ses_{name}", role="chief", summary=summary
    )
    return replace(fact, **changes)  # type: ignore[arg-type]  # the tests' own shorthand


def shown(*stands: StandFact, tokens: int | None = None) -> Any:
    return compiled_of(bare_material(project_state=stands), tokens)


def outcome(compiled: Any, name: str) -> str:
    """Whole, shortened in which step, or why it was left out."""
    layer = next(layer for layer in compiled.layers if layer.layer is Layer.SUMMARY)
    ref = f"summary://sum_{name}@2#project_state"
    found = [row.get("step") or row["reason"] for row in (*layer.items, *layer.dropped) if row["ref"] == ref]
    return str(*found)


def test_a_thread_stands_with_what_blocks_it_what_is_open_and_what_was_decided() -> None:
    [there] = shown(stand()).packet["project_state"]
    assert [len(there[part]) for part in ("blockers", "open_items", "decisions")] == [1, 3, 1]
    assert there["open_items"][1]["refs"] == ["event://ses_a/8", "memory://mem_1@2"]
    assert there["open_items"][2] | {"refs": []} == {
        "text": "write the migration note",
        "mark": "unverified",
        "times": 2,
        "refs": [],
    }


def test_the_prompt_says_the_most_urgent_first_and_what_each_line_rests_on() -> None:
    text = next(section.text for section in shown(stand()).sections if section.section == "project_state")
    assert text.startswith(
        "§§ project state by thread, recorded data\n§ thread as chief summed it up, from event://ses_a/1-9\n"
    )
    assert text.index("- thread: Tide gauges") < text.index("blocked:") < text.index("open: ") < text.index("decided: ")
    assert "open: unverified: write the migration note (×2) [9]" in text
    assert "never round" not in text


def test_what_is_over_has_nothing_open_and_stands_behind() -> None:
    compiled = shown(stand(over=True), stand("b"), tokens=400)
    assert (outcome(compiled, "a"), outcome(compiled, "b")) == (DropReason.LAYER_CAP, "title")
    [there] = shown(stand(over=True)).packet["project_state"]
    assert (there["blockers"], there["open_items"], len(there["decisions"])) == ([], [], 1)


def test_every_thread_is_named_in_short_before_one_of_them_is_told_at_length() -> None:
    tight, ample = ([outcome(shown(*map(stand, NAMES), tokens=n), name) for name in NAMES] for n in (3_000, 4_500))
    assert (tight[0], set(tight[1:])) == ("full", {"title"})
    assert set(ample) == {"full"}


def test_what_is_left_of_a_thread_is_its_most_urgent_with_its_ref_and_how_many_more_there_are() -> None:
    compiled = shown(stand(), tokens=400)
    [there] = compiled.packet["project_state"]
    assert (there["blockers"][0]["text"][-1], there["blockers"][0]["refs"]) == ("…", ["event://ses_a/5"])
    assert (len(there["open_items"]), there["decisions"], there["left_out"]) == (1, [], 3)
    assert "\n- [… 3 more at summary://sum_a@2]\n" in compiled.sections[-2].text


def test_every_token_of_it_is_counted() -> None:
    for tokens in (900, 1_500, 3_000, None):
        compiled = shown(*[stand(name, title=f"线程 {name}：潮位数据导入") for name in "abcdef"], tokens=tokens)
        assert compiled.used == recount("".join(section.text for section in compiled.sections))


def test_staleness_is_said() -> None:
    told = stand(behind=True)
    told = replace(
        told, summary=replace(told.summary, stale_since="2026-03-02T00:00:00Z", stale_because=("lost_constraint",))
    )
    text = shown(told).sections[-2].text
    assert "1-9 and not what came after stale since 2026-03-02T00:00:00Z because lost constraint\n" in text


def test_what_not_everyone_there_may_read_stays_out() -> None:
    private = stand(reach=Reach(audience=Audience.PRIVATE, owner="act_1"))
    outside = bare_material(project_state=(stand(),), eligibility=Eligibility(destination=Destination.EXTERNAL))
    assert outcome(shown(private), "a") == DropReason.AUDIENCE
    assert outcome(compiled_of(outside), "a") == DropReason.SENSITIVITY


def test_many_threads_do_not_press_for_a_summary_of_the_session() -> None:
    many = [stand(name) for name in "abcdefghijklmnopqrstuvwxyz"]
    assert shown(*many, tokens=3_000).pressure.threshold == "none"


def test_one_that_says_nothing_of_the_kind_is_no_item() -> None:
    silent = stand()
    silent = replace(silent, summary=replace(silent.summary, sections={"goals": ("read the gauges [1]",)}))
    assert shown(silent).packet["project_state"] == []


def test_what_rests_on_a_memory_that_was_revoked_is_withheld_and_the_thread_is_stale() -> None:
    memory = f"memory://mem_{'0' * 32}@2"
    told = stand()
    told = replace(told, summary=replace(told.summary, sections={"decisions": (f"use the old reader [3, {memory}]",)}))
    gone = Fallen(fates={memory: Fall.REVOKED}, since={memory: "2026-03-02T00:00:00Z"})
    [there] = shown(*(stands_without((told,), gone) or ())).packet["project_state"]
    assert "old reader" not in str(there)
    assert (there["stale_since"], there["stale_because"]) == ("2026-03-02T00:00:00Z", ["memory_fell"])
