"""Two long tool results, the same on every machine: a test log with one cause in its middle, and an index listing."""

import json
from collections.abc import Iterator

SEED = 20260311
CASES = 312
CUT_CASE = 271  # where the log turns interesting: neither the head nor the tail of the result shows it

NOTES = 320
BROKEN_NOTE = 173  # the one whose words were cut in the wrong place

_CUT = (
    "tests/slow/test_slow_client.py::test_reads_to_the_end[names=zh-rate=16KiB/s] ",
    "  12:04:01.118 client  requests 96,400 rows, reads 16 KiB a second",
    "  12:04:31.522 proxy   idle 30.0 s, closing connection 48 after 1,048,576 bytes",
    "  12:04:31.524 server  BrokenPipeError in stream_rows at row 61,207; status 200 was sent already",
    '  12:04:31.525 client  end of file, last line: 2026-02-27,餐饮,"午餐（客',
    "  AssertionError: the last line is no whole row, and the totals row is missing",
)
CUT_LINE = 1 + CUT_CASE  # first line of the cause in the log, counted from 0: one line of heading stands before it
CUT_LINES = len(_CUT)
CAUSE = _CUT[2].strip()

_ROOMS = (
    "golden/test_bytes",
    "golden/test_header",
    "stream/test_chunks",
    "stream/test_cursor",
    "slow/test_slow_client",
)
_NAMES = ("en", "zh", "mixed", "emoji", "rtl")
_SUBJECTS = ("周会", "读书", "旅行", "装修", "体检", "Budget", "Garden", "Reading list", "Sprint", "Recipes")
_MATTERS = ("记录", "清单", "想法", "总结", "draft", "notes", "checklist")
_JAPANESE = (("会議のメモ", "会議"), ("買い物リスト", "買い物"), ("旅行の計画", "旅行"), ("読書ノート", "読書"))


def slow_client_log() -> str:
    """Return the log of the whole export suite: one case of 312 failed, and its cause stands in the middle."""
    return "\n".join(_log_lines())


def index_listing() -> str:
    """Return the index of 320 sampled notes as JSON, one note a line; one of them was cut into the wrong words."""
    rows = ",\n".join(json.dumps(_note(n), ensure_ascii=False) for n in range(1, NOTES + 1))
    return f'{{"样本": {NOTES}, "种子": 11, "条目": [\n{rows}\n]}}'


def broken_note() -> str:
    """Return the line of the listing that shows the fault."""
    return json.dumps(_note(BROKEN_NOTE), ensure_ascii=False)


def _log_lines() -> Iterator[str]:
    yield f"collected {CASES} items · seed {SEED} · proxy idle limit 30 s · python 3.13"
    for case in range(CASES):
        share = f"[{100 * (case + 1) // CASES:3d}%]"
        if case == CUT_CASE:
            yield f"{_CUT[0]}FAILED {share} 31.407s"
            yield from _CUT[1:]
            continue
        room, name = _ROOMS[case * len(_ROOMS) // CASES], _NAMES[case % len(_NAMES)]
        yield f"tests/{room}.py::test_rows[names={name}-rows={100 + case * 37}] PASSED {share} {_took(case)}"
    yield f"1 failed, {CASES - 1} passed in 96.42s"
    yield "FAILED tests/slow/test_slow_client.py::test_reads_to_the_end[names=zh-rate=16KiB/s] - AssertionError"


def _took(case: int) -> str:
    return f"0.{(case * 37 + 11) % 89 + 10:03d}s"


def _note(n: int) -> dict[str, object]:
    if n == BROKEN_NOTE:
        return _row(n, "東京都の会議メモ", ["東", "京都", "の", "会議", "メモ"], language="ja")
    if n % 8 == 0:
        title, word = _JAPANESE[n // 8 % len(_JAPANESE)]
        return _row(n, f"{title}{n}", [word, title.removeprefix(word), str(n)], language="ja")
    subject, matter = _SUBJECTS[n % len(_SUBJECTS)], _MATTERS[n % len(_MATTERS)]
    ascii_parts = subject.isascii() + matter.isascii()
    return _row(
        n, f"{subject} {matter} {n}", [subject.lower(), matter, str(n)], language=("zh", "mixed", "en")[ascii_parts]
    )


def _row(n: int, title: str, words: list[str], *, language: str) -> dict[str, object]:
    return {"编号": n, "标题": title, "切分": words, "语言": language, "字数": 120 + n * 53 % 900}
