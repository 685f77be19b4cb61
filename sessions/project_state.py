"""The standing state of a project: how each of its threads stands, as the current work summaries have it.

Its source are the summaries alone, which outlive every process. A role whose contract has the permission is told it in
each of its packets, so that whoever serves several threads picks each of them up where it stood.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from governance.errors import Gone
from governance.ids import parse_id, public_id
from governance.models import Revision
from governance.rows import fetch
from governance.vocabulary import Audience, Destination, RolePermission
from sessions.context.material import Eligibility, Reach, StandFact
from sessions.context.project_items import PARTS
from sessions.context.vocabulary import SummarySection
from sessions.facts import summary_fact
from sessions.models import Session
from sessions.reading import REFUSED, decoded

type Row = Mapping[str, Any]

MOST_THREADS = 40  # the latest active; what nobody has touched for longer is found by searching
MOST_SESSIONS = 8  # of one thread, the latest opened
MOST_STANDS = 60
SAID_IN = frozenset(section.value for _, sections in PARTS.values() for section in sections)
UNUSED = [section.value for section in SummarySection if section not in SAID_IN]
OVER_SAYS = frozenset(section.value for section in PARTS["decisions"][1])
REACHED = """
({0}.audience = 'project' OR ({0}.audience = 'role' AND {0}.audience_role = ANY(%(roles)s))
 OR ({0}.audience = 'private' AND {0}.owner_id = %(owner)s::uuid))
"""
# Bounded at each step, so that a project of many threads or a thread of many sessions costs no more. The texts are
# read of those alone that are left at the end. Of two sessions in one line of work the later says what is open; one of
# which nothing is kept says nothing.
STANDS = f"""
SELECT s.id::text, s.session_id::text, s.version, s.from_seq, s.to_seq, s.sections - %(unused)s::text[], ({REFUSED}),
  s.audience, s.audience_role, s.owner_id, x.thread_id, x.title, x.tags, x.role, x.over, x.head_seq > s.to_seq
FROM (
  SELECT t.id AS thread_id, t.title, t.tags, t.last_active_at, o.id AS session_id, o.created_at AS opened, o.role,
    o.head_seq, w.id,
    (k.state IN ('done', 'cancelled')) IS TRUE
      OR row_number() OVER (PARTITION BY t.id, o.role, o.task_id, o.owner_id ORDER BY o.created_at DESC) > 1 AS over
  FROM (
    SELECT t.id, t.title, t.tags, t.last_active_at FROM threads_thread t
    WHERE t.project_id = %(project)s AND t.state = 'open' AND NOT t.provisional AND t.type <> 'small_talk'
      AND {REACHED.format("t")}
    ORDER BY t.last_active_at DESC LIMIT {MOST_THREADS}) t
  CROSS JOIN LATERAL (
    SELECT o.id, o.role, o.head_seq, o.task_id, o.owner_id, o.created_at FROM agent_sessions_session o
    WHERE o.project_id = %(project)s AND o.thread_id = t.id AND {REACHED.format("o")}
    ORDER BY o.created_at DESC LIMIT {MOST_SESSIONS}) o
  JOIN LATERAL (
    SELECT w.id, w.tokens_o200k FROM agent_sessions_worksummary w
    WHERE w.project_id = %(project)s AND w.session_id = o.id ORDER BY w.version DESC LIMIT 1) w ON w.tokens_o200k > 0
  LEFT JOIN threads_task k ON k.project_id = %(project)s AND k.id = o.task_id
  ORDER BY over, t.last_active_at DESC, t.id, o.created_at DESC LIMIT {MOST_STANDS}) x
JOIN agent_sessions_worksummary s ON s.project_id = %(project)s AND s.id = x.id
WHERE x.session_id IS DISTINCT FROM %(without)s::uuid
ORDER BY x.over, x.last_active_at DESC, x.thread_id, x.opened DESC
"""  # noqa: S608 - put together from literals
STANDS_AT = """
SELECT s.id::text, s.session_id::text, s.version, s.from_seq, s.to_seq, s.sections, NULL::jsonb,
  s.audience, s.audience_role, s.owner_id
FROM agent_sessions_worksummary s WHERE s.id = ANY(%(ids)s)
"""
COLUMNS = ("id", "session_id", "version", "from_seq", "to_seq", "sections", "refused")
SECTIONS = COLUMNS.index("sections")
LOST = "Something this packet was made of is no longer there for you, so it cannot be shown again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """How one thread stands, as it was read: the summary's row, and what is so beside it. `thread_id` is public."""

    summary: Row
    reach: Reach
    thread_id: str
    title: str
    topics: Sequence[str]
    role: str
    over: bool
    behind: bool

    @property
    def fact(self) -> StandFact | None:
        """What the compiler is given of it; None where the summary's content was erased."""
        told = summary_fact({**self.summary, "sections": self._said()})
        if told is None or not self.summary["sections"]:
            return None
        return StandFact(
            thread_id=self.thread_id,
            thread_title=self.title,
            session_id=public_id("ses", uuid.UUID(self.summary["session_id"])),
            role=self.role,
            summary=told,
            topics=tuple(self.topics),
            over=self.over,
            behind=self.behind,
            reach=self.reach,
        )

    def _said(self) -> Row:
        names = OVER_SAYS if self.over else SAID_IN
        return {name: lines for name, lines in self.summary["sections"].items() if name in names}

    def as_json(self) -> dict[str, Any]:
        """Return what a receipt keeps of it: which version it was, and what of the rest may change."""
        return {
            "summary": self.summary["id"],
            "refused": self.summary["refused"],
            "thread": self.thread_id,
            "title": self.title,
            "topics": list(self.topics),
            "role": self.role,
            "over": self.over,
            "behind": self.behind,
        }


