"""The OpenAPI document: what the framework derives from the handlers, and what holds for every call beside it."""

from collections.abc import Iterator
from typing import Any

from ninja import NinjaAPI

from greywind_site.problems import CONTENT_TYPE

CREATES = frozenset(
    {
        "append_events",
        "checkpoint_session",
        "create_task",
        "create_thread",
        "give_memory_feedback",
        "open_session",
        "propose_contract",
        "propose_memory",
        "report_outcome",
        "resume_session",
        "retire_constraint",
        "start_attempt",
        "store_artifact",
        "write_handoff",
    }
)
# 201 for a new one, 200 for one that was there
BOTH = frozenset({"checkpoint_session", "open_session", "propose_memory"})
HOLDS = frozenset({"propose_contract", "put_vision"})  # 202 where a human decides first
MEANINGS = {"200": "OK", "201": "Created", "202": "Held: a human decides it, and no key can."}
OBJECT = {"application/json": {"schema": {"type": "object", "additionalProperties": True}}}
PROBLEM = {
    "type": "object",
    "title": "Problem",
    "description": "A refusal (RFC 9457). Further members depend on `code`, for example `shortfall` or `candidates`.",
    "required": ["type", "title", "status", "detail", "code", "trace_id", "errors"],
    "properties": {
        **{name: {"type": "string"} for name in ("type", "title", "detail", "code", "trace_id")},
        "status": {"type": "integer"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "code", "message"],
                "properties": {name: {"type": "string"} for name in ("pointer", "code", "message")},
            },
        },
    },
}
REFUSALS = {
    "400": "The request could not be read.",
    "401": "A valid key is needed.",
    "403": "The key lacks a scope, or the actor does not hold the role.",
    "404": "Not there, or not yours: both read the same.",
    "409": "The present state does not allow it.",
    "410": "The content is no longer available.",
    "412": "The version has moved on; `current` is what there is now.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
    "422": "A field is not valid; `errors` names it.",
    "428": "If-Match is missing.",
    "503": "The database is busy; Retry-After says when to ask again.",
}
ALWAYS = ("401", "403", "404", "422", "503")
WITH_BODY = ("400", "409", "413", "415")
IF_MATCH = {"in": "header", "name": "If-Match", "required": False, "schema": {"type": "string"}}
IDEMPOTENCY_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": False,
    "description": "A repetition under the same key does nothing again and is answered the same: for a day at the"
    " least, and for as long as the server is set to, a week unless its operator says otherwise. Later it is new.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}


class DocumentedAPI(NinjaAPI):
    """An API whose document says of each call how it may be refused and which headers it takes."""

    def get_openapi_schema(self, **options: Any) -> Any:
        """Return the document as the framework makes it, completed."""
        document = super().get_openapi_schema(**options)
        for method, operation in _operations(document):
            _complete(method, operation)
        document["components"]["schemas"]["Problem"] = PROBLEM
        return document


def _operations(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for calls in document["paths"].values():
        yield from calls.items()


def _complete(method: str, operation: dict[str, Any]) -> None:
    name, writes = operation["operationId"], "requestBody" in operation
    changes = method in ("patch", "put")
    codes = [*ALWAYS, *(WITH_BODY if writes else ()), *(("412", "428") if changes else ())]
    if name == "get_context":
        codes.append("410")
    operation["responses"] = _answers(name) | {code: _refusal(REFUSALS[code]) for code in sorted(codes)}
    operation["responses"]["default"] = _refusal("Any other refusal.")
    if writes and name != "resolve_thread":
        operation["parameters"].append(IDEMPOTENCY_KEY)
    if changes:
        operation["parameters"].append(IF_MATCH)


def _answers(name: str) -> dict[str, Any]:
    codes = ["200", "201"] if name in BOTH else ["201"] if name in CREATES else ["200"]
    held = ["202"] if name in HOLDS else []
    return {code: {"description": MEANINGS[code], "content": OBJECT} for code in [*codes, *held]}


def _refusal(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": description, "content": {CONTENT_TYPE: {"schema": schema}}}
