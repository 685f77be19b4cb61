"""Why something was in a packet, was cut, was not eligible, or was never considered."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from governance.actors import Acting
from governance.scope import project_scope
from memories.models import Passage
from memories.vocabulary import LostBy
from sessions.context.seams import body_tokens
from sessions.context.tokens import STORED_ENCODING, exact_counter
from sessions.context.vocabulary import DropReason, Layer
from sessions.evidence import entries_of
from sessions.models import ContextPacket
from sessions.overlooking import Overseen, overlooked, ref_asked
from sessions.replay import decisions_in, find_packet
from sessions.vocabulary import Explained, Overlooked

GATES = (
    DropReason.AUDIENCE,
    DropReason.SENSITIVITY,
    DropReason.KNOWLEDGE_STATUS,
    DropReason.PHASE,
    DropReason.PLAN_STEP,
    DropReason.STALE,
)
WORDS: Mapping[Overlooked, str] = {
    Overlooked.NOT_THERE: "Nothing of this name is there for you; check how it is spelt, its version included.",
    Overlooked.LATER: "It was made after this packet.",
    Overlooked.ANOTHER_THREAD: "It belongs to another thread, and only what a search finds comes from there.",
    Overlooked.ANOTHER_SESSION: "It belongs to another session, and only what a search finds comes from there.",
    Overlooked.ANOTHER_TASK: "It holds on another task than the one in hand.",
    Overlooked.BEFORE_TAIL: "It is older than what a compile reads of its session, and the search did not bring it.",
    Overlooked.AS_INPUT: "It is what the request itself said, and stands in the packet as the user's input.",
    Overlooked.COVERED: "It is older than what a compile reads of its session; the work summary covers it.",
    Overlooked.NOT_IN_USE: "The memory was not in use when the packet was compiled.",
    Overlooked.REPLACED: "Another version of it was the one to be taken.",
    Overlooked.NOT_PINNED: "It is no contract that the attempt began with.",
    Overlooked.NOT_ASKED: "The turn only went on, so what an earlier packet had found was kept and no search was made.",
    Overlooked.NOT_FOUND: "The search did not bring it: it has too little in common with what was asked.",
    Overlooked.NOT_SEARCHED: "It is of a kind that no search looks through.",
    Overlooked.NOT_LATEST: "The project's state takes the latest summaries of the open threads that were active last.",
    Overlooked.REFUSED: "The request was refused, because what must be in did not fit: nothing entered.",
}

PART_FATES = ("in", "held", "left_out", "never_considered")

type Row = Mapping[str, Any]
type Placed = tuple[Layer, str, Row]
"""A packet's record of an item: in which layer, and under which of its heads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The verdict on one ref. `rule` says what cut it, `gate` what kept it out, `why` why it was not considered.

    `by` is the ref of what was taken in its place, or of the packet that was asked before. `tokens` are those that it
    takes, in part where only a part is in; of what is out, those that it would have needed, None when unknown. `items`
    are the packet's own records of it, and `layer` is theirs where they all stand in one.
    """

    ref: str
    verdict: Explained
    message: str
    layer: Layer | None = None
    items: Sequence[Mapping[str, Any]] = field(default=())
    tokens: int | None = None
    rule: str | None = None
    gate: str | None = None
    why: Overlooked | None = None
    by: str | None = None
    shortfall: Sequence[Row] = field(default=())
    parts: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return it as an answer says it."""
        return {
            "ref": self.ref,
            "verdict": self.verdict.value,
            "layer": self.layer.value if self.layer else None,
            "items": list(self.items),
            "tokens": self.tokens,
            "rule": self.rule,
            "gate": self.gate,
            "why": self.why.value if self.why else None,
            "by": self.by,
            "shortfall": list(self.shortfall),
            "parts": dict(self.parts),
            "message": self.message,
        }


def explain(acting: Acting, packet_id: Any, ref: str) -> Explanation:
    """Return what became of `ref` in a packet; a bare public id stands for its ref. Raises NotThere for the packet."""
    with project_scope(acting, read_only=True):
        packet = find_packet(packet_id)
        return explanation(packet, decisions_in(packet), ref)


def explanation(packet: ContextPacket, decisions: Mapping[str, Any], ref: str) -> Explanation:
    """Return what became of `ref` in a packet with these decisions, restored, in the open scope."""
    asked = ref_asked(ref, packet)
    found = _in_layers(asked, decisions) or _lost_in_search(asked, packet.receipt)
    return found or _overlooked(asked, overlooked(packet, decisions, asked), packet)


def _in_layers(ref: str, decisions: Mapping[str, Any]) -> Explanation | None:
    """Look for all that came of what is named: the item and its parts, the entries of a span, what is of a session."""
    entries, named = entries_of(ref), _named_by(ref, decisions)
    found = [
        (Layer(layer["layer"]), kind, row)
        for layer in decisions["budget"]["layers"]
        for kind in TOLD
        for row in layer.get(kind, ())
        if named(row["ref"])
    ]
    there = {_source(row["ref"]) for _, _, row in found}
    return _told(ref, found, missing=sum(entry not in there for entry in entries)) if found else None


def _named_by(ref: str, decisions: Mapping[str, Any]) -> Callable[[str], bool]:
    """Return what tells whether an item is meant by a ref, which may leave out its part and its version."""
    if entries := frozenset(entries_of(ref)):
        return lambda item: _source(item) in entries
    scheme, _, session = ref.partition("://")
    if scheme == "session" and "#" not in session:
        summary = decisions["summary"]
        own = summary and summary["covers"].startswith(f"event://{session}/")
        told = f"summary://{summary['id']}@{summary['version']}" if own else ref
        return lambda item: item.startswith(f"event://{session}/") or _source(item) in (ref, told)
    return lambda item: ref in (item, _source(item), _source(item).partition("@")[0])


