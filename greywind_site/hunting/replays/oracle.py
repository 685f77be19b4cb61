"""What is really gone, asked of the tables themselves by the owner role: it shares no code with what it judges."""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import connections

from greywind_site.operating.erasing import OWNER

ROWS: Mapping[str, str] = {
    "memory": "SELECT status IN ('revoked', 'rejected') OR erased_at IS NOT NULL FROM memories_memory WHERE id = %s",
    "event": "SELECT text = '' AND meta ? 'erased' FROM agent_sessions_event WHERE session_id = %s AND seq = %s",
    "summary": "SELECT sections = '{}' FROM agent_sessions_worksummary WHERE id = %s",
    "handoff": "SELECT summary = '' FROM agent_sessions_handoff WHERE id = %s",
    "vision": "SELECT origin_goal = '' FROM threads_vision WHERE thread_id = %s AND version = %s",
}
SAID = "SELECT receipt -> 'input' ->> 'raw_text' = '' FROM agent_sessions_contextpacket WHERE id = %s"
NAMED = "SELECT receipt -> 'thread' ->> 'title' = '' FROM agent_sessions_contextpacket WHERE id = %s"
TASK = """
SELECT EXISTS (
  SELECT FROM jsonb_array_elements(
    coalesce(receipt #> '{thread,open_tasks}', '[]') || jsonb_build_array(receipt #> '{thread,task}')) t
  WHERE t ->> 'task_id' = %s AND t ->> 'title' = '')
FROM agent_sessions_contextpacket WHERE id = %s"""
REF = re.compile(r"(\w+)://(?:[a-z]{3}_([0-9a-f]{32}))?[@/]?(\d*)")
OF_RECEIPT: Mapping[str, str] = {"request": SAID, "thread": NAMED, "session": SAID}


@dataclass(slots=True)
class Tables:
    """Answers for one project. Each question is asked once: nothing is written meanwhile."""

    project: uuid.UUID
    known: dict[tuple[str, uuid.UUID | None], bool] = field(default_factory=dict)

    def lack(self, ref: str, *, packet: uuid.UUID | None = None) -> bool:
        """Return whether what a ref names was erased or taken away; of the request's own parts, in that packet."""
        if (ref, packet) not in self.known:
            self.known[ref, packet] = self._asked(ref, packet)
        return self.known[ref, packet]

    def _asked(self, ref: str, packet: uuid.UUID | None) -> bool:
        form = REF.match(ref)
        scheme, pk, number = form.groups() if form else ("", None, "")
        if scheme in OF_RECEIPT:
            return packet is not None and self._said(OF_RECEIPT[scheme], packet)
        if scheme == "task":
            return packet is not None and self._said(TASK, f"tsk_{pk}", packet)
        if scheme not in ROWS or pk is None:
            return False
        numbered = [int(number)] if scheme in ("event", "vision") else []
        return self._said(ROWS[scheme], uuid.UUID(pk), *numbered)

    def _said(self, statement: str, *values: uuid.UUID | int | str) -> bool:
        with connections[OWNER].cursor() as cursor:
            cursor.execute(f"{statement} AND project_id = %s", [*values, self.project])
            row = cursor.fetchone()
        return row is None or bool(row[0])
