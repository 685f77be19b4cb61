"""What the work is about: vision, thread, task and the constraints of the user. All of it changes seldom."""

from collections.abc import Mapping, Sequence

from governance.vocabulary import Phase
from sessions.context.cuts import cut_at_sentence, whole_at
from sessions.context.items import Entry, Item, Pen, Place, packet_path
from sessions.context.material import Material, OpenTask, SummaryFact, TaskFact, VisionFact
from sessions.context.phases import Standing, priority, reached, steps_in_hand
from sessions.context.seams import atom
from sessions.context.summary_lines import cited_seqs
from sessions.context.vocabulary import DropReason, Fidelity, Layer, Section, Slot, Step, SummarySection

GOAL = Place(layer=Layer.VISION, section=Section.VISION, fidelity=Fidelity.MUST)
GOAL_DETAIL = Place(layer=Layer.VISION, section=Section.VISION, fidelity=Fidelity.SHOULD, priority=12)
PRIORITIES = Place(layer=Layer.VISION, section=Section.VISION, fidelity=Fidelity.MAY, value=60.0)
BELONGING = Place(layer=Layer.THREAD, section=Section.THREAD, fidelity=Fidelity.SHOULD, priority=16)
TAGS = Place(layer=Layer.THREAD, section=Section.THREAD, fidelity=Fidelity.MAY, value=30.0)
TASK = Place(layer=Layer.PLAN, section=Section.PLAN, fidelity=Fidelity.MUST)
STEPS = Place(layer=Layer.PLAN, section=Section.PLAN, fidelity=Fidelity.SHOULD, priority=10)
OTHERS = Place(layer=Layer.PLAN, section=Section.PLAN, fidelity=Fidelity.SHOULD, priority=17)
OTHERS_BEGIN = 10  # their place in the section: after all that is said of the task in hand
OPEN_TASKS: Mapping[Standing, str] = {
    Standing.BEFORE: "open tasks that this one waits for",
    Standing.FREED: "tasks that can begin once this one is done",
    Standing.READY: "open tasks that can be handed out",
    Standing.WAITING: "open tasks that others work on or that wait",
}
CONSTRAINT = Place(layer=Layer.CONSTRAINTS, section=Section.CONSTRAINTS, fidelity=Fidelity.MUST)


def vision_items(material: Material, pen: Pen) -> list[Item]:
    """Return the original goal (must; a long one cut at a sentence, with its ref) and what goes with it."""
    vision = material.vision
    if vision is None:
        return []
    items = [_goal(vision, pen)]
    phase = pen.budget.phase
    if vision.done_when:
        items.append(_vision_list(vision, pen, "done_when", vision.done_when, place=GOAL_DETAIL, order=1))
    if vision.quality_bar.strip():
        entry: Entry = (packet_path(Slot.VISION, "quality_bar"), vision.quality_bar)
        block = pen.block("quality bar", vision.quality_bar)
        ref = f"{vision.ref}#quality_bar"
        rank = priority(phase, "quality_bar", 13)
        items.append(GOAL_DETAIL.item(block, ref=ref, source=vision.ref, order=(2, 0), priority=rank, entries=(entry,)))
    if vision.user_priorities:
        items.append(_vision_list(vision, pen, "user_priorities", vision.user_priorities, place=PRIORITIES, order=3))
    return items


def _goal(vision: VisionFact, pen: Pen) -> Item:
    goal = cut_at_sentence(vision.origin_goal, pen.budget.item_caps.origin_goal, encoding=pen.counter.encoding)
    cut = len(goal) < len(vision.origin_goal)
    opened_by = vision.origin_ref or vision.ref
    text = f"{goal}\n[… {whole_at(atom(opened_by))}]" if cut else goal
    entry: Entry = (packet_path(Slot.VISION, "origin_goal"), text)
    block = pen.block("original goal", text)
    step = Step.EXCERPT if cut else Step.FULL
    return GOAL.item(block, ref=f"{vision.ref}#origin_goal", source=vision.ref, entries=(entry,), step=step)


def _vision_list(vision: VisionFact, pen: Pen, part: str, lines: tuple[str, ...], *, place: Place, order: int) -> Item:
    entry: Entry = (packet_path(Slot.VISION, part), list(lines))
    block = pen.listing(part.replace("_", " "), lines)
    return place.item(
        block,
        ref=f"{vision.ref}#{part}",
        source=vision.ref,
        order=(order, 0),
        priority=priority(pen.budget.phase, part, place.priority),
        entries=(entry,),
    )


def thread_items(material: Material, pen: Pen) -> list[Item]:
    """Return title and summary (should) and tags (may) of the thread."""
    thread, items = material.thread, []
    for order, (part, text) in enumerate((("title", thread.title), ("summary", thread.summary))):
        if text.strip():
            entry: Entry = (packet_path(Slot.THREAD, f"thread_{part}"), text)
            block = pen.block(f"thread {part}", text)
            ref = f"{thread.ref}#{part}"
            items.append(BELONGING.item(block, ref=ref, source=thread.ref, order=(order, 0), entries=(entry,)))
    if thread.tags:
        entry = (packet_path(Slot.THREAD, "thread_tags"), list(thread.tags))
        block = pen.listing("tags", thread.tags)
        items.append(TAGS.item(block, ref=f"{thread.ref}#tags", source=thread.ref, order=(2, 0), entries=(entry,)))
    return items


