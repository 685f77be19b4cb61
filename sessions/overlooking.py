"""Why a compile never looked at something: asked afterwards, of what is there for the reader now."""

import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from governance.errors import Invalid
from governance.ids import parse_id, public_id
from governance.models import Revision
from governance.models.base import ContentRow
from governance.policies import judge_placement
from governance.vocabulary import Audience, Sensitivity
from memories.models import Memory, MemoryMove, MemoryVersion, Passage
from memories.vocabulary import MemoryStatus, ScopeType
from sessions.context.material import Reach
from sessions.context.vocabulary import DropReason
from sessions.evidence import EVENT
from sessions.models import Artifact, ContextPacket, Event, Handoff, Session, WorkSummary
from sessions.packet_losses import INPUT
from sessions.reading import event_place
from sessions.receipts import eligibility_in
from sessions.vocabulary import Overlooked
from threads.models import Task, Thread, Vision

SCHEMES: Mapping[str, str] = {
    "mem": "memory",
    "sum": "summary",
    "hnd": "handoff",
    "rev": "revision",
    "thr": "thread",
    "tsk": "task",
    "ses": "session",
    "art": "artifact",
}
BARE = re.compile(r"([a-z]{3})_[0-9a-f]{32}")
VERSIONED = re.compile(r"[a-z_]+://([a-z]{3}_[0-9a-f]{32})(?:@(\d{1,9}))?")

type Receipt = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Overseen:
    """Why something was not looked at; a `gate` is what may enter that kept it from that. `by` was there instead."""

    why: Overlooked
    gate: DropReason | None = None
    by: str | None = None


NOT_THERE = Overseen(Overlooked.NOT_THERE)
ABSENT = frozenset((Overlooked.NOT_THERE, Overlooked.LATER))  # whatever came of the request


def ref_asked(text: str, packet: ContextPacket) -> str:
    """Return the ref that a text means: a bare public id, an entry's own id, or an artifact of the packet's session.

    An artifact stands for the entry that holds it. Reads in the open scope; what is no id is returned as it is.
    """
    text = text.strip()
    form = BARE.fullmatch(text)
    if form and form[1] == "evt":
        row = Event.objects.filter(pk=parse_id("evt", text, pointer="?ref")).values_list("session_id", "seq").first()
        return f"event://{public_id('ses', row[0])}/{row[1]}" if row else text
    ref = f"{SCHEMES[form[1]]}://{text}" if form and form[1] in SCHEMES else text
    if not ref.startswith("artifact://"):
        return ref
    artifact = _pk("art", ref)
    if artifact is None:
        return ref
    held = Event.objects.filter(session_id=packet.session_id, artifact_id=artifact).order_by("seq")
    first = held.values_list("seq", flat=True).first()
    return ref if first is None else f"event://{packet.session.public_id}/{first}"


def overlooked(packet: ContextPacket, decisions: Mapping[str, Any], ref: str) -> Overseen:
    """Return why `ref`, which stands nowhere in a packet, was not considered for it, in the open scope."""
    look = LOOKS.get(ref.partition("://")[0])
    seen = look(_Then(packet, decisions), ref) if look else NOT_THERE
    return Overseen(Overlooked.REFUSED) if packet.refused and seen.why not in ABSENT else seen


@dataclass(frozen=True, slots=True)
class _Then:
    """A packet with its decisions, and what was so when it was compiled."""

    packet: ContextPacket
    decisions: Mapping[str, Any]

    @property
    def receipt(self) -> Receipt:
        receipt: Receipt = self.packet.receipt
        return receipt

    @property
    def at(self) -> datetime:
        return self.packet.created_at

    @property
    def summary(self) -> str | None:
        """The ref of the work summary in the packet."""
        taken = self.decisions["summary"]
        return f"summary://{taken['id']}@{taken['version']}" if taken else None

    @property
    def searched(self) -> Overseen:
        """What is to be said of something that a search might have brought."""
        kept = self.receipt.get("recall", {}).get("kept_from")
        return Overseen(Overlooked.NOT_ASKED, by=kept) if kept else Overseen(Overlooked.NOT_FOUND)

    def shut_out(self, row: ContentRow, sensitivity: str) -> Overseen | None:
        """Return the gate where not everyone in the packet's destination may read a row: it is not even counted."""
        reach = Reach(
            audience=Audience(row.audience),
            role=row.audience_role,
            owner=public_id("act", row.owner_id) if row.owner_id else None,
            sensitivity=Sensitivity(sensitivity),
        )
        decision = judge_placement(reach, eligibility_in(self.receipt))
        return None if decision.allowed else Overseen(Overlooked.NOT_FOUND, gate=DropReason.AUDIENCE)


