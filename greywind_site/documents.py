"""Documents that are made from the code, so that they cannot say something else than it does."""

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from governance.lifecycle import INBOX_TRANSITIONS, PROPOSAL_TRANSITIONS, REVISION_TRANSITIONS
from greywind_site.api import api
from greywind_site.config import OUTSIDE, PREFIX, Config
from memories.lifecycle import MEMORY_TRANSITIONS
from sessions.lifecycle import ATTEMPT_TRANSITIONS, SESSION_TRANSITIONS
from threads.lifecycle import TASK_TRANSITIONS, THREAD_TRANSITIONS

FOLDER = Path(__file__).resolve().parents[1] / "docs"
MADE = "<!-- Made by `python3 manage.py write_docs`; change the code, not this file. -->\n"
MACHINES: Mapping[str, Mapping[Any, frozenset[Any]]] = {
    "Thread": THREAD_TRANSITIONS,
    "Task": TASK_TRANSITIONS,
    "Session": SESSION_TRANSITIONS,
    "Attempt": ATTEMPT_TRANSITIONS,
    "Memory": MEMORY_TRANSITIONS,
    "Revision": REVISION_TRANSITIONS,
    "Proposal": PROPOSAL_TRANSITIONS,
    "InboxItem": INBOX_TRANSITIONS,
}


def documents() -> dict[Path, str]:
    """Return every made document by its path."""
    made = {"configuration.md": configuration(), "states.md": states(), "openapi.json": openapi()}
    return {FOLDER / name: text for name, text in made.items()}


def stale() -> list[Path]:
    """Return the made documents that are missing or say something else than the code."""
    return [path for path, text in documents().items() if not path.exists() or path.read_text() != text]


def states() -> str:
    """Return the state machines as diagrams."""
    parts = [MADE, "# State machines\n", "The database refuses every move that is not drawn here.\n"]
    for name, table in MACHINES.items():
        parts += [f"## {name}\n", "```mermaid", "stateDiagram-v2", *_arrows(table), "```\n"]
    return "\n".join(parts)


def configuration() -> str:
    """Return the reference of every setting: variable, what it is for, and its default."""
    rows = [MADE, "# Configuration\n", "Every setting is an environment variable; a faulty one stops the start.\n"]
    rows += ["| variable | meaning | default |", "| --- | --- | --- |", *_settings(Config, PREFIX)]
    return "\n".join(rows) + "\n"


def openapi() -> str:
    """Return the description of the HTTP API, as it is served under /api/v1/openapi.json."""
    return json.dumps(api.get_openapi_schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _arrows(table: Mapping[StrEnum, frozenset[StrEnum]]) -> Iterator[str]:
    for here, targets in table.items():
        for there in sorted(targets):
            yield f"    {here} --> {there}"


def _settings(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _settings(field.annotation, f"{prefix}{name.upper()}__")
            continue
        variable = name.upper() if name.upper() in OUTSIDE else f"{prefix}{name.upper()}"
        yield f"| `{variable}` | {field.description} | {_default(field)} |"


def _default(field: FieldInfo) -> str:
    if field.default is None:
        return "unset"
    if field.default is PydanticUndefined:
        return "made at the first start"
    return f"`{field.default}`"