def task_items(material: Material, pen: Pen) -> list[Item]:
    """Return id, title and state of the task (must), its next steps and what it waits for (should).

    Steps beyond the next few are for planning; while something is done or accepted they are held back.
    """
    task = material.thread.task
    if task is None:
        return []
    phase = pen.budget.phase
    now, later = steps_in_hand(task, pen.budget.counts.next_steps)
    held = None if phase is Phase.PLAN else DropReason.PLAN_STEP
    parts = (("next_steps", now, None), ("depends_on", task.depends_on, None), ("later_steps", later, held))
    items = [_task(task, pen)]
    for order, (part, lines, barred) in enumerate(parts, start=1):
        if lines:
            items.append(_task_list(task, pen, part, lines, order=order, barred=barred))
    return items


def _task_list(
    task: TaskFact, pen: Pen, part: str, lines: Sequence[str], *, order: int, barred: DropReason | None
) -> Item:
    entry: Entry = (packet_path(Slot.THREAD, "task", part), list(lines))
    return STEPS.item(
        pen.listing(part.replace("_", " "), lines),
        ref=f"{task.ref}#{part}",
        source=task.ref,
        order=(order, 0),
        priority=priority(pen.budget.phase, part, STEPS.priority),
        entries=(entry,),
        barred=barred,
    )


def open_task_items(material: Material, pen: Pen) -> list[Item]:
    """Return the thread's other open tasks, by how they stand to the one in hand: what the phase needs of them.

    What is ready can be handed out; what is out of reach at this step is held back, and the packet says so.
    """
    thread, items = material.thread, []
    for order, (standing, tasks, held) in enumerate(reached(thread, pen.budget.phase)):
        lines = [open_task_line(task) for task in tasks]
        entry: Entry = (packet_path(Slot.THREAD, f"{standing}_tasks"), lines)
        items.append(
            OTHERS.item(
                pen.listing(OPEN_TASKS[standing], lines),
                ref=f"{thread.ref}#{standing}_tasks",
                source=thread.ref,
                order=(OTHERS_BEGIN + order, 0),
                priority=OTHERS.priority + order,
                entries=(entry,),
                barred=held,
            )
        )
    return items


def open_task_line(task: OpenTask) -> str:
    """Return an open task as one line: its id, title and state, and what it waits for."""
    waits = f", waits for {', '.join(task.waits_for)}" if task.waits_for else ""
    return f"{task.task_id}: {task.title} ({task.state}{waits})"


def _task(task: TaskFact, pen: Pen) -> Item:
    shown = (task.task_id, task.title, task.state)
    block = pen.listing("task id, title, state", shown)
    keys = ("task_id", "title", "state")
    entries = tuple((packet_path(Slot.THREAD, "task", key), value) for key, value in zip(keys, shown, strict=True))
    return TASK.item(block, ref=task.ref, entries=entries)


def constraint_items(material: Material, pen: Pen) -> list[Item]:
    """Return every constraint of the user, each once: non-goals, recorded constraints, those of the summary."""
    items: list[Item] = []
    path = packet_path(Slot.THREAD, "constraints")
    vision = material.vision
    if vision is not None and vision.non_goals:
        lines = list(vision.non_goals)
        entries: tuple[Entry, ...] = ((packet_path(Slot.VISION, "non_goals"), lines), (path, lines))
        block = pen.listing("non goals", lines)
        items.append(CONSTRAINT.item(block, ref=f"{vision.ref}#non_goals", source=vision.ref, entries=entries))
    seen = {line.strip() for line in vision.non_goals} if vision is not None else set()
    for index, (ref, text) in enumerate(_recorded(material)):
        if text.strip() and text.strip() not in seen:
            seen.add(text.strip())
            entries = ((path, text),)
            block = pen.block("constraint", text)
            items.append(
                CONSTRAINT.item(block, ref=ref, source=ref.partition("#")[0], order=(1, index), entries=entries)
            )
    return items


def _recorded(material: Material) -> list[tuple[str, str]]:
    """What the summary holds comes first: it is older, and its place in the prompt then stays the same."""
    recorded = _of_summary(material.summary, material) if material.summary is not None else []
    return recorded + [(constraint.ref, constraint.text) for constraint in material.constraints]


def _of_summary(summary: SummaryFact, material: Material) -> list[tuple[str, str]]:
    """The summary's own demands: neither those that stand in the packet by themselves, nor those taken back since."""
    known = {*material.retired, *(constraint.ref for constraint in material.constraints)}
    place = summary.covers.rpartition("/")[0]
    lines = enumerate(summary.sections.get(SummarySection.CONSTRAINTS, ()))
    return [
        (f"{summary.ref}#constraints/{index}", line)
        for index, line in lines
        if not (seqs := cited_seqs(line)) or not {f"{place}/{seq}" for seq in seqs} <= known
    ]
