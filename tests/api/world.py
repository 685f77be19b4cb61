"""One of everything over HTTP, and for each endpoint a whole request that is accepted."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.api.asking import append, compiled, event, make_thread, ok, open_session
from tests.cast import Api, Cast

type Body = dict[str, Any]
type World = dict[str, str]
ANY_VERSION = {"If_Match": "*"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A call. Its path and body hold names of the world in braces; `kinds` says what each field of its body is."""

    method: str
    path: str
    body: Callable[[], Body] | None = None
    kinds: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


def make_world(cast: Cast) -> World:
    """Make one of everything as the dev and return their ids."""
    api = cast.dev.client()
    thread = make_thread(api, "config parser")
    session = open_session(api, thread, provider_session={"harness": "claude-code", "id": "cc-1"})
    said = append(api, session, event("Never touch vendored code.", "c0", kind="constraint", attested=True))
    task = ok(api.post("/tasks", {"thread_id": thread, "title": "lexer"}))["id"]
    for state in ("ready", "doing", "review"):
        ok(api.call("PATCH", f"/tasks/{task}", {"state": state}, **ANY_VERSION))
    ok(api.call("PUT", f"/threads/{thread}/vision", {"origin_goal": "a parser"}))
    packet = compiled(api, session_id=session)
    ok(api.post(f"/sessions/{session}/checkpoint", {}))
    return {
        "thread": thread,
        "session": session,
        "attempt": packet["session"]["attempt_id"],
        "constraint": said["results"][0]["ref"],
        "task": task,
        "needed": ok(api.post("/tasks", {"thread_id": thread, "title": "grammar"}))["id"],
        "packet": packet["packet_id"],
        "artifact": ok(api.post("/artifacts", {"session_id": session, "content": "one\ntwo\n"}))["id"],
        "memory": ok(api.post("/memories", {"content": "Comments matter.", "type": "semantic"}))["id"],
        "closed": _closed(api),
        "human": cast.owner.actor.public_id,
        "proposal": ok(api.post("/proposals", _proposal() | {"slug": "scribe", "subject": None} | SCRIBE))["id"],
    }


def filled(value: Any, world: World) -> Any:
    """Return a template with the ids of a world put in."""
    if isinstance(value, str):
        for name, put in world.items():
            value = value.replace(f"{{{name}}}", put)
        return value
    if isinstance(value, dict):
        return {key: filled(inner, world) for key, inner in value.items()}
    return [filled(inner, world) for inner in value] if isinstance(value, list) else value


def _closed(api: Api) -> str:
    session = open_session(api, make_thread(api, "an old matter"))
    ok(api.post(f"/sessions/{session}/close", {}))
    return session


def _context() -> Body:
    return {
        "thread_id": "{thread}",
        "binding": {"channel": "feishu:oc_1", "page": "p"},
        "session_id": "{session}",
        "attempt_id": "{attempt}",
        "task_id": None,
        "provider_session": {"harness": "claude-code", "id": "cc-1"},
        "client_event_id": "e9",
        "on_behalf_of": "{human}",
        "have": {"packet_id": None, "stable_prefix_hash": None, "refs": ["event://x"], "transcript": False},
        "client_tokens": {"system": 10, "tools": 5},
        "role": "dev",
        "phase": "execute",
        "risk": "medium",
        "user_input": {
            "raw_text": "go on with the parser",
            "input_type": "text",
            "timestamp": "2026-03-11T14:10:00+09:00",
            "attached_context": "a",
        },
        "ui_context": {"app": "a", "mode": "b", "summary": "c"},
        "budget": {"profile": "claude-sonnet@claude-code", "max_input_tokens": 12000},
        "format": "text",
        "dry_run": False,
    }


