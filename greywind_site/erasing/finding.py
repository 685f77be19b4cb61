"""What is a person's in one project: what they said, and whatever was made of it, however far it came."""

import re
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connections
from django.db.models import Min, Model, QuerySet

from governance.models import (
    Actor,
    Comment,
    Contract,
    Decision,
    InboxItem,
    Proposal,
    ProposalText,
    Revision,
    StoredAnswer,
)
from governance.models.base import ContentRow
from governance.vocabulary import ABOUT_MEMORIES, ActorKind, ProposalKind, ProposalState
from greywind_site.erasing.holdings import BLANKS, REPEATS, SAID_BY
from greywind_site.operating.erasing import OWNER
from memories.models import (
    Claim,
    Conflict,
    ConflictSide,
    Feedback,
    GateVerdict,
    Memory,
    MemoryEvidence,
    MemoryParent,
    MemoryVersion,
    Offer,
    Passage,
    Settlement,
)
from memories.retiring import DESCENDANTS
from sessions.evidence import EVENT
from sessions.models import Artifact, ContextPacket, Event, Handoff, PacketOutcome, Session, WorkSummary
from sessions.vocabulary import EventRole
from threads.models import Binding, Thread, Vision

ID = re.compile(r"\b([a-z]{3})_([0-9a-f]{32})\b")
# Shorter words are anybody's: thirty bytes are thirty letters of English, or ten characters of Chinese.
TELLING_BYTES = 30
REPEATED = """
SELECT id FROM {table} WHERE project_id = %s AND NOT id = ANY(%s)
AND EXISTS (SELECT FROM unnest(%s::text[]) w WHERE position(w IN {held}) > 0)
"""
OF_MEMORY = (MemoryVersion, MemoryEvidence, GateVerdict, Claim, Passage, Feedback, Offer)
BY_ID: tuple[type[Model], ...] = (Memory, Conflict, Proposal, Handoff, WorkSummary, Artifact, Thread, Session, Event)


@dataclass(slots=True)
class Theirs:
    """The rows of one project that hold what one person said or what was made of it, by model.

    Without a person they are what one memory says, and what was made of that.
    """

    project_id: uuid.UUID
    person: Actor | None = None
    rows: dict[type[Model], set[uuid.UUID]] = field(default_factory=lambda: defaultdict(set))

    def all(self, model: type[Model]) -> QuerySet[Any]:
        """Return all rows of the project, whoever may read them."""
        manager = model._default_manager  # noqa: SLF001 - Django documents it
        return manager.using(OWNER).filter(project_id=self.project_id)

    def of(self, model: type[Model]) -> QuerySet[Any]:
        """Return those that were found."""
        return self.all(model).filter(pk__in=self.rows[model])

    def add(self, model: type[Model], found: Iterable[uuid.UUID]) -> None:
        """Count rows as theirs."""
        self.rows[model].update(found)

    def where(self, model: type[Model], **lookups: Any) -> None:
        """Count those rows of the project as theirs for which the lookups hold."""
        self.add(model, self.all(model).filter(**lookups).values_list("pk", flat=True))

    @property
    def total(self) -> int:
        return sum(map(len, self.rows.values()))


def find(person: Actor) -> Theirs:
    """Find everything that is to be erased with a person; nothing is changed. Needs the owner role's transaction."""
    theirs = Theirs(person.project_id, person)
    _said(theirs, person)
    _follow(theirs)
    return theirs


def find_memory(memory: Memory) -> Theirs:
    """Find everything that is to be erased with a memory; nothing is changed. As above."""
    theirs = Theirs(memory.project_id)
    theirs.add(Memory, [memory.pk])
    _follow(theirs)
    return theirs


def _follow(theirs: Theirs) -> None:
    before = -1
    while before != theirs.total:  # what was made of something may be what something else was made of
        before = theirs.total
        _made_of_events(theirs)
        _made_of_memories(theirs)
        _repeated(theirs)
    _around(theirs)


def refs_of(theirs: Theirs) -> frozenset[tuple[str, uuid.UUID]]:
    """Return what refs may name, as prefix and id."""
    return frozenset((str(model.PREFIX), pk) for model in BY_ID for pk in theirs.rows[model])  # type: ignore[attr-defined]  # each is a ProjectRow