def _memory(then: _Then, ref: str) -> Overseen:
    form = VERSIONED.fullmatch(ref)
    row = Memory.objects.filter(pk=_pk("mem", ref)).first() if form else None
    if row is None or form is None:
        return NOT_THERE
    if row.created_at > then.at:
        return Overseen(Overlooked.LATER)
    moves = MemoryMove.objects.filter(memory=row, at__lte=then.at).order_by("-at", "-id")
    if moves.values_list("there", flat=True).first() != MemoryStatus.ACTIVE:
        return Overseen(Overlooked.NOT_IN_USE)
    elsewhere = _other_version(row, form[2], then) or _elsewhere(row, then)
    return elsewhere or then.shut_out(row, row.sensitivity) or then.searched


def _elsewhere(row: Memory, then: _Then) -> Overseen | None:
    """Say that a memory holds on another task or thread, None for one that holds here."""
    if row.scope_type == ScopeType.TASK and not _is_of_task(row, then):
        return Overseen(Overlooked.ANOTHER_TASK)
    if row.scope_type == ScopeType.THREAD and row.scope_id != then.packet.thread_id:
        return Overseen(Overlooked.ANOTHER_THREAD)
    return None


def _other_version(row: Memory, asked: str | None, then: _Then) -> Overseen | None:
    held = MemoryVersion.objects.filter(memory=row, created_at__lte=then.at).order_by("-version")
    version = held.values_list("version", flat=True).first() or 1
    if asked is None or int(asked) == version:
        return None
    if int(asked) > row.version:
        return NOT_THERE
    later = int(asked) > version
    return Overseen(Overlooked.LATER if later else Overlooked.REPLACED, by=f"memory://{row.public_id}@{version}")


def _is_of_task(row: Memory, then: _Then) -> bool:
    task = then.receipt["thread"]["task"]
    return bool(task) and row.scope_id == parse_id("tsk", task["task_id"], pointer="/task_id")


def _event(then: _Then, ref: str) -> Overseen:
    row = _entry(ref)
    if row is None:
        return NOT_THERE
    if row.created_at > then.at:
        return Overseen(Overlooked.LATER)
    if row.session_id == then.packet.session_id:
        said = then.receipt["input"]["raw_text"]
        return Overseen(Overlooked.AS_INPUT, by=INPUT) if row.text == said else _before_tail(then, row.seq)
    found = Passage.objects.filter(ref=event_place(row.session_id, row.seq)).first()
    if found is None:
        return Overseen(Overlooked.ANOTHER_SESSION)
    return then.shut_out(found, found.sensitivity) or then.searched


def _entry(ref: str) -> Event | None:
    form = EVENT.fullmatch(ref)
    if form is None:
        return None
    session = parse_id("ses", form[1], pointer="?ref")
    return Event.objects.filter(session_id=session, seq=int(form[2])).first()


def _before_tail(then: _Then, seq: int) -> Overseen:
    summary = then.decisions["summary"]
    covered = summary["covers"].rpartition("/")[2].partition("-")[2] if summary else ""
    if covered and seq <= int(covered):
        return Overseen(Overlooked.COVERED, by=then.summary)
    return Overseen(Overlooked.BEFORE_TAIL)


def _summary(then: _Then, ref: str) -> Overseen:
    row = WorkSummary.objects.filter(pk=_pk("sum", ref)).first()
    if row is not None and row.session_id != then.packet.session_id:
        return _stand(then, row)
    return _not_taken(then, row, by=then.summary)


