"""Emptying what was found. That something was, whose it was, when, and a keyed hash stay."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import datetime
from typing import Any

from django.db.models import F, Model, Q

from governance.audit import fingerprint
from governance.ids import public_id
from governance.models import Contract, Proposal, ProposalText, Revision
from governance.proposals import EDITABLE
from governance.vocabulary import ProposalState
from greywind_site.erasing.finding import adopted, described_by, given_up
from greywind_site.erasing.holdings import BLANKS, DELETED, TOMBSTONE, blank_tokens
from greywind_site.erasing.repeating import is_telling
from greywind_site.erasing.resting import said_in, withhold
from greywind_site.erasing.theirs import Theirs
from greywind_site.operating.erasing import OWNER
from memories.effects import DISPUTED
from memories.models import Conflict, ConflictSide, Embedding, Memory, MemoryMove, Offer, Passage
from memories.passages import SEARCHED_BY, searched_by
from memories.vocabulary import MemoryStatus, OfferState, ReasonCode, VectorState
from sessions.cooling import thaw
from sessions.models import Artifact, ColdSegment, ContextPacket, Event, Session
from sessions.windows import seal_of
from threads.models import Binding, Task, Thread, ThreadTalk

BATCH = 500
type Part = tuple[dict[str, Any], Mapping[str, Any]]
IN_USE = (MemoryStatus.COMMITTED, MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED)
ENDED = (MemoryStatus.REVOKED, MemoryStatus.REJECTED)
# The texts that a receipt keeps as values, and what stands in their place: such a packet is not shown again.
RECEIPT: Mapping[str, Mapping[str, Any]] = {
    "input": {"raw_text": "", "attached_context": None},
    "thread": {"title": "", "summary": "", "tags": []},
    "session": {"resume_point": "", "interruptions": [], "screen_context": None},
}
STANDS = "project_state"
NO_STAND: Mapping[str, Any] = {"title": "", "topics": []}
NO_TASK: Mapping[str, Any] = {"title": "", "next_steps": []}
NO_VECTOR: Mapping[str, Any] = {"vector": None, "state": VectorState.PENDING, "attempts": 0, "error": ""}


def blank(theirs: Theirs, *, now: datetime) -> None:
    """Empty every row that was found. The triggers must be asleep: what is kept for ever is what is changed here."""
    taken = [text for text in said_in(theirs) if text.strip()]
    for rule in RULES:
        rule(theirs, now)
    for model, values in BLANKS.items():
        if model in DELETED:
            theirs.of(model).delete()
        elif values:
            theirs.of(model).update(**values)
    _untell(theirs, _give_back_titles(theirs, taken))


def without(text: str, parts: Iterable[str]) -> str:
    """Return a text without some of its parts, each of which stands on lines of its own."""
    for part in parts:
        text = text.replace(f"\n{part}", "")
    return text


def hollow(value: Any) -> Any:
    """Return a JSON value of the same shape whose texts are empty."""
    if isinstance(value, Mapping):
        return {key: hollow(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return []
    return "" if isinstance(value, str) else value


def _thaw(theirs: Theirs, _: datetime) -> None:
    """Where one text of a segment goes, all others of it are put back into their entries, which a sweep moves again."""
    thaw(theirs.of(ColdSegment))
    withhold(theirs)


def _hash_events(theirs: Theirs, _: datetime) -> None:
    rows = list(theirs.of(Event).only("pk", "content_hash"))
    for row in rows:
        row.content_hash = fingerprint(row.content_hash)
    _store(theirs, Event, rows, "content_hash")
    theirs.of(Event).update(**blank_tokens())


def _seal_anew(theirs: Theirs, _: datetime) -> None:
    """A seal over the plain hashes of their texts goes: of a short one it is soon guessed what it said."""
    rows = list(theirs.of(Session).exclude(seal="").only("pk", "seal"))
    for row in rows:
        row.seal = seal_of(row, using=OWNER)
    _store(theirs, Session, rows, "seal")


def _hash_artifacts(theirs: Theirs, _: datetime) -> None:
    rows = list(theirs.of(Artifact).only("pk", "sha256"))
    for row in rows:
        row.sha256 = fingerprint(row.sha256).partition(":")[2]
    _store(theirs, Artifact, rows, "sha256")


def _end_memories(theirs: Theirs, now: datetime) -> None:
    rows = list(theirs.of(Memory).filter(erased_at=None))
    moves = []
    for row in rows:
        here, row.content_hash = row.status, fingerprint(row.content)
        row.erased_at = row.updated_at = now
        if here not in ENDED:
            row.status = MemoryStatus.REVOKED if here in IN_USE else MemoryStatus.REJECTED
            row.reason_code = row.reason_code or ReasonCode.ERASED
            moves.append(_move(row, here, now))
    theirs.of(Offer).filter(state=OfferState.ASKED).update(state=OfferState.DECLINED, answered_at=now)
    _store(theirs, Memory, rows, "content_hash", "erased_at", "updated_at", "status", "reason_code")
    MemoryMove.objects.using(OWNER).bulk_create(moves)


def _move(row: Memory, here: str, now: datetime) -> MemoryMove:
    reach = {"audience": row.audience, "audience_role": row.audience_role, "owner_id": row.owner_id}
    step = {"here": here, "there": row.status, "code": ReasonCode.ERASED, "at": now}
    return MemoryMove(project_id=row.project_id, memory_id=row.pk, created_at=now, **step, **reach)


def _blank_packets(theirs: Theirs, _: datetime) -> None:
    rows = list(theirs.of(ContextPacket).only("pk", "receipt"))
    for row in rows:
        for part, values in RECEIPT.items():
            row.receipt[part] |= values
        for task in _tasks_in(row.receipt):
            _empty(task, NO_TASK)
        row.receipt["hits"] = [hit | {"relevance_reason": "", "hash": ""} for hit in row.receipt["hits"]]
        row.receipt.pop("delivered", None)  # marks of texts: of a short one it is soon guessed what it said
    _store(theirs, ContextPacket, rows, "receipt")


def _untell(theirs: Theirs, renamed: Iterable[uuid.UUID]) -> None:
    """Take their tasks, and the names of threads that had theirs, out of every packet that tells of them."""
    threads = {public_id(Thread.PREFIX, pk) for pk in (*theirs.rows[Thread], *renamed)}
    tasks = {public_id(Task.PREFIX, pk) for pk in theirs.rows[Task]}
    there = Q(receipt__thread__thread_id__in=[*threads]) | Q(thread_id__in=theirs.of(Task).values("thread_id"))
    rows = []
    for row in theirs.all(ContextPacket).filter(there | Q(receipt__has_key=STANDS)).only("pk", "receipt").iterator():
        told = list(_told_of(row.receipt, threads, tasks))
        for part, values in told:
            _empty(part, values)
        rows += [row] if told else []
    _store(theirs, ContextPacket, rows, "receipt")


def _empty(part: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Put what stands there instead into a part of a receipt, which may have fewer fields."""
    part |= {name: empty for name, empty in values.items() if name in part}