def spans_of(theirs: Theirs) -> dict[uuid.UUID, set[int]]:
    """Return the numbers of the entries that are theirs, by session."""
    spans = defaultdict(set)
    for session, seq in theirs.of(Event).values_list("session_id", "seq"):
        spans[session].add(seq)
    return spans


def _said(theirs: Theirs, person: Actor) -> None:
    for model, column in SAID_BY.items():
        theirs.where(model, **{f"{column}_id": person.pk})
    for model in BLANKS:
        if issubclass(model, ContentRow):
            theirs.where(model, owner_id=person.pk)
    agents = list(theirs.all(Actor).filter(owned_by=person, kind=ActorKind.AGENT).values_list("pk", flat=True))
    theirs.where(Event, actor_id__in=agents, role=EventRole.USER)
    theirs.where(ContextPacket, actor_id__in=agents)
    theirs.add(Memory, theirs.all(MemoryVersion).filter(author=person).values_list("memory_id", flat=True))
    theirs.where(Revision, decided_by_id=person.pk)
    theirs.where(Proposal, proposer_id=person.pk)


def _made_of_events(theirs: Theirs) -> None:
    spans = spans_of(theirs)
    _artifacts(theirs)
    starts = theirs.of(Event).order_by().values("session_id").annotate(at=Min("created_at"))
    firsts = {row["session_id"]: row["at"] for row in starts}
    for session, seqs in spans.items():
        theirs.where(WorkSummary, session_id=session, from_seq__lte=max(seqs), to_seq__gte=min(seqs))
        theirs.where(Handoff, from_session_id=session, created_at__gte=firsts[session])
    for pk, ref in theirs.all(Vision).exclude(origin_ref="").values_list("pk", "origin_ref"):
        if _names_any(ref, theirs, spans):
            theirs.add(Vision, [pk])


def _artifacts(theirs: Theirs) -> None:
    """Their large texts go as well, unless somebody else's entry holds the same."""
    held = set(theirs.of(Event).exclude(artifact=None).values_list("artifact_id", flat=True))
    others = theirs.all(Event).filter(artifact_id__in=held).exclude(pk__in=theirs.rows[Event])
    theirs.add(Artifact, held - set(others.values_list("artifact_id", flat=True)))


def _made_of_memories(theirs: Theirs) -> None:
    spans = spans_of(theirs)
    for model in (WorkSummary, Handoff):
        told = theirs.all(model).exclude(pk__in=theirs.rows[model]).values_list("pk", *REPEATS[model]).iterator()
        theirs.add(model, (pk for pk, *texts in told if _cites_any(str(texts), theirs)))
    cited = theirs.all(MemoryEvidence).values_list("ref", "memory_id").iterator()
    theirs.add(Memory, [memory for ref, memory in cited if _names_any(ref, theirs, spans)])
    with connections[OWNER].cursor() as cursor:
        for pk in list(theirs.rows[Memory]):
            cursor.execute(DESCENDANTS, {"memory": pk, "project": theirs.project_id})
            theirs.add(Memory, [row[0] for row in cursor.fetchall()])


def _cites_any(text: str, theirs: Theirs) -> bool:
    return any(prefix == "mem" and pk in theirs.rows[Memory] for prefix, pk in _ids(text))


def _names_any(ref: str, theirs: Theirs, spans: dict[uuid.UUID, set[int]]) -> bool:
    if form := EVENT.fullmatch(ref):
        seqs = spans.get(uuid.UUID(form.group(1).removeprefix("ses_")), set())
        first = int(form.group(2))
        return any(first <= seq <= int(form.group(3) or first) for seq in seqs)
    named = ID.search(ref)
    kinds = {"art": Artifact, "hnd": Handoff, "sum": WorkSummary, "mem": Memory}
    return named is not None and named[1] in kinds and uuid.UUID(named[2]) in theirs.rows[kinds[named[1]]]


