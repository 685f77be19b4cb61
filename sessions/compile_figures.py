"""What operators are told of compiles: figures layer by layer for Prometheus, and what a span says of a packet."""

from collections import Counter as Tally
from collections.abc import Mapping

from governance import meters
from governance.meters import add, observe
from governance.telemetry import note
from sessions.packets import PacketDraft
from sessions.vocabulary import CompileResult

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1)
COMPILES = meters.counter("greywind_compiles_total", "Requests for context, by how they came out.", ("result", "phase"))
DURATION = meters.histogram("greywind_compile_seconds", "How long a request for context took.", SECONDS, ("result",))
SHARE = meters.histogram("greywind_budget_share", "Used tokens as a share of the input cap.", SHARES)
USED = meters.counter("greywind_layer_tokens_total", "Tokens that a layer took.", ("layer",))
CAP = meters.counter("greywind_layer_cap_tokens_total", "Tokens that a layer might have taken.", ("layer",))
ITEMS = meters.counter("greywind_layer_items_total", "Items of a layer that were in.", ("layer",))
DROPPED = meters.counter("greywind_layer_dropped_total", "Items of a layer that were left out.", ("layer", "reason"))
SHORT = meters.counter("greywind_layer_short_total", "Refusals in which a layer fell short.", ("layer",))
HITS = meters.counter("greywind_retrieved_total", "Passages that were considered and that came in.", ("stage",))
REPORTED = meters.counter("greywind_reported_tokens_total", "Tokens that providers counted.", ("kind",))


def count_compile(draft: PacketDraft, *, seconds: float) -> None:
    """Count a compile that is recorded, and say of the open span what it came to."""
    result = CompileResult.REFUSED if draft.refused else CompileResult.OK
    phase = draft.gathered.material.phase
    add(COMPILES, 1, result, phase)
    observe(DURATION, seconds, result)
    for short in draft.compiled.shortfalls:
        add(SHORT, 1, short.layer)
    if not draft.refused:
        _count_layers(draft)
    _note(draft, result)


def count_usage(usage: Mapping[str, object]) -> None:
    """Count what a provider reported of a packet; what is no count is left out."""
    for kind, tokens in usage.items():
        if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 and kind in KINDS:
            add(REPORTED, tokens, kind)


# The figures of usage that are counted apart: any other name is the reporter's own.
KINDS = frozenset(
    (
        *("input_tokens", "output_tokens", "prompt_tokens", "completion_tokens", "total_tokens"),
        *("cache_read_input_tokens", "cache_creation_input_tokens", "cached_tokens", "reasoning_tokens"),
    )
)


def _count_layers(draft: PacketDraft) -> None:
    if draft.budget.input_cap:
        observe(SHARE, draft.compiled.used / draft.budget.input_cap)
    for layer in draft.compiled.layers:
        add(USED, layer.used, layer.layer)
        add(CAP, layer.cap, layer.layer)
        add(ITEMS, len(layer.items), layer.layer)
        for reason, count in Tally(item["reason"] for item in layer.dropped).items():
            add(DROPPED, count, layer.layer, reason)
    add(HITS, draft.gathered.recalled.found.considered, "considered")
    add(HITS, len(draft.compiled.packet["retrieved"]) if draft.compiled.packet else 0, "in")


def _note(draft: PacketDraft, result: CompileResult) -> None:
    compiled = draft.compiled
    note(
        packet=draft.public_id,
        conversation=draft.thread.public_id,
        model=draft.budget.profile.partition("@")[0],
        profile=draft.budget.profile,
        cap=draft.budget.input_cap,
        used=compiled.used,
        method=compiled.method.value,
        phase=draft.gathered.material.phase.value,
        result=result.value,
        records=draft.gathered.recalled.found.considered,
        dropped=sum(len(layer.dropped) for layer in compiled.layers),
    )
