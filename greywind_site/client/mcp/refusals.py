"""Refusals as an agent reads them: the code, what is wrong, which field, and what to do about it."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from greywind_site.client.http import Refused, Unreachable
from greywind_site.client.mcp.human import Human

MOST_FIELDS, MOST_EXTRA, MOST_CANDIDATES = 10, 4000, 10
# What helps to repair a request; whatever else a problem document holds is not an agent's matter.
HELPFUL = ("shortfall", "candidates", "retry_after", "read", "budget", "left", "wanted")
REMEDIES: Mapping[str, str] = {
    "unauthenticated": "The key is unknown, lapsed or revoked, or its agent is off; an owner sees which.",
    "scope_missing": "This key may not do that. Ask an owner of the project for a key with the scope named here.",
    "role_not_held": "Name a role that this agent holds, or leave role out.",
    "not_found": "Check the id or ref: it is not in this project, or this key may not read it.",
    "thread_ambiguous": "Call again with thread_id set to one of the candidates.",
    "required_content_exceeds_budget": "Raise max_input_tokens by what the shortfall lacks, or "
    "shorten user_input; a cap that a task, role or project set is changed where the detail says.",
    "attestation_needed": "Only a key with event:attest vouches for what a user said; send a plain message instead.",
    "evidence_unresolvable": "Cite refs that evidence_read opens with this key.",
    "read_budget_spent": "Read less at once or look with find; note what matters, and go on in a new session.",
    "session_closed": "Leave session_id out and name thread_id: a new session is opened.",
    "erased_since": "What this stood for was erased, for good; leave it out of what you send.",
    "client_id_reused": "This client_id stands for other words already; use a fresh one.",
    "unavailable": "The server is busy or restarting. Call again in a few seconds.",
}
ANYTHING_ELSE = "Repair the fields that are named, then call again."


class Fault(BaseModel):
    """One field that is wrong."""

    pointer: str
    code: str
    message: str


class Told(BaseModel):
    """A refusal. `status` is the API's HTTP status, absent where the API was not asked."""

    code: str
    status: int | None = None
    message: str
    fields: list[Fault] = Field(default_factory=list)
    remedy: str
    trace_id: str = ""
    more: dict[str, Any] = Field(default_factory=dict)
    human: Human | None = None


def invalid(error: ValidationError) -> Told:
    """Return what is wrong with arguments that do not have the tool's shape. What was sent is not echoed."""
    faults = [_fault(entry) for entry in error.errors(include_url=False, include_input=False)[:MOST_FIELDS]]
    said = "; ".join(f"{fault.pointer}: {fault.message}" for fault in faults)
    return Told(code="invalid", message=said, fields=faults, remedy=ANYTHING_ELSE)


def refused(error: Refused) -> Told:
    """Return what the API refused."""
    offered = {name: _bounded(error.extra[name]) for name in HELPFUL if error.extra.get(name)}
    return Told(
        code=error.code,
        status=error.status,
        message=error.detail,
        fields=[Fault.model_validate(fault) for fault in error.errors[:MOST_FIELDS]],
        remedy=REMEDIES.get(error.code, ANYTHING_ELSE),
        trace_id=error.trace_id,
        more={name: value for name, value in offered.items() if value is not None},
    )


def unreachable(error: Unreachable) -> Told:
    """Return that there was no answer."""
    remedy = "Tell your user that GreyWind cannot be reached, and go on without it. What was written may be sent again."
    return Told(code="unreachable", message=str(error), remedy=remedy)


def unreadable(error: Exception) -> Told:
    """Return that the answer did not have the shape that this client knows; what it held is not told."""
    message = f"The server's answer has another shape than expected ({type(error).__name__})."
    remedy = "Tell your user that GreyWind and its client are of different versions. What was asked may have been done."
    return Told(code="unexpected_answer", message=message, remedy=remedy)


def _fault(entry: Mapping[str, Any]) -> Fault:
    pointer = "/" + "/".join(str(part)[:64] for part in entry["loc"])
    return Fault(pointer=pointer, code=str(entry["type"]), message=str(entry["msg"]).removeprefix("Value error, "))


def _bounded(value: Any) -> Any:
    listed = value[:MOST_CANDIDATES] if isinstance(value, list) else value
    return listed if len(json.dumps(listed)) <= MOST_EXTRA else None
