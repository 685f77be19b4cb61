"""What is a person's in one project: what they said, and whatever was made of it, however far it came."""

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import connections
from django.db.models import F, Min, Model, QuerySet

from governance.citations import CITED, TRAILING
from governance.ids import public_id
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
from governance.proposals import EDITABLE
from governance.vocabulary import NO_CONTRACT, ActorKind, ProposalKind, ProposalState
from greywind_site.erasing.holdings import BLANKS, REPEATS, SAID_BY
from greywind_site.erasing.repeating import add_repeated
from greywind_site.erasing.resting import segments_of
from greywind_site.erasing.theirs import Theirs, ids_in, names_any, refs_of, spans_of
from greywind_site.operating.erasing import OWNER
from memories.models import (
    Claim,
    Conflict,
    ConflictSide,
    Embedding,
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
from sessions.models import Artifact, ColdSegment, ContextPacket, Event, Handoff, PacketOutcome, Session, WorkSummary
from sessions.vocabulary import EventRole
from threads.models import Binding, Lineage, Thread, Vision

OF_MEMORY = (MemoryVersion, MemoryEvidence, GateVerdict, Claim, Passage, Feedback, Offer)


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
        _made_of_refs(theirs)
        _proposed(theirs)
        add_repeated(theirs)
    _around(theirs)


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
    theirs.where(Lineage, undone_by_id=person.pk)
    theirs.where(Proposal, proposer_id=person.pk)
    theirs.where(Proposal, subject_id=person.pk)
    theirs.where(Proposal, pk__in=_describing(theirs))


def _made_of_events(theirs: Theirs) -> None:
    spans = spans_of(theirs)
    _artifacts(theirs)
    starts = theirs.of(Event).order_by().values("session_id").annotate(at=Min("created_at"))
    firsts = {row["session_id"]: row["at"] for row in starts}
    for session, seqs in spans.items():
        theirs.where(WorkSummary, session_id=session, from_seq__lte=max(seqs), to_seq__gte=min(seqs))
        theirs.where(Handoff, from_session_id=session, created_at__gte=firsts[session])
    for pk, ref in theirs.all(Vision).exclude(origin_ref="").values_list("pk", "origin_ref"):
        if names_any(ref, theirs, spans):
            theirs.add(Vision, [pk])


def _artifacts(theirs: Theirs) -> None:
    """Their large texts go as well, unless somebody else's entry holds the same."""
    held = set(theirs.of(Event).exclude(artifact=None).values_list("artifact_id", flat=True))
    others = theirs.all(Event).filter(artifact_id__in=held).exclude(pk__in=theirs.rows[Event])
    theirs.add(Artifact, held - set(others.values_list("artifact_id", flat=True)))


def _made_of_refs(theirs: Theirs) -> None:
    """Find the summaries and handoffs that cite something of theirs, and what was learnt from it."""
    spans = spans_of(theirs)
    for model in (WorkSummary, Handoff):
        told = theirs.all(model).exclude(pk__in=theirs.rows[model]).values_list("pk", *REPEATS[model]).iterator()
        theirs.add(model, [pk for pk, *texts in told if _cites_any(str(texts), theirs, spans)])
    cited = theirs.all(MemoryEvidence).values_list("ref", "memory_id").iterator()
    theirs.add(Memory, [memory for ref, memory in cited if names_any(ref, theirs, spans)])
    with connections[OWNER].cursor() as cursor:
        for pk in list(theirs.rows[Memory]):
            cursor.execute(DESCENDANTS, {"memory": pk, "project": theirs.project_id})
            theirs.add(Memory, [row[0] for row in cursor.fetchall()])


def _cites_any(text: str, theirs: Theirs, spans: Mapping[uuid.UUID, set[int]]) -> bool:
    if any(prefix == Memory.PREFIX and pk in theirs.rows[Memory] for prefix, pk in ids_in(text)):
        return True
    return any(names_any(found.group().rstrip(TRAILING), theirs, spans) for found in CITED.finditer(text))


def _proposed(theirs: Theirs) -> None:
    """Find the proposals that carry words of theirs: offered memories, lowered ones, revised visions, and what waits
    in such words.

    An offer that was taken stays with the memory that came of it: the consent was to share.
    """
    memories = theirs.rows[Memory]
    offers = theirs.all(Offer).filter(memory_id__in=memories, proposal__isnull=False)
    untaken = offers.exclude(proposal__state=ProposalState.APPROVED)
    theirs.add(Proposal, untaken.values_list("proposal_id", flat=True))
    shared = theirs.all(MemoryEvidence).filter(memory_id__in=memories, ref__startswith="proposal://")
    named = {
        pk for ref in shared.values_list("ref", flat=True) for prefix, pk in ids_in(ref) if prefix == Proposal.PREFIX
    }
    theirs.where(Proposal, pk__in=named)
    lowered = [public_id(Memory.PREFIX, pk) for pk in memories]
    theirs.where(Proposal, kind=ProposalKind.SENSITIVITY, slug__in=lowered)
    approved = theirs.of(ProposalText).filter(version=F("proposal__version")).values("proposal_id")
    theirs.where(Vision, proposal_id__in=approved)  # its author is who proposed it, whoever wrote its last words
    revised = theirs.of(Vision).values_list("thread_id", flat=True)
    theirs.where(Proposal, kind=ProposalKind.VISION, slug__in=[public_id(Thread.PREFIX, pk) for pk in revised])
    newest = theirs.of(ProposalText).filter(version=F("proposal__version"), proposal__state__in=EDITABLE)
    theirs.add(Proposal, newest.values_list("proposal_id", flat=True))


def _around(theirs: Theirs) -> None:
    """Find the copies and notes that stand around what was found."""
    memories, threads = theirs.rows[Memory], theirs.rows[Thread]
    spans = spans_of(theirs)
    theirs.add(Session, spans)
    theirs.add(ColdSegment, set(segments_of(theirs)) - theirs.damaged)
    for model in OF_MEMORY:
        theirs.where(model, memory_id__in=memories)
    theirs.where(MemoryParent, memory_id__in=memories)
    theirs.where(MemoryParent, parent_id__in=memories)
    theirs.add(Conflict, theirs.all(ConflictSide).filter(memory_id__in=memories).values_list("conflict_id", flat=True))
    theirs.where(Settlement, conflict_id__in=theirs.rows[Conflict])
    theirs.where(Binding, thread_id__in=threads)
    theirs.where(Lineage, source_id__in=threads)
    theirs.where(Lineage, target_id__in=threads)
    theirs.where(Revision, contract_id__in=described_by(theirs))
    theirs.add(Passage, [pk for pk, ref in _refs(theirs, Passage) if names_any(ref, theirs, spans)])
    theirs.where(Embedding, passage_id__in=theirs.rows[Passage])
    _packets(theirs, spans)
    theirs.where(PacketOutcome, packet_id__in=theirs.rows[ContextPacket])
    for kind in (ProposalText, Comment, Decision):  # what others said of a proposal says what it proposed
        theirs.where(kind, proposal_id__in=given_up(theirs))
    named = refs_of(theirs)
    theirs.add(InboxItem, (pk for pk, ref in _refs(theirs, InboxItem) if ids_in(ref) & named))
    answers = theirs.all(StoredAnswer).exclude(body="").values_list("pk", "body").iterator()
    theirs.add(StoredAnswer, (pk for pk, body in answers if ids_in(body) & named))


def given_up(theirs: Theirs) -> QuerySet[Any]:
    """Return their proposals whose texts go: those that no contract of the project came of."""
    return theirs.of(Proposal).exclude(pk__in=adopted(theirs)).values("pk")


def adopted(theirs: Theirs) -> QuerySet[Any]:
    """Return the proposals that contracts of the project came of, whoever made them, save what describes the person."""
    taken = theirs.all(Proposal).filter(state=ProposalState.APPROVED).exclude(kind__in=NO_CONTRACT)
    return taken.exclude(pk__in=_describing(theirs)).values("pk")


def _describing(theirs: Theirs) -> QuerySet[Any]:
    """Return the proposals that contracts about the person came of."""
    made = theirs.all(Revision).filter(contract_id__in=described_by(theirs), proposal__isnull=False)
    return made.values("proposal_id")


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
        if any(names_any(hit["ref"], theirs, spans) for hit in hits or ()):
            theirs.add(ContextPacket, [pk])


def _refs(theirs: Theirs, model: type[Model]) -> Iterator[tuple[uuid.UUID, str]]:
    return theirs.all(model).values_list("pk", "ref").iterator()
