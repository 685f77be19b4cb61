"""What refs to the work itself open, whole or one named part: visions, threads, tasks, sessions, handoffs, summaries,
contracts. Their parts are named as the items of a packet are, so that whatever a prompt shortens can be read on.
"""

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from governance.actors import Acting
from governance.errors import NotThere
from governance.ids import parse_id, public_id
from governance.models import Revision
from governance.models.base import ContentRow
from governance.refs import Resolved
from governance.vocabulary import Audience
from memories.vocabulary import SourceRank
from sessions.context.items import plain
from sessions.context.phases import Standing
from sessions.context.project_items import PARTS as STATE_PARTS
from sessions.context.self_items import contract_parts
from sessions.context.session_items import SPAN
from sessions.context.summary_lines import Sections
from sessions.context.work_items import open_task_line
from sessions.facts import open_tasks, session_fact
from sessions.fallen import said_now
from sessions.handoffs import parts_of
from sessions.models import Handoff, Session, WorkSummary
from sessions.standing import DERIVED
from threads.models import Task, TaskEdge, Thread, Vision
from threads.visions import words_of
from threads.vocabulary import TaskState

type Parts = Mapping[str, str | Sequence[str]]

PART = r"(?:#(?P<part>[\w.-]{1,64}(?:/\d{1,6})?))?"
HANDOFF = re.compile(rf"handoff://(hnd_[0-9a-f]{{32}}){PART}")
SUMMARY = re.compile(rf"summary://(sum_[0-9a-f]{{32}})(?:@\d{{1,9}})?{PART}")
REVISION = re.compile(rf"revision://(rev_[0-9a-f]{{32}}){PART}")
VISION = re.compile(rf"vision://(thr_[0-9a-f]{{32}})(?:@(\d{{1,9}}))?{PART}")
THREAD = re.compile(rf"thread://(thr_[0-9a-f]{{32}})(?:@(\d{{1,9}}))?{PART}")
TASK = re.compile(rf"task://(tsk_[0-9a-f]{{32}})(?:@(\d{{1,9}}))?{PART}")
SESSION = re.compile(rf"session://(ses_[0-9a-f]{{32}}){PART}")
TITLES = {"unfinished_items": "Unfinished", "resume_suggestion": "Resume"}  # what parts are called
SAME: Mapping[str, str] = {
    # How open tasks stand, and which steps come next, depends on the task in hand and the profile: a ref names neither.
    **{f"{standing}_tasks": "open_tasks" for standing in Standing},
    "later_steps": "next_steps",
    "earlier": "entries",
}
"""Parts of a packet that are read as a larger part of their source."""
STATE = "project_state"  # of a summary: the sections that say how its thread stands


def open_vision(ref: str, _acting: Acting) -> Resolved:
    """Return a version of what a thread is for (the newest when none is named); none of one whose words were erased."""
    form = form_of(VISION, ref)
    versions = Vision.objects.filter(thread_id=_pk("thr", form)).order_by("-version")
    found = versions.filter(version=int(form[2])).first() if form[2] else versions.first()
    if found is None or not found.origin_goal.strip():
        raise NotThere
    return _opened(f"vision://{form[1]}@{found.version}", form, words_of(found), found)


def open_thread(ref: str, _acting: Acting) -> Resolved:
    """Return a thread's title, summary, tags and open tasks as they are now; its older versions are not kept."""
    form = form_of(THREAD, ref)
    found = _at_version(Thread.objects.filter(pk=_pk("thr", form)).first(), form)
    tasks = Task.objects.filter(thread=found).exclude(state__in=(TaskState.DONE, TaskState.CANCELLED))
    rows = _with_edges(list(tasks.order_by("created_at", "id")))
    said = {
        "title": found.title,
        "summary": found.summary,
        "tags": found.tags,
        "open_tasks": [open_task_line(task) for task in open_tasks(rows)],
    }
    return _opened(f"thread://{form[1]}@{found.version}", form, said, found)


def open_task(ref: str, _acting: Acting) -> Resolved:
    """Return a task as it is now; its older versions are not kept."""
    form = form_of(TASK, ref)
    [row] = _with_edges([_at_version(Task.objects.filter(pk=_pk("tsk", form)).first(), form)])
    said = {
        "title": row.title,
        "state": row.state,
        "brief": row.brief,
        "next_steps": row.next_steps,
        "depends_on": [public_id("tsk", other) for other in row.after],
    }
    return _opened(f"task://{form[1]}@{row.version}", form, said, row)


def open_session(ref: str, _acting: Acting) -> Resolved:
    """Return where a session stands now, and the refs at which its entries are read."""
    form = form_of(SESSION, ref)
    found = Session.objects.filter(pk=_pk("ses", form)).first()
    if found is None:
        raise NotThere
    fact, last = session_fact(found, None), found.head_seq
    seen = plain(dict(fact.screen_context or {}))
    said = {
        "role": found.role,
        "state": found.state,
        "resume_point": fact.resume_point,
        "interruptions": fact.interruptions,
        "screen": json.dumps(seen, ensure_ascii=False, sort_keys=True) if seen else "",
        "entries": [f"event://{form[1]}/{n}-{min(n + SPAN - 1, last)}" for n in range(1, last + 1, SPAN)],
    }
    return _opened(f"session://{form[1]}", form, said, found)


