"""Lists as files: all parts of them, at most so many rows, and nothing in them that a spreadsheet would run."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.test import RequestFactory

from governance import exports
from governance.exports import As, export_asked, exported, exports_at

COLUMNS = ("n", "said")


def listing(rows: int, form: As, *, cut: bool = False, said: Any = "灰风, “quoted”") -> tuple[str, str]:
    """Export so many rows; returns the name of the file and what it holds."""

    def read(after: Mapping[str, Any] | None, most: int) -> Sequence[Mapping[str, Any]]:
        start = after["n"] + 1 if after else 0
        return [{"n": n, "said": said, "hidden": 1} for n in range(start, min(rows, start + most))]

    answer = exported("list", form, COLUMNS, read, cut=cut)
    return answer["Content-Disposition"], answer.getvalue().decode()


@pytest.mark.parametrize("rows", [0, 1, 500, 501, 1200])
def test_every_row_is_there_once_and_in_order(rows: int) -> None:
    _, held = listing(rows, As.JSONL)
    assert [json.loads(line)["n"] for line in held.splitlines()] == list(range(rows))


def test_what_is_over_the_most_is_left_out_and_the_name_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "MOST", 700)
    named, held = listing(900, As.JSONL, cut=True)
    assert (len(held.splitlines()), "list-first-700.jsonl" in named) == (700, True)


def test_only_the_named_columns_leave() -> None:
    _, held = listing(1, As.JSONL)
    assert json.loads(held) == {"n": 0, "said": "灰风, “quoted”"}


@pytest.mark.parametrize("said", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_a_cell_is_no_formula(said: str) -> None:
    _, held = listing(1, As.CSV, said=said)
    header, row = csv.reader(io.StringIO(held.removeprefix("\ufeff")))
    assert (header, row) == (["n", "said"], ["0", f"'{said}"])


@pytest.mark.parametrize(("said", "cell"), [(None, ""), ({"a": 1}, '{"a":1}'), (-3, "-3"), ("a\nb", "a\nb")])
def test_a_value_reads_in_a_cell(said: Any, cell: str) -> None:
    _, held = listing(1, As.CSV, said=said)
    assert list(csv.reader(io.StringIO(held, newline="")))[1][1] == cell


def test_the_address_says_which_form_and_keeps_the_filters() -> None:
    ask = RequestFactory().get
    assert [export_asked(ask(f"/?as={form}")) for form in ("csv", "jsonl", "exe", "")] == [As.CSV, As.JSONL, None, None]
    assert exports_at("?q=a")["csv"] == "?q=a&as=csv"
