"""What a text would change, ready to be read: field by field, and three ways where what it changes has moved."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

from governance.diffs import Change, FieldChange, Op, Span, ThreeWay, field_diff, three_way
from governance.invisible import made_visible
from governance.languages import language_of
from governance.proposal_reading import Sight
from governance.proposal_texts import worded
from governance.proposal_words import FIELDS
from governance.vocabulary import ProposalKind


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One field, or one line of a list, as it would be: runs that stay, come and go, to be read in order."""

    path: str
    kind: Change
    spans: Sequence[Span]

    @property
    def field(self) -> str:
        """The field of the body that it lies in."""
        return self.path.partition(".")[0]

    @property
    def below(self) -> str:
        """Where in the field it lies, by names; '' for the field itself and for a line of a list."""
        within = self.path.partition(".")[2]
        return "" if within.isdecimal() else within

    @property
    def label(self) -> Promise | str:
        """What the field is called elsewhere, in the reader's language; '' where it has no name but its own."""
        return FIELDS.get(self.field, "")

    @property
    def language(self) -> str:
        return language_of("".join(span.text for span in self.spans))


@dataclass(frozen=True, slots=True)
class Way:
    """A field in three texts: at the common base, as it holds now, and as it is asked for."""

    path: str
    base: str
    now: str
    asked: str
    clash: bool


def changes_of(seen: Sight) -> list[ChangeLine]:
    """Return what a proposal would change, as far as its writers worded it."""
    kind = ProposalKind(seen.proposal.kind)
    before = worded(kind, seen.before) if seen.before else None
    return change_lines(before, worded(kind, seen.text.body))


def change_lines(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[ChangeLine]:
    """Return what differs between two bodies, ready to be read."""
    return [ChangeLine(change.path, change.kind, _spans(change)) for change in field_diff(before, after)]


def ways(base: Mapping[str, Any], now: Mapping[str, Any], asked: Mapping[str, Any]) -> list[Way]:
    """Return the fields that differ among three bodies, ready to be read."""
    return [_way(way) for way in three_way(base, now, asked)]


def readable(value: Any) -> str:
    """Return a field's value as text: lines as lines, anything nested as JSON, a dash for nothing."""
    if value is None or value in ("", [], {}):
        return "—"
    if isinstance(value, str):
        return made_visible(value)
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return made_visible("\n".join(value))
    return made_visible(json.dumps(value, ensure_ascii=False, indent=1))


def _way(way: ThreeWay) -> Way:
    return Way(way.path, readable(way.base), readable(way.now), readable(way.asked), way.clash)


def _spans(change: FieldChange) -> list[Span]:
    if change.words is not None:
        return [Span(span.op, made_visible(span.text)) for span in change.words]
    gone = [] if change.kind is Change.ADDED else [Span(Op.DELETE, readable(change.before))]
    come = [] if change.kind is Change.REMOVED else [Span(Op.INSERT, readable(change.after))]
    return gone + come
