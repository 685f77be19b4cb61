"""From a folder and a session of the harness to a thread and a session of GreyWind."""

from collections.abc import Mapping
from typing import Any

from greywind_site.client.folder import HARNESS, channel_of, title_of
from greywind_site.client.hooks.window import Notes
from greywind_site.client.profile import Profile
from greywind_site.client.wire import Answer, Wire

MOST_CHANNELS = 5  # of one folder: each archived thread keeps the channel that it had


class Turned(Exception):
    """The server refused in a way that no repetition mends; the message says what has to be done."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.reason)
        self.answer = answer


def open_session(wire: Wire, profile: Profile, notes: Notes) -> Mapping[str, Any]:
    """Return the session of the folder's thread as the API opened it, and note both ids. Raises Turned, NoAnswer."""
    if not notes.thread:
        notes.thread = _thread(wire, profile, notes.root)
    body = {"thread_id": notes.thread, "role": profile.role, "provider_session": provider(notes)}
    answer = wire.call("POST", "/sessions", body)
    if answer.status == 404 or answer.code == "thread_not_open":
        notes.thread = _thread(wire, profile, notes.root)
        answer = wire.call("POST", "/sessions", body | {"thread_id": notes.thread})
    opened = _granted(answer)
    notes.session = opened["id"]
    return opened


def resume_session(wire: Wire, notes: Notes) -> Mapping[str, Any]:
    """Start a new attempt for a process that picks the session up. Raises Turned, NoAnswer."""
    body = {"provider_session": provider(notes)}
    return _granted(wire.call("POST", f"/sessions/{notes.session}/resume", body))


def provider(notes: Notes) -> dict[str, str]:
    """Return the harness's own session, as the API names it."""
    return {"harness": HARNESS, "id": notes.harness_session[:200]}


def _thread(wire: Wire, profile: Profile, root: str) -> str:
    """Return the thread that is bound to the folder, made now when there is none."""
    base = channel_of(root, profile.installation)
    for n in range(MOST_CHANNELS):
        binding = {"channel": base if n == 0 else f"{base}:{n + 1}"}
        found = _granted(wire.call("POST", "/threads/resolve", {"raw_text": title_of(root), "binding": binding}))
        if found.get("rule") == "binding":
            return str(found["thread_id"])
        answer = wire.call("POST", "/threads", {"title": title_of(root), "bindings": [binding]})
        if answer.code != "binding_taken":
            return str(_granted(answer)["id"])
    raise Turned(answer)


def _granted(answer: Answer) -> Mapping[str, Any]:
    if not answer.ok:
        raise Turned(answer)
    return answer.body
