"""Proof that everything between here and the server works: something is written and read back."""

import uuid
from collections.abc import Iterator
from typing import Any

from greywind_site.client.http import GreyWind, Refused

TITLE = "Connection check · 连接检查"
# What a reading call can tell of a key; the right to attest shows when a prompt is delivered.
SCOPES: dict[str, tuple[str, str, Any, dict[str, str]]] = {
    "context:compile": ("POST", "/threads/resolve", {"raw_text": "check"}, {}),
    "session:write": ("GET", "/threads", None, {"limit": "1"}),
    "memory:read": ("GET", "/memories/search", None, {"q": "check", "limit": "1"}),
    "evidence:read": ("GET", "/evidence", None, {"ref": "event://ses_0/1"}),
}


def canary(client: GreyWind, *, role: str | None) -> Iterator[str]:
    """Write an entry on a thread of its own, read it back, compile a context dry, and archive the thread.

    Yields a line for each thing that was done. Raises Refused, Unreachable, and LookupError when what was read is
    not what was written.
    """
    thread = client.call("POST", "/threads", {"title": TITLE})
    session = client.call("POST", "/sessions", {"thread_id": thread["id"], "role": role})
    events = f"/sessions/{session['id']}/events"
    entry = {"client_id": str(uuid.uuid4()), "role": "assistant", "text": f"check {uuid.uuid4()}"}
    client.call("POST", events, {"events": [entry]})
    read = client.call("GET", events)["results"]
    if [found["text"] for found in read if found["client_id"] == entry["client_id"]] != [entry["text"]]:
        raise LookupError(f"the entry written to {session['id']} did not come back")
    yield f"wrote an entry to {session['id']} on a thread of its own and read it back"
    ask = {"session_id": session["id"], "user_input": {"raw_text": "check", "input_type": "system"}, "dry_run": True}
    compiled = client.call("POST", "/context", ask)
    yield f"compiled a context as {session['role']}, dry: {compiled['budget']['used']} tokens"
    client.call("POST", f"/sessions/{session['id']}/close", {"reason": "check done"})
    version = client.call("GET", f"/threads/{thread['id']}")["version"]
    archive = {"If-Match": f'"{version}"'}
    client.call("PATCH", f"/threads/{thread['id']}", {"state": "archived"}, headers=archive)
    yield f"archived {thread['id']}"


def scopes(client: GreyWind) -> dict[str, bool]:
    """Return which scopes the key carries, of those that a reading call can tell. Raises Refused for a bad key."""
    return {scope: _allowed(client, call) for scope, call in SCOPES.items()}


def _allowed(client: GreyWind, call: tuple[str, str, Any, dict[str, str]]) -> bool:
    method, path, body, params = call
    try:
        client.call(method, path, body, params=params)
    except Refused as refused:
        if refused.status == 401:
            raise
        return refused.code != "scope_missing"
    return True
