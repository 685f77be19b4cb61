"""What a packet's row keeps of its decisions: the same content as the answer, without what repeats hundreds of times.

Refs to events of the packet's own session are kept without the session ("/17"); items are lists instead of objects;
actions are kept in runs, without the moment and the trace that all of them share.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sessions.context.compiler import Action
from sessions.context.vocabulary import Step

ITEM_COLUMNS = 3
FULL = Step.FULL.value


def condensed(decisions: Mapping[str, Any], actions: Sequence[Action], *, place: str) -> dict[str, Any]:
    """Return decisions as they are stored; `place` is what the refs of the session's own events begin with."""
    budget = decisions["budget"]
    layers = [
        layer
        | {name: [_item_row(item, place) for item in layer[name]] for name in ("items", "held")}
        | {"dropped": [_dropped_row(item, place) for item in layer["dropped"]]}
        for layer in budget["layers"]
    ]
    return {**decisions, "budget": budget | {"layers": layers}, "actions": _runs(actions, place)}


def restored(stored: Mapping[str, Any], *, place: str, now: str, trace_id: str) -> dict[str, Any]:
    """Return what `condensed` was given, with the actions beside it as `actions`."""
    budget = stored["budget"]
    layers = [
        layer
        | {name: [_item(row, place) for row in layer.get(name, ())] for name in ("items", "held")}
        | {"dropped": [_dropped(row, place) for row in layer["dropped"]]}
        for layer in budget["layers"]
    ]
    actions = [
        {"ts": now, "action": kind, "target": whole_ref(target, place), "reason": reason, "trace_ref": trace_id}
        for kind, reason, targets in stored["actions"]
        for target in targets
    ]
    return {**stored, "budget": budget | {"layers": layers}, "actions": actions}


def _item_row(item: Mapping[str, Any], place: str) -> list[Any]:
    """Most items are whole, and say neither their step nor what the whole takes."""
    row = [item["fidelity"], short_ref(item["ref"], place), item["tokens"]]
    return row if item["step"] == FULL else [*row, item["step"], item["whole"]]


def _item(row: Sequence[Any], place: str) -> dict[str, Any]:
    fidelity, ref, tokens, step, whole = row if len(row) > ITEM_COLUMNS else (*row, FULL, row[2])
    return {"fidelity": fidelity, "ref": whole_ref(ref, place), "tokens": tokens, "step": step, "whole": whole}


def _dropped_row(item: Mapping[str, Any], place: str) -> list[Any]:
    """What has no shorter step does not say how short it could have been."""
    row = [item["reason"], short_ref(item["ref"], place), item["tokens"]]
    return row if item["least"] == item["tokens"] else [*row, item["least"]]


def _dropped(row: Sequence[Any], place: str) -> dict[str, Any]:
    return {"reason": row[0], "ref": whole_ref(row[1], place), "tokens": row[2], "least": row[-1]}


def _runs(actions: Sequence[Action], place: str) -> list[list[Any]]:
    runs = groupby(actions, key=lambda action: (action["action"], action["reason"]))
    return [[kind, reason, [short_ref(action["target"], place) for action in run]] for (kind, reason), run in runs]


def short_ref(ref: str, place: str) -> str:
    """Return the ref of an event of the packet's own session without its `place`, any other as it is."""
    return ref[len(place) - 1 :] if ref.startswith(place) else ref


def whole_ref(ref: str, place: str) -> str:
    """Return what `short_ref` was given."""
    return place + ref[1:] if ref.startswith("/") else ref
