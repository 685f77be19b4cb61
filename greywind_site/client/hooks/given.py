"""What the harness says on standard input."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Moment(StrEnum):
    """The steps of a session at which the harness calls, as the command spells them."""

    SESSION_START = "session-start"
    USER_PROMPT_SUBMIT = "user-prompt-submit"
    POST_TOOL_USE = "post-tool-use"
    PRE_COMPACT = "pre-compact"
    STOP = "stop"
    SESSION_END = "session-end"

    @property
    def harness_name(self) -> str:
        """The name that the harness has for it."""
        return "".join(part.capitalize() for part in self.value.split("-"))


class Unreadable(Exception):
    """Standard input was not what a harness sends."""


@dataclass(frozen=True)
class Given:
    """One call of the harness. Fields that this moment does not have are empty."""

    session_id: str
    cwd: str
    transcript_path: str
    fields: Mapping[str, Any]

    def text(self, name: str) -> str:
        """Return a field that should be a text; empty when it is not there or is something else."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    @property
    def short_id(self) -> str:
        """The session's id, short enough to be a part of another."""
        return self.session_id[:80]

    @property
    def of_subagent(self) -> bool:
        """True when a helper of the agent acts, whose report comes back as a tool's result."""
        return bool(self.text("agent_id"))


def read_given(raw: bytes) -> Given:
    """Return what standard input says; raises Unreadable. Unknown fields are kept, missing ones are empty."""
    try:
        fields = json.loads(raw)
    except ValueError as error:
        raise Unreadable("standard input holds no JSON; this command is meant for the harness to call") from error
    if not isinstance(fields, dict):
        raise Unreadable("standard input holds no JSON object; this command is meant for the harness to call")
    given = Given(session_id="", cwd="", transcript_path="", fields=fields)
    session_id = given.text("session_id")
    if not session_id:
        raise Unreadable("standard input names no session_id")
    return Given(session_id, given.text("cwd"), given.text("transcript_path"), fields)
