"""Showing a packet again, and explaining it."""

from typing import Any

from governance.actors import Acting
from governance.errors import Gone, NotThere
from governance.scope import project_scope, record
from sessions.context.assembler import assemble
from sessions.context.budget import build_budget
from sessions.context.compiler import compile_packet
from sessions.context.vocabulary import Dialect
from sessions.decisions import restored
from sessions.models import ContextPacket
from sessions.packets import hash_of, ordered, place_of
from sessions.profiles import again
from sessions.receipts import limits_in, material_in

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
    """Return why `ref` was in a packet, was left out, or was never considered."""
    with project_scope(acting, read_only=True):
        decisions = _decisions(_packet(packet_id))
    for layer in decisions["budget"]["layers"]:
        inside = [item for item in layer["items"] if _names(item["ref"], ref)]
        left_out = [item for item in layer["dropped"] if _names(item["ref"], ref)]
        if inside:
            return {"ref": ref, "verdict": "in", "layer": layer["layer"], "items": inside}
        if left_out:
            return {"ref": ref, "verdict": "left_out", "layer": layer["layer"], "items": left_out}
    return {"ref": ref, "verdict": "never_considered", "layer": None, "items": []}


def _packet(packet_id: Any) -> ContextPacket:
    packet = ContextPacket.objects.filter(pk=packet_id).select_related("session").first()
    if packet is None:
        raise NotThere.there("{packet_id}")
    return packet


def _decisions(packet: ContextPacket) -> dict[str, Any]:
    receipt = packet.receipt
    place = place_of(packet.session)
    return restored(packet.decisions, place=place, now=receipt["now"], trace_id=receipt["trace_id"])


def _names(item_ref: str, ref: str) -> bool:
    """An item's ref may carry a fragment that names its part of the source."""
    return item_ref == ref or item_ref.partition("#")[0] == ref


def _rebuilt(packet: ContextPacket) -> dict[str, Any]:
    receipt, decisions = packet.receipt, _decisions(packet)
    needed = frozenset(
        item["ref"].partition("#")[0] for layer in decisions["budget"]["layers"] for item in layer["items"]
    )
    profile = again(*receipt["profile"])
    material = material_in(receipt, packet.session, needed=needed)
    budget = build_budget(profile, phase=material.phase, risk=material.risk, limits=limits_in(receipt))
    compiled = compile_packet(material, budget, counter=profile.counter())
    prompt = None if compiled.packet is None else assemble(compiled, Dialect(receipt["dialect"]))
    if prompt is None or hash_of(compiled, prompt) != packet.packet_hash:
        raise Gone("This packet cannot be rebuilt to the bytes that were recorded.", code="packet_not_reproducible")
    return {
        "packet_id": packet.public_id,
        "trace_id": packet.trace,
        "packet_hash": packet.packet_hash,
        "packet": compiled.packet,
        "prompt": prompt.as_json(),
        **ordered({name: decisions[name] for name in SHOWN}),
        "actions": decisions["actions"],
    }
