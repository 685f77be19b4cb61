"""What the window of whoever asks holds already: what earlier packets brought there, if it is still the same window."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from governance.ids import parse_id, public_id
from governance.rows import fetch
from sessions.asking import Have, Holding
from sessions.context.held import delivered_by
from sessions.context.items import Item
from sessions.context.material import HeldFact, Material
from sessions.decisions import short_ref, whole_ref
from sessions.gathering import Gathered
from sessions.lifecycle import Opening
from sessions.models import Attempt, ContextPacket, Session
from sessions.reading import decoded
from sessions.vocabulary import Recovery

SAME_WINDOW = (Recovery.CONTINUED, Recovery.RESUMED)
STABLE = ("revision", "vision", "thread", "task")
"""Schemes of what stands in a stable prefix and is optional there."""
ONE_VERSION = (*STABLE, "summary", "handoff")
"""Schemes of which one version is in force: an older one that was delivered is replaced."""
# The packet that is named, which entries came out of this window itself, and which of the memories that the packet
# had brought are still in force: one statement, since every turn of a harness asks it. Of its own entries a window is
# believed to hold those since the packet alone: it may have been compacted before, and was given the packet after it.
HELD = """
WITH base AS (
  SELECT k.id, k.attempt_id, a.provider_session_id, k.actor_id, k.receipt -> 'delivered' AS delivered,
    k.decisions ->> 'prefix_hash' AS prefix_hash, (k.receipt #>> '{events,-1,1}')::int AS newest
  FROM agent_sessions_contextpacket k
  JOIN agent_sessions_attempt a ON a.id = k.attempt_id AND a.project_id = k.project_id
  WHERE k.project_id = %(project)s AND k.id = %(packet)s::uuid AND k.session_id = %(session)s AND NOT k.refused
)
SELECT (SELECT to_json(b) FROM base b),
  (SELECT json_agg(e.seq) FROM agent_sessions_event e
   JOIN agent_sessions_attempt a ON a.id = e.attempt_id AND a.project_id = e.project_id
   WHERE e.session_id = %(session)s AND e.seq = ANY(%(seqs)s) AND e.actor_id = %(actor)s
     AND e.seq > coalesce((SELECT b.newest FROM base b), 0)
     AND (a.id = %(attempt)s OR a.provider_session_id = %(provider)s::uuid)),
  (SELECT json_agg(p.ref) FROM memories_passage p
   WHERE p.live AND p.ref IN (SELECT named FROM base, jsonb_object_keys(base.delivered) named
                              WHERE named LIKE 'memory://%%'))
"""
MOST_MEMORIES = 200  # of a chain of packets, that are watched for being taken back


class Told(NamedTuple):
    """What the database says of it: the packet's row, the caller's own entries, and memories that are in force."""

    base: Mapping[str, Any] | None
    own: frozenset[str]
    live: frozenset[str]


def holding_of(have: Have | None, opening: Opening, gathered: Gathered) -> Holding:
    """Return what is held, in the open scope. Never raises: what cannot be relied on gives a whole packet."""
    if have is None or have.nothing:
        return Holding(asked=have is not None or opening.attempt.provider_session_id is not None)
    if opening.recovery not in SAME_WINDOW:
        return _whole("have_window_gone: this is another window than the one that held it, so the packet is whole.")
    told = _told(have, opening, gathered)
    warning = None if have.alone else _unfit(told.base, have, opening.attempt)
    return _whole(warning) if warning else _held(have, opening.session, gathered.material, told)


def receipt_of_held(holding: Holding, items: Sequence[Item], held: Sequence[Item], *, place: str) -> dict[str, Any]:
    """Return what a receipt keeps: what this packet and those before it brought, and what it was a delta against."""
    kept: dict[str, Any] = {}
    fact = holding.fact
    if holding.asked or fact is not None:
        memories = {ref: mark for ref, mark in (fact.delivered if fact else {}).items() if ref.startswith("memory://")}
        gone = set(fact.withdrawn) if fact else set()
        carried = [(ref, mark) for ref, mark in memories.items() if ref not in gone][-MOST_MEMORIES:]
        delivered = dict(carried) | delivered_by([*items, *held])
        kept["delivered"] = {short_ref(ref, place): mark for ref, mark in delivered.items()}
    if fact is not None:
        refs = sorted(short_ref(ref, place) for ref in fact.refs)
        told = {"base": fact.base, "stable_only": holding.stable_only, "refs": refs}
        kept["held"] = told | {"withdrawn": list(fact.withdrawn)}
    return kept


def delta_out(fact: HeldFact | None, held: Sequence[Item], have: Have | None) -> dict[str, Any] | None:
    """Return what a delta packet left out as held, and against what; None of a whole packet.

    Must items are always sent; of the refs that the caller named, `unused` name nothing that would have been sent.
    """
    if fact is None:
        return None
    used = {ref for item in held for ref in (item.ref, item.source)}
    return {
        "against": fact.base,
        "held_items": len(held),
        "tokens_saved": sum(item.tokens for item in held),
        "withdrawn": list(fact.withdrawn),
        "unused": sorted(have.refs - used) if have else [],
    }


def held_in(receipt: Mapping[str, Any], session: Session) -> HeldFact | None:
    """Return what a recorded packet was a delta against, None for a whole one; raises LookupError for a lost base."""
    told = receipt.get("held")
    if told is None:
        return None
    delivered: Mapping[str, str] = {}
    if told["base"] is not None:
        base = ContextPacket.objects.filter(session=session, pk=parse_id("pkt", told["base"], pointer="/have"))
        stored = base.values_list("receipt__delivered", flat=True).first()
        if stored is None:
            raise LookupError(told["base"])
        delivered = _delivered(stored, session, stable_only=told["stable_only"])
    place = f"event://{session.public_id}/"
    refs = frozenset(whole_ref(ref, place) for ref in told["refs"])
    return HeldFact(base=told["base"], delivered=delivered, refs=refs, withdrawn=tuple(told["withdrawn"]))


def _whole(warning: str) -> Holding:
    return Holding(warning=warning, asked=True)


def _told(have: Have, opening: Opening, gathered: Gathered) -> Told:
    attempt, session = opening.attempt, opening.session
    values = {
        "project": session.project_id,
        "session": session.pk,
        "packet": None if have.alone else have.packet or (gathered.heads.last or {}).get("id"),
        "seqs": list(gathered.event_seqs) if have.transcript else [],
        "actor": attempt.actor_id,
        "attempt": attempt.pk,
        "provider": attempt.provider_session_id,
    }
    [row] = fetch(HELD, values)
    base, own, live = map(decoded, row)
    return Told(base, frozenset(f"event://{session.public_id}/{seq}" for seq in own or ()), frozenset(live or ()))


def _unfit(base: Mapping[str, Any] | None, have: Have, attempt: Attempt) -> str | None:
    """Return why a packet is no ground to go on from, None where it is."""
    if base is None:
        return "have_unknown_packet: this session has no such packet, so this one is whole."
    provider, resumed = attempt.provider_session_id, attempt.recovery == Recovery.RESUMED
    same = base["attempt_id"] == str(attempt.pk) or (resumed and base["provider_session_id"] == str(provider))
    if not same or base["actor_id"] != str(attempt.actor_id):
        return "have_window_gone: that packet went to another window than this one, so this one is whole."
    if base["delivered"] is None:
        return "have_not_kept: what that packet brought was not noted; ask with have: {} first. This one is whole."
    if have.prefix_hash is not None and have.prefix_hash != base["prefix_hash"]:
        return "have_mismatch: the stable prefix was another one there, so this packet is whole."
    return None


def _held(have: Have, session: Session, material: Material, told: Told) -> Holding:
    stable_only = told.base is not None and have.packet is None
    delivered = _delivered(told.base["delivered"], session, stable_only=stable_only) if told.base else {}
    fact = HeldFact(
        base=public_id("pkt", uuid.UUID(told.base["id"])) if told.base else None,
        delivered=delivered,
        refs=have.refs | told.own,
        withdrawn=_withdrawn(delivered, material, live=told.live),
    )
    return Holding(fact=fact, stable_only=stable_only, asked=True)


def _delivered(stored: Mapping[str, str], session: Session, *, stable_only: bool) -> dict[str, str]:
    place = f"event://{session.public_id}/"
    delivered = {whole_ref(ref, place): mark for ref, mark in stored.items()}
    return {ref: mark for ref, mark in delivered.items() if _scheme(ref) in STABLE} if stable_only else delivered


def _withdrawn(delivered: Mapping[str, str], material: Material, *, live: frozenset[str]) -> tuple[str, ...]:
    """Return what was delivered and is not in force any more: versions that were replaced, memories taken back."""
    thread = material.thread
    facts = (material.persona, material.role, material.policy, material.self_profile, material.vision, thread)
    told = (thread.task, material.summary, material.handoff)
    present = {fact.ref for fact in (*facts, *told) if fact is not None}
    present |= {stand.summary.ref for stand in material.project_state or ()}
    sources = dict.fromkeys(ref.partition("#")[0] for ref in delivered)
    replaced = [ref for ref in sources if _scheme(ref) in ONE_VERSION and ref not in present]
    return (*replaced, *(ref for ref in sources if _scheme(ref) == "memory" and ref not in live))


def _scheme(ref: str) -> str:
    return ref.partition("://")[0]
