"""Files as lines: compressed, damaged, broken, too long, and streamed."""

import gzip
from pathlib import Path

import pytest

from governance.errors import TooLarge
from sessions.imports.opening import open_source
from sessions.imports.records import Line


def write(folder: Path, content: bytes, name: str = "话.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def lines(path: Path, limit: int = 1000) -> list[Line]:
    with open_source(path, limit=limit) as source:
        return list(source.lines())


def test_blank_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    assert lines(write(tmp_path, b'{}\r\n\n  \n{"a":1}')) == [Line(1, "{}"), Line(4, '{"a":1}')]


def test_gzip_is_told_by_its_content(tmp_path: Path) -> None:
    assert lines(write(tmp_path, gzip.compress(b"{}\n[]\n"))) == [Line(1, "{}"), Line(2, "[]")]


def test_a_damaged_archive_gives_what_can_be_read_and_says_so(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b'{"n":%d}\n' % (n * 7919) for n in range(5000)))
    found = lines(write(tmp_path, whole[: len(whole) // 2]))
    assert found[0] == Line(1, '{"n":0}')
    assert "damaged" in found[-1].notes[0]


def test_bad_utf8_is_replaced_and_reported(tmp_path: Path) -> None:
    (line,) = lines(write(tmp_path, b'{"t":"\xff\xe5"}\n'))
    assert line.text == '{"t":"\ufffd\ufffd"}'
    assert line.notes[0].startswith("not UTF-8 from byte 7")


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert lines(write(tmp_path, b"\xef\xbb\xbf{}\n")) == [Line(1, "{}")]


def test_a_line_over_the_limit_is_cut_and_the_next_one_read(tmp_path: Path) -> None:
    first, second = lines(write(tmp_path, b'"' + b"x" * 5000 + b'"\n{}\n'))
    assert (first.cut, second) == (True, Line(2, "{}"))
    assert first.notes[0].startswith("5003 bytes are too long to read")


def test_a_line_at_the_limit_is_whole(tmp_path: Path) -> None:
    assert not lines(write(tmp_path, b"x" * 999 + b"\n"))[0].cut


@pytest.mark.parametrize("content", [b'{\n "messages": [\n ]\n}', b'[{"a":\n1},\n{"b":2}]', b'[\n{"a":1}\n]'])
def test_a_document_over_several_lines_is_one(tmp_path: Path, content: bytes) -> None:
    assert lines(write(tmp_path, content)) == [Line(1, content.decode())]


def test_a_broken_first_line_does_not_make_a_document(tmp_path: Path) -> None:
    assert len(lines(write(tmp_path, b'{"a": tru\n{"b":2}\n{"c":3}\n'))) == 3


def test_a_document_over_the_limit_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, b"[\n" + b"1,\n" * 500 + b"1]")
    with open_source(path, limit=1000) as source, pytest.raises(TooLarge, match="a record a line"):
        source.lines()


def test_the_position_moves_with_the_reading_up_to_the_size(tmp_path: Path) -> None:
    with open_source(write(tmp_path, b'{"a":1}\n' * 50_000)) as source:
        stream = source.lines()
        next(stream)
        early = source.position
        assert early < source.size == sum(1 for _ in stream) * 8 + 8 == source.position


@pytest.mark.parametrize(("name", "expected"), [("a.b.jsonl.gz", "a.b"), ("会话.json", "会话"), ("plain", "plain")])
def test_a_source_is_named_after_its_file(tmp_path: Path, name: str, expected: str) -> None:
    with open_source(write(tmp_path, b"", name)) as source:
        assert source.name == expected
