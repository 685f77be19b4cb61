"""Requests to the HTTP API, made from its own description: a new operation is asked as soon as it is documented."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

from greywind_site.api import api
from greywind_site.hunting.leaks.aiming import Aim, How, Noun, nouns
from greywind_site.hunting.leaks.asking import Ask

REPORTED = (300, 800, 2_000, 5_000)
WORDED = ("q", "raw_text", "content", "text", "title", "reason", "brief", "summary", "origin_goal", "quote")
DEEPEST = 6  # levels of a body
ANY_VERSION = "*"


@dataclass(frozen=True, slots=True)
class Operation:
    """One documented call."""

    name: str
    method: str
    path: str
    parameters: tuple[Mapping[str, Any], ...]
    body: Mapping[str, Any] | None

    @property
    def named(self) -> list[str]:
        """The nouns in its path."""
        return [each["name"] for each in self.parameters if each["in"] == "path"]


@cache
def operations() -> tuple[Operation, ...]:
    """Return every operation of the API."""
    return tuple(_operations(api.get_openapi_schema()))


def _operations(schema: Mapping[str, Any]) -> Iterator[Operation]:
    for path, methods in schema["paths"].items():
        for method, told in methods.items():
            content = told.get("requestBody", {}).get("content", {})
            body = next((each["schema"] for each in content.values()), None)
            name = f"{method.upper()} {path}"
            yield Operation(name, method.upper(), path, tuple(told.get("parameters", ())), body)


def noun_of(parameter: str) -> Noun:
    """Return what a parameter like `thread_id` names; raises LookupError for one that this hunt does not know."""
    name = parameter.removesuffix("_id")
    known = nouns()
    if name not in known:
        raise LookupError(
            f"{parameter}: the hunt knows no rows of this name; add it to greywind_site.hunting.leaks.aiming"
        )
    return known[name]


def ask_of(operation: Operation, aim: Aim, how: How) -> Ask:
    """Return a request to the operation that names what `how` says."""
    aimed: list[str] = []
    writer = _Writer(aim, how, aimed)
    path, query = operation.path, []
    headers = {}
    for each in operation.parameters:
        name = each["name"]
        if each["in"] == "path":
            chosen = aim.id_of(noun_of(name), how)
            aimed.append(chosen)
            path = path.replace(f"{{{name}}}", quote(chosen, safe=""))
        elif each["in"] == "query" and (each.get("required") or aim.dice.random() < 0.4):
            query.append(f"{name}={quote(str(writer.value(each['schema'], name)), safe='')}")
        elif name == "If-Match":
            headers[name] = ANY_VERSION
        elif name == "Idempotency-Key" and aim.dice.random() < 0.1:
            headers[name] = aim.word(how) if how is not How.BROKEN else "k"
    body = writer.value(operation.body, "body") if operation.body else None
    return Ask(
        operation=operation.name,
        method=operation.method,
        path=path + ("?" + "&".join(query) if query else ""),
        body=body,
        headers=headers,
        aimed=tuple(aimed) if how is How.FOREIGN else (),
    )


@cache
def _components() -> Mapping[str, Any]:
    schemas: Mapping[str, Any] = api.get_openapi_schema()["components"]["schemas"]
    return schemas


class _Writer:
    """Writes a value of a schema; ids and words are the aim's."""

    def __init__(self, aim: Aim, how: How, aimed: list[str]) -> None:
        self.aim, self.how, self.aimed = aim, how, aimed
        self.dice = aim.dice

    def value(self, schema: Mapping[str, Any], name: str, depth: int = 0) -> Any:
        """Return a value for a field of this name."""
        schema = _resolved(schema)
        if self.how is How.BROKEN and self.dice.random() < 0.3:
            return self.dice.choice([None, 3, [], "\u0000", {"x": "y"}])
        if "anyOf" in schema:
            options = [one for one in schema["anyOf"] if one.get("type") != "null"]
            return self.value(options[0], name, depth)
        if "enum" in schema:
            return self.dice.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            return self._object(schema, depth) or self._open(name)
        if kind == "array":
            return [self.value(schema["items"], name.removesuffix("s"), depth + 1)] if depth < DEEPEST else []
        return self._plain(kind, schema, name)

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        wanted = {
            name: part
            for name, part in schema.get("properties", {}).items()
            if name in required or (depth < DEEPEST and self.dice.random() < 0.2)
        }
        return {name: self.value(part, name, depth + 1) for name, part in wanted.items()}

    def _open(self, name: str) -> dict[str, Any]:
        """What stands in an object whose form its schema leaves to others: a provider's usage."""
        return {"input_tokens": self.dice.choice(REPORTED)} if name == "usage" else {}

    def _plain(self, kind: Any, schema: Mapping[str, Any], name: str) -> Any:
        if kind == "boolean":
            return self.dice.random() < 0.5
        if kind in ("integer", "number"):
            low = schema.get("minimum", 1)
            return min(schema.get("maximum", 9), max(low, self.dice.choice([1, 2, 5])))
        if schema.get("format") == "date-time" or name in ("timestamp", "valid_from", "valid_to", "observed_at"):
            return "2026-03-11T14:10:00+09:00"
        return self._text(name)

    def _text(self, name: str) -> str:
        if name in ("ref", "cited_ref") or name.endswith("_ref"):
            return self.aim.ref(self.how)
        if name == "cursor":
            return self.aim.cursor(self.how)
        if name.endswith("_id") or name in nouns():
            return self._id(name)
        if name == "role":
            return self.dice.choice(["dev", "tester", "chief", "reviewer"])
        return f"harbour {self.aim.word(self.how)}" if name in WORDED else self.aim.word(self.how)

    def _id(self, name: str) -> str:
        known = nouns()
        noun = known.get(name.removesuffix("_id"))
        if noun is None:
            return self.aim.word(self.how)
        # The one that is asked for is not always the one that is foreign: the rest of the request is one's own.
        how = self.how if self.how is not How.FOREIGN or self.dice.random() < 0.7 else How.OWN
        chosen = self.aim.id_of(noun, how)
        if how is How.FOREIGN:
            self.aimed.append(chosen)
        return chosen


def _resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema or "allOf" in schema:
        named = schema.get("$ref")
        schema = _components()[named.rpartition("/")[2]] if named else schema["allOf"][0]
    return schema