def open_handoff(ref: str, _acting: Acting) -> Resolved:
    """Return a handoff as text, its empty lists said, and nothing that rests on what was revoked."""
    form = form_of(HANDOFF, ref)
    found = Handoff.objects.filter(pk=_pk("hnd", form)).first()
    if found is None:
        raise NotThere
    said = said_now(parts_of(found))
    if form["part"]:
        return _opened(f"handoff://{form[1]}", form, {"next_actor": found.next_actor, **said}, found)
    text = "\n\n".join([said.pop("summary"), _whole(said)])
    return Resolved(ref=ref, text=text, **_kept(found))


def open_summary(ref: str, _acting: Acting) -> Resolved:
    """Return a version of a work summary as text, section by section, without what rests on what was revoked."""
    form = form_of(SUMMARY, ref)
    found = WorkSummary.objects.filter(pk=_pk("sum", form)).first()
    if found is None:
        raise NotThere
    named = [section.value for _, sections in STATE_PARTS.values() for section in sections]
    said = said_now(found.sections)
    if form["part"] and form["part"] != STATE:
        return _opened(ref.partition("#")[0], form, said, found)
    shown = {name: said[name] for name in named if name in said} if form["part"] else said
    return Resolved(ref=ref, text=_sections_told(shown), **_kept(found))


def _sections_told(sections: Sections) -> str:
    said = {name: items for name, items in sections.items() if items}
    told = "\n\n".join("\n".join([name, *(f"- {item}" for item in items)]) for name, items in said.items())
    return told or ("(nothing was found to keep)" if sections else "")


def open_revision(ref: str, _acting: Acting) -> Resolved:
    """Return the body of a contract's revision as canonical JSON, or the part that a prompt names, in its lines."""
    form = form_of(REVISION, ref)
    found = Revision.objects.filter(pk=_pk("rev", form)).select_related("contract").first()
    if found is None:
        raise NotThere
    kept = _kept(found) | {"source": SourceRank.USER_EXPLICIT.value, "own_words": False}
    if form["part"]:
        return Resolved(ref=ref, text=_part(contract_parts(found.contract.kind, found.body), form["part"]), **kept)
    text = json.dumps(found.body, ensure_ascii=False, indent=1, sort_keys=True)
    return Resolved(ref=ref, text=text, media_type="application/json", **kept)


def _opened(whole: str, form: re.Match[str], said: Parts, row: ContentRow) -> Resolved:
    """Return what was named of something that says all this; `whole` is its ref as it is now."""
    part = form["part"]
    if part is None:
        return Resolved(ref=whole, text=_whole(said), **_kept(row))
    return Resolved(ref=f"{whole}#{part}", text=_part(said, part), **_kept(row))


def _kept(row: ContentRow) -> dict[str, Any]:
    """Say how far it may be believed: an agent may have written any of it."""
    return {"private": row.audience == Audience.PRIVATE, "observed_at": row.created_at, **DERIVED}


def _whole(said: Parts) -> str:
    return "\n\n".join(f"{_titled(name)}:\n{_listed(part)}" for name, part in said.items())


def _part(said: Parts, named: str) -> str:
    """Return a part, or one line of it. Raises NotThere for one that is not there."""
    name, _, index = named.partition("/")
    part = said.get(SAME.get(name, name))
    if part is None:
        raise NotThere
    if not index:
        return _listed(part)
    if isinstance(part, str) or int(index) >= len(part):
        raise NotThere
    return part[int(index)]


def _titled(name: str) -> str:
    return TITLES.get(name) or name.replace("_", " ").capitalize()


def _listed(said: str | Sequence[str]) -> str:
    return (said if isinstance(said, str) else "\n".join(f"- {item}" for item in said)) or "(none)"


def _with_edges(tasks: Sequence[Task]) -> Sequence[Any]:
    """Return tasks, each with `after`: the ids of those that it waits for. One statement."""
    edges = TaskEdge.objects.filter(task__in=tasks).order_by("created_at", "id")
    after: dict[uuid.UUID, list[uuid.UUID]] = {task.pk: [] for task in tasks}
    for task, other in edges.values_list("task_id", "depends_on_id"):
        after[task].append(other)
    for row in tasks:
        row.after = after[row.pk]  # type: ignore[attr-defined]  # no column of its own
    return tasks


def _at_version[Row: (Thread, Task)](found: Row | None, form: re.Match[str]) -> Row:
    """Return what was found; raises NotThere for nothing, and for a version that it never had."""
    if found is None or (form[2] and not 1 <= int(form[2]) <= found.version):
        raise NotThere
    return found


def _pk(prefix: str, form: re.Match[str]) -> uuid.UUID:
    return parse_id(prefix, form[1], pointer="/ref")


def form_of(pattern: re.Pattern[str], ref: str) -> re.Match[str]:
    """Return a ref's parts; raises NotThere for one of another form."""
    form = pattern.fullmatch(ref)
    if form is None:
        raise NotThere
    return form
