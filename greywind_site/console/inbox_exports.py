"""What waits for humans, as a file: the lines of a tab under its filters, those of every page."""

from collections.abc import Mapping
from typing import Any

from django.http import StreamingHttpResponse

from governance.exports import As, exported_list
from greywind_site.console.inbox import Inbox, InboxLine

COLUMNS = (
    "project", "project_name", "kind", "ref", "title", "risk", "state", "contract", "slug", "level", "lacking",
    "approved", "evidence", "proposer", "human", "assignee", "at", "wakes_at",
)  # fmt: skip


def inbox_export(inbox: Inbox, form: As) -> StreamingHttpResponse:
    """Return the lines of an inbox as a file."""
    return exported_list("inbox", form, COLUMNS, [_row(line) for line in inbox.lines], cut=inbox.more)


def _row(line: InboxLine) -> Mapping[str, Any]:
    told = {name: getattr(line, name) for name in COLUMNS[2:-2]}
    plain = {name: str(value) if isinstance(value, str) else value for name, value in told.items()}
    home = {"project": line.seat.public_id, "project_name": line.seat.project_name}
    moments = {"at": line.at.isoformat(), "wakes_at": line.wakes_at.isoformat() if line.wakes_at else None}
    return home | plain | moments
