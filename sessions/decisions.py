"""What a packet's row keeps of its decisions: the same content as the answer, without what repeats hundreds of times.

Refs to events of the packet's own session are kept without the session ("/17"); items are lists instead of objects;
actions are kept in runs, without the moment and the trace that all of them share.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sessions.context.compiler import Action

ITEM = ("fidelity", "ref", "tokens")
DROPPED = ("reason", "ref", "tokens")


def condensed(decisions: Mapping[str, Any], actions: Sequence[Action], *, place: str) -> dict[str, Any]:
    """Return decisions as they are stored; `place` is what the refs of the session's own events begin with."""
    budget = decisions["budget"]
    layers = [
        layer | {"items": _rows(layer["items"], ITEM, place), "dropped": _rows(layer["dropped"], DROPPED, place)}
        for layer in budget["layers"]
    ]
    return {**decisions, "budget": budget | {"layers": layers}, "actions": _runs(actions, place)}


def restored(stored: Mapping[str, Any], *, place: str, now: str, trace_id: str) -> dict[str, Any]:
    """Return what `condensed` was given, with the actions beside it as `actions`."""
    budget = stored["budget"]
    layers = [
        layer | {"items": _objects(layer["items"], ITEM, place), "dropped": _objects(layer["dropped"], DROPPED, place)}
        for layer in budget["layers"]
    ]
    actions = [
        {"ts": now, "action": kind, "target": _whole(target, place), "reason": reason, "trace_ref": trace_id}
        for kind, reason, targets in stored["actions"]
        for target in targets
    ]
    return {**stored, "budget": budget | {"layers": layers}, "actions": actions}


def _rows(objects: Sequence[Mapping[str, Any]], names: tuple[str, ...], place: str) -> list[list[Any]]:
    word, ref, tokens = names
    return [[entry[word], _short(entry[ref], place), entry[tokens]] for entry in objects]


def _objects(rows: Sequence[Sequence[Any]], names: tuple[str, ...], place: str) -> list[dict[str, Any]]:
    word, ref, tokens = names
    return [{word: row[0], ref: _whole(row[1], place), tokens: row[2]} for row in rows]


def _runs(actions: Sequence[Action], place: str) -> list[list[Any]]:
    runs = groupby(actions, key=lambda action: (action["action"], action["reason"]))
    return [[kind, reason, [_short(action["target"], place) for action in run]] for (kind, reason), run in runs]


def _short(ref: str, place: str) -> str:
    return ref[len(place) - 1 :] if ref.startswith(place) else ref


def _whole(ref: str, place: str) -> str:
    return place + ref[1:] if ref.startswith("/") else ref
