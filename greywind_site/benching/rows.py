"""Files of labelled texts: one JSON object a line, read whole and checked before anything is measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from governance.languages import HAN
from greywind_site.benching.lines import json_of, lines_of
from greywind_site.operating.command import USAGE, Refused
from memories.claims.evaluation import LABELS

EVERY = 50  # rows from one word of progress to the next
type Row = Mapping[str, Any]
type Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What a file of one kind holds: its texts and labels, and other fields that may be left out."""

    texts: Sequence[str]
    labels: Sequence[str]
    known: frozenset[str]
    lists: frozenset[str] = frozenset()


FORMS: Mapping[str, Form] = {
    "pairs": Form(
        texts=("old", "new"), labels=LABELS, known=frozenset({"lang", "attribute", "old_value", "new_value", "note"})
    ),
    "sensitivity": Form(
        texts=("text",),
        labels=("secret", "personal", "weak", "none"),
        known=frozenset({"lang", "entities", "source", "licence"}),
        lists=frozenset({"entities"}),
    ),
    "injection": Form(
        texts=("text",), labels=("injection", "benign"), known=frozenset({"lang", "kind", "source", "licence"})
    ),
}


def read_rows(path: Path, kind: str, *, tell: Tell) -> list[Row]:
    """Return the rows of a file; `tell` hears of each field that nothing reads.

    Raises Refused that names the line and the field of the first fault.
    """
    rows = list(_checked(lines_of(path), FORMS[kind], path))
    if not rows:
        raise Refused(f"{path} holds no rows; a row is one JSON object on a line of its own", returncode=USAGE)
    _tell_of_unread(rows, FORMS[kind], tell)
    return [_with_language(row, FORMS[kind]) for row in rows]


def told_along(rows: Sequence[Row], tell: Tell, *, counted: str) -> Iterator[Row]:
    """The rows one by one; `tell` hears how many are done, `counted` names what they are."""
    for number, row in enumerate(rows, 1):
        yield row
        if number % EVERY == 0:
            tell(f"{number} of {len(rows)} {counted}")


def _checked(lines: Sequence[str], form: Form, path: Path) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = json_of(line, path=path, number=number)
        fault = _fault(row, form) or _repeated(row, seen)
        if fault:
            raise Refused(f"{path}, line {number}: {fault}", returncode=USAGE)
        yield row


def _fault(row: Any, form: Form) -> str | None:
    """Return what is wrong with a row, field first, or None."""
    if not isinstance(row, dict):
        return "expected an object {…}"
    for name in ("id", *form.texts, "label"):
        if not isinstance(row.get(name), str):
            return f"{name}: expected a text" if name in row else f"{name}: is missing"
    if row["label"] not in form.labels:
        return f"label: {row['label']!r} is none of {', '.join(form.labels)}"
    wrong = next((name for name in sorted(form.known & row.keys()) if not _fits(name, row[name], form)), None)
    return f"{wrong}: expected {'a list of texts' if wrong in form.lists else 'a text'}" if wrong else None


def _fits(name: str, value: Any, form: Form) -> bool:
    if name in form.lists:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return value is None or isinstance(value, str)


def _repeated(row: Mapping[str, Any], seen: set[str]) -> str | None:
    if row["id"] in seen:
        return f"id: {row['id']!r} stands in the file twice"
    seen.add(row["id"])
    return None


def _tell_of_unread(rows: Sequence[Row], form: Form, tell: Tell) -> None:
    known = {"id", "label", *form.texts, *form.known}
    for name in sorted({name for row in rows for name in row} - known):
        tell(f"the field {name!r} is not read")


def _with_language(row: dict[str, Any], form: Form) -> Row:
    """Return the row with its language: the one that it names, else Chinese where a Chinese character stands in it."""
    chinese = any(HAN.search(row[name]) for name in form.texts)
    return {**row, "lang": row.get("lang") or ("zh" if chinese else "en")}
