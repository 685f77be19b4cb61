"""Reading a prompt back into its parts, the way the marks promise that it can be read, and the parts into slots.

Written from what a reader of a prompt is told, and not from what writes it: a part that is read here and is not in the
packet, or the other way round, is a hole.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sessions.context.seams import BLANK, MARK, stored_text

type Slots = dict[str, Any]

ENTRY = re.compile(r"(?P<kind>.+) (?P<seq>[0-9]+)")
STALE = re.compile(r" stale since \S+( because .+)?$")
STAND = re.compile(r"thread as \S+ summed it up( which is over)?, from event://\S+( and not what came after)?")
STAND_PARTS = {"blockers": "blocked", "open_items": "open", "decisions": "decided"}
ROLE_PARTS = ("duties", "permissions", "collaboration rules", "hard boundaries")
LISTS: Mapping[tuple[str, str], str] = {
    ("policy", "rules"): "rules",
    **{("role", part): part for part in ROLE_PARTS},
    ("persona", "boundaries"): "boundaries",
    ("persona", "behavior rules"): "behavior rules",
    ("preferences", "stable preferences"): "preferences",
    ("preferences", "preference model"): "preferences",
    ("vision", "done when"): "done when",
    ("vision", "user priorities"): "user priorities",
    ("thread", "tags"): "tags",
    ("task", "task id, title, state"): "task",
    ("task", "next steps"): "next steps",
    ("task", "depends on"): "depends on",
    ("task", "later steps"): "later steps",
    ("task", "open tasks that this one waits for"): "before tasks",
    ("task", "tasks that can begin once this one is done"): "freed tasks",
    ("task", "open tasks that can be handed out"): "ready tasks",
    ("task", "open tasks that others work on or that wait"): "waiting tasks",
    ("constraints of the user", "non goals"): "constraints",
    ("dialogue, recorded data", "interruptions"): "interruptions",
    ("handoff, recorded data", "handoff unfinished items"): "handoff unfinished items",
    ("handoff, recorded data", "handoff risks"): "handoff risks",
}
TEXTS: Mapping[tuple[str, str], str] = {
    ("persona", "name"): "name",
    ("persona", "persona role"): "persona role",
    ("persona", "speaking style"): "speaking style",
    ("preferences", "relationship to user"): "relationship",
    ("vision", "original goal"): "goal",
    ("vision", "quality bar"): "quality bar",
    ("thread", "thread title"): "title",
    ("thread", "thread summary"): "thread summary",
    ("dialogue, recorded data", "earlier"): "earlier",
    ("dialogue, recorded data", "resume point"): "resume point",
    ("handoff, recorded data", "handoff summary"): "handoff summary",
    ("handoff, recorded data", "handoff resume suggestion"): "handoff resume suggestion",
    ("handoff, recorded data", "handoff next actor"): "handoff next actor",
}
LAST: Mapping[str, str] = {"attached context": "attached context", "request": "request"}
"""Parts that end a prompt without a heading above them."""


@dataclass(frozen=True, slots=True)
class ReadItem:
    """A header without its mark, and the body below it as it stands."""

    section: str
    header: str
    body: str

    @property
    def text(self) -> str:
        """The body with its escapes taken back."""
        return "" if self.body == BLANK else stored_text(self.body)


def read_prompt(text: str) -> list[ReadItem]:
    """Split a prompt at the lines that begin with the mark, and at nothing else."""
    items: list[tuple[str, str, list[str]]] = []
    section = ""
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith(MARK * 2):
            section = line.removeprefix(MARK * 2).strip()
        elif line.startswith(MARK):
            items.append((section, line.removeprefix(MARK).strip(), []))
        else:
            items[-1][2].append(line)
    return [ReadItem(section, header, "\n".join(lines)) for section, header, lines in items]


def read_list(body: str) -> list[str]:
    """Return the entries of a list body."""
    entries: list[list[str]] = []
    for line in body.split("\n"):
        if line.startswith("- ") or not entries:
            entries.append([line.removeprefix("- ")])
        else:
            entries[-1].append(line.removeprefix("  "))
    read = ["\n".join(lines) for lines in entries]
    return ["" if entry == BLANK else stored_text(entry) for entry in read]


@dataclass(slots=True)
class Read:
    """What a prompt says, by slot; `strange` are the headers that no rule knows."""

    slots: Slots = field(default_factory=dict)
    strange: list[str] = field(default_factory=list)

    def take(self, item: ReadItem) -> None:
        """Read one part of a prompt into its slot."""
        place = (item.section, item.header)
        if item.header == "how to read this" and not item.section:
            return
        if name := LISTS.get(place):
            self.slots.setdefault(name, []).extend(read_list(item.body))
        elif name := TEXTS.get(place) or LAST.get(item.header):
            self.slots[name] = item.text
        elif reader := SECTIONS.get(item.section):
            reader(self, item)
        else:
            self.strange.append(f"{item.section} / {item.header}")

    def constraint(self, item: ReadItem) -> None:
        """Read a constraint that stands alone."""
        self.slots.setdefault("constraints", []).append(item.text)

    def summary(self, item: ReadItem) -> None:
        """Read a section of the work summary."""
        name = STALE.sub("", item.header.removeprefix("summary, ").removesuffix(", below"))
        self.slots.setdefault("summary", {})[name] = read_list(item.body)

    def stand(self, item: ReadItem) -> None:
        """Read how a thread of the project stands."""
        if not STAND.fullmatch(STALE.sub("", item.header)):
            self.strange.append(f"{item.section} / {item.header}")
        self.slots.setdefault("project state", []).append(read_list(item.body))

    def entry(self, item: ReadItem) -> None:
        """Read an entry of the dialogue, or the screen among them."""
        if item.header == "screen":
            self.slots["screen"] = json.loads(item.text)
        elif match := ENTRY.fullmatch(item.header):
            name = "actions" if match["kind"].split()[0] == "action" else "dialogue"
            self.slots.setdefault(name, []).append([int(match["seq"]), item.text])
        else:
            self.strange.append(f"{item.section} / {item.header}")

    def passage(self, item: ReadItem) -> None:
        """Read a retrieved passage."""
        ref, _, label = item.header.removeprefix("ref ").partition(", ")
        if not label.endswith("quoted"):
            self.strange.append(f"{item.section} / {item.header}")
        self.slots.setdefault("retrieved", []).append([ref, item.text])


SECTIONS: Mapping[str, Callable[[Read, ReadItem], None]] = {
    "constraints of the user": Read.constraint,
    "work summary, recorded data": Read.summary,
    "project state by thread, recorded data": Read.stand,
    "dialogue, recorded data": Read.entry,
    "retrieved, quoted data": Read.passage,
}


def read_slots(text: str) -> Read:
    """Return what a prompt says, slot by slot."""
    read = Read()
    for item in read_prompt(text):
        read.take(item)
    return read


def slots_of(packet: Mapping[str, Any]) -> Slots:
    """Return what a packet says in the same form, without what a prompt does not show."""
    persona, session = packet["persona"], packet["session"]
    found: Slots = {
        **_persona(persona),
        **(_vision(packet["vision"]) if packet["vision"] else {}),
        **_thread(packet["thread"]),
        "earlier": _text(session["earlier"]),
        "dialogue": [[row["seq"], canonical(row["text"])] for row in session["recent_dialogue"]],
        "actions": [[row["seq"], canonical(row["text"])] for row in session["recent_actions"]],
        "screen": unbroken(session["screen_context"]),
        "interruptions": _lines(session["interruptions"]),
        "resume point": _text(session["resume_point"]),
        "summary": _summary(session["work_summary"]),
        "project state": [_stand(row) for row in packet.get("project_state", ())],
        **(_handoff(packet["handoff"]) if packet["handoff"] else {}),
        "retrieved": [[row["ref"], canonical(row["content"])] for row in packet["retrieved"]],
        "attached context": _text(packet["user_input"]["attached_context"]),
        "request": canonical(packet["user_input"]["raw_text"]),
    }
    return {name: value for name, value in found.items() if value not in (None, [], {})}


def _stand(row: Mapping[str, Any]) -> list[str]:
    topics = f" ({', '.join(row['topics'])})" if row["topics"] else ""
    lines = [f"{word}: {_cited(line, row)}" for part, word in STAND_PARTS.items() for line in row[part]]
    whole = f"{row['left_out']} more" if row["left_out"] else "the whole"
    rest = [] if row["left_out"] is None else [f"[… {whole} at {row['summary']}]"]
    return _lines([f"thread: {row['thread_title']}{topics}", *lines, *rest])


def _cited(line: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """A line of a thread's state; entries of the session that its header names are cited by their numbers."""
    own = f"event://{row['session_id']}/"
    rests = ", ".join(ref.removeprefix(own) for ref in line["refs"])
    mark, times = line["mark"], line["times"]
    said = f"{mark}: {line['text']}" if mark else line["text"]
    return said + (f" (×{times})" if times > 1 else "") + (f" [{rests}]" if rests else "")


