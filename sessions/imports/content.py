"""The content of one message, read: what every chat adapter hands on."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sessions.imports.records import Piece
from sessions.vocabulary import EventKind


@dataclass(frozen=True, slots=True)
class Content:
    """A message's content, read: what can be shown, and what is only kept."""

    pieces: tuple[Piece, ...]
    opaque: tuple[Any, ...] = ()


def joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Join neighbouring plain messages with a line break: they are one thing that was said."""
    held: Piece | None = None
    for piece in pieces:
        if held and _plain(held) and _plain(piece):
            held = Piece(role=held.role, kind=held.kind, text=f"{held.text}\n{piece.text}")
            continue
        if held:
            yield held
        held = piece
    if held:
        yield held


def _plain(piece: Piece) -> bool:
    return piece.kind is EventKind.MESSAGE and not piece.meta
