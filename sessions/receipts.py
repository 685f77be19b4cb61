"""Receipts: what a packet was made of, kept as refs where the source cannot change and as values where it can.

A packet is replayed by filling the same Material from its receipt and compiling again: same material, same bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from governance.errors import Gone
from governance.ids import parse_id
from governance.models import Revision
from governance.vocabulary import Destination, Phase, Risk, Sensitivity
from sessions.context.budget import Limit
from sessions.context.floors import Floors, floors_of
from sessions.context.material import (
    Beginning,
    ConstraintFact,
    Eligibility,
    HeldFact,
    HitFact,
    InputFact,
    Material,
    OpenTask,
    SessionFact,
    TaskFact,
    ThreadFact,
)
from sessions.context.profiles import ModelProfile
from sessions.context.vocabulary import Dialect, Layer, LimitOrigin
from sessions.facts import contract_fact, event_facts, handoff_fact, profile_fact, summary_fact, vision_fact
from sessions.fallen import Fall, Fallen, fallen_in, material_without
from sessions.gathering import REVISIONS, Gathered
from sessions.hit_texts import texts_then
from sessions.holding import held_in
from sessions.models import Event, Session
from sessions.profiles import Chosen, again, of_request
from sessions.project_state import stands_then
from sessions.reading import events_at, place_in, versions_of
from sessions.recalling import hit_out, hits_again, recall_out
from sessions.vocabulary import EventKind

type Receipt = Mapping[str, Any]
GONE = "Something this packet was made of is no longer there for you, so it cannot be shown again."


def receipt_of(
    gathered: Gathered, chosen: Chosen, limits: Sequence[Limit], dialect: Dialect, *, private: bool
) -> dict[str, Any]:
    """Return the receipt of one compile, as JSON. `private` says that the packet is its owner's alone."""
    material, heads = gathered.material, gathered.heads
    contracts = {kind: getattr(material, kind) for kind in REVISIONS}
    return {
        "profile": chosen.place,
        "limits": [[limit.origin.value, limit.tokens] for limit in limits],
        "floors": dict(floors_of(material.policy.body if material.policy else None)),
        "dialect": dialect.value,
        "revisions": {kind: fact.ref for kind, fact in contracts.items() if fact is not None},
        "vision": heads.vision["id"] if heads.vision else None,
        "summary": heads.summary["id"] if heads.summary else None,
        "summary_refused": heads.summary["refused"] if heads.summary else None,
        "handoff": heads.handoff["id"] if heads.handoff else None,
        "thread": asdict(material.thread),
        "session": asdict(material.session),
        "fallen": dict(gathered.fallen.fates),
        "fallen_since": dict(gathered.fallen.since),
        "constraints": [fact.ref for fact in material.constraints],
        "retired": list(material.retired),
        "events": _spans(gathered.event_seqs),
        "beginning": list(material.beginning) if material.beginning else None,
        "hits": [hit_out(fact) for fact in material.hits],
        **({} if gathered.stands is None else {"project_state": [stand.as_json() for stand in gathered.stands]}),
        "recall": recall_out(gathered.recalled, private=private),
        "input": asdict(material.user_input),
        "eligibility": asdict(material.eligibility),
        "phase": material.phase.value,
        "risk": material.risk.value,
        "trace_id": material.trace_id,
        "now": material.now,
        "warnings": list(material.warnings),
    }


def limits_in(receipt: Receipt) -> list[Limit]:
    """Return the limits a packet was compiled under."""
    return [Limit(LimitOrigin(origin), tokens) for origin, tokens in receipt["limits"]]


def floors_in(receipt: Receipt) -> Floors:
    """Return the floors that the policy asked for; none where a packet was compiled before they were kept."""
    return {Layer(name): share for name, share in receipt.get("floors", {}).items()}


def profile_in(receipt: Receipt) -> ModelProfile:
    """Return the profile that a packet was compiled with; raises Gone when it has moved on since."""
    told = receipt.get("client_tokens")
    return of_request(again(*receipt["profile"]), Dialect(receipt["dialect"]), client_tokens=told)


def eligibility_in(receipt: Receipt) -> Eligibility:
    """Return what might enter a packet."""
    values = receipt["eligibility"]
    return Eligibility(
        destination=Destination(values["destination"]),
        private_owner=values["private_owner"],
        roles=tuple(values["roles"]),
        highest_sensitivity=Sensitivity(values["highest_sensitivity"]),
        lowest_knowledge_status=values["lowest_knowledge_status"],
    )


