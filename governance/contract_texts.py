"""Contracts as files: a body out of AGENTS.md, CLAUDE.md or YAML, and a revision as Markdown with version and hash."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, override

import yaml

from governance.errors import FieldFault, Invalid
from governance.models import Revision
from governance.schemas import MOST_BYTES, PLACED, SCHEMAS, checked_body, fields_of
from governance.vocabulary import ContractKind, Proposable

HEADER = re.compile(r"\A<!-- greywind .*?-->\n*", re.DOTALL)
HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*")
BULLET = re.compile(r"[-*+]\s+(.*)")
INCLUDE = re.compile(r"@\S+")
DEEPEST = 12

# Where the prose of a file without known headings goes: what an agent is told to do.
HOME: Mapping[ContractKind, str] = {
    ContractKind.PERSONA: "behavior_rules",
    ContractKind.ROLE: "duties",
    ContractKind.POLICY: "rules",
}


class _PlainLoader(yaml.SafeLoader):
    """The safe loader without aliases: a small file could unfold through them for ever."""

    @override
    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


@dataclass(slots=True)
class Part:
    """What stands under one heading: its path in the body, its paragraphs, and its bullets."""

    path: tuple[str, ...]
    lines: list[str] = field(default_factory=list)


def from_yaml(text: str, kind: Proposable, *, beside: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the checked body that a YAML file holds; what no writer chooses of its kind is as in `beside`.

    Raises Invalid: not_yaml, unknown_key (each one is named), invalid_body.
    """
    loaded = load_mapping(text)
    _check_known(kind, [str(key) for key in loaded])
    return checked_body(kind, loaded | {name: (beside or {}).get(name) for name in PLACED.get(kind, ())})


def load_mapping(text: str) -> dict[Any, Any]:
    """Return the mapping that a YAML file holds, whatever its keys. Raises Invalid (not_yaml, body_too_large)."""
    check_size(text)
    try:
        loaded = yaml.load(text, _PlainLoader)  # noqa: S506 - a safe loader, and stricter
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise Invalid.at("/text", f"it is not YAML{where}", code="not_yaml") from error
    if not isinstance(loaded, dict):
        raise Invalid.at("/text", "expected a mapping of the contract's fields", code="not_yaml")
    _check_depth(loaded, 0)
    return loaded


def from_markdown(text: str, kind: ContractKind, *, name: str = "") -> dict[str, Any]:
    """Return the checked body that a Markdown file holds: each heading a field, each bullet or paragraph a line.

    A file that knows nothing of GreyWind's fields becomes lines of behaviour, duties or rules, each under the heading
    that it stood under. `@file` includes are kept as words and never followed. `name` is the persona's name or the
    role's slug where the file names none. Raises Invalid: unknown_key, no_markdown, invalid_body.
    """
    check_size(text)
    parts = list(markdown_parts(text, kind))
    known = {part.path[0] for part in parts if part.path}
    body = structured(kind, parts) if known & set(fields_of(kind)) else plain(kind, parts)
    return checked_body(kind, named(kind, body, name))


