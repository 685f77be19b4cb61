"""Edits of JSON as text: what is not touched keeps its bytes, its order and its spacing."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

type Place = Sequence[str | int]

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")


@dataclass(frozen=True)
class Item:
    """A member of an object or an element of an array: its name, and where it and its value stand."""

    name: str | int
    start: int
    value: int
    end: int


def read(text: str) -> Any:
    """Return the value of a document; raises ValueError that names the line. A mark of byte order is passed over."""
    return json.loads(text.removeprefix("\ufeff"))


def add(text: str, place: Place, name: str | None, value: Any) -> str:
    """Return the text with a member (or, with no name, an element) put at the end of the container at `place`."""
    start = _value_at(text, place)
    items = _items(text, start)
    end = _DECODER.raw_decode(text, start)[1]
    inner = _line_indent(text, start) + _unit(text)
    if not items:
        closing = _newline(text) + _line_indent(text, start)
        return f"{text[: start + 1]}{_newline(text)}{inner}{_shown(text, name, value, inner)}{closing}{text[end - 1 :]}"
    last = items[-1].end
    gap = text[start + 1 : items[0].start]
    if "\n" not in gap:
        return f"{text[:last]}, {_shown(text, name, value, None)}{text[last:]}"
    inner = gap.rpartition("\n")[2]
    return f"{text[:last]},{_newline(text)}{inner}{_shown(text, name, value, inner)}{text[last:]}"


def remove(text: str, place: Place) -> str:
    """Return the text without the member or element at `place`; raises KeyError when it is not there."""
    start = _value_at(text, place[:-1])
    items = _items(text, start)
    index = _index(items, place[-1])
    if len(items) == 1:
        end = _DECODER.raw_decode(text, start)[1]
        return text[: start + 1] + text[end - 1 :]
    if index:
        return text[: items[index - 1].end] + text[items[index].end :]
    return text[: items[0].start] + text[items[1].start :]


def _value_at(text: str, place: Place) -> int:
    at = _blank(text, len("\ufeff") if text.startswith("\ufeff") else 0)
    for name in place:
        items = _items(text, at)
        at = items[_index(items, name)].value
    return at


def _index(items: Sequence[Item], name: str | int) -> int:
    found = [n for n, item in enumerate(items) if item.name == name]
    if not found:
        raise KeyError(name)
    return found[-1]  # of a name that stands twice, readers of JSON take the last


def _items(text: str, start: int) -> list[Item]:
    items: list[Item] = []
    named, at = text[start] == "{", _blank(text, start + 1)
    while text[at] not in "}]":
        began, name = at, len(items) if not named else ""
        if named:
            name, at = _DECODER.raw_decode(text, at)
            at = _blank(text, _blank(text, at) + 1)
        value, at = at, _DECODER.raw_decode(text, at)[1]
        items.append(Item(name, began, value, at))
        at = _blank(text, at)
        at = _blank(text, at + 1) if text[at] == "," else at
    return items


def _shown(text: str, name: str | None, value: Any, indent: str | None) -> str:
    if indent is None:
        shown = json.dumps(value, ensure_ascii=False)
    else:
        lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
        shown = f"{_newline(text)}{indent}".join(lines)
    return shown if name is None else f"{json.dumps(name, ensure_ascii=False)}: {shown}"


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]
