"""The benchmark's arithmetic, and that it runs; never how fast anything is."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from greywind_site.benchmark import PROBE, entry, interval
from tests.api.conftest import cast  # noqa: F401 - a fixture
from tests.cast import Cast

TINY = {"events": 6, "rounds": 2, "calls": 1}


def benchmark(url: str, key: str) -> dict[str, Any]:
    told = StringIO()
    call_command("benchmark", url=url, key=key, json=True, stdout=told, stderr=StringIO(), **TINY)
    report: dict[str, Any] = json.loads(told.getvalue())
    return report


def test_it_measures_both_ways_of_asking_against_the_probe(live_server: Any, cast: Cast) -> None:  # noqa: F811
    figures = benchmark(live_server.url, cast.dev.secret)["figures"]
    assert [(row["name"] == PROBE, row["ratio"] is None) for row in figures] == [(True, True)] + [(False, False)] * 2


def test_a_wrong_key_is_told_and_not_measured(live_server: Any, cast: Cast) -> None:  # noqa: F811
    with pytest.raises(CommandError, match="401"):
        benchmark(live_server.url, "gw_wrong")


def test_the_interval_of_equal_ratios_is_that_ratio() -> None:
    assert interval([5.0] * 9) == (5.0, 5.0)


def test_the_interval_lies_within_what_was_measured() -> None:
    low, high = interval([4.0, 5.0, 9.0, 5.5, 5.1, 4.9, 5.0])
    assert 4.0 <= low < high <= 9.0


def test_the_transcript_speaks_two_languages_and_uses_tools() -> None:
    kinds = {entry(n).get("kind", "message") for n in range(8)}
    assert kinds == {"message", "tool_call", "tool_result"}
    assert {entry(n)["text"].isascii() for n in (0, 4)} == {True, False}
