"""`manage.py bench_prefix`: the rules of the two caches, and a small recorded session through the product."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from greywind_site.benching import prefix_telling
from greywind_site.benching.caching import LIFETIME, AnthropicCache, Block, OpenAICache, common_prefix
from greywind_site.benching.prefix_sets import read_turns
from greywind_site.benching.prefix_telling import tell_prefix
from greywind_site.operating.command import Refused

LINE = "the parser keeps the comments above each key of the config file and the blank line after them "


def row(seq: int, text: str, role: str = "user", kind: str = "message", **more: Any) -> dict[str, Any]:
    return {"session": "s", "seq": seq, "role": role, "kind": kind, "text": text, **more}


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("\n".join(json.dumps(each) for each in rows), encoding="utf-8")
    return path


def blocks(*sizes: int, marked: int) -> list[Block]:
    return [Block(f"block {n} of {size}", size, n == marked) for n, size in enumerate(sizes)]


def test_anthropic_writes_dearer_and_reads_cheaper() -> None:
    cache = AnthropicCache()
    assert cache.bill(blocks(2_000, 100, marked=0)).cost == 1.25 * 2_000 + 100
    assert cache.bill(blocks(2_000, 100, marked=0)).cost == 0.1 * 2_000 + 100


def test_anthropic_stores_no_small_prefix() -> None:
    cache = AnthropicCache()
    bills = [cache.bill(blocks(1_000, 100, marked=0)) for _ in range(2)]
    assert {(bill.read, bill.written, bill.plain) for bill in bills} == {(0, 0, 1_100)}


def test_anthropic_knows_a_prefix_by_its_blocks() -> None:
    cache = AnthropicCache()
    cache.bill([Block("a", 2_000), Block("b", 500, marked=True)])
    assert cache.bill([Block("a", 2_000), Block("b", 500), Block("c", 300, marked=True)]).read == 2_500
    assert cache.bill([Block("ab", 2_500), Block("c", 300, marked=True)]).read == 0


def test_anthropic_looks_back_over_twenty_blocks() -> None:
    cache = AnthropicCache()
    cache.bill([Block("a", 2_000, marked=True)])
    grown = [Block("a", 2_000), *(Block(str(n), 10) for n in range(18)), Block("end", 10, marked=True)]
    assert cache.bill(grown).read == 2_000
    cache = AnthropicCache()
    cache.bill([Block("a", 2_000, marked=True)])
    assert cache.bill([grown[0], Block("more", 10), *grown[1:]]).read == 0


def test_anthropic_allows_four_marks() -> None:
    with pytest.raises(ValueError, match="5 marks"):
        AnthropicCache().bill([Block(str(n), 2_000, marked=True) for n in range(5)])


def test_an_entry_lapses_when_nobody_uses_it() -> None:
    cache = AnthropicCache()
    cache.bill(blocks(2_000, marked=0))
    cache.elapse(LIFETIME + 1)
    assert cache.bill(blocks(2_000, marked=0)).read == 0


def test_openai_finds_a_prefix_in_steps() -> None:
    cache = OpenAICache()
    assert cache.bill(range(1_500)).read == 0
    assert cache.bill([*range(1_300), *range(5_000, 5_200)]).read == 1_024 + 2 * 128
    assert cache.bill([*range(1_000), *range(6_000, 6_500)]).read == 0


def test_a_common_prefix_is_counted_to_the_first_difference() -> None:
    assert (common_prefix([1, 2, 3], [1, 2, 4, 3]), common_prefix([1], [1, 2]), common_prefix([], [1])) == (2, 1, 0)


def test_a_session_is_read_turn_by_turn(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        row(0, "before", "assistant"),
        row(1, "one", ts="2026-03-01T10:00:00Z"),
        row(2, "{}", "assistant", "tool_call", tool="read", ts="2026-03-01T10:00:05Z"),
        row(3, "summed up", "assistant", "summary"),
        row(4, "two", ts="2026-03-01T10:01:05Z"),
    )
    first, second = read_turns(path, "s", most=5)
    assert ([entry.seq for entry in first.entries], second.idle_after(first)) == ([1, 2], 60.0)


@pytest.mark.parametrize(
    ("rows", "said"),
    [([row(0, "x") | {"session": "other"}], "no session 's'"), ([row(0, "x") | {"text": 3}], "line 1: text")],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, rows: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(Refused, match=said):
        read_turns(written(tmp_path / "s.jsonl", *rows), "s", most=5)


def test_a_small_session_shares_its_prefix_from_turn_to_turn(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefix_telling, "scratch_database", lambda _: nullcontext())
    texts = [(n, part, role) for n in range(8) for part, role in enumerate(("user", "assistant"))]
    rows = [row(2 * n + part, f"{n} {LINE * 8}", role) for n, part, role in texts]
    wanted = {"session": "s", "turns": 8, "tokens": 4_000, "profile": "gpt-5@codex"}
    facts = tell_prefix(written(tmp_path / "s.jsonl", *rows), str, **wanted).facts
    assert {name: slot["identical"] for name, slot in facts["slots"].items()} == {
        "persona": 7,
        "vision": 6,
        "thread": 7,
    }
    assert facts["mean_common_prefix"] > 0.85
    assert facts["bills"]["openai"]["of_naive"] < facts["bills"]["anthropic"]["of_naive"] < 1
