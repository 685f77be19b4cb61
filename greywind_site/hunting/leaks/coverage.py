"""Whether the hunt has eyes: of what was stored for somebody, how much did they hear?"""

from collections.abc import Mapping
from dataclasses import dataclass

from greywind_site.hunting.leaks.direct import read_all, readable_tables
from greywind_site.hunting.leaks.ground import tables_with_project
from greywind_site.hunting.leaks.report import Report
from greywind_site.hunting.leaks.world import World
from greywind_site.hunting.scratch import owner_link

NOT_SHOWN = "kept for machines or for later, and shown to nobody"
BY_API_ALONE = "only the API shows it, and what is one human's alone no agent may ask for"
# Columns of which a request may hear less than everything. What they hold is heard by the direct read all the same.
UNSHOWN: Mapping[tuple[str, str], str] = {
    ("agent_sessions_event", "client_id"): BY_API_ALONE,
    ("agent_sessions_event", "meta"): BY_API_ALONE,
    ("agent_sessions_packetoutcome", "cited_refs"): NOT_SHOWN,
    ("agent_sessions_packetoutcome", "result"): NOT_SHOWN,
    ("agent_sessions_providersession", "external_id"): NOT_SHOWN,
    ("agent_sessions_session", "screen_context"): BY_API_ALONE,
    ("agent_sessions_session", "title"): BY_API_ALONE,
    ("agent_sessions_summaryrefusal", "trigger"): NOT_SHOWN,
    ("agent_sessions_worksummary", "trigger"): NOT_SHOWN,
    ("governance_inboxitem", "title"): "humans have an inbox and agents have none, nor do humans hold roles",
    ("governance_storedanswer", "body"): "only the repetition of the request that it answered hears it",
    ("governance_storedanswer", "idempotency_key"): "only its sender knows it",
    ("memories_memoryparent", "reason"): NOT_SHOWN,
    ("threads_thread", "keywords"): BY_API_ALONE,
    ("threads_thread", "summary"): BY_API_ALONE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many marks there are, how many the requests heard of those that some page or call shows, and what is missing.

    `unheard` are marks that a request should have heard, `unread` those that not even a direct read found, and
    `unmarked` the tables of a project that hold no row at all.
    """

    marks: int
    shown: int
    heard: int
    unheard: list[str]
    unread: list[str]
    unmarked: list[str]

    @property
    def ok(self) -> bool:
        return not (self.unheard or self.unread or self.unmarked)


def covered(world: World, report: Report) -> Coverage:
    """Compare what was heard with what there is, then read every table directly as everybody, and compare again."""
    shown = {mark for mark in world.spoken if world.ground.marks[mark] - set(UNSHOWN)}
    heard = shown & set(report.heard)
    tables = readable_tables()
    read_all(world, report, tables=tables)
    return Coverage(
        marks=len(world.ground.marks),
        shown=len(shown),
        heard=len(heard),
        unheard=[_told(world, mark) for mark in sorted(shown - heard)],
        unread=[_told(world, mark) for mark in sorted(set(world.ground.marks) - set(report.heard))],
        unmarked=_unmarked(world),
    )


def _told(world: World, mark: str) -> str:
    return f"{mark} in {', '.join(sorted(f'{table}.{column}' for table, column in world.ground.marks[mark]))}"


def _unmarked(world: World) -> list[str]:
    """Return the tables that the application may read and that hold no row of some project."""
    readable = set(readable_tables())
    with owner_link() as link:
        tables = [table for table in tables_with_project(link) if table in readable]
    numbers = {crew.number for crew in world.crews}
    return [table for table in tables if {place.project for _, place in world.ground.rows.get(table, ())} != numbers]
