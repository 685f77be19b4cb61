"""The packet: what one compile is answered with, and the record of it."""

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import orjson

from governance.actors import Acting
from governance.ids import parse_id, public_id
from governance.models.base import reach_of
from governance.rows import insert, together
from governance.scope import conclude, record
from governance.telemetry import Operation, traced
from governance.vocabulary import Audience
from memories.models import Injection
from sessions.asking import ContextAsk
from sessions.beginnings import dialogue_out
from sessions.consolidation_due import ask_for_summary
from sessions.context.assembler import Prompt, packet_hash
from sessions.context.budget import Budget, Limit
from sessions.context.compiler import Compiled
from sessions.context.material import HitFact, StandFact
from sessions.context.vocabulary import Section, Threshold, Trigger
from sessions.decisions import condensed
from sessions.gathering import Gathered
from sessions.holding import delta_out, receipt_of_held
from sessions.lifecycle import Opening
from sessions.models import ContextPacket, Session
from sessions.profiles import Chosen
from sessions.receipts import receipt_of
from threads.lifecycle import touch
from threads.models import Thread
from threads.resolution import Resolution, shown


@dataclass(frozen=True, kw_only=True)
class PacketDraft:
    """Everything about one compile, before it is recorded. `prompt` is None for a refusal."""

    id: uuid.UUID
    ask: ContextAsk
    thread: Thread
    resolution: Resolution
    opening: Opening
    gathered: Gathered
    chosen: Chosen
    limits: tuple[Limit, ...]
    budget: Budget
    compiled: Compiled
    prompt: Prompt | None
    packet_hash: str

    @property
    def public_id(self) -> str:
        return public_id("pkt", self.id)

    @property
    def refused(self) -> bool:
        return self.prompt is None

    @cached_property
    def decisions(self) -> Mapping[str, Any]:
        """What was decided, without any content: the part of the answer that is stored as it is."""
        compiled, material = self.compiled, self.gathered.material
        return {
            "budget": budget_out(self.budget, compiled, self.chosen),
            "resolution": shown(self.resolution, self.thread),
            "session": _session_out(self.opening),
            "summary": _summary_out(self),
            "consolidation": _consolidation(self),
            "dialogue": dialogue_out(compiled.beginning, material.beginning),
            "delta": delta_out(material.held, compiled.held, self.ask.have),
            "retrieval": _retrieval(self),
            "warnings": list(compiled.warnings),
            "phase": material.phase.value,
            "risk": material.risk.value,
        }


def hash_of(compiled: Compiled, prompt: Prompt | None) -> str:
    """Return the hash of a packet and its prompt, or '' for a refusal."""
    if compiled.packet is None or prompt is None:
        return ""
    return packet_hash(compiled.packet, prompt.sent)


def answer_of(draft: PacketDraft) -> dict[str, Any] | None:
    """Return the answer to POST /context, None for a refusal."""
    if draft.prompt is None:
        return None
    return {
        "packet_id": None if draft.ask.dry_run else draft.public_id,
        "trace_id": draft.gathered.material.trace_id,
        "packet_hash": draft.packet_hash,
        "packet": draft.compiled.packet,
        "prompt": draft.prompt.as_json(),
        **ordered(draft.decisions),
        "actions": list(draft.compiled.actions),
    }


def place_of(session: Session) -> str:
    """Return what the refs of a session's events begin with."""
    return f"event://{session.public_id}/"


