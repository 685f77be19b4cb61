"""What a recorded packet can no longer be made of, part by part: asked only where showing it again has failed.

A part that was erased, taken away, or is not open to the reader is named by its ref and by which of these it was.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from governance.ids import parse_id, public_id
from governance.models import Revision
from memories.models import Memory
from memories.vocabulary import MemoryStatus
from sessions.facts import handoff_fact, summary_fact
from sessions.fallen import CITED, Fall, Fallen, fallen_among, fallen_in
from sessions.hit_texts import texts_then
from sessions.models import Event
from sessions.project_state import SECTIONS, fact_then, is_needed, rows_then, summary_ref
from sessions.reading import event_place, place_in, versions_of
from sessions.vocabulary import PartLoss

INPUT = "request://raw_text"
FACTS = {"vision": "vis", "summary": "sum", "handoff": "hnd"}  # what a receipt keeps one version of, and its ids
TAKEN_AWAY = (MemoryStatus.REVOKED, MemoryStatus.REJECTED)
EMPTIED = "erased-"  # what the name of a contract begins with whose texts were erased

type Receipt = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Lost:
    """One part of a packet that is not what it was, and why."""

    ref: str
    why: PartLoss

    def as_json(self) -> dict[str, str]:
        """Return it as an answer says it."""
        return {"ref": self.ref, "why": self.why.value}


def lost_parts(receipt: Receipt, session_id: uuid.UUID, *, needed: frozenset[str]) -> tuple[Lost, ...]:
    """Return what of a receipt is lost to whoever reads in the open scope; `needed` are the refs that it carried.

    None is named that only was looked at. Empty where every part is as it was.
    """
    found = [
        *_of_request(receipt),
        *_revisions(receipt["revisions"]),
        *_versions(receipt),
        *_stands(receipt, needed),
        *_events(receipt, session_id, needed),
        *_hits(receipt, needed),
    ]
    return tuple(dict.fromkeys(found))


def _of_request(receipt: Receipt) -> Iterator[Lost]:
    """A receipt whose values were erased: no thread is without a title, no request without words."""
    thread = receipt["thread"]
    if not receipt["input"]["raw_text"]:
        yield Lost(INPUT, PartLoss.ERASED)
        yield Lost(receipt["session"]["ref"], PartLoss.ERASED)
    if not thread["title"]:
        yield Lost(thread["ref"], PartLoss.ERASED)
    for task in (*([thread["task"]] if thread["task"] else ()), *thread.get("open_tasks", ())):
        if not task["title"]:
            yield Lost(task.get("ref") or f"task://{task['task_id']}", PartLoss.ERASED)


def _revisions(refs: Mapping[str, str]) -> Iterator[Lost]:
    ids = {ref: parse_id("rev", ref.partition("://")[2], pointer="/ref") for ref in refs.values()}
    slugs = dict(Revision.objects.filter(pk__in=ids.values()).values_list("pk", "contract__slug"))
    for ref, pk in ids.items():
        if pk not in slugs:
            yield Lost(ref, PartLoss.NOT_HERE)
        elif slugs[pk].startswith(EMPTIED):
            yield Lost(ref, PartLoss.ERASED)


def _versions(receipt: Receipt) -> Iterator[Lost]:
    rows = dict(zip(FACTS, versions_of(*(receipt[name] for name in FACTS)), strict=True))
    for name, row in rows.items():
        if receipt[name] is not None and row is None:
            yield Lost(f"{name}://{public_id(FACTS[name], uuid.UUID(receipt[name]))}", PartLoss.NOT_HERE)
        elif row is not None and _is_empty(name, row):
            yield Lost(_ref_of(name, row), PartLoss.ERASED)
    yield from _revoked_since(receipt, fallen_in(summary_fact(rows["summary"]), handoff_fact(rows["handoff"])))


def _revoked_since(receipt: Receipt, now: Fallen) -> Iterator[Lost]:
    then = receipt.get("fallen", {})
    yield from _memories([ref for ref, fate in now.fates.items() if Fall.REVOKED is fate and then.get(ref) != fate])


def _stands(receipt: Receipt, needed: frozenset[str]) -> Iterator[Lost]:
    """Threads of the project's state that the packet carried: their summaries, the titles, what the lines rest on."""
    carried = [told for told in receipt.get("project_state", ()) if is_needed(told, needed)]
    rows = rows_then(carried)
    for told in carried:
        row = rows.get(told["summary"])
        if row is None:
            yield Lost(summary_ref(told), PartLoss.NOT_HERE)
        elif not row[SECTIONS]:
            yield Lost(summary_ref(told), PartLoss.ERASED)
        if not told["title"]:
            yield Lost(f"thread://{told['thread']}", PartLoss.ERASED)
    facts = [fact for told in carried if (fact := fact_then(told, rows.get(told["summary"])))]
    yield from _revoked_since(receipt, fallen_in(None, None, *(fact.summary for fact in facts)))


