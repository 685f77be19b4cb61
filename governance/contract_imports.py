"""A file that was written for agents, taken as a contract: what of it was understood as what, and what was not.

`contract_texts` refuses what it does not know. Here a human looks at the result before it is asked for, so that what is
not known is left out and named.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any

import regex

from governance.contract_texts import (
    HOME,
    INCLUDE,
    Part,
    check_size,
    load_mapping,
    markdown_parts,
    named,
    plain,
    structured,
    value_of,
)
from governance.invisible import made_visible
from governance.schemas import checked_body, fields_of
from governance.vocabulary import ContractKind

HEADER = re.compile(r"\A\ufeff?<!-- greywind kind=(\S+) slug=(\S+) ")
LIKE_YAML = re.compile(r"\A(---|\s*#[^\n]*\n)*\s*[A-Za-z_][\w-]*:(\s|$)")
MOST_SHOWN = 80  # graphemes of a piece: enough to recognise it
GRAPHEME = regex.compile(r"\X")


class FileForm(StrEnum):
    """How a file is written."""

    MARKDOWN = "markdown"
    YAML = "yaml"


@dataclass(frozen=True, slots=True)
class Piece:
    """One heading or key of a file, and the field that it became ('' is left out). `words` are its first ones."""

    heading: str
    field: str
    lines: int
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A checked body, and where each of its parts came from. `includes` were kept as words and not followed."""

    form: FileForm
    body: dict[str, Any]
    pieces: Sequence[Piece]
    includes: Sequence[str]

    @property
    def taken(self) -> Sequence[Piece]:
        return [piece for piece in self.pieces if piece.field]

    @property
    def left(self) -> Sequence[Piece]:
        return [piece for piece in self.pieces if not piece.field]


def imported(text: str, kind: ContractKind, *, name: str = "", form: FileForm | None = None) -> Imported:
    """Return what a file says as a contract of this kind; `form` None is told from the text itself.

    `name` is the persona's name or the role's slug where the file says none. Raises Invalid: not_yaml, no_markdown,
    body_too_large, or invalid_body for what breaks the schema.
    """
    check_size(text)
    chosen = form or form_of(text)
    body, pieces = _of_yaml(text, kind) if chosen is FileForm.YAML else _of_markdown(text, kind)
    includes = [_first(line) for line in text.splitlines() if INCLUDE.fullmatch(line.strip())]
    whole = checked_body(kind, named(kind, body, name))
    return Imported(form=chosen, body=whole, pieces=pieces, includes=includes)


def form_of(text: str) -> FileForm:
    """Say whether a text looks like YAML or like Markdown; what could be either is Markdown."""
    return FileForm.YAML if LIKE_YAML.match(text.removeprefix("\ufeff")) else FileForm.MARKDOWN


def slug_in(text: str, kind: ContractKind) -> str:
    """Return the slug that an export of ours names in its header, for a contract of this kind; else ''."""
    found = HEADER.match(text)
    return found.group(2) if found and found.group(1) == kind else ""


def _of_yaml(text: str, kind: ContractKind) -> tuple[dict[str, Any], list[Piece]]:
    loaded = {str(key): value for key, value in load_mapping(text.removeprefix("\ufeff")).items()}
    fields = set(fields_of(kind))
    pieces = [
        Piece(_first(key), key if key in fields else "", _count(value), _first(str(value)))
        for key, value in loaded.items()
    ]
    return {key: value for key, value in loaded.items() if key in fields}, pieces


def _of_markdown(text: str, kind: ContractKind) -> tuple[dict[str, Any], list[Piece]]:
    parts = [part for part in markdown_parts(text.removeprefix("\ufeff"), kind) if value_of(part.lines) is not None]
    fields = set(fields_of(kind))
    known = [part for part in parts if part.path and part.path[0] in fields]
    if known:
        return structured(kind, known), list(_pieces(parts, fields))
    home = HOME.get(kind, "")
    return plain(kind, parts), [_piece(part, home) for part in parts]


def _pieces(parts: Sequence[Part], fields: set[str]) -> Iterator[Piece]:
    for part in parts:
        yield _piece(part, ".".join(part.path) if part.path and part.path[0] in fields else "")


def _piece(part: Part, field: str) -> Piece:
    value = value_of(part.lines)
    heading = " / ".join(part.path)
    return Piece(_first(heading), field, _count(value), _first(" ".join(part.lines)))


def _count(value: Any) -> int:
    return len(value) if isinstance(value, list | dict) else 1


def _first(text: str) -> str:
    """Return a line by which a piece is recognised, with what cannot be seen made visible."""
    words = made_visible(" ".join(text.split()))
    kept = "".join(islice((found.group() for found in GRAPHEME.finditer(words)), MOST_SHOWN))
    return words if kept == words else f"{kept} …"