def ordered(value: Any) -> Any:
    """Return a JSON value with the keys of all its objects sorted.

    The database does not keep their order; a packet that is shown again has to have the bytes of the first time.
    """
    return orjson.loads(orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


def budget_out(budget: Budget, compiled: Compiled, chosen: Chosen) -> dict[str, Any]:
    """Return the figures of a budget and what was used of it; reserves + input cap + unused = window."""
    return {
        "profile": budget.profile,
        "profile_origin": chosen.origin,
        "profile_revision": f"revision://{chosen.revision}" if chosen.revision else None,
        "window": budget.window,
        "input_cap": budget.input_cap,
        "input_cap_origin": budget.origin.value,
        "used": compiled.used,
        "unused": budget.unused,
        "method": compiled.method.value,
        "encoding": budget.encoding,
        "reserves": dict(budget.reserves),
        "reserve_origins": {name: origin.value for name, origin in budget.reserve_origins.items()},
        "learnt": chosen.profile.learnt.ref if chosen.profile.learnt else None,
        "groups": {group.value: tokens for group, tokens in budget.groups.items()},
        "layers": [layer.as_json() for layer in compiled.layers],
    }


@traced(Operation.RECORD)
def record_packet(draft: PacketDraft, *, acting: Acting, now: datetime) -> dict[str, Any] | None:
    """Store the packet, what it injected and its ledger entry, in the open scope, which ends with it.

    Returns the answer as `answer_of` does: it is put together while the database stores, and given when it has.
    """
    packet = ContextPacket(
        id=draft.id,
        project_id=acting.project_id,
        thread=draft.thread,
        session=draft.opening.session,
        attempt=draft.opening.attempt,
        actor_id=acting.actor_id,
        role=draft.opening.session.role,
        trace=acting.trace_id,
        dialect=draft.ask.dialect,
        refused=draft.refused,
        packet_hash=draft.packet_hash,
        input_cap=draft.budget.input_cap,
        used=draft.compiled.used,
        receipt=receipt_for(draft),
        decisions=_stored_decisions(draft),
        created_at=now,
        **_reach(draft),
    )
    injected = _injections(draft, packet, now=now)
    detail = {"thread": draft.thread.public_id, "used": packet.used, "cap": packet.input_cap, "memories": len(injected)}
    if _wants_summary(draft):
        ask_for_summary(acting, draft.opening.session)
    verb = "context.refuse" if draft.refused else "context.compile"
    record(verb, packet.public_id, after=draft.packet_hash, detail=detail)
    with together():
        insert(packet)
        insert(*injected)
        touch(draft.thread, acting, role=packet.role, now=now)
        answer = answer_of(draft)
        conclude()
        return answer


def receipt_for(draft: PacketDraft) -> dict[str, Any]:
    """Return the receipt that the packet's row keeps."""
    private = draft.thread.audience == Audience.PRIVATE
    kept = receipt_of(draft.gathered, draft.chosen, draft.limits, draft.ask.dialect, private=private)
    place, compiled = place_of(draft.opening.session), draft.compiled
    items = [item for section in compiled.sections for item in section.items]
    told = {} if draft.ask.client_tokens is None else {"client_tokens": draft.ask.client_tokens}
    return kept | told | receipt_of_held(draft.gathered.holding, items, compiled.held, place=place)


def _stored_decisions(draft: PacketDraft) -> dict[str, Any]:
    """Return the decisions as the row keeps them: of the threads that were looked at their ids and not their titles.

    Whoever asks may have threads of its own, and others read the packet: readers get the titles of what is theirs.
    """
    decisions = condensed(draft.decisions, draft.compiled.actions, place=place_of(draft.opening.session))
    decisions["prefix_hash"] = draft.prompt.stable_prefix_hash if draft.prompt else ""
    decisions["resolution"] = shown(draft.resolution, draft.thread, titles=False)
    if draft.refused:
        decisions["shortfall"] = shortfall_out(draft.compiled)
    return decisions


def shortfall_out(compiled: Compiled) -> list[dict[str, Any]]:
    """Return which layers of a refusal fell short, as answers and rows say it; nothing of a compile that fitted."""
    return [{"layer": s.layer, "needed": s.needed, "available": s.available} for s in compiled.shortfalls]


def _admitted_hits(draft: PacketDraft) -> list[HitFact]:
    inside = {item.source for section in draft.compiled.sections for item in section.items}
    return [hit for hit in draft.gathered.material.hits if hit.ref in inside]


def _injections(draft: PacketDraft, packet: ContextPacket, *, now: datetime) -> list[Injection]:
    carried = {memory for hit in _admitted_hits(draft) if (memory := memory_in(hit.ref)) is not None}
    reach = {name: getattr(packet, name) for name in ("audience", "audience_role", "owner_id")}
    return [
        Injection(project_id=packet.project_id, memory_id=memory, packet_id=packet.id, at=now, created_at=now, **reach)
        for memory in sorted(carried)
    ]


def memory_in(ref: str) -> uuid.UUID | None:
    """Return the id of the memory that a ref names, None for a ref of something else."""
    scheme, _, rest = ref.partition("://")
    return parse_id("mem", rest.partition("@")[0], pointer="/ref") if scheme == "memory" else None


def _reach(draft: PacketDraft) -> dict[str, Any]:
    """Return who may read the packet: the thread's audience, narrowed to the role when a role's fact is in it."""
    # Also a fact that was left out: the packet names it, and why.
    material = draft.gathered.material
    facts: list[HitFact | StandFact] = [*material.hits, *(material.project_state or ())]
    held_by_role = any(fact.reach.audience is Audience.ROLE for fact in facts)
    if draft.thread.audience == Audience.PROJECT and held_by_role:
        return {"audience": Audience.ROLE, "audience_role": draft.opening.session.role, "owner_id": None}
    return reach_of(draft.thread)


def _session_out(opening: Opening) -> dict[str, Any]:
    return {
        "id": opening.session.public_id,
        "state": opening.session.state,
        "attempt_id": opening.attempt.public_id,
        "recovery": opening.recovery.value,
        "missing": list(opening.missing),
    }


def _summary_out(draft: PacketDraft) -> dict[str, Any] | None:
    summary, row = draft.gathered.material.summary, draft.gathered.heads.summary
    if summary is None or row is None:
        return None
    return {
        "id": public_id("sum", uuid.UUID(row["id"])),
        "version": summary.version,
        "covers": summary.covers,
        "stale_since": summary.stale_since,
        "stale_because": list(summary.stale_because),
    }


def _consolidation(draft: PacketDraft) -> dict[str, Any]:
    """Return which threshold the session has passed and by what, and whether a summary of it is asked for.

    `wanted` are the tokens that everything would have taken, `uncovered` the entries that no summary covers; both None
    of a refusal, in which must items alone are over the input cap.
    """
    pressure = draft.compiled.pressure
    if pressure is None:
        passed = {"threshold": Threshold.HARD.value, "trigger": Trigger.INPUT_SHARE.value}
        return {"queued": False, **passed, "wanted": None, "uncovered": None}
    return {
        "queued": _wants_summary(draft),
        "threshold": pressure.threshold.value,
        "trigger": pressure.trigger.value if pressure.trigger else None,
        "wanted": pressure.wanted,
        "uncovered": pressure.uncovered,
    }


def _wants_summary(draft: PacketDraft) -> bool:
    """Whether the packet asks for its session to be summarised: early, while everything still has room."""
    pressure = draft.compiled.pressure
    if pressure is None or draft.ask.dry_run:
        return False
    return pressure.threshold is not Threshold.NONE and pressure.uncovered > 0


def _retrieval(draft: PacketDraft) -> dict[str, Any]:
    admitted = _admitted_hits(draft)
    found = draft.gathered.recalled.found
    return {
        "considered": found.considered,
        "eligible": found.eligible,
        "returned": len(admitted),
        "abstained": not admitted and not any(item.section is Section.MEMORIES for item in draft.compiled.held),
        "sources": dict(sorted(Counter(hit.source_type for hit in admitted).items())),
        "kept_from": draft.gathered.recalled.kept_from or None,
    }
