"""What happened to a conflict, from the ledger: who opened, joined, settled, put off and opened it again, and why."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise

from governance.invisible import made_visible
from governance.models import Actor, AuditEvent
from memories.conflict_words import HAPPENED
from memories.models import Conflict, Settlement
from memories.reading import Words, worded
from memories.vocabulary import SettlementVerb

MOST = 50  # entries of one conflict that its page shows, the newest of them


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailLine:
    """One thing that happened. `memory_id` is the claim that came, `merged_id` the text that took the place of all."""

    at: datetime
    who: str
    what: Promise | str
    verb: SettlementVerb | None = None
    by_policy: bool = False
    reason: Words | None = None
    memory_id: str = ""
    merged_id: str = ""


def trail_of(conflict: Conflict, settlements: Sequence[Settlement], actors: Mapping[str, Actor]) -> list[TrailLine]:
    """Return what happened to a conflict in the open scope, oldest first, in one statement."""
    rows = AuditEvent.objects.filter(target=conflict.public_id, verb__in=list(HAPPENED)).order_by("-seq")[:MOST]
    by_id = {row.public_id: row for row in settlements}
    return [_line(row, by_id, actors) for row in reversed(rows)]


def name_of(actors: Mapping[str, Actor], actor_id: str) -> str:
    """Return an actor's name; '' for one that is not in this project."""
    found = actors.get(actor_id)
    return made_visible(found.name) if found else ""


def _line(row: AuditEvent, settlements: Mapping[str, Settlement], actors: Mapping[str, Actor]) -> TrailLine:
    detail = json.loads(row.detail)
    of = settlements.get(detail.get("settlement", ""))
    said = of if of is not None and row.verb == "conflict.settle" else None
    return TrailLine(
        at=row.at,
        who=name_of(actors, row.actor),
        what=HAPPENED[row.verb],
        verb=SettlementVerb(said.verb) if said else None,
        by_policy=said.by_policy if said else False,
        reason=worded(said.reason) if said and said.reason else None,
        memory_id=detail.get("memory", "") if row.verb == "conflict.join" else "",
        merged_id=said.merged.public_id if said and said.merged else "",
    )
