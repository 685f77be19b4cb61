"""The ledger as a page shows it: narrowed, newest first, a page at a time, and whether its chain holds."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from governance.audit import HASHED
from governance.chain_checks import ChainState, chain_state
from governance.errors import Invalid
from governance.ids import parse_id, public_id
from governance.invisible import made_visible
from governance.models import Actor, AuditEvent, Project, Revision
from governance.places import page_of, page_of_actor

PAGE = 50
COLUMNS = (
    "seq", "at", "id", "actor", "on_behalf_of", "verb", "target", "reason", "before", "after", "trace", "detail",
    "prev", "hash",
)  # fmt: skip
HASH_SHOWN = 12  # letters of a hash that a line shows


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilters:
    """What the ledger is narrowed to. `verb` is a whole verb or what its name begins with; days are the reader's."""

    verb: str = ""
    actor: str = ""
    target: str = ""
    since: date | None = None
    until: date | None = None

    @property
    def any(self) -> bool:
        return any((self.verb, self.actor, self.target, self.since, self.until))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """One entry, its names with the addresses at which they are shown; each is '' where there is none."""

    event: AuditEvent
    actor: str
    behalf: str
    actor_href: str = ""
    behalf_href: str = ""
    href: str = ""

    @property
    def reason(self) -> str:
        return "" if self.reason_hash else made_visible(self.event.reason)

    @property
    def reason_hash(self) -> str:
        """The first letters of a reason that the ledger keeps as its keyed hash alone."""
        scheme, _, digest = self.event.reason.partition(":")
        return digest[:HASH_SHOWN] if scheme == HASHED else ""

    @property
    def hash(self) -> str:
        return bytes(self.event.hash).hex()[:HASH_SHOWN]

    @property
    def marks(self) -> str:
        """The first letters of the keyed hashes before and after."""
        before, after = (text.partition(":")[2][:HASH_SHOWN] for text in (self.event.before, self.event.after))
        return f"{before or '—'} → {after or '—'}" if before or after else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """One page of the ledger. `chain` says how far it is whole, with the first page alone; `older` is a cursor."""

    lines: Sequence[AuditLine]
    older: int | None
    chain: ChainState | None
    actors: Mapping[str, str]


def actor_names() -> dict[str, Actor]:
    """Return the open scope's actors by their public ids, by name."""
    return {row.public_id: row for row in Actor.objects.order_by("name")}


def audit_page(
    project_id: uuid.UUID, filters: AuditFilters, *, before: int | None, actors: Mapping[str, Actor], now: datetime
) -> AuditPage:
    """Read a page of the open scope's ledger, of the entries below `before`; with the first, check what is new."""
    found = list(audit_rows(filters, before=before)[: PAGE + 1])
    rows, more = found[:PAGE], len(found) > PAGE
    project = public_id(Project.PREFIX, project_id)
    revisions = _revisions(project, rows)
    lines = [_line(row, project, actors, revisions) for row in rows]
    return AuditPage(
        lines=lines,
        older=rows[-1].seq if more else None,
        chain=chain_state(project_id, now=now) if before is None else None,
        actors={name: actor.name for name, actor in actors.items()},
    )


def audit_rows(filters: AuditFilters, *, before: int | None) -> QuerySet[AuditEvent]:
    """Return the entries that fit, newest first."""
    rows = AuditEvent.objects.order_by("-seq")
    if filters.verb:
        rows = rows.filter(verb__startswith=filters.verb)
    if filters.actor:
        rows = rows.filter(actor=filters.actor)
    if filters.target:
        rows = rows.filter(target=filters.target)
    if filters.since:
        rows = rows.filter(at__gte=_midnight(filters.since))
    if filters.until:
        rows = rows.filter(at__lt=_midnight(filters.until + timedelta(days=1)))
    return rows.filter(seq__lt=before) if before is not None else rows


def audit_entries(filters: AuditFilters, *, before: int | None, most: int) -> list[dict[str, Any]]:
    """Return entries that fit, newest first, each whole and as plain values, at most so many."""
    return [_entry(row) for row in audit_rows(filters, before=before)[:most]]


def _entry(row: AuditEvent) -> dict[str, Any]:
    texts = {name: getattr(row, name) for name in ("actor", "on_behalf_of", "verb", "target", "reason", "before")}
    more = {"after": row.after, "trace": row.trace, "detail": json.loads(row.detail)}
    chain = {"prev": bytes(row.prev).hex(), "hash": bytes(row.hash).hex()}
    return {"seq": row.seq, "at": row.at.isoformat(), "id": row.pk.hex} | texts | more | chain


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime(day.year, day.month, day.day))  # noqa: DTZ001 - made aware in the reader's zone


def _line(row: AuditEvent, project: str, actors: Mapping[str, Actor], revisions: Mapping[str, str]) -> AuditLine:
    other = _actor_id(row.on_behalf_of)
    for_whom = "" if other == row.actor else row.on_behalf_of  # who acts for themselves is named once
    actor, behalf = actors.get(row.actor), actors.get(other) if for_whom else None
    about = actors.get(row.target)
    page = page_of_actor(project, about) if about else revisions.get(row.target) or page_of(project, row.target)
    return AuditLine(
        event=row,
        actor=actor.name if actor else "",
        behalf=behalf.name if behalf else for_whom,
        actor_href=(page_of_actor(project, actor) if actor else None) or "",
        behalf_href=(page_of_actor(project, behalf) if behalf else None) or "",
        href=page or "",
    )


def _revisions(project: str, rows: Sequence[AuditEvent]) -> dict[str, str]:
    """Return where those revisions that the reader may see have their pages: these are named by more than an id."""
    found = Revision.objects.filter(pk__in=_ids(Revision.PREFIX, rows)).select_related("contract")
    return {
        row.public_id: reverse("revision", args=[project, row.contract.kind, row.contract.slug, row.number])
        for row in found
    }


def _ids(prefix: str, rows: Sequence[AuditEvent]) -> list[uuid.UUID]:
    found = []
    for row in rows:
        if row.target.startswith(f"{prefix}_"):
            try:
                found.append(parse_id(prefix, row.target, pointer="/target"))
            except Invalid:
                continue
    return found


def _actor_id(text: str) -> str:
    try:
        return public_id(Actor.PREFIX, uuid.UUID(text))
    except ValueError:
        return text
