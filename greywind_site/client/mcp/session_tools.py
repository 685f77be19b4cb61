"""What was said and done, appended to the transcript of a session."""

import hashlib
import json
from typing import Annotated, Any

from pydantic import Field, model_validator

from greywind_site.client.http import GreyWind
from greywind_site.client.mcp.paths import Id, part
from greywind_site.client.mcp.tool import Gives, Takes, Tool, Unwrapped
from greywind_site.client.mcp.vocabulary import EntryKind, Speaker

MOST_ENTRIES = 50


class Entry(Takes):
    role: Speaker = Field(description="Whose words these are.")
    text: Annotated[str, Field(max_length=500_000)] = Field(description="The words, whole; long ones become artifacts.")
    kind: EntryKind = EntryKind.MESSAGE
    tool: Annotated[str, Field(max_length=200)] = Field(default="", description="The tool's name, for tool entries.")
    failed: bool | None = Field(default=None, description="Whether the tool failed.")
    attested: bool = Field(
        default=False, description="True vouches that the user typed this; needs a key with event:attest."
    )
    client_id: Annotated[str, Field(max_length=200)] | None = Field(
        default=None, description="Your own id of this entry. Left out, it is made of the words of this call."
    )


class AppendTakes(Takes):
    entries: Annotated[list[Entry], Unwrapped, Field(min_length=1, max_length=MOST_ENTRIES)] = Field(
        description="What happened since the last call, in order."
    )
    session_id: Id | None = Field(default=None, description="From context_compile: session.id (ses_…).")
    thread_id: Id | None = Field(
        default=None, description="Instead of session_id: your session on this thread is opened or picked up."
    )
    role: Annotated[str, Field(max_length=64)] | None = Field(
        default=None, description="With thread_id: the role that you work in; left out, your first."
    )
    task_id: Id | None = Field(default=None, description="With thread_id: the task that the session is for.")

    @model_validator(mode="after")
    def _names_one_place(self) -> "AppendTakes":
        if (self.session_id is None) == (self.thread_id is None):
            raise ValueError("give session_id, or thread_id to open or pick up a session there, and not both")
        return self


class Stored(Gives):
    client_id: str
    ref: str
    seq: int
    replayed: bool = Field(description="True when this client_id was stored before; nothing was stored twice.")
    artifact_ref: str | None = None


class AppendGives(Gives):
    session_id: str
    recovery: str | None = Field(description="How the session was picked up, when thread_id was given.")
    head_seq: int
    stored: list[Stored]


def append_to_session(greywind: GreyWind, asked: AppendTakes) -> AppendGives:
    """Append what was said and done to the session's transcript: user's words, your answers, tool calls and results.

    Call it after each turn with everything that happened in it; only what is appended can be picked up later. All
    entries are stored or none. Calling again with the same arguments stores nothing twice, so a failed call may simply
    be repeated; when the same words are really said again, give them a client_id of their own.
    每一轮之后把发生的事追加进会话。
    """
    session_id, recovery = asked.session_id, None
    if session_id is None:
        wish = asked.model_dump(mode="json", include={"thread_id", "role", "task_id"})
        opened = greywind.call("POST", "/sessions", wish)
        session_id, recovery = str(opened["id"]), opened["recovery"]
    told = greywind.call("POST", f"/sessions/{part(session_id)}/events", {"events": _events(asked.entries)})
    stored = [Stored.model_validate(entry) for entry in told["results"]]
    return AppendGives(session_id=session_id, recovery=recovery, head_seq=told["head_seq"], stored=stored)


def _events(entries: list[Entry]) -> list[dict[str, Any]]:
    sent = [entry.model_dump(mode="json") for entry in entries]
    # The whole call is the fingerprint: "go on" after two different answers is said twice and stored twice.
    words = json.dumps(sent, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
    call = hashlib.sha256(words).hexdigest()[:32]
    return [event | {"client_id": event["client_id"] or f"mcp-{call}-{n}"} for n, event in enumerate(sent)]


TOOLS = (
    Tool(
        name="session_append",
        title="Append to a session · 追加会话",
        takes=AppendTakes,
        gives=AppendGives,
        run=append_to_session,
        writes=True,
        repeatable=True,
    ),
)