def is_told(role: Revision) -> bool:
    """Return whether a role's contract says that its packets hold the project's state."""
    return RolePermission.PROJECT_STATE in (role.body.get("permissions") or ())


def stands_for(session: Session, role: Revision, eligibility: Eligibility) -> tuple[Stand, ...] | None:
    """Return how the project's threads stand, for a packet of this session and role; its own summary is in it anyway.

    One statement, and None without one for a role that is not told it, or where outsiders read along. What not everyone
    there may read is not even looked at.
    """
    if eligibility.destination is Destination.EXTERNAL or not is_told(role):
        return None
    owner = eligibility.private_owner
    return stands_of(
        session.project_id,
        roles=eligibility.roles,
        owner=parse_id("act", owner, pointer="/role") if owner else None,
        without=session.pk,
    )


def stands_of(
    project: uuid.UUID, *, roles: Sequence[str], owner: uuid.UUID | None, without: uuid.UUID | None = None
) -> tuple[Stand, ...]:
    """Return how the open threads of a project stand for readers with these roles, in the open scope.

    What is worked on comes before what is over, and the latest active thread first. `owner` is whose private threads
    count as well, `without` a session that is left out.
    """
    values = {"project": project, "roles": list(roles), "owner": owner, "without": without, "unused": UNUSED}
    return tuple(_stand(row) for row in fetch(STANDS, values))


def _stand(row: Sequence[Any]) -> Stand:
    thread, title, tags, role, over, behind = row[10:]
    return Stand(
        summary=_summary(row),
        reach=_reach(row[7:10]),
        thread_id=public_id("thr", thread),
        title=title,
        topics=tags,
        role=role,
        over=over,
        behind=behind,
    )


def _summary(row: Sequence[Any]) -> dict[str, Any]:
    told = dict(zip(COLUMNS, row, strict=False))
    return told | {name: decoded(told[name]) for name in ("sections", "refused")}


def _reach(columns: Sequence[Any]) -> Reach:
    audience, role, owner = columns
    return Reach(audience=Audience(audience), role=role, owner=public_id("act", owner) if owner else None)


def facts_of(stands: Sequence[Stand] | None) -> tuple[StandFact, ...] | None:
    """Return what the compiler is given of them, None for a role that is told nothing."""
    return None if stands is None else tuple(fact for stand in stands if (fact := stand.fact))


def stands_then(kept: Sequence[Row] | None, *, needed: frozenset[str]) -> tuple[StandFact, ...] | None:
    """Return the facts that a receipt kept, of the same versions. Raises Gone where one of the `needed` is lost.

    What was looked at and left out has no part in a packet's bytes: where it cannot be read now, it is missing.
    """
    rows, facts = rows_then(kept or ()), []
    for told in kept or ():
        fact = fact_then(told, rows.get(told["summary"]))
        if fact is not None:
            facts.append(fact)
        elif is_needed(told, needed):
            raise Gone(LOST, code="content_no_longer_permitted")
    return None if kept is None else tuple(facts)


def rows_then(kept: Sequence[Row]) -> Mapping[str, Sequence[Any]]:
    """Return the rows of the versions that a receipt kept, by id, as far as they are there for the reader."""
    ids = [uuid.UUID(told["summary"]) for told in kept]
    return {row[0]: row for row in fetch(STANDS_AT, {"ids": ids})} if ids else {}


def is_needed(told: Row, needed: frozenset[str]) -> bool:
    """Return whether one of the refs that a packet carried names the summary that was kept."""
    return any(ref.startswith(f"{summary_ref(told)}@") for ref in needed)


def summary_ref(told: Row) -> str:
    """Return the ref of the summary that was kept, without its version, of which each has an id of its own."""
    return f"summary://{public_id('sum', uuid.UUID(told['summary']))}"


def fact_then(told: Row, row: Sequence[Any] | None) -> StandFact | None:
    """Return the fact that a receipt kept, with its row of today; None where that is lost or empty."""
    if row is None:
        return None
    beside = {name: told[name] for name in ("title", "topics", "role", "over", "behind")}
    summary = _summary(row) | {"refused": told["refused"]}
    return Stand(summary=summary, reach=_reach(row[7:10]), thread_id=told["thread"], **beside).fact