def named(kind: ContractKind, body: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the body with the persona's name or the role's slug where it says none and `name` is not empty."""
    field_of = {ContractKind.PERSONA: "name", ContractKind.ROLE: "slug"}.get(kind)
    return {field_of: name, **body} if field_of and name else body


def to_markdown(revision: Revision) -> str:
    """Return a revision as Markdown: a header with kind, slug, revision and hash, then a heading for each field."""
    contract = revision.contract
    named = f"kind={contract.kind} slug={contract.slug} revision={revision.number} hash={revision.body_hash}"
    order = {name: n for n, name in enumerate(fields_of(ContractKind(contract.kind)))}
    fields = sorted(revision.body.items(), key=lambda item: order.get(item[0], len(order)))
    return f"<!-- greywind {named} -->\n\n" + "\n".join(_rendered(dict(fields), level=1))


def _rendered(body: Mapping[str, Any], *, level: int) -> Iterator[str]:
    for name, value in body.items():
        if _nothing(value):
            continue
        yield f"{'#' * level} {name}\n"
        if isinstance(value, Mapping) and level < 3:
            yield from _rendered(value, level=level + 1)
        elif isinstance(value, list) and all(isinstance(line, str) for line in value):
            yield "".join(f"- {_indented(line)}\n" for line in value)
        elif isinstance(value, str):
            yield f"{_escaped(value)}\n"
        else:
            yield f"```yaml\n{yaml.safe_dump(value, allow_unicode=True, sort_keys=False)}```\n"


def _indented(line: str) -> str:
    """Return a line of a list; its own line ends are indented, so that they stay inside it."""
    return line.replace("\n", "\n  ")


def _escaped(text: str) -> str:
    """Return a prose in which no line reads as structure of ours: a backslash before what would."""
    return "\n".join(f"\\{line}" if re.match(r"[#\\`]|[-*+]\s", line) else line for line in text.split("\n"))


def markdown_parts(text: str, kind: ContractKind) -> Iterator[Part]:
    """Cut a file at its headings; a heading that names a field begins it, one below it a field inside.

    The first part is what stands before any heading, with an empty path. A header of ours is no part.
    """
    text = HEADER.sub("", text)
    part, path = Part(()), [""]
    fenced = False
    for line in text.replace("\r\n", "\n").split("\n"):
        fenced = fenced != line.startswith("```")
        heading = None if fenced else HEADING.fullmatch(line)
        if heading is None:
            part.lines.append(line)
            continue
        yield part
        level = len(heading.group(1))
        path = [*path[: level - 1], *[""] * (level - 1 - len(path)), _field_name(heading.group(2), kind)]
        part = Part(tuple(name for name in path if name))
    yield part


def _field_name(heading: str, kind: ContractKind) -> str:
    """Return the field that a heading names, else the heading itself."""
    slug = re.sub(r"[\s-]+", "_", heading.strip().lower())
    return slug if slug in fields_of(kind) else heading.strip()


def structured(kind: ContractKind, parts: list[Part]) -> dict[str, Any]:
    """Return the body of a file whose headings are fields. Raises Invalid (unknown_key, no_markdown, not_yaml)."""
    body: dict[str, Any] = {}
    _check_known(kind, [part.path[0] for part in parts if part.path])
    for part in parts:
        if part.path and (value := value_of(part.lines)) is not None:
            place = body
            for name in part.path[:-1]:
                inner = place.setdefault(name, {})
                if not isinstance(inner, dict):
                    raise Invalid.at("/text", f"{name} holds text as well as headings", code="no_markdown")
                place = inner
            place[part.path[-1]] = value
    return _fitted(kind, body)


def _fitted(kind: ContractKind, body: dict[str, Any]) -> dict[str, Any]:
    """Give each field the form that its schema asks for: a paragraph is a list of one where a list is asked for."""
    fields = SCHEMAS[kind].model_fields
    for name, value in body.items():
        listed = "list" in str(fields[name].annotation) or "Lines" in str(fields[name].annotation)
        if listed and isinstance(value, str):
            body[name] = [value]
        if isinstance(value, str) and value.isdecimal() and "int" in str(fields[name].annotation):
            body[name] = int(value)
    core = body.get("identity_core")
    if isinstance(core, dict):
        body["identity_core"] = {k: [v] if isinstance(v, str) and k != "voice" else v for k, v in core.items()}
    return body


def plain(kind: ContractKind, parts: list[Part]) -> dict[str, Any]:
    """Take a file that is just written for agents: each bullet and paragraph is a line, after its heading."""
    home = HOME.get(kind)
    if home is None:
        message = f"a {kind} is written with its fields as headings ({', '.join(fields_of(kind))}), or as YAML"
        raise Invalid.at("/text", message, code="no_markdown")
    lines = []
    for part in parts:
        above = f"{part.path[-1]}: " if part.path else ""
        value = value_of(part.lines)
        found = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        lines += [f"{above}{line}" for line in found]
    if not lines:
        raise Invalid.at("/text", "nothing is written in it", code="no_markdown")
    return {home: lines}


def value_of(lines: list[str]) -> Any:
    """Return what stands under a heading: a list where there are bullets, a text, a YAML block, or None."""
    text = "\n".join(lines).strip("\n")
    if not text.strip():
        return None
    if text.startswith("```yaml\n"):
        return _yaml_block(text.removeprefix("```yaml\n").removesuffix("```"))
    if any(BULLET.fullmatch(line) for line in lines):
        return list(_bullets(lines))
    return "\n".join(line.removeprefix("\\") for line in text.split("\n")).strip()


def _yaml_block(text: str) -> Any:
    try:
        return yaml.load(text, _PlainLoader)  # noqa: S506 - as above
    except yaml.YAMLError as error:
        raise Invalid.at("/text", "a block under a heading is not YAML", code="not_yaml") from error


def _bullets(lines: list[str]) -> Iterator[str]:
    """Yield each bullet with the lines that are indented under it; a paragraph between them is a line too."""
    held: list[str] = []
    for line in lines:
        bullet = BULLET.fullmatch(line)
        if bullet is None and line.startswith("  ") and held:
            held.append(line[2:])
            continue
        if bullet is None and line.strip() and held and not line.startswith(" "):
            yield "\n".join(held).strip()
            held = [line]
            continue
        if bullet is not None:
            if held:
                yield "\n".join(held).strip()
            held = [bullet.group(1)]
        elif line.strip():
            held = [*held, line.strip()]
    if held:
        yield "\n".join(held).strip()


def _check_known(kind: Proposable, keys: list[str]) -> None:
    known = [name for name in fields_of(kind) if name not in PLACED.get(kind, ())]
    unknown = [key for key in dict.fromkeys(keys) if key not in known]
    if unknown:
        message = f"a {kind} has no such field; it has {', '.join(known)}"
        faults = tuple(FieldFault(f"/text#{key[:64]}", "unknown_key", message) for key in unknown[:50])
        raise Invalid(f"unknown: {', '.join(key[:64] for key in unknown[:10])}", code="unknown_key", faults=faults)


def check_size(text: str) -> None:
    """Raise Invalid (body_too_large) for a file that is longer than a contract may be."""
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise Invalid.at("/text", f"it is over {MOST_BYTES} bytes; a contract is short", code="body_too_large")


def _check_depth(value: Any, depth: int) -> None:
    if depth > DEEPEST:
        raise Invalid.at("/text", f"it is nested deeper than {DEEPEST} levels", code="not_yaml")
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        _check_depth(each, depth + 1)


def _nothing(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_nothing(inner) for inner in value.values())
    return value is None or value in ("", [])