def _source(item: str) -> str:
    return item.partition("#")[0]


def _told(ref: str, found: Sequence[Placed], *, missing: int) -> Explanation:
    """Say what became of all of it; what is in is not left out, though it lost another place."""
    inside = {_source(row["ref"]) for _, kind, row in found if kind != "dropped"}
    found = [placed for placed in found if not _is_echo(placed, inside)]
    layers = {layer for layer, _, _ in found}
    by_kind = {kind: [row for _, one, row in found if one == kind] for kind in TOLD}
    [*kinds] = [kind for kind, rows in by_kind.items() if rows]
    layer = layers.pop() if len(layers) == 1 else None
    if len(kinds) == 1 and not missing:
        return TOLD[kinds[0]](ref, layer, by_kind[kinds[0]])
    return _partly(ref, layer, by_kind, missing=missing)


def _is_echo(placed: Placed, inside: Set[str]) -> bool:
    _, kind, row = placed
    return kind == "dropped" and row["reason"] == DropReason.DUPLICATE and _source(row["ref"]) in inside


def _partly(ref: str, layer: Layer | None, by_kind: Mapping[str, Sequence[Row]], *, missing: int) -> Explanation:
    inside, held, dropped = by_kind["items"], by_kind["held"], by_kind["dropped"]
    counts = {
        "in": len(inside),
        "held by the caller": len(held),
        f"left out by {_reasons(dropped)}": len(dropped),
        "never considered": missing,
    }
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return Explanation(
        ref=ref,
        verdict=Explained.PARTLY if inside or held else Explained.CUT,
        layer=layer,
        items=[*inside, *held, *dropped],
        tokens=_sum([*inside, *held] or dropped),
        message=f"Of its {sum(counts.values())} parts: {told}.",
        parts=dict(zip(PART_FATES, counts.values(), strict=True)),
        **_why_out(dropped),
    )


def _why_out(dropped: Sequence[Row]) -> dict[str, Any]:
    """Return the rule or the gate that left things out, where it is one for all."""
    reasons = {row["reason"] for row in dropped}
    if len(reasons) != 1:
        return {}
    [reason] = reasons
    return {"gate" if reason in GATES else "rule": reason}


def _reasons(dropped: Sequence[Row]) -> str:
    return " and ".join(dict.fromkeys(row["reason"] for row in dropped))


def _inside(ref: str, layer: Layer | None, items: Sequence[Row]) -> Explanation:
    message = "It was in the packet."
    return Explanation(ref=ref, verdict=Explained.IN, message=message, layer=layer, items=items, tokens=_sum(items))


def _held(ref: str, layer: Layer | None, items: Sequence[Row]) -> Explanation:
    message = "It belongs to the packet and was not sent again: the caller said that it holds it."
    return Explanation(ref=ref, verdict=Explained.HELD, message=message, layer=layer, items=items, tokens=_sum(items))


def _dropped(ref: str, layer: Layer | None, items: Sequence[Row]) -> Explanation:
    told: dict[str, Any] = {"ref": ref, "layer": layer, "items": items, "tokens": _sum(items), **_why_out(items)}
    if all(row["reason"] in GATES for row in items):
        message = f"The gate {_reasons(items)} kept it out, whatever room there was."
        return Explanation(verdict=Explained.NOT_ELIGIBLE, message=message, **told)
    message = f"It was considered, and the rule {_reasons(items)} left it out."
    return Explanation(verdict=Explained.CUT, message=message, **told)


TOLD = {"items": _inside, "held": _held, "dropped": _dropped}  # what a layer's report keeps, and what is told of it


def _lost_in_search(ref: str, receipt: Mapping[str, Any]) -> Explanation | None:
    """Say by which rule a candidate of the search lost: it may have been named without its version."""
    lost: Mapping[str, Sequence[Sequence[str]]] = receipt.get("recall", {}).get("lost", {})
    for rule, rows in lost.items():
        for candidate, *better in rows:
            if candidate == ref or candidate.partition("@")[0] == ref:
                return _outranked(candidate, LostBy(rule), better[0] if better else None)
    return None


def _outranked(ref: str, rule: LostBy, by: str | None) -> Explanation:
    text = Passage.objects.filter(ref=ref).values_list("text", flat=True).first()
    return Explanation(
        ref=ref,
        verdict=Explained.CUT,
        layer=Layer.MEMORIES,
        tokens=None if text is None else body_tokens(text, exact_counter(STORED_ENCODING)),
        rule=rule.value,
        by=by,
        message=f"The search looked at it, and the rule {rule.value} left it out.",
    )


def _overlooked(ref: str, seen: Overseen, packet: ContextPacket) -> Explanation:
    told: dict[str, Any] = {"ref": ref, "by": seen.by}
    if seen.why is Overlooked.REFUSED:
        short: Sequence[Row] = packet.decisions["shortfall"]
        layers = ", ".join(f"{one['layer']} needs {one['needed']} tokens of {one['available']}" for one in short)
        message = f"{WORDS[seen.why]} Tokens that are short: {layers}."
        return Explanation(verdict=Explained.NEVER_CONSIDERED, why=seen.why, message=message, shortfall=short, **told)
    if seen.gate is not None:
        message = f"The gate {seen.gate.value} kept it from being looked at: not everyone there may read it."
        return Explanation(verdict=Explained.NOT_ELIGIBLE, gate=seen.gate.value, message=message, **told)
    return Explanation(verdict=Explained.NEVER_CONSIDERED, why=seen.why, message=WORDS[seen.why], **told)


def _sum(items: Sequence[Mapping[str, Any]]) -> int:
    return sum(item["tokens"] for item in items)
