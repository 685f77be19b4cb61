"""Showing a packet again, and explaining it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from governance.actors import Acting
from governance.errors import Gone, NotThere
from governance.ids import parse_id, public_id
from governance.scope import project_scope, record
from sessions.context.assembler import Prompt, assemble
from sessions.context.budget import Budget, build_budget
from sessions.context.compiler import Compiled, compile_packet
from sessions.context.material import Material
from sessions.context.profiles import ModelProfile
from sessions.context.vocabulary import Dialect
from sessions.decisions import restored
from sessions.models import ContextPacket
from sessions.packets import hash_of, ordered, place_of
from sessions.profiles import again
from sessions.receipts import limits_in, material_in
from threads.models import Thread

SHOWN = (
    "budget",
    "resolution",
    "session",
    "summary",
    "consolidation",
    "retrieval",
    "warnings",
    "phase",
    "risk",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recompiled:
    """A recorded compile, done once more. `prompt` is None for a refusal."""

    material: Material
    budget: Budget
    profile: ModelProfile
    compiled: Compiled
    prompt: Prompt | None


def show_again(acting: Acting, packet_id: Any) -> dict[str, Any]:
    """Return the answer of a recorded packet, rebuilt from its refs, and record that it was shown.

    Raises NotThere for a packet that is not here, and Gone when it was a refusal, when some of its content is no
    longer permitted, or when today's compiler no longer gives the bytes that were recorded.
    """
    with project_scope(acting):
        packet = _packet(packet_id)
        if packet.refused:
            raise Gone("This compile was refused, so there is no packet to show.", code="packet_was_refused")
        answer = _rebuilt(packet)
        record("context.show", packet.public_id)
        return answer


def explain(acting: Acting, packet_id: Any, ref: str) -> dict[str, Any]:
    """Return why `ref` was in a packet, was left out, or was never considered.

    What the search looked at and did not choose is left out by its `rule`; `by` is the ref that was better, if one.
    """
    with project_scope(acting, read_only=True):
        packet = _packet(packet_id)
        decisions = decisions_in(packet)
    for layer in decisions["budget"]["layers"]:
        inside = [item for item in layer["items"] if _names(item["ref"], ref)]
        left_out = [item for item in layer["dropped"] if _names(item["ref"], ref)]
        if inside:
            return {"ref": ref, "verdict": "in", "layer": layer["layer"], "items": inside}
        if left_out:
            return {"ref": ref, "verdict": "left_out", "layer": layer["layer"], "items": left_out}
    return _not_found(packet.receipt, ref) or {"ref": ref, "verdict": "never_considered", "layer": None, "items": []}


def _not_found(receipt: Mapping[str, Any], ref: str) -> dict[str, Any] | None:
    lost = receipt.get("recall", {}).get("lost", {})
    for rule, rows in lost.items():
        for candidate, *better in rows:
            if candidate == ref:
                told = {"rule": rule, "by": better[0] if better else None}
                return {"ref": ref, "verdict": "left_out", "layer": "memories", "items": [], **told}
    return None


def _packet(packet_id: Any) -> ContextPacket:
    packet = ContextPacket.objects.filter(pk=packet_id).select_related("session").first()
    if packet is None:
        raise NotThere.there("{packet_id}")
    return packet


def decisions_in(packet: ContextPacket) -> dict[str, Any]:
    """Return a packet's decisions as they were answered, its actions among them; the session comes with the packet."""
    receipt = packet.receipt
    place = place_of(packet.session)
    return restored(packet.decisions, place=place, now=receipt["now"], trace_id=receipt["trace_id"])


def _names(item_ref: str, ref: str) -> bool:
    """An item's ref may carry a fragment that names its part of the source."""
    return item_ref == ref or item_ref.partition("#")[0] == ref


def _rebuilt(packet: ContextPacket) -> dict[str, Any]:
    decisions = decisions_in(packet)
    named = [candidate["thread_id"] for candidate in decisions["resolution"]["candidates"]]
    ids = [parse_id("thr", thread, pointer="/thread_id") for thread in named]
    readable = {
        public_id("thr", pk): title for pk, title in Thread.objects.filter(pk__in=ids).values_list("pk", "title")
    }
    return answer_again(packet, for_reader(packet, decisions, readable), recompile(packet, decisions))


def for_reader(packet: ContextPacket, decisions: Mapping[str, Any], readable: Mapping[str, str]) -> dict[str, Any]:
    """Return decisions whose resolution names only the threads that the reader may see: `readable`, id to title.

    Whoever asked for the packet may have threads of its own that others who read the packet know nothing of. The
    packet's own thread is called what the packet calls it; the others are called what they are called now.
    """
    resolution, own = decisions["resolution"], packet.receipt["thread"]
    titles = {**readable, own["thread_id"]: own["title"]}
    seen = [
        {**candidate, "title": titles[candidate["thread_id"]]}
        for candidate in resolution["candidates"]
        if candidate["thread_id"] in readable
    ]
    return {**decisions, "resolution": {**resolution, "candidates": seen}}


def recompile(packet: ContextPacket, decisions: Mapping[str, Any]) -> Recompiled:
    """Compile a recorded packet once more from its receipt, in the open scope of whoever wants to look at it.

    `decisions` are the packet's, restored. Raises Gone when some of its content is no longer permitted, when its
    profile has moved on, or when the bytes are not the recorded ones. A refusal is compiled to a refusal again.
    """
    receipt = packet.receipt
    profile = again(*receipt["profile"])
    material = material_in(receipt, packet.session, needed=carried_by(decisions))
    budget = build_budget(profile, phase=material.phase, risk=material.risk, limits=limits_in(receipt))
    compiled = compile_packet(material, budget, counter=profile.counter())
    prompt = None if compiled.packet is None else assemble(compiled, Dialect(receipt["dialect"]))
    if (prompt is None) != packet.refused or hash_of(compiled, prompt) != packet.packet_hash:
        raise Gone("This packet cannot be rebuilt to the bytes that were recorded.", code="packet_not_reproducible")
    return Recompiled(material=material, budget=budget, profile=profile, compiled=compiled, prompt=prompt)


def carried_by(decisions: Mapping[str, Any]) -> frozenset[str]:
    """Return the refs of the sources that a packet carried, from its decisions."""
    return frozenset(
        item["ref"].partition("#")[0] for layer in decisions["budget"]["layers"] for item in layer["items"]
    )


def answer_again(packet: ContextPacket, decisions: Mapping[str, Any], again: Recompiled) -> dict[str, Any]:
    """Return the answer that a packet was given; raises ValueError for a refusal, which had none."""
    if again.prompt is None:
        raise ValueError("a refused compile has no answer")
    return {
        "packet_id": packet.public_id,
        "trace_id": packet.trace,
        "packet_hash": packet.packet_hash,
        "packet": again.compiled.packet,
        "prompt": again.prompt.as_json(),
        **ordered({name: decisions[name] for name in SHOWN}),
        "actions": decisions["actions"],
    }
