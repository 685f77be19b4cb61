"""`manage.py bench_resolution` on three small threads, in the tests' own database."""

import json
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from greywind_site.benching import resolution_telling
from greywind_site.benching.intervals import wilson
from greywind_site.benching.resolution_sets import read_sets
from greywind_site.operating.command import Refused

TALK = {
    "garden": (
        ["The tomatoes in the greenhouse got blight again", "I sprayed copper on the seedlings", "The compost is warm"],
        ["Blight is back on the greenhouse tomatoes", "Should the seedlings get copper again?", "And the compost?"],
    ),
    "choir": (
        [
            "The altos keep missing the entry in the Fauré",
            "Our tenor section lost two voices",
            "Rehearsal moved to Monday",
        ],
        ["The altos found their entry in the Fauré", "A new tenor came to the rehearsal", "Monday suits the choir"],
    ),
    "猫": (
        ["橘猫昨天又把药片吐出来了", "兽医说它的肾指标偏高", "换了低磷的处方粮"],
        ["橘猫今天肯吃药片了", "处方粮它吃得干干净净", "下周再去兽医那里复查肾指标"],
    ),
}


def rows(name: str, stored: list[str], asked: list[str]) -> list[dict[str, str]]:
    days = (("2026-03-01T09:00:00", stored), ("2026-03-08T09:00:00", asked))
    return [
        {"thread": name, "session": at, "ts": at, "speaker": "user", "text": text}
        for at, texts in days
        for text in texts
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [json.dumps(row) for name, (stored, asked) in TALK.items() for row in rows(name, stored, asked)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


@pytest.fixture
def here(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolution_telling, "scratch_database", lambda _: nullcontext())


def told(*arguments: str) -> Any:
    out = StringIO()
    call_command("bench_resolution", *arguments, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def test_talk_that_goes_on_finds_its_threads_and_none_that_is_not_there(here: None, folder: Path) -> None:
    out = folder / "answers.jsonl"
    readings = told(str(folder), "--out", str(out))["readings"]
    together, absent = readings["together"][folder.name], readings["absent"][folder.name]
    assert (together["right"]["count"], together["wrong"]["count"], absent["wrong"]["count"]) == (3, 0, 0)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3 * (1 + 3 + 1 + 1)


def test_a_row_without_a_speaker_is_refused_by_its_line(tmp_path: Path) -> None:
    whole = {"thread": "a", "session": "s", "ts": "2026-03-01T09:00:00", "speaker": "user", "text": "hello"}
    damaged = {name: value for name, value in whole.items() if name != "speaker"}
    (tmp_path / "corpus.jsonl").write_text(f"{json.dumps(whole)}\n{json.dumps(damaged)}", encoding="utf-8")
    with pytest.raises(Refused, match="line 2: speaker"):
        read_sets([tmp_path])


def test_who_speaks_first_is_the_user_where_nobody_is_called_so(tmp_path: Path) -> None:
    said = [("1", "Ann", "a"), ("1", "Bob", "b"), ("2", "Bob", "c"), ("2", "Ann", "d"), ("2", "Bob", "e")]
    lines = [
        json.dumps({"thread": "t", "session": day, "ts": f"2026-03-0{day}T09:00:00", "speaker": who, "text": text})
        for day, who, text in said
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    [line] = read_sets([tmp_path])
    assert (list(line.asked), [turn.by_user for turn in line.stored[0]]) == (["c", "e"], [True, False])


def test_an_interval_of_few_cases_is_wide() -> None:
    assert [round(bound, 3) for bound in wilson(6, 6)] == [0.61, 1.0]
