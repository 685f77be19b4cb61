"""Files with one JSON object a line, plain and gzipped."""

import gzip
from pathlib import Path

import pytest

from greywind_site.benching.lines import json_of, lines_of
from greywind_site.operating.command import Refused

TOLD = '{"text": "one\u2028 line"}\n{"text": "and the next"}\n'


@pytest.fixture(params=["said.jsonl", "said.jsonl.gz"])
def said(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path: Path = tmp_path / request.param
    content = TOLD.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def test_only_a_line_feed_ends_a_line(said: Path) -> None:
    texts = [json_of(line, path=said, number=n)["text"] for n, line in enumerate(lines_of(said), 1)]
    assert texts == ["one\u2028 line", "and the next"]


@pytest.mark.parametrize("damage", [slice(0, 30), slice(10, None)])
def test_a_file_that_is_damaged_is_refused_by_name(tmp_path: Path, damage: slice) -> None:
    path = tmp_path / "said.jsonl.gz"
    path.write_bytes(gzip.compress(TOLD.encode())[damage])
    with pytest.raises(Refused, match=r"said\.jsonl\.gz cannot be read"):
        lines_of(path)


def test_what_is_packed_and_damaged_inside_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl.gz"
    packed = bytearray(gzip.compress(TOLD.encode()))
    packed[10] = 0xFF  # the kind of the first block, which then is none
    path.write_bytes(bytes(packed))
    with pytest.raises(Refused, match="cannot be read"):
        lines_of(path)