def _ref_of(name: str, row: Mapping[str, Any]) -> str:
    """Return what the items of a packet are called that come of it."""
    match name:
        case "vision":
            return f"vision://{public_id('thr', uuid.UUID(row['thread_id']))}@{row['version']}"
        case "summary":
            return f"summary://{public_id('sum', uuid.UUID(row['id']))}@{row['version']}"
        case _:
            return f"handoff://{public_id('hnd', uuid.UUID(row['id']))}"


def _is_empty(name: str, row: Mapping[str, Any]) -> bool:
    match name:
        case "vision":
            return not row["origin_goal"].strip()
        case "summary":
            return not row["sections"]
        case _:
            return not row["summary"] and not row["resume_suggestion"]


def _events(receipt: Receipt, session_id: uuid.UUID, needed: frozenset[str]) -> Iterator[Lost]:
    """Entries of the session's own dialogue, and the demands that were in force, which may be of other sessions."""
    spans = [(session_id, first, last) for first, last in receipt["events"]]
    asked = {(session, seq) for session, first, last in spans for seq in range(first, last + 1)}
    asked |= {place_in(ref) for ref in receipt["constraints"]}
    rows = Event.objects.filter(session_id__in={session for session, _ in asked}, seq__in={seq for _, seq in asked})
    there = {(row.session_id, row.seq): row for row in rows.only("session_id", "seq", "text", "meta")}
    for session, seq in sorted(asked):
        row = there.get((session, seq))
        if row is None:
            yield Lost(event_place(session, seq), PartLoss.NOT_HERE)
        elif row.erased:
            yield Lost(event_place(session, seq), PartLoss.ERASED)
    said = [row.text for place, row in there.items() if event_place(*place) in needed]
    yield from _revoked_since(receipt, fallen_among(said))


def _hits(receipt: Receipt, needed: frozenset[str]) -> Iterator[Lost]:
    carried = [hit for hit in receipt["hits"] if hit["ref"] in needed]
    told = texts_then(carried)
    yield from _revoked_since(receipt, fallen_among(told.values()))
    # Where the receipt itself was emptied, nobody can say whether a text has changed: what is there is not named.
    known = {hit["ref"] for hit in carried if hit["hash"]}
    gone = [hit["ref"] for hit in carried if hit["ref"] not in told]
    for lost in (*_memories([ref for ref in gone if CITED.fullmatch(ref)]), *_said(gone)):
        if lost.why is not PartLoss.CHANGED or lost.ref in known:
            yield lost


def _said(refs: Sequence[str]) -> Iterator[Lost]:
    places = {place_in(ref): ref for ref in refs if ref.startswith("event://")}
    kept = Event.objects.filter(session_id__in={s for s, _ in places}, seq__in={n for _, n in places}).saying()
    there = set(kept.values_list("session_id", "seq"))
    for place, ref in places.items():
        yield Lost(ref, PartLoss.CHANGED if place in there else PartLoss.ERASED)


def _memories(refs: Sequence[str]) -> Iterator[Lost]:
    named = {ref: parse_id("mem", form[1], pointer="/ref") for ref in refs if (form := CITED.fullmatch(ref))}
    rows = {row.pk: row for row in Memory.objects.filter(pk__in=named.values()).only("pk", "status", "erased_at")}
    for ref, pk in named.items():
        row = rows.get(pk)
        if row is None:
            yield Lost(ref, PartLoss.NOT_HERE)
        elif row.erased_at is not None:
            yield Lost(ref, PartLoss.ERASED)
        else:
            yield Lost(ref, PartLoss.REVOKED if row.status in TAKEN_AWAY else PartLoss.CHANGED)