def _repeated(theirs: Theirs) -> None:
    """Find what holds a telling text of theirs word for word, whoever wrote it."""
    texts = [*theirs.of(Event).values_list("text", flat=True), *theirs.of(Memory).values_list("content", flat=True)]
    telling = sorted({text.strip() for text in texts if len(text.strip().encode()) >= TELLING_BYTES})
    for model, columns in REPEATS.items() if telling else ():
        held = " || ' ' || ".join(f"{column}::text" for column in columns)
        again = REPEATED.format(table=table_of(model), held=held)
        with connections[OWNER].cursor() as cursor:
            cursor.execute(again, [theirs.project_id, list(theirs.rows[model]), telling])
            theirs.add(model, [row[0] for row in cursor.fetchall()])


def table_of(model: type[Model]) -> str:
    """Return the name of a model's table."""
    return model._meta.db_table  # noqa: SLF001 - Django documents it


def _around(theirs: Theirs) -> None:
    """Find the copies and notes that stand around what was found."""
    memories, threads = theirs.rows[Memory], theirs.rows[Thread]
    spans = spans_of(theirs)
    theirs.add(Session, spans)
    for model in OF_MEMORY:
        theirs.where(model, memory_id__in=memories)
    theirs.where(MemoryParent, memory_id__in=memories)
    theirs.where(MemoryParent, parent_id__in=memories)
    theirs.add(Conflict, theirs.all(ConflictSide).filter(memory_id__in=memories).values_list("conflict_id", flat=True))
    theirs.where(Settlement, conflict_id__in=theirs.rows[Conflict])
    theirs.where(Binding, thread_id__in=threads)
    theirs.where(Revision, contract_id__in=described_by(theirs))
    theirs.add(Passage, (pk for pk, ref in _refs(theirs, Passage) if _names_any(ref, theirs, spans)))
    _packets(theirs, spans)
    theirs.where(PacketOutcome, packet_id__in=theirs.rows[ContextPacket])
    shared = theirs.all(ProposalText).filter(proposal__kind=ProposalKind.MEMORY).values_list("proposal_id", "body")
    theirs.add(Proposal, (pk for pk, body in shared.iterator() if _cites_any(str(body), theirs)))
    for kind in (ProposalText, Comment, Decision):  # what others said of a proposal says what it proposed
        theirs.where(kind, proposal_id__in=given_up(theirs))
    named = refs_of(theirs)
    theirs.add(InboxItem, (pk for pk, ref in _refs(theirs, InboxItem) if _ids(ref) & named))
    answers = theirs.all(StoredAnswer).exclude(body="").values_list("pk", "body").iterator()
    theirs.add(StoredAnswer, (pk for pk, body in answers if _ids(body) & named))


def given_up(theirs: Theirs) -> QuerySet[Any]:
    """Return their proposals whose texts go: those that no contract of the project came of."""
    adopted = theirs.all(Proposal).filter(state=ProposalState.APPROVED).exclude(kind__in=ABOUT_MEMORIES)
    return theirs.of(Proposal).exclude(pk__in=adopted.values("pk")).values("pk")


def described_by(theirs: Theirs) -> QuerySet[Any]:
    """Return the contracts that are about the person, or theirs alone."""
    everything = theirs.all(Contract)
    if theirs.person is None:
        return everything.none().values("pk")
    return (everything.filter(subject=theirs.person) | everything.filter(owner=theirs.person)).values("pk")


def _packets(theirs: Theirs, spans: dict[uuid.UUID, set[int]]) -> None:
    theirs.where(ContextPacket, session_id__in=theirs.rows[Session])
    theirs.where(ContextPacket, thread_id__in=theirs.rows[Thread])
    # A hit says which words it shared with what it was asked.
    for pk, hits in theirs.all(ContextPacket).values_list("pk", "receipt__hits").iterator():
        if any(_names_any(hit["ref"], theirs, spans) for hit in hits or ()):
            theirs.add(ContextPacket, [pk])


def _refs(theirs: Theirs, model: type[Model]) -> Iterator[tuple[uuid.UUID, str]]:
    return theirs.all(model).values_list("pk", "ref").iterator()


def _ids(text: str) -> set[tuple[str, uuid.UUID]]:
    return {(found[1], uuid.UUID(found[2])) for found in ID.finditer(text)}


def counts_of(theirs: Theirs) -> dict[str, int]:
    """Return how many rows of each kind there are, most first."""
    found = {
        table_of(model).partition("_")[2].removeprefix("sessions_"): len(ids)
        for model, ids in theirs.rows.items()
        if ids
    }
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