CONTEXT_KINDS = {
    "thread_id": "thr",
    "binding": "object",
    "binding/channel": "text",
    "binding/page": "text",
    "session_id": "ses",
    "attempt_id": "att",
    "provider_session/harness": "text",
    "provider_session/id": "text",
    "client_event_id": "text",
    "on_behalf_of": "act",
    "client_tokens/system": "count",
    "client_tokens/tools": "count",
    "have/refs": "list",
    "have/refs/0": "text",
    "have/transcript": "flag",
    "role": "role",
    "phase": "enum",
    "risk": "enum",
    "user_input": "object",
    "user_input/raw_text": "full",
    "user_input/input_type": "enum",
    "user_input/timestamp": "moment",
    "user_input/attached_context": "text",
    "ui_context/app": "text",
    "ui_context/mode": "text",
    "ui_context/summary": "text",
    "budget/profile": "profile",
    "budget/max_input_tokens": "positive",
    "format": "enum",
    "dry_run": "flag",
}
EVENT_KINDS = {
    "events": "list",
    "events/0/client_id": "full",
    "events/0/role": "enum",
    "events/0/kind": "enum",
    "events/0/text": "text",
    "events/0/tool": "text",
    "events/0/failed": "flag",
    "events/0/attested": "flag",
    "events/0/occurred_at": "moment",
    "events/0/meta": "json",
    "attempt_id": "att",
}
MEMORY_KINDS = {
    "content": "full",
    "type": "enum",
    "action": "enum",
    "kind": "enum",
    "target_id": "mem",
    "scope_type": "enum",
    "scope_id": "thr",
    "importance": "share",
    "confidence": "share",
    "origin": "enum",
    "sensitivity": "enum",
    "retention_days": "positive",
    "write_mode": "enum",
    "knowledge_status": "enum",
    "change_reason": "text",
    "valid_from": "moment",
    "valid_to": "moment",
    "observed_at": "moment",
    "private": "flag",
    "evidence": "list",
    "evidence/0/ref": "full",
    "evidence/0/quote": "text",
}
THREAD_KINDS = {"title": "full", "tags": "list", "tags/0": "full", "keywords/0": "full", "summary": "text"}
VISION_KINDS = {"origin_goal": "full", "done_when": "list", "done_when/0": "full", "non_goals/0": "full"}
TASK_KINDS = {
    "title": "full",
    "brief": "text",
    "phase": "enum",
    "risk": "enum",
    "next_steps": "list",
    "next_steps/0": "full",
    "depends_on": "list",
    "depends_on/0": "tsk",
    "max_input_tokens": "positive",
}
PROVIDER = {"provider_session": {"harness": "codex", "id": "x"}}
PROVIDER_KINDS = {"provider_session": "object", "provider_session/harness": "full", "provider_session/id": "full"}


def _event() -> Body:
    more = {"failed": False, "attested": True, "occurred_at": "2026-03-11T14:10:00Z", "meta": {"a": [1]}}
    entry = event("said", "w1", kind="message", tool="grep", **more)
    return {"events": [entry], "attempt_id": "{attempt}"}


def _memory() -> Body:
    return {
        "content": "Keep comments.",
        "type": "semantic",
        "action": "UPDATE",
        "kind": "lesson",
        "target_id": "{memory}",
        "scope_type": "thread",
        "scope_id": "{thread}",
        "importance": 0.7,
        "confidence": 0.5,
        "origin": "agent_inferred",
        "sensitivity": "work",
        "retention_days": 30,
        "write_mode": "append",
        "knowledge_status": "inferred",
        "change_reason": "said so",
        "valid_from": "2026-03-01T00:00:00Z",
        "valid_to": "2026-04-01T00:00:00Z",
        "observed_at": "2026-03-01T00:00:00Z",
        "private": False,
        "evidence": [{"ref": "{constraint}", "quote": "vendored"}],
    }


def _thread() -> Body:
    return {"title": "t", "tags": ["a"], "keywords": ["k"], "summary": "s"}


def _vision() -> Body:
    lists = {"done_when": ["a"], "non_goals": ["b"], "user_priorities": ["c"]}
    return {"origin_goal": "g", "quality_bar": "q", **lists}


def _task() -> Body:
    texts = {"title": "t", "brief": "b", "next_steps": ["n"], "phase": "plan", "risk": "low"}
    return {**texts, "depends_on": ["{needed}"], "max_input_tokens": 500}


SCRIBE = {"kind": "role", "base": 0, "body": {"slug": "scribe", "duties": ["write it down"]}}


def _proposal() -> Body:
    return {
        "kind": "self_profile",
        "slug": "of-the-owner",
        "body": {"self_id": "me", "preference_model": {"communication": {"tone": "dry"}}},
        "title": "t",
        "rationale": "r",
        "base": 0,
        "risk": "low",
        "subject": "{human}",
    }