def _stand(then: _Then, row: WorkSummary) -> Overseen:
    """Say why a summary of another session is no part of the project's state, where the packet was told of that."""
    told = then.receipt.get("project_state")
    if told is None:
        return Overseen(Overlooked.ANOTHER_SESSION)
    if row.created_at > then.at:
        return Overseen(Overlooked.LATER)
    taken = WorkSummary.objects.filter(session_id=row.session_id, pk__in=[one["summary"] for one in told]).first()
    if taken is not None:
        return Overseen(Overlooked.REPLACED, by=f"summary://{taken.public_id}@{taken.version}")
    return then.shut_out(row, Sensitivity.WORK) or Overseen(Overlooked.NOT_LATEST)


def _handoff(then: _Then, ref: str) -> Overseen:
    row = Handoff.objects.filter(pk=_pk("hnd", ref)).first()
    taken = then.receipt["handoff"]
    return _of_thread(then, row, by=f"handoff://{public_id('hnd', uuid.UUID(taken))}" if taken else None)


def _vision(then: _Then, ref: str) -> Overseen:
    form = VERSIONED.fullmatch(ref)
    version = Q(version=int(form[2])) if form and form[2] else Q()
    row = Vision.objects.filter(version, thread_id=_pk("thr", ref)).first() if form else None
    return _of_thread(then, row)


def _of_thread(then: _Then, row: Handoff | Vision | None, *, by: str | None = None) -> Overseen:
    if row is not None and row.thread_id != then.packet.thread_id:
        return Overseen(Overlooked.ANOTHER_THREAD)
    return _not_taken(then, row, by=by)


def _not_taken(then: _Then, row: WorkSummary | Handoff | Vision | None, *, by: str | None) -> Overseen:
    """Say of what a packet takes one of that this one came later, or that another one was there to be taken."""
    if row is None:
        return NOT_THERE
    return Overseen(Overlooked.LATER if row.created_at > then.at else Overlooked.REPLACED, by=by)


def _thread(then: _Then, ref: str) -> Overseen:
    pk = _pk("thr", ref)
    if not Thread.objects.filter(pk=pk).exists():
        return NOT_THERE
    own = pk == then.packet.thread_id
    return (
        Overseen(Overlooked.REPLACED, by=then.receipt["thread"]["ref"]) if own else Overseen(Overlooked.ANOTHER_THREAD)
    )


def _task(then: _Then, ref: str) -> Overseen:
    row = Task.objects.filter(pk=_pk("tsk", ref)).first()
    if row is None:
        return NOT_THERE
    if row.created_at > then.at:
        return Overseen(Overlooked.LATER)
    own = then.receipt["thread"]["task"]
    if own and own["task_id"] == row.public_id:
        return Overseen(Overlooked.REPLACED, by=own["ref"])
    return Overseen(Overlooked.ANOTHER_TASK if row.thread_id == then.packet.thread_id else Overlooked.ANOTHER_THREAD)


def _session(_then: _Then, ref: str) -> Overseen:
    there = Session.objects.filter(pk=_pk("ses", ref)).exists()
    return Overseen(Overlooked.ANOTHER_SESSION) if there else NOT_THERE


def _revision(_then: _Then, ref: str) -> Overseen:
    there = Revision.objects.filter(pk=_pk("rev", ref)).exists()
    return Overseen(Overlooked.NOT_PINNED) if there else NOT_THERE


def _artifact(_then: _Then, ref: str) -> Overseen:
    there = Artifact.objects.filter(pk=_pk("art", ref)).exists()
    return Overseen(Overlooked.NOT_SEARCHED) if there else NOT_THERE


LOOKS: Mapping[str, Callable[[_Then, str], Overseen]] = {
    "memory": _memory,
    "event": _event,
    "summary": _summary,
    "handoff": _handoff,
    "vision": _vision,
    "thread": _thread,
    "session": _session,
    "task": _task,
    "revision": _revision,
    "artifact": _artifact,
}


def _pk(prefix: str, text: str) -> Any:
    """Return the id in a ref or an id's text; None, which no row has, for one of another form."""
    bare = text.rpartition("://")[2].partition("@")[0].partition("#")[0].partition("/")[0]
    try:
        return parse_id(prefix, bare, pointer="?ref")
    except Invalid:
        return None
