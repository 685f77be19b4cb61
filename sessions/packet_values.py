"""What items of a packet said whose refs alone do not tell it, from the packet's receipt.

Most refs name a version of what never changes. The request's own texts, a session's screen and how other tasks stood
are kept in the receipt as values, and the same ref may have said something else in another packet.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from governance.vocabulary import Phase
from sessions.context.phases import reached
from sessions.context.self_items import DELTA_REF
from sessions.project_state import summary_ref
from sessions.receipts import Receipt, thread_in

VERSION = re.compile(r"@\d+")


def source_of(ref: str) -> str:
    """Return a ref without the version that it names."""
    return VERSION.sub("", ref)


def values_in(receipt: Receipt) -> Mapping[str, str | None]:
    """Return by `source_of` a ref what it said in this packet; None where that was erased since."""
    return {ref: json.dumps(value, sort_keys=True) if value else None for ref, value in _values(receipt)}


def _values(receipt: Receipt) -> Iterator[tuple[str, Any]]:
    """Yield the values; of what an item was made of only what was erased is empty."""
    words, session = receipt["input"], receipt["session"]
    yield "request://raw_text", words["raw_text"]
    yield "request://attached_context", words["attached_context"]
    yield f"{session['ref']}#screen", session["screen_context"]
    yield f"{session['ref']}#interruptions", session["interruptions"]
    yield f"{session['ref']}#resume_point", session["resume_point"]
    yield f"{session['ref']}#earlier", {"from": receipt.get("beginning")}
    yield DELTA_REF, {"withdrawn": (receipt.get("held") or {}).get("withdrawn")}
    yield from _tasks(receipt)
    for stand in receipt.get("project_state", ()):
        yield f"{summary_ref(stand)}#project_state", stand if stand["title"] else None


def _tasks(receipt: Receipt) -> Iterator[tuple[str, Any]]:
    thread = thread_in(receipt)
    for standing, tasks, _ in reached(thread, Phase(receipt["phase"])):
        told = [[task.task_id, task.title, task.state, task.waits_for] for task in tasks]
        yield f"{source_of(thread.ref)}#{standing}_tasks", told if all(task.title for task in tasks) else None
