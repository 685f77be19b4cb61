"""Agents and their keys as a file: what the list shows, a line for each key and one for an agent that has none."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.http import StreamingHttpResponse

from governance.exports import As, Row, exported_list
from governance.invisible import made_visible
from governance.keys import KeyFacts
from greywind_site.console.crew import AgentLine

COLUMNS = (
    "agent", "name", "active", "roles", "belongs_to", "last_seen",
    "key", "shown", "key_name", "state", "scopes", "made", "revoked", "expires",
)  # fmt: skip


def agents_export(lines: Sequence[AgentLine], form: As) -> StreamingHttpResponse:
    """Return the agents of a project with their keys as a file; nothing in it opens anything."""
    return exported_list("agents", form, COLUMNS, [row for line in lines for row in _rows(line)], cut=False)


def _rows(line: AgentLine) -> Iterator[Row]:
    agent = line.agent
    told = {
        "agent": agent.public_id,
        "name": made_visible(agent.name),
        "active": agent.active,
        "roles": list(agent.roles),
        "belongs_to": made_visible(agent.owned_by.name) if agent.owned_by else None,
        "last_seen": _moment(line.seen),
    }
    yield from ({**told, **_key(fact)} for fact in line.keys) if line.keys else [told]


def _key(fact: KeyFacts) -> Row:
    key = fact.key
    return {
        "key": key.public_id,
        "shown": fact.shown,
        "key_name": made_visible(key.name),
        "state": fact.state.value,
        "scopes": sorted(key.scopes),
        "made": _moment(key.created_at),
        "revoked": _moment(key.revoked_at),
        "expires": _moment(key.expires_at),
    }


def _moment(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
