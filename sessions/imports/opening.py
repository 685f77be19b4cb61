"""Files as lines: streamed, gunzipped where needed, bounded in memory, and never stopped by a bad byte."""

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, cast

from governance.errors import TooLarge
from sessions.imports.parsing import NotReadable, parse
from sessions.imports.records import Line

# The longest line, or whole document, that is held in memory at once; the longest line seen in the wild has 40 MB.
MAX_BYTES = 64 * 2**20
# What is kept of a line beyond that.
_KEPT_BYTES = 64 * 2**10
_GZIP_MAGIC = b"\x1f\x8b"
_LINES_TO_JUDGE_BY = 5


@dataclass(frozen=True, slots=True)
class Source:
    """An open transcript. `size` and `position` count the file's own bytes (compressed ones), for a progress bar."""

    name: str
    size: int
    _raw: BinaryIO
    _stream: BinaryIO
    _limit: int

    @property
    def position(self) -> int:
        """Return how many of the file's bytes have been read so far."""
        return self._raw.tell()

    def lines(self) -> Iterator[Line]:
        """Yield the lines that are not blank, once; a JSON document that spans lines comes as a single Line.

        Raises governance.errors.TooLarge for such a document beyond the limit.
        """
        numbered = _numbered(self._stream, self._limit)
        seen: list[Line] = []
        judged = recorded(islice(numbered, _LINES_TO_JUDGE_BY), seen)
        if _is_document(judged):
            return iter((_document(chain(seen, numbered), self._limit),))
        return chain(seen, numbered)


@contextmanager
def open_source(path: Path, *, limit: int = MAX_BYTES) -> Iterator[Source]:
    """Open a transcript, compressed or not, for reading once. `limit` is the longest line in bytes.

    Raises OSError when the file cannot be opened. Its name without .gz and .json or .jsonl is the source's name.
    """
    with path.open("rb") as raw:
        packed = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        raw.seek(0)
        stream = cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if packed else raw
        yield Source(_stem(path), path.stat().st_size, raw, stream, limit)


def _stem(path: Path) -> str:
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    return plain.stem or path.name


def recorded[T](items: Iterable[T], seen: list[T]) -> Iterator[T]:
    """Yield the items and note each in `seen`, so that whoever stops half-way can put back what was taken."""
    for item in items:
        seen.append(item)
        yield item


def _numbered(stream: BinaryIO, limit: int) -> Iterator[Line]:
    number = 0
    while True:
        number += 1
        try:
            content = stream.readline(limit + 1)
            if not content:
                return
            line = _line(number, content) if len(content) <= limit else _cut(number, content, stream)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            yield Line(number, "", (f"the compressed file is damaged from here on: {error}",), cut=True)
            return
        if line.text.strip() or line.notes:
            yield line


def _line(number: int, content: bytes) -> Line:
    encoding = "utf-8-sig" if number == 1 else "utf-8"
    try:
        return Line(number, content.decode(encoding).rstrip("\r\n"))
    except UnicodeDecodeError as error:
        note = f"not UTF-8 from byte {error.start + 1} of the line: what cannot be read became U+FFFD"
        return Line(number, content.decode(encoding, errors="replace").rstrip("\r\n"), (note,))


def _cut(number: int, content: bytes, stream: BinaryIO) -> Line:
    """Skip the rest of a line that is too long, keeping its beginning, its length and its fingerprint."""
    whole, length, kept = hashlib.sha256(content), len(content), content[:_KEPT_BYTES]
    while not content.endswith(b"\n"):
        content = stream.readline(2**20)
        if not content:
            break
        whole.update(content)
        length += len(content)
    text = kept.decode("utf-8", errors="ignore")
    return Line(number, text, (_too_long(length, whole.hexdigest()),), cut=True)


def _too_long(length: int, fingerprint: str) -> str:
    return f"{length} bytes are too long to read; the first {_KEPT_BYTES} are kept (whole: sha256:{fingerprint})"


def _is_document(lines: Iterator[Line]) -> bool:
    """Tell whether one JSON value spans the lines: it opens on the first, which is no value by itself, and none of
    the next few is a value by itself (else the first line is merely broken)."""
    first = next(lines, None)
    if first is None or first.cut or not first.text.lstrip().startswith(("{", "[")) or _is_value(first):
        return False
    if first.text.strip() in ("[", "{", "[{"):
        return True
    following = list(lines)
    return bool(following) and not any(_is_value(line) for line in following)


def _is_value(line: Line) -> bool:
    try:
        return not line.cut and isinstance(parse(line.text), dict | list)
    except NotReadable:
        return False


def _document(lines: Iterable[Line], limit: int) -> Line:
    parts, notes, length = list[str](), list[str](), 0
    for line in lines:
        parts.append(line.text)
        notes.extend(f"line {line.number}: {note}" for note in line.notes)
        length += len(line.text.encode("utf-8")) + 1
        if length > limit:
            raise TooLarge(f"file: a JSON document over {limit} bytes is not read at once; save it as a record a line")
    return Line(1, "\n".join(parts), tuple(notes))
