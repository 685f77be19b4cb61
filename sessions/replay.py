"""Showing a packet again: the same bytes, or the parts that are no longer there."""

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
from sessions.packet_losses import Lost, lost_parts
from sessions.packets import hash_of, ordered, place_of, shortfall_out
from sessions.receipts import GONE, floors_in, limits_in, material_in, profile_in
from sessions.vocabulary import PartLoss, ReplayVerdict
from threads.models import Thread

SHOWN = (
    "budget",
    "resolution",
    "session",
    "summary",
    "consolidation",
    "dialogue",
    "delta",
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
        packet = find_packet(packet_id)
        if packet.refused:
            raise Gone("This compile was refused, so there is no packet to show.", code="packet_was_refused")
        answer = _rebuilt(packet)
        record("context.show", packet.public_id)
        return answer


def replay(acting: Acting, packet_id: Any) -> dict[str, Any]:
    """Compile a recorded packet, or a refusal, once more and say what that came to; shows none of its content.

    `verdict` is identical, parts_lost (`lost` names each part and why), or different: today's compiler gives other
    bytes of the same parts. `hash` is that of this compile, None where there was nothing to compile.
    """
    with project_scope(acting, read_only=True):
        return replayed(find_packet(packet_id)).as_json()


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a replay came to. `recorded` and `hash` are '' for a refusal, `hash` None where nothing was compiled."""

    packet: str
    refused: bool
    verdict: ReplayVerdict
    recorded: str
    hash: str | None
    lost: tuple[Lost, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as an answer says it."""
        return {
            "packet_id": self.packet,
            "refused": self.refused,
            "verdict": self.verdict.value,
            "recorded_hash": self.recorded,
            "hash": self.hash,
            "lost": [one.as_json() for one in self.lost],
        }


def replayed(packet: ContextPacket) -> Replayed:
    """Return what compiling a packet once more comes to, in the open scope."""
    try:
        return verdict_on(packet, recompile(packet, decisions_in(packet)))
    except Lacking as lacking:
        return verdict_on(packet, lacking)


def verdict_on(packet: ContextPacket, again: "Recompiled | Lacking") -> Replayed:
    """Return what it says of a packet that compiling it once more gave this, or failed like this."""
    told: dict[str, Any] = {
        "packet": packet.public_id,
        "refused": packet.refused,
        "recorded": packet.packet_hash,
    }
    if isinstance(again, Lacking):
        verdict = ReplayVerdict.PARTS_LOST if again.lost else ReplayVerdict.DIFFERENT
        return Replayed(**told, verdict=verdict, hash=again.hash, lost=again.lost)
    return Replayed(**told, verdict=ReplayVerdict.IDENTICAL, hash=hash_of(again.compiled, again.prompt))


def find_packet(packet_id: Any) -> ContextPacket:
    """Return a packet with its session, in the open scope; raises NotThere."""
    packet = ContextPacket.objects.filter(pk=packet_id).select_related("session").first()
    if packet is None:
        raise NotThere.there("{packet_id}")
    return packet


def decisions_in(packet: ContextPacket) -> dict[str, Any]:
    """Return a packet's decisions as they were answered, its actions among them; the session comes with the packet."""
    receipt = packet.receipt
    place = place_of(packet.session)
    return restored(packet.decisions, place=place, now=receipt["now"], trace_id=receipt["trace_id"])


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


class Lacking(Gone):
    """A packet that cannot be made again. `lost` names the parts that are gone; without any, the bytes differ."""

    def __init__(self, detail: str, *, code: str, lost: tuple[Lost, ...] = (), hash: str | None = None) -> None:  # noqa: A002 - what it is called everywhere
        super().__init__(detail, code=code, extra={"lost": [one.as_json() for one in lost]})
        self.lost = lost
        self.hash = hash


def recompile(packet: ContextPacket, decisions: Mapping[str, Any]) -> Recompiled:
    """Compile a recorded packet once more from its receipt, in the open scope of whoever wants to look at it.

    `decisions` are the packet's, restored. Raises Lacking when some of its content is no longer permitted, when its
    profile has moved on, or when the bytes are not the recorded ones. A refusal is compiled to a refusal again.
    """
    receipt, needed = packet.receipt, carried_by(decisions)
    try:
        profile = profile_in(receipt)
    except Gone as moved:
        name = "@".join(str(part) for part in receipt["profile"][:2])
        parts = (Lost(f"profile://{name}", PartLoss.MOVED),)
        raise Lacking(moved.detail, code=moved.code, lost=parts) from moved
    try:
        material = material_in(receipt, packet.session, needed=needed)
    except Gone as gone:
        lost = lost_parts(receipt, packet.session_id, needed=needed)
        raise Lacking(gone.detail, code=gone.code, lost=lost) from gone
    made = _compiled(material, profile, receipt)
    found = hash_of(made.compiled, made.prompt)
    if found != packet.packet_hash or shortfall_out(made.compiled) != packet.decisions.get("shortfall", []):
        raise _differs(packet, found, needed)
    return made


def _compiled(material: Material, profile: ModelProfile, receipt: Mapping[str, Any]) -> Recompiled:
    asked: dict[str, Any] = {"limits": limits_in(receipt), "floors": floors_in(receipt)}
    budget = build_budget(profile, phase=material.phase, risk=material.risk, **asked)
    compiled = compile_packet(material, budget, counter=profile.counter())
    prompt = None if compiled.packet is None else assemble(compiled, Dialect(receipt["dialect"]))
    return Recompiled(material=material, budget=budget, profile=profile, compiled=compiled, prompt=prompt)


def _differs(packet: ContextPacket, found: str, needed: frozenset[str]) -> Lacking:
    lost = lost_parts(packet.receipt, packet.session_id, needed=needed)
    if lost:
        return Lacking(GONE, code="content_no_longer_permitted", lost=lost, hash=found)
    message = "This packet cannot be rebuilt to the bytes that were recorded."
    return Lacking(message, code="packet_not_reproducible", hash=found)


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
        **ordered({name: decisions[name] for name in SHOWN if name in decisions}),
        "actions": decisions["actions"],
    }
