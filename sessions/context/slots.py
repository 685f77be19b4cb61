"""From facts to items by an ordered list of renderers, and from items to the slots of a packet."""

from collections.abc import Callable, Iterable
from typing import Any

from sessions.context.evidence_items import handoff_items, memory_items
from sessions.context.items import Item, Pen
from sessions.context.material import HandoffFact, Material, SummaryFact, TaskFact, VisionFact
from sessions.context.phases import Standing
from sessions.context.project_items import project_items
from sessions.context.self_items import (
    ROLE_PARTS,
    persona_items,
    policy_items,
    preference_items,
    reading_items,
    role_items,
)
from sessions.context.session_items import dialogue_items, input_items, standing_items, summary_items
from sessions.context.vocabulary import Slot
from sessions.context.work_items import constraint_items, open_task_items, task_items, thread_items, vision_items

type Renderer = Callable[[Material, Pen], list[Item]]

RENDERERS: tuple[Renderer, ...] = (
    reading_items,
    policy_items,
    role_items,
    persona_items,
    preference_items,
    vision_items,
    thread_items,
    task_items,
    open_task_items,
    constraint_items,
    summary_items,
    project_items,
    dialogue_items,
    standing_items,
    handoff_items,
    memory_items,
    input_items,
)


def render_items(material: Material, pen: Pen) -> list[Item]:
    """Return every item that the material offers, in the order in which ties are decided."""
    items: list[Item] = []
    for renderer in RENDERERS:
        items += renderer(material, pen)
    return items


def fill_packet(material: Material, items: Iterable[Item]) -> dict[str, Any]:
    """Return the packet's slots: ids, versions and states always, texts of `items` only, the rest null or empty.

    The project's state is a slot of those alone whose role is told it.
    """
    packet = _frame(material)
    for item in items:
        for path, value in item.entries:
            _put(packet, path, value)
    return packet


def _put(packet: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    place = packet
    for key in path[:-1]:
        place = place[key]
    here = place.get(path[-1])
    if not isinstance(here, list):
        place[path[-1]] = value
    elif isinstance(value, list):
        here.extend(value)
    else:
        here.append(value)


def _frame(material: Material) -> dict[str, Any]:
    words = material.user_input
    return {
        Slot.PERSONA.value: _persona(material),
        Slot.VISION.value: None if material.vision is None else _vision(material.vision),
        Slot.THREAD.value: _thread(material),
        Slot.SESSION.value: _session(material),
        Slot.HANDOFF.value: _handoff(material.handoff),
        **({} if material.project_state is None else {Slot.PROJECT_STATE.value: []}),
        Slot.RETRIEVED.value: [],
        Slot.USER_INPUT.value: {
            "raw_text": None,
            "input_type": words.input_type,
            "timestamp": words.timestamp,
            "attached_context": None,
        },
    }


def _persona(material: Material) -> dict[str, Any]:
    role: dict[str, Any] = {"slug": material.role.body.get("slug"), "revision": material.role.revision}
    policy = material.policy
    return {
        "name": None,
        "persona_role": None,
        "revision": material.persona.revision,
        "role": role | {part: [] for part in ROLE_PARTS},
        "policy": {"revision": None if policy is None else policy.revision, "rules": []},
        "speaking_style": None,
        "behavior_rules": [],
        "relationship_to_user": None,
        "stable_preferences": [],
        "boundaries": [],
    }


def _vision(vision: VisionFact) -> dict[str, Any]:
    return {
        "origin_goal": None,
        "done_when": [],
        "non_goals": [],
        "user_priorities": [],
        "quality_bar": None,
        "version": vision.version,
        "source": vision.source,
    }


def _thread(material: Material) -> dict[str, Any]:
    thread = material.thread
    return {
        "thread_id": thread.thread_id,
        "thread_title": None,
        "thread_type": thread.type,
        "thread_summary": None,
        "linked_task_ids": list(thread.linked_task_ids),
        "thread_tags": [],
        **{f"{standing}_tasks": [] for standing in Standing},
        "task": None if thread.task is None else _task(thread.task),
        "constraints": [],
    }


def _task(task: TaskFact) -> dict[str, Any]:
    empty: dict[str, Any] = {"task_id": None, "title": None, "state": None}
    return empty | {"phase": task.phase.value, "depends_on": [], "next_steps": [], "later_steps": []}


def _session(material: Material) -> dict[str, Any]:
    session, summary = material.session, material.summary
    return {
        "session_id": session.session_id,
        "state": session.state,
        "earlier": None,
        "recent_dialogue": [],
        "recent_actions": [],
        "screen_context": None,
        "interruptions": [],
        "resume_point": None,
        "work_summary": None if summary is None else _work_summary(summary),
    }


def _work_summary(summary: SummaryFact) -> dict[str, Any]:
    return {
        "ref": summary.ref,
        "version": summary.version,
        "covers": summary.covers,
        "stale_since": summary.stale_since,
        "stale_because": list(summary.stale_because),
        "sections": {},
    }


def _handoff(handoff: HandoffFact | None) -> dict[str, Any] | None:
    if handoff is None:
        return None
    return {
        "from_session_id": handoff.from_session_id,
        "to_session_id": handoff.to_session_id,
        "summary": None,
        "unfinished_items": [],
        "risks": [],
        "resume_suggestion": None,
        "next_actor": None,
    }