def canonical(text: str) -> str:
    """Return a text without leading blank lines, trailing whitespace and lone surrogates: all a prompt may change."""
    text = text.rstrip()
    lead = text[: len(text) - len(text.lstrip())]
    cut = max(lead.rfind("\n"), lead.rfind("\r")) + 1
    return str(unbroken(text[cut:]))


def unbroken(value: Any) -> Any:
    """Return a JSON value without lone surrogates, which no prompt can carry."""
    if isinstance(value, dict):
        return {unbroken(key): unbroken(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [unbroken(entry) for entry in value]
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else value


def _text(value: str | None) -> str | None:
    return None if value is None else canonical(value)


def _lines(values: Sequence[str]) -> list[str]:
    return [canonical(value) for value in values]


def _persona(persona: Mapping[str, Any]) -> Slots:
    role = persona["role"]
    return {
        "rules": _lines(persona["policy"]["rules"]),
        **{part: _lines(role[part.replace(" ", "_")]) for part in ROLE_PARTS},
        "name": _text(persona["name"]),
        "persona role": _text(persona["persona_role"]),
        "boundaries": _lines(persona["boundaries"]),
        "behavior rules": _lines(persona["behavior_rules"]),
        "speaking style": _text(persona["speaking_style"]),
        "relationship": _text(persona["relationship_to_user"]),
        "preferences": _lines(persona["stable_preferences"]),
    }


def _vision(vision: Mapping[str, Any]) -> Slots:
    return {
        "goal": _text(vision["origin_goal"]),
        "done when": _lines(vision["done_when"]),
        "quality bar": _text(vision["quality_bar"]),
        "user priorities": _lines(vision["user_priorities"]),
    }


def _thread(thread: Mapping[str, Any]) -> Slots:
    task = thread["task"] or {"task_id": None, "next_steps": [], "depends_on": [], "later_steps": []}
    shown = [task["task_id"], task["title"], task["state"]] if task["task_id"] else []
    return {
        "title": _text(thread["thread_title"]),
        "thread summary": _text(thread["thread_summary"]),
        "tags": _lines(thread["thread_tags"]),
        "task": _lines(shown),
        **{part.replace("_", " "): _lines(task[part]) for part in ("next_steps", "depends_on", "later_steps")},
        **{f"{name} tasks": _lines(thread[f"{name}_tasks"]) for name in ("before", "freed", "ready", "waiting")},
        "constraints": _lines(thread["constraints"]),
    }


def _summary(summary: Mapping[str, Any] | None) -> Slots:
    return {_word(name): _lines(lines) for name, lines in summary["sections"].items()} if summary else {}


def _handoff(handoff: Mapping[str, Any]) -> Slots:
    texts = {f"handoff {part.replace('_', ' ')}": _text(handoff[part]) for part in HANDED}
    return texts | {
        f"handoff {part.replace('_', ' ')}": _lines(handoff[part]) for part in ("unfinished_items", "risks")
    }


HANDED = ("summary", "resume_suggestion", "next_actor")


def _word(name: str) -> str:
    """A name of somebody else's in a header: in one word each, without marks and line breaks."""
    return re.sub(rf"[^\w./:@#=,+\-]+|{MARK}", "_", name)[:160].replace("_", " ").strip()
