"""Artifacts: content kept once per audience under its hash, and read back in bounded pieces."""

import hashlib
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from governance.errors import Invalid
from governance.ids import public_id
from governance.models.base import ContentRow, reach_of
from sessions.context.cuts import cut_head
from sessions.context.tokens import STORED_ENCODING, exact_counter, token_starts
from sessions.models import Artifact
from sessions.vocabulary import ReadUnit

READ_DEFAULT, READ_MOST = 800, 4000  # tokens of one read: a page for a model, and what still is no flood
MOST_OFFSET = 2**31 - 1  # beyond the largest text in any unit; an answer says the offset again, as a number of JSON
LINES_MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A bounded read. `next` is the offset that follows, or None at the end; `total` counts in the same unit.

    `tokens` are those of `text`. `cut` says that it is the beginning of a single line, which is longer than a read.
    """

    text: str
    unit: str
    offset: int
    total: int
    next: int | None
    tokens: int = 0
    cut: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the piece as an answer shows it."""
        return asdict(self)


def artifact_ref(artifact: Artifact) -> str:
    """Return the ref that opens an artifact."""
    return f"artifact://{artifact.public_id}"


def keep_all(texts: Sequence[str], *, beside: ContentRow, media_type: str = "text/plain") -> dict[str, Artifact]:
    """Store texts with the audience of the row they stand beside; returns text → artifact.

    The same content in the same audience is kept once, also when two writers bring it at the same time.
    """
    wanted = {sha256(text): text for text in texts}
    if not wanted:
        return {}
    reach = reach_of(beside)
    fresh = [_artifact(digest, text, beside, media_type=media_type) for digest, text in wanted.items()]
    known = {row.sha256: row for row in _kept(wanted, reach)}
    missing = [row for row in fresh if row.sha256 not in known]
    if missing:
        Artifact.objects.bulk_create(missing, ignore_conflicts=True)
        known = {row.sha256: row for row in _kept(wanted, reach)}
    return {text: known[digest] for digest, text in wanted.items()}


def sha256(text: str) -> str:
    """Return the hex digest of a text's UTF-8 bytes."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_piece(text: str, *, unit: str, offset: int, limit: int | None) -> Piece:
    """Return `limit` tokens or lines from `offset`, and never more than READ_MOST tokens.

    Pieces read one after the other add up to the text exactly, but for lines that are longer than a read: `cut`. Raises
    what `part_of` does.
    """
    piece = part_of(text, unit=unit, offset=offset, limit=limit)
    lines = (piece.total if piece.next is None else piece.next) - offset
    while unit == ReadUnit.LINES and piece.tokens > READ_MOST and lines > 1:
        lines = max(lines * READ_MOST // piece.tokens, 1)
        piece = part_of(text, unit=unit, offset=offset, limit=lines)
    if unit == ReadUnit.LINES and piece.tokens > READ_MOST:
        head = cut_head(piece.text, READ_MOST)
        return replace(piece, text=head, tokens=_count(head), cut=True)
    return piece


def part_of(text: str, *, unit: str, offset: int, limit: int | None) -> Piece:
    """Return `limit` tokens or lines from `offset`, however many tokens the lines take.

    Raises Invalid for an unknown unit, an offset outside 0 to MOST_OFFSET, or a limit outside 1 to the cap of its unit.
    """
    if not 0 <= offset <= MOST_OFFSET:
        raise Invalid.at("?offset", f"expected 0 to {MOST_OFFSET}; pieces end where `next` is null")
    starts = _starts(text, unit)
    most = READ_MOST if unit == ReadUnit.TOKENS else LINES_MOST
    size = min(READ_DEFAULT, most) if limit is None else limit
    if not 1 <= size <= most:
        raise Invalid.at("?limit", f"expected 1 to {most} {unit}")
    total = len(starts)
    stop = min(offset + size, total)
    part = _between(text, starts, offset, stop)
    following = stop if stop < total else None
    return Piece(text=part, unit=unit, offset=offset, total=total, next=following, tokens=_count(part))


def _between(text: str, starts: Sequence[int], first: int, stop: int) -> str:
    total = len(starts)
    begin = starts[first] if first < total else len(text)
    return text[begin : starts[stop] if stop < total else len(text)]


def _count(text: str) -> int:
    return exact_counter(STORED_ENCODING).count(text)


def _starts(text: str, unit: str) -> Sequence[int]:
    if unit == ReadUnit.TOKENS:
        return _token_starts(text)
    if unit == ReadUnit.LINES:
        return line_starts(text)
    raise Invalid.at("?unit", f"expected {' or '.join(ReadUnit)}")


@lru_cache(maxsize=8)
def _token_starts(text: str) -> Sequence[int]:
    return array("L", token_starts(STORED_ENCODING, text))


def line_starts(text: str) -> list[int]:
    """Return the character at which each line begins; a newline at the end begins none."""
    starts = [0] if text else []
    at = text.find("\n")
    while at != -1 and at + 1 < len(text):
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def _kept(wanted: dict[str, str], reach: dict[str, Any]) -> list[Artifact]:
    return list(Artifact.objects.filter(sha256__in=list(wanted), **reach).defer("content"))


def _artifact(digest: str, text: str, beside: ContentRow, *, media_type: str) -> Artifact:
    return Artifact(
        project_id=beside.project_id,
        sha256=digest,
        size=len(text.encode()),
        lines=len(line_starts(text)),
        tokens_o200k=_count(text),
        media_type=media_type,
        content=text,
        **reach_of(beside),
    )


def artifact_out(artifact: Artifact) -> dict[str, Any]:
    """Return an artifact as the API shows it, without its content."""
    return {
        "id": public_id("art", artifact.id),
        "ref": artifact_ref(artifact),
        "sha256": artifact.sha256,
        "size": artifact.size,
        "lines": artifact.lines,
        "tokens": artifact.tokens_o200k,
        "media_type": artifact.media_type,
    }