HANDED = {
    "summary": "the lexer stands",
    "unfinished_items": ["strings"],
    "risks": [],
    "resume_suggestion": "read the grammar",
    "what": "a lexer",
    "why": "a parser needs one",
    "trade_offs": [],
    "open": [],
    "next": ["strings"],
}
HANDED_KINDS = {name: "text" for name, value in HANDED.items() if isinstance(value, str)} | {
    name: "list" for name, value in HANDED.items() if isinstance(value, list)
}


CALLS: dict[str, Endpoint] = {
    "compile_context": Endpoint("POST", "/context", _context, CONTEXT_KINDS),
    "get_context": Endpoint("GET", "/context/{packet}"),
    "explain_context": Endpoint("GET", "/context/{packet}/explain?ref=event://x/1"),
    "replay_context": Endpoint("GET", "/context/{packet}/replay"),
    "report_outcome": Endpoint(
        "POST",
        "/context/{packet}/outcome",
        lambda: {"result": "done", "verification": "passed", "usage": {"input_tokens": 3}, "cited_refs": ["event://x"]},
        {
            "result": "full",
            "verification": "enum",
            "usage": "json",
            "cited_refs": "list",
            "cited_refs/0": "full",
        },
    ),
    "create_thread": Endpoint(
        "POST",
        "/threads",
        lambda: (
            _thread()
            | {"type": "work", "private": False, "bindings": [{"channel": "c", "page": "p", "audience": "project"}]}
        ),
        THREAD_KINDS
        | {
            "type": "enum",
            "private": "flag",
            "bindings": "list",
            "bindings/0/channel": "full",
            "bindings/0/page": "text",
            "bindings/0/audience": "enum",
        },
    ),
    "list_threads": Endpoint("GET", "/threads"),
    "get_thread": Endpoint("GET", "/threads/{thread}"),
    "change_thread": Endpoint(
        "PATCH",
        "/threads/{thread}",
        lambda: _thread() | {"state": "archived"},
        THREAD_KINDS | {"state": "enum"},
        ANY_VERSION,
    ),
    "get_vision": Endpoint("GET", "/threads/{thread}/vision"),
    "put_vision": Endpoint(
        "PUT", "/threads/{thread}/vision", _vision, VISION_KINDS | {"quality_bar": "text"}, ANY_VERSION
    ),
    # As previews: what is sent is judged just the same, and the world stays.
    "merge_thread": Endpoint(
        "POST",
        "/threads/{thread}/merge",
        lambda: {"into_thread_id": "{thread}", "into_version": 1, "reason": "r", "dry_run": True},
        {"into_thread_id": "thr", "into_version": "positive", "reason": "text", "dry_run": "flag"},
        ANY_VERSION,
    ),
    "split_thread": Endpoint(
        "POST",
        "/threads/{thread}/split",
        lambda: {
            "parts": [{"title": "t", "session_ids": ["{session}"], "task_ids": ["{needed}"]}],
            "reason": "r",
            "dry_run": True,
        },
        {
            "parts": "list",
            "parts/0/title": "full",
            "parts/0/session_ids": "list",
            "parts/0/session_ids/0": "ses",
            "parts/0/task_ids": "list",
            "parts/0/task_ids/0": "tsk",
            "reason": "text",
            "dry_run": "flag",
        },
        ANY_VERSION,
    ),
    "undo_thread": Endpoint(
        "POST",
        "/threads/{thread}/undo",
        lambda: {"reason": "r", "dry_run": True},
        {"reason": "text", "dry_run": "flag"},
        ANY_VERSION,
    ),
    "resolve_thread": Endpoint(
        "POST",
        "/threads/resolve",
        lambda: {
            "raw_text": "go on",
            "thread_id": "{thread}",
            "task_id": "{task}",
            "binding": {"channel": "c", "page": "p"},
            "role": "dev",
        },
        {
            "raw_text": "full",
            "thread_id": "thr",
            "task_id": "tsk",
            "binding/channel": "full",
            "binding/page": "text",
            "role": "role",
        },
    ),
    "create_task": Endpoint(
        "POST", "/tasks", lambda: _task() | {"thread_id": "{thread}"}, TASK_KINDS | {"thread_id": "thr"}
    ),
    "get_task": Endpoint("GET", "/tasks/{task}"),
    "change_task": Endpoint(
        "PATCH",
        "/tasks/{task}",
        lambda: _task() | {"state": "done", "reason": "r"},
        TASK_KINDS | {"state": "enum", "reason": "text"},
        ANY_VERSION,
    ),
    "send_back_task": Endpoint(
        "POST",
        "/tasks/{task}/send-back",
        lambda: HANDED | {"reason": "tests fail", "session_id": "{session}"},
        HANDED_KINDS | {"reason": "full", "session_id": "ses"},
    ),
    "open_session": Endpoint(
        "POST",
        "/sessions",
        lambda: PROVIDER | {"thread_id": "{thread}", "role": "dev", "task_id": "{task}"},
        PROVIDER_KINDS | {"thread_id": "thr", "role": "role", "task_id": "tsk"},
    ),
    "get_session": Endpoint("GET", "/sessions/{session}"),
    "list_events": Endpoint("GET", "/sessions/{session}/events"),
    "append_events": Endpoint("POST", "/sessions/{session}/events", _event, EVENT_KINDS),
    "start_attempt": Endpoint("POST", "/sessions/{session}/attempts", lambda: PROVIDER, PROVIDER_KINDS),
    "resume_session": Endpoint(
        "POST",
        "/sessions/{session}/resume",
        lambda: PROVIDER | {"provider_gone": False, "last_client_id": "c0", "last_attempt_id": "{attempt}"},
        PROVIDER_KINDS | {"provider_gone": "flag", "last_client_id": "full", "last_attempt_id": "att"},
    ),
    "checkpoint_session": Endpoint(
        "POST",
        "/sessions/{session}/checkpoint",
        lambda: {
            "sections": {"constraints": ["Never touch vendored code. [1]"]},
            "base_version": 1,
            "trigger": "asked",
        },
        {
            "sections": "object",
            "sections/constraints": "list",
            "sections/constraints/0": "full",
            "base_version": "positive",
            "trigger": "full",
        },
    ),
    "get_summary": Endpoint("GET", "/sessions/{session}/summary"),
    "interrupt_session": Endpoint(
        "POST",
        "/sessions/{session}/interrupt",
        lambda: {"kind": "process_exit", "reason": "r"},
        {"kind": "enum", "reason": "text"},
    ),
    "close_session": Endpoint(
        "POST",
        "/sessions/{session}/close",
        lambda: {"reason": "r", "head_seq": 1},
        {"reason": "text", "head_seq": "count"},
    ),
    "write_handoff": Endpoint(
        "POST",
        "/sessions/{session}/handoff",
        lambda: HANDED | {"next_actor": "tester", "to_session_id": None},
        HANDED_KINDS | {"next_actor": "role", "to_session_id": "ses"},
    ),
    "list_constraints": Endpoint("GET", "/threads/{thread}/constraints"),
    "retire_constraint": Endpoint(
        "POST",
        "/sessions/{session}/constraints/retire",
        lambda: {"ref": "{constraint}", "reason": "it is ours", "client_id": "r1"},
        {"ref": "full", "reason": "full", "client_id": "full"},
    ),
    "store_artifact": Endpoint(
        "POST",
        "/artifacts",
        lambda: {"session_id": "{session}", "content": "text", "media_type": "text/plain"},
        {"session_id": "ses", "content": "full", "media_type": "full"},
    ),
    "read_artifact": Endpoint("GET", "/artifacts/{artifact}"),
    "read_evidence": Endpoint("GET", "/evidence?ref={constraint}"),
    "propose_memory": Endpoint("POST", "/memories", _memory, MEMORY_KINDS),
    "search_memories": Endpoint("GET", "/memories/search?q=comments"),
    "get_memory": Endpoint("GET", "/memories/{memory}"),
    "list_memories": Endpoint("GET", "/memories"),
    "give_memory_feedback": Endpoint(
        "POST",
        "/memories/{memory}/feedback",
        lambda: {"kind": "useful", "note": "It helped."},
        {"kind": "enum", "note": "text"},
    ),
    "propose_contract": Endpoint(
        "POST",
        "/proposals",
        _proposal,
        {
            "kind": "enum",
            "slug": "full",
            "body": "json",
            "title": "full",
            "rationale": "text",
            "base": "count",
            "risk": "enum",
            "subject": "act",
        },
    ),
    "list_proposals": Endpoint("GET", "/proposals"),
    "get_proposal": Endpoint("GET", "/proposals/{proposal}"),
    "withdraw_proposal": Endpoint(
        "POST", "/proposals/{proposal}/withdraw", lambda: {"reason": "r"}, {"reason": "text"}
    ),
    "show_key": Endpoint("GET", "/key"),
}
