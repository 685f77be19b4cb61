"""Which columns hold somebody's words, what is put in their place, and what is kept although a person wrote it."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Model

from governance.models import Comment, Decision, InboxItem, ProposalText, Revision, StoredAnswer
from memories.models import (
    Claim,
    Conflict,
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
from sessions.context.seams import body_tokens
from sessions.context.tokens import exact_counter
from sessions.models import Artifact, ColdSegment, ContextPacket, Event, Handoff, PacketOutcome, Session, WorkSummary
from sessions.models.event import ERASED
from threads.models import Binding, Lineage, Task, Thread, Vision

TOMBSTONE = "(erased · 已抹去)"
GONE_ANSWER = '{"erased": true}'

type Blank = Mapping[str, Any]

# Columns that are emptied at once, for all rows of a kind. Ids, actors, moments, states and counts stay.
BLANKS: Mapping[type[Model], Blank] = {
    Event: {"text": "", "segment": None, "meta": {ERASED: True}},
    ColdSegment: {},  # deleted, once the texts are back in their entries
    Artifact: {"content": "", "size": 0, "lines": 0, "tokens_o200k": 0},
    Handoff: {
        "summary": "",
        "unfinished_items": [],
        "risks": [],
        "resume_suggestion": "",
        "account": {},
        "erased": True,
    },
    WorkSummary: {"sections": {}, "tokens_o200k": 0},
    Session: {"title": "", "resume_point": "", "interruptions": [], "screen_context": None},
    ContextPacket: {},  # emptied row by row: what a packet decided stays
    PacketOutcome: {"result": "", "cited_refs": []},
    Thread: {"title": TOMBSTONE, "summary": "", "tags": [], "keywords": [], "recent_goals": []},
    Task: {"title": TOMBSTONE, "brief": "", "next_steps": []},
    Vision: {"origin_goal": "", "done_when": [], "non_goals": [], "user_priorities": [], "quality_bar": ""},
    Lineage: {"reason": "", "undone_because": ""},
    Binding: {"page": ""},  # the channel is emptied row by row: it tells bindings apart
    Memory: {"content": "", "dedupe_key": "", "change_reason": "", "evidence_gap": ""},
    MemoryVersion: {"content": "", "change_reason": ""},
    MemoryEvidence: {"quote": "", "quote_hash": ""},
    MemoryParent: {"reason": ""},
    GateVerdict: {"explanation": ""},
    Claim: {},  # deleted
    Passage: {},  # deleted
    Embedding: {},  # deleted
    Conflict: {"subject_text": "", "attribute": ""},
    Settlement: {"text": "", "reason": ""},
    Feedback: {"note": ""},
    Offer: {"content": "", "reason": ""},
    InboxItem: {"title": TOMBSTONE},
    StoredAnswer: {"body": GONE_ANSWER, "status": 410},
    ProposalText: {"title": TOMBSTONE, "rationale": ""},  # its body: see proposed bodies below
    Comment: {"text": TOMBSTONE},
    Decision: {"text": ""},
    Revision: {"reason": ""},  # its body: only where it describes the person
}
DELETED: frozenset[type[Model]] = frozenset({Claim, ColdSegment, Embedding, Passage})

# Who said a row, where the row says so. What an agent wrote is not its owner's word, save what it heard users say.
SAID_BY: Mapping[type[Model], str] = {
    Event: "actor",
    Handoff: "author",
    WorkSummary: "author",
    Vision: "author",
    Thread: "created_by",
    Task: "created_by",
    Lineage: "author",
    Session: "opened_by",
    Memory: "proposed_by",
    Feedback: "actor",
    Settlement: "decider",
    PacketOutcome: "actor",
    ContextPacket: "actor",
    ProposalText: "author",
    Comment: "author",
    Decision: "decider",
    Revision: "proposed_by",
    InboxItem: "opened_by",
    Offer: "asked_by",
}
# Where words of theirs may stand again word for word. In these columns they are looked for.
REPEATS: Mapping[type[Model], tuple[str, ...]] = {
    Event: ("text",),
    Artifact: ("content",),
    Handoff: ("summary", "unfinished_items", "risks", "resume_suggestion", "account"),
    WorkSummary: ("sections",),
    Vision: ("origin_goal", "done_when", "non_goals", "user_priorities", "quality_bar"),
    Task: ("title", "brief", "next_steps"),
    Memory: ("content",),
    MemoryVersion: ("content", "change_reason"),
    Offer: ("content", "reason"),
    Settlement: ("text", "reason"),
    Feedback: ("note",),
    ProposalText: ("title", "rationale", "body"),
    Decision: ("text",),
    Comment: ("text",),
    InboxItem: ("title",),
    Session: ("title", "resume_point", "interruptions", "screen_context"),
    ContextPacket: ("receipt",),
    StoredAnswer: ("body",),
}
STAYS = (
    "The ledger: its chain would break. It holds ids, counts and keyed hashes, and the reasons that people gave.",
    "Contract texts that were adopted: they are the project's rules by now, and not one person's words.",
    "What they said to agents that somebody else owns: such an entry does not say who spoke.",
    "Ids that programs chose, such as idempotency keys and the ids of entries: sent again, they must be known again.",
    "Backups, archived write-ahead log, log files, and freed space in data files until VACUUM FULL rewrites them.",
)

ENCODINGS = {"o200k": "o200k_base", "cl100k": "cl100k_base"}


def blank_tokens() -> dict[str, int]:
    """Return the token columns of an event that says nothing."""
    return {f"tokens_{name}": body_tokens("", exact_counter(full)) for name, full in ENCODINGS.items()}