def material_in(receipt: Receipt, session: Session, *, needed: frozenset[str]) -> Material:
    """Fill the material of a receipt from its refs, in the open scope.

    `needed` are the refs that the packet carried. Raises Gone when one of them is no longer there for this reader,
    or no longer says what it said.
    """
    revisions = _revisions(receipt["revisions"])
    rows = versions_of(receipt["vision"], receipt["summary"], receipt["handoff"])
    for name, row in zip(("vision", "summary", "handoff"), rows, strict=True):
        if receipt[name] is not None and row is None:
            raise Gone(GONE, code="content_no_longer_permitted")
    vision, summary, handoff = rows[0], summary_fact(_refused_then(receipt, rows[1])), handoff_fact(rows[2])
    stands = stands_then(receipt.get("project_state"), needed=needed)
    events = event_facts(session, events_at(session, _seqs(receipt["events"])))
    hits = _hits(receipt["hits"], needed)
    said = [*(one.text for one in events if one.ref in needed), *(one.content for one in hits if one.ref in needed)]
    now = fallen_in(summary, handoff, *(stand.summary for stand in stands or ()), said=said)
    policy, profile = revisions.get("policy"), revisions.get("self_profile")
    material = Material(
        persona=contract_fact(revisions["persona"]),
        role=contract_fact(revisions["role"]),
        policy=contract_fact(policy) if policy else None,
        self_profile=profile_fact(profile) if profile else None,
        vision=vision_fact(vision),
        thread=thread_in(receipt),
        session=SessionFact(**receipt["session"] | {"interruptions": tuple(receipt["session"]["interruptions"])}),
        summary=summary,
        handoff=handoff,
        user_input=InputFact(**receipt["input"]),
        eligibility=eligibility_in(receipt),
        constraints=_constraints(receipt["constraints"]),
        retired=tuple(receipt.get("retired", ())),
        events=events,
        hits=hits,
        project_state=stands,
        held=_held(receipt, session),
        beginning=Beginning(*begin) if (begin := receipt.get("beginning")) else None,
        phase=Phase(receipt["phase"]),
        risk=Risk(receipt["risk"]),
        trace_id=receipt["trace_id"],
        now=receipt["now"],
        warnings=tuple(receipt["warnings"]),
    )
    return material_without(material, _fallen_then(receipt, now))


def _refused_then(receipt: Receipt, summary: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """A version that was turned down since then had not been turned down when the packet was made."""
    return {**summary, "refused": receipt.get("summary_refused")} if summary is not None else None


def _fallen_then(receipt: Receipt, now: Fallen) -> Fallen:
    """Return what had fallen when the packet was compiled; raises Gone for what was revoked since."""
    then = {ref: Fall(fate) for ref, fate in receipt.get("fallen", {}).items()}
    if any(fate is Fall.REVOKED and then.get(ref) is not Fall.REVOKED for ref, fate in now.fates.items()):
        raise Gone(GONE, code="content_no_longer_permitted")
    return Fallen(fates=then, since=receipt.get("fallen_since", {}))


def _spans(seqs: Sequence[int]) -> list[list[int]]:
    runs = groupby(enumerate(seqs), key=lambda pair: pair[1] - pair[0])
    return [[group[0][1], group[-1][1]] for group in (list(run) for _, run in runs)]


def _seqs(spans: Sequence[Sequence[int]]) -> list[int]:
    return [seq for first, last in spans for seq in range(first, last + 1)]


def _revisions(refs: Mapping[str, str]) -> dict[str, Revision]:
    ids = {parse_id("rev", ref.partition("://")[2], pointer="/ref"): kind for kind, ref in refs.items()}
    found = {ids[row.pk]: row for row in Revision.objects.filter(pk__in=list(ids))}
    if len(found) != len(ids):
        raise Gone(GONE, code="content_no_longer_permitted")
    return found


def thread_in(receipt: Receipt) -> ThreadFact:
    """Return the thread as a packet knew it."""
    values = receipt["thread"]
    task = values["task"]
    lists = {name: tuple(values[name]) for name in ("tags", "linked_task_ids")}
    others = tuple(OpenTask(**{**row, "waits_for": tuple(row["waits_for"])}) for row in values.get("open_tasks", ()))
    return ThreadFact(**{**values, **lists, "task": _task(task) if task else None, "open_tasks": others})


def _task(values: Mapping[str, Any]) -> TaskFact:
    lists = {name: tuple(values[name]) for name in ("depends_on", "next_steps")}
    return TaskFact(**{**values, **lists, "phase": Phase(values["phase"]), "risk": Risk(values["risk"])})


def _constraints(refs: Sequence[str]) -> tuple[ConstraintFact, ...]:
    if not refs:
        return ()
    places = [place_in(ref) for ref in refs]
    # By their kind as well: beside them the numbers of one session name what others said, which may rest compressed.
    demands = Event.objects.filter(kind=EventKind.CONSTRAINT, session_id__in={place[0] for place in places})
    rows = demands.filter(seq__in={place[1] for place in places})
    texts = {(row.session_id, row.seq): row.text for row in rows.only("session_id", "seq", "text")}
    if any(place not in texts for place in places):
        raise Gone(GONE, code="content_no_longer_permitted")
    return tuple(ConstraintFact(ref=ref, text=texts[place]) for ref, place in zip(refs, places, strict=True))


def _held(receipt: Receipt, session: Session) -> HeldFact | None:
    try:
        return held_in(receipt, session)
    except LookupError as lost:
        raise Gone(GONE, code="content_no_longer_permitted") from lost


def _hits(rows: Sequence[Mapping[str, Any]], needed: frozenset[str]) -> tuple[HitFact, ...]:
    kept = hits_again(rows, texts_then(rows) if rows else {})
    if not needed.intersection(row["ref"] for row in rows) <= {fact.ref for fact in kept}:
        raise Gone(GONE, code="content_no_longer_permitted")
    return kept
