"""The registry of attributes: how many values a subject may have at once, and which words name each."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memories.claims.vocabulary import AttributeKind, SubjectKind, ValueType

TABLE = Path(__file__).parent / "data" / "registry.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One attribute. `soft` names say no more than their values do, and may be left out of a statement.

    Its names stand in groups: those of one group mean the same, those of two are near (to own, to lead).
    """

    key: str
    subject: SubjectKind = SubjectKind.THING
    kind: AttributeKind = AttributeKind.SINGLE
    type: ValueType = ValueType.TEXT
    soft: bool = False
    english: tuple[tuple[str, ...], ...] = ()
    chinese: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Registry:
    """Attributes by key, and the names of open classes ("colleague") that a policy adds to the shipped ones."""

    attributes: Mapping[str, Attribute]
    open_classes: tuple[str, ...] = ()

    def kind_of(self, key: str) -> AttributeKind:
        """How many values the attribute may have at once; a free attribute has one."""
        known = self.attributes.get(key)
        return known.kind if known else AttributeKind.SINGLE

    def is_soft(self, key: str) -> bool:
        known = self.attributes.get(key)
        return known is not None and known.soft

    def extended(self, body: Mapping[str, Any]) -> "Registry":
        """This registry with what a policy says on top.

        `body` holds `attributes` (key → {kind, value, subject, soft, en[], zh[]}, each of them optional) and
        `open_classes` (words). Raises ValueError for an unknown kind, value type or subject kind.
        """
        added = {key: _attribute(key, fields) for key, fields in body.get("attributes", {}).items()}
        classes = (*self.open_classes, *body.get("open_classes", ()))
        return Registry(MappingProxyType({**self.attributes, **added}), classes)


def _attribute(key: str, fields: Mapping[str, Any]) -> Attribute:
    return Attribute(
        key=key,
        subject=SubjectKind(fields.get("subject", "thing")),
        kind=AttributeKind(fields.get("kind", "single")),
        type=ValueType(fields.get("value", fields.get("type", "text"))),
        soft=bool(fields.get("soft", False)),
        english=_forms(fields.get("en", ())),
        chinese=_forms(fields.get("zh", ())),
    )


def _forms(written: str | Sequence[str]) -> tuple[tuple[str, ...], ...]:
    if isinstance(written, str):
        return tuple(tuple(form for form in group.split(";") if form) for group in written.split("|"))
    return (tuple(written),)


@cache
def shipped() -> Registry:
    """The registry that ships with the product, read once."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    entries = {
        key: _attribute(key, {"subject": subject, **fields})
        for subject, attributes in table.items()
        for key, fields in attributes.items()
    }
    return Registry(MappingProxyType(entries))


DEFAULT = shipped()