def _told_of(receipt: Mapping[str, Any], threads: Set[str], tasks: Set[str]) -> Iterator[Part]:
    """Yield the parts of a receipt that tell of these threads and tasks, each with what stands there instead."""
    if receipt["thread"]["thread_id"] in threads:
        yield receipt["thread"], RECEIPT["thread"]
    yield from ((task, NO_TASK) for task in _tasks_in(receipt) if task["task_id"] in tasks)
    yield from ((stand, NO_STAND) for stand in receipt.get(STANDS, ()) if stand["thread"] in threads)


def _tasks_in(receipt: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tasks that a packet tells of: the one that is worked on, and the others of the thread."""
    thread = receipt["thread"]
    return [*([thread["task"]] if thread["task"] else []), *thread.get("open_tasks", ())]


def _blank_contracts(theirs: Theirs, now: datetime) -> None:
    """A contract that describes the person is emptied; a proposal of theirs goes, save in words that were adopted."""
    own = described_by(theirs)
    rows = list(theirs.all(Revision).filter(contract_id__in=own))
    for row in rows:
        row.body, row.body_hash = hollow(row.body), fingerprint(row.body)
    _store(theirs, Revision, rows, "body", "body_hash")
    for contract in theirs.all(Contract).filter(pk__in=own):
        theirs.all(Contract).filter(pk=contract.pk).update(slug=f"erased-{contract.pk.hex}")
    theirs.of(Proposal).filter(state__in=EDITABLE).update(state=ProposalState.WITHDRAWN, closed_at=now)
    theirs.all(Proposal).filter(pk__in=list(given_up(theirs).values_list("pk", flat=True))).update(slug="erased")
    texts = list(theirs.of(ProposalText).exclude(proposal_id__in=adopted(theirs), version=F("proposal__version")))
    for text in texts:
        text.body, text.body_hash = hollow(text.body), fingerprint(text.body)
    _store(theirs, ProposalText, texts, "body", "body_hash")


def _hash_conflicts(theirs: Theirs, _: datetime) -> None:
    rows = list(theirs.of(Conflict).only("pk", "key"))
    for row in rows:
        row.key = fingerprint(row.key)
    _store(theirs, Conflict, rows, "key")


def _rewrite_copies(theirs: Theirs, now: datetime) -> None:
    """What was disputed carries what disputes it in its searchable copy."""
    said = {f"{DISPUTED}{text}" for text in theirs.of(Memory).exclude(content="").values_list("content", flat=True)}
    sides = theirs.all(ConflictSide).filter(conflict_id__in=theirs.rows[Conflict]).values("memory_id")
    carrying = theirs.all(Passage).filter(memory_id__in=sides, text__contains=DISPUTED)
    rows = list(carrying.exclude(memory_id__in=theirs.rows[Memory]))
    for row in rows:
        row.text = without(row.text, said)
        for name, value in searched_by(row.text, speaker=row.speaker, project_id=row.project_id).items():
            setattr(row, name, value)
    _store(theirs, Passage, rows, "text", *SEARCHED_BY)
    # The trigger that would do this sleeps as well.
    theirs.all(Embedding).filter(passage_id__in=[row.pk for row in rows]).update(**NO_VECTOR, due_at=now)


def _rename_bindings(theirs: Theirs, _: datetime) -> None:
    rows = list(theirs.of(Binding))
    for row in rows:
        row.channel = f"erased:{public_id('bnd', row.pk)}"
    _store(theirs, Binding, rows, "channel")


def _forget_talk(theirs: Theirs, _: datetime) -> None:
    """Where they spoke, no word that was said is counted any more: a hash of a word is soon guessed.

    What others said there is counted anew by a sweep.
    """
    spoken_in = theirs.of(Event).values("session_id")
    counted = theirs.all(ThreadTalk).filter(Q(source__in=spoken_in) | Q(thread_id__in=theirs.rows[Thread]))
    theirs.all(Session).filter(pk__in=counted.values("source")).update(unheard=True)
    counted.delete()


def _give_back_titles(theirs: Theirs, taken: list[str]) -> list[uuid.UUID]:
    """Other threads in which they spoke lose the title and the goals that were taken from their words.

    Returns those whose name or account is another now.
    """
    said = [" ".join(text.split()) for text in taken]
    spoken_in = theirs.of(Session).values("thread_id")
    threads = list(theirs.all(Thread).filter(pk__in=spoken_in).exclude(pk__in=theirs.rows[Thread]))
    for thread in threads:
        goals = [goal for goal in thread.recent_goals if not _is_taken(goal, said)]
        title = TOMBSTONE if _is_taken(thread.title, said) else thread.title
        kept = {"recent_goals": goals, "title": title, "summary": "", "keywords": []}
        theirs.all(Thread).filter(pk=thread.pk).update(**kept)
    return [thread.pk for thread in threads if thread.summary or _is_taken(thread.title, said)]


def _is_taken(text: str, said: list[str]) -> bool:
    """Whether a title or goal stands in what they said, or holds the whole of it where that is not anybody's word."""
    start = " ".join(text.split()).removesuffix("…").strip()
    return bool(start) and any(start in whole or (is_telling(whole) and whole in start) for whole in said)


RULES = (
    _thaw,
    _forget_talk,
    _hash_events,
    _seal_anew,
    _hash_artifacts,
    _hash_conflicts,
    _rewrite_copies,
    _end_memories,
    _blank_packets,
    _blank_contracts,
    _rename_bindings,
)


def _store(theirs: Theirs, model: type[Model], rows: list[Any], *columns: str) -> None:
    theirs.all(model).bulk_update(rows, columns, batch_size=BATCH)
