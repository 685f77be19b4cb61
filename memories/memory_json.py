"""A memory as JSON: as the API shows it, in a list, and as the answer to whoever proposed it."""

from datetime import datetime
from typing import Any

import regex

from governance import refs
from governance.actors import Acting
from governance.ids import public_id
from governance.web import row_here
from memories.as_of import Then
from memories.effects import SOURCE_OF
from memories.models import Claim, Memory, MemoryEvidence, MemoryMove
from memories.models.claim import MOST_CLAIMS
from memories.usefulness import Use, importance_now
from memories.vocabulary import PENDING, MemoryKind, MemoryType, ScopeType, WriteOutcome
from memories.wishes import Written

EXCERPT = regex.compile(r"\X{0,200}")  # of a text in a list: enough to know it again


def memory_here(memory_id: str) -> Memory:
    """Return a memory of the open scope by public id; raises NotThere for a foreign, unknown or malformed one."""
    return row_here(Memory.objects.all(), "mem", memory_id, pointer="{memory_id}")


def memory_out(memory: Memory) -> dict[str, Any]:
    """Return a memory as the API shows it."""
    fields = [
        "type",
        "kind",
        "action",
        "content",
        "version",
        "scope_type",
        "importance",
        "confidence",
        "origin",
        "source_rank",
        "sensitivity",
        "retention_days",
        "write_mode",
        "knowledge_status",
        "status",
        "reason_code",
        "evidence_gap",
        "change_reason",
        "audience",
        "valid_from",
        "valid_to",
        "observed_at",
        "created_at",
        "updated_at",
    ]
    prefix = {ScopeType.THREAD: "thr", ScopeType.TASK: "tsk"}.get(ScopeType(memory.scope_type))
    return {
        "id": memory.public_id,
        "ref": memory.ref,
        "scope_id": public_id(prefix, memory.scope_id) if prefix and memory.scope_id else None,
        "target_id": public_id("mem", memory.target_id) if memory.target_id else None,
        **{name: getattr(memory, name) for name in fields},
    }


def brief_out(memory: Any) -> dict[str, Any]:
    """Return a memory as a list shows it; its `head` is the beginning of its text."""
    head = EXCERPT.match(memory.head)
    fields = ["type", "kind", "action", "version", "status", "reason_code", "evidence_gap", "created_at", "updated_at"]
    return {
        "id": memory.public_id,
        "ref": memory.ref,
        "target_id": public_id("mem", memory.target_id) if memory.target_id else None,
        "excerpt": head.group() if head else "",
        **{name: getattr(memory, name) for name in fields},
    }


def held_out(memory: Any) -> dict[str, Any]:
    """Return a row of `held_at` as a list shows it: its version and text of then, and what has become of it since."""
    then = {"version": memory.version_then, "ref": f"memory://{memory.public_id}@{memory.version_then}"}
    return brief_out(memory) | then


def then_out(then: Then) -> dict[str, Any]:
    """Return what a search of the past found, as a search shows it."""
    row = then.row
    return {
        "ref": f"memory://{row.public_id}@{row.version_then}",
        "source_type": SOURCE_OF[MemoryKind(row.kind)],
        "content": row.head,
        "score": then.score,
        "reason": f"shares {', '.join(then.shared)}; held then",
        "origin": row.origin,
        "knowledge_status": row.knowledge_status,
        "confidence": row.confidence,
        "as_of": row.said_at,
    }


def written_out(acting: Acting, written: Written) -> dict[str, Any]:
    """Return what a writer hears: what became of the proposal and why, and nothing of what others wrote."""
    memory, duplicate = written.memory, written.outcome is WriteOutcome.DUPLICATE_OF
    own = memory.proposed_by_id == acting.actor_id
    named = {"id": memory.public_id, "ref": memory.ref, "status": memory.status, "version": memory.version}
    return {
        **(memory_out(memory) if own else named),
        "outcome": written.outcome,
        "held": memory.status in PENDING,  # also where it is said again by what waits already
        "code": written.code,
        "missing": written.missing,
        "duplicate_of": memory.public_id if duplicate else None,
        "conflict_id": written.conflict.public_id if written.conflict else None,
    }


def whole_out(acting: Acting, memory: Memory, *, now: datetime) -> dict[str, Any]:
    """Return a memory with its evidence, claims and moves, and what is left of its importance.

    Words of what is closed to this reader stay closed.
    """
    rows = list(MemoryEvidence.objects.filter(memory=memory).order_by("ordinal"))
    opening = refs.which_resolve([row.ref for row in rows], acting)
    moves = MemoryMove.objects.filter(memory=memory).order_by("at", "id")
    said_at = memory.last_confirmed_at or memory.said_at
    use = Use(type=MemoryType(memory.type), importance=memory.importance, confirmed_at=said_at)
    return memory_out(memory) | {
        "importance_now": importance_now(use, now=now),
        "last_confirmed_at": memory.last_confirmed_at,
        "expires_at": memory.expires_at,
        "archived_for": memory.archived_for,
        "evidence": [
            {"ref": row.ref, "quote": row.quote if row.ref in opening else "", "readable": row.ref in opening}
            for row in rows
        ],
        "claims": [
            _claim_out(claim)
            for claim in Claim.objects.filter(memory=memory, ordinal__lt=MOST_CLAIMS).order_by("ordinal")
        ],
        "history": [{"from": move.here, "to": move.there, "code": move.code, "at": move.at} for move in moves],
    }


def _claim_out(claim: Claim) -> dict[str, Any]:
    fields = ["subject_text", "open_class", "attribute", "value_text", "unit", "valid_from", "valid_to", "inferred"]
    return {name: getattr(claim, name) for name in fields}
