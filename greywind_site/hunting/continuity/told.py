"""What stands of one line of work, without ids and moments, so that two lines can be held against each other."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from governance.models import AuditEvent, Job
from governance.scope import project_scope
from greywind_site.hunting.continuity.world import Place, World
from memories.models import Memory
from sessions.models import Attempt, ColdSegment, Event, Handoff, Session, SummaryRefusal, WorkSummary
from threads.models import Task

ID = re.compile(r"\b([a-z]{3})_[0-9a-f]{32}\b")
HANDED = ("occasion", "covers_to_seq", "next_actor", "summary", "unfinished_items", "risks", "resume_suggestion")
KEPT = ("first_seq", "last_seq", "entries", "sha256")
PUBLISHED = ("version", "from_seq", "to_seq", "trigger", "sections", "tokens_o200k")
type Standing = dict[str, Any]


def standing(world: World, place: Place) -> Standing:
    """Return everything that stands of a line of work, and how often the project's ledger has each verb."""
    with project_scope(world.owner, read_only=True):
        sessions = list(Session.objects.filter(thread_id=place.thread_pk).order_by("created_at"))
        found = {
            "task": list(Task.objects.filter(thread_id=place.thread_pk).values_list("state", "next_steps")),
            "sessions": [_window(session) for session in sessions],
            "memories": sorted(
                map(list, Memory.objects.filter(scope_id=place.thread_pk).values_list("content", "status"))
            ),
            "ledger": _ledger(),
            "jobs": _jobs(sessions),
        }
        return _nameless(found)


def coverage_faults(world: World, place: Place) -> list[str]:
    """Return what is wrong with the ranges that the versions of each summary cover, as the ledger tells them."""
    with project_scope(world.owner, read_only=True):
        faults: list[str] = []
        for session in Session.objects.filter(thread_id=place.thread_pk):
            faults += _gaps(session)
        return faults


def _gaps(session: Session) -> Iterator[str]:
    rows = {row.public_id: row for row in WorkSummary.objects.filter(session=session).order_by("version")}
    published = AuditEvent.objects.filter(verb="summary.publish", target__in=rows).order_by("seq")
    end, parent = 0, None
    for entry in published:
        row, first = rows.pop(entry.target), json.loads(entry.detail)["from_seq"]
        if first != end + 1 or row.parent_id != parent:
            yield f"version {row.version} covers from {first} on after {end}"
        end, parent = row.to_seq, row.pk
    if rows:
        yield f"{len(rows)} versions are in no ledger entry"


def _window(session: Session) -> dict[str, Any]:
    return {
        "role": session.role,
        "state": session.state,
        "version": session.version,
        "head": session.head_seq,
        "sealed": bool(session.seal),
        "interruptions": [{name: note[name] for name in ("kind", "reason", "after")} for note in session.interruptions],
        "attempts": _rows(Attempt.objects.filter(session=session).order_by("number"), "state", "recovery", "missing"),
        "handoffs": _rows(Handoff.objects.filter(from_session=session).order_by("created_at"), *HANDED, "account"),
        "summaries": _rows(WorkSummary.objects.filter(session=session).order_by("version"), *PUBLISHED),
        "segments": _rows(ColdSegment.objects.filter(session=session).order_by("first_seq"), *KEPT),
        "resting": Event.objects.filter(session=session).exclude(segment=None).count(),
        "refusals": SummaryRefusal.objects.filter(session=session).count(),
    }


def _rows(rows: Any, *names: str) -> list[dict[str, Any]]:
    return list(rows.values(*names))


def _ledger() -> dict[str, int]:
    return dict(Counter(AuditEvent.objects.values_list("verb", flat=True)))


def _jobs(sessions: list[Session]) -> list[list[str]]:
    about = [session.public_id for session in sessions]
    return sorted(map(list, Job.objects.filter(subject__in=about).values_list("kind", "state")))


def _nameless(found: Mapping[str, Any]) -> Standing:
    """Put a number in the place of each id, in the order in which they first stand there."""
    names: dict[str, str] = {}
    text = json.dumps(found, ensure_ascii=False, sort_keys=True)
    told: Standing = json.loads(ID.sub(lambda form: names.setdefault(form[0], f"{form[1]}_{len(names)}"), text))
    return told
