"""Every endpoint as tests call it: with the ids of somebody's rows, with its scopes, and with what its answer shows.

Paths and bodies are templates: `{thread}` is the id of the row that is asked for, `{own_thread}` one of the caller's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from governance.ids import new_id, public_id
from governance.models import Revision
from governance.scope import project_scope
from governance.vocabulary import KeyScope
from tests.cast import Api
from tests.factories import World

CONTEXT, WRITE, ATTEST = KeyScope.CONTEXT_COMPILE, KeyScope.SESSION_WRITE, KeyScope.EVENT_ATTEST
READ, PROPOSE, EVIDENCE = KeyScope.MEMORY_READ, KeyScope.MEMORY_PROPOSE, KeyScope.EVIDENCE_READ
ASK = {"user_input": {"raw_text": "when do the tide tables begin?"}}
SPOKEN = {"events": [{"client_id": "said", "role": "user", "text": "the tables are late"}]}
LETTERS = str.maketrans("0123456789", "ghijklmnop")
# A word of its own in each round: what was learnt before would be answered as known.
LEARNT = {"content": "The tables of {fresh} are late.", "type": "semantic"}
PROPOSAL = KeyScope.PROPOSAL_CREATE
PROPOSED = {"kind": "role", "slug": "dev", "body": {"slug": "dev", "duties": ["mind the tides"]}, "title": "more"}
PROPOSED_PROFILE = {"kind": "self_profile", "slug": "of-{own_canary}", "body": {"self_id": "me"}, "title": "me"}
ANY_VERSION = {"If_Match": "*"}


@dataclass(frozen=True)
class Call:
    """One way to call an operation. `shows` is what the answer to its owner must hold.

    `asks` names the placeholders that a stranger's rows are put into; a call without any names no row. `fresh` says
    that the call uses its rows up. `records` is false where nothing changes and no content is disclosed.
    """

    operation: str
    method: str
    path: str
    scopes: tuple[KeyScope, ...]
    body: Mapping[str, Any] | None = None
    asks: tuple[str, ...] = ()
    shows: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False
    records: bool = False

    def __str__(self) -> str:
        return "-".join([self.operation, *self.asks])

    def send(self, api: Api, ids: Mapping[str, str]) -> Any:
        """Call the endpoint with these ids."""
        return api.call(self.method, filled(self.path, ids), filled(self.body, ids), **self.headers)


def filled(template: Any, ids: Mapping[str, str]) -> Any:
    """Return a template with its placeholders filled in, at any depth."""
    if isinstance(template, str):
        for name, value in ids.items():
            template = template.replace("{" + name + "}", value)
        return template
    if isinstance(template, Mapping):
        return {name: filled(value, ids) for name, value in template.items()}
    return [filled(value, ids) for value in template] if isinstance(template, list) else template


def ids_of(world: World) -> dict[str, str]:
    """Return the ids of a world's rows by placeholder."""
    session = world.session
    with project_scope(world.maker.acting):
        revision = Revision.objects.earliest("created_at")
    return {
        "canary": world.canary,
        "fresh": new_id().hex.translate(LETTERS),
        "thread": world.thread.public_id,
        "task": world.task.public_id,
        "blocked": world.blocked.public_id,
        "part": world.part.public_id,
        "session": session.public_id,
        "attempt": world.opening.attempt.public_id,
        "artifact": world.artifact.public_id,
        "memory": world.memory.public_id,
        "packet": world.packet.public_id,
        "handoff": world.handoff.public_id,
        "summary": world.summary.public_id,
        "revision": revision.public_id,
        "person": public_id("act", world.maker.actor.owned_by_id),
        "constraint": world.constraint_ref,
    } | ({"proposal": world.proposal.public_id} if world.proposal else {})


def random_like(ids: Mapping[str, str], asked: tuple[str, ...]) -> dict[str, str]:
    """Return the same ids with the asked ones replaced by random ones of the same noun."""
    return dict(ids) | {name: public_id(ids[name].partition("_")[0], new_id()) for name in asked}


def owned_by(world: World) -> dict[str, str]:
    """Return the ids of the caller's own rows, under their placeholders."""
    return {f"own_{name}": value for name, value in ids_of(world).items()}


def _call(line: str, scopes: tuple[KeyScope, ...], body: Any, shows: str, *asks: str) -> Call:
    """Read `operation METHOD path flags`: `+` it is recorded, `!` it uses its rows up, `=` it names a version."""
    operation, method, path, *flags = line.split()
    return Call(
        operation,
        method,
        path,
        scopes,
        body,
        asks,
        shows,
        headers=ANY_VERSION if "=" in flags else {},
        fresh="!" in flags,
        records="+" in flags,
    )


def _opened(ref: str, asked: str) -> Call:
    return _call(f"read_evidence GET /evidence?ref={ref} +", (EVIDENCE,), None, "{canary}", asked)


def _compiled(named: Any, asked: str) -> Call:
    return _call("compile_context POST /context +", (CONTEXT,), ASK | named, "{canary}", asked)


def _proposed(named: Any, shows: str, *asks: str) -> Call:
    return _call("propose_memory POST /memories +", (PROPOSE,), LEARNT | named, shows, *asks)


C, W = (CONTEXT,), (WRITE,)
NOT_MINE = {"thread_id": "{own_thread}"}
RETIRED = {"ref": "{constraint}", "reason": "no more", "client_id": "r-1"}
SUMMARISED = {"sections": {"constraints": ["never round the heights of {canary} [3]"]}}
LOOKED = {"dry_run": True}
PARTED = {"parts": [{"title": "publish", "task_ids": ["{blocked}"]}], "reason": "another matter"}


def _part(**taken: Any) -> dict[str, Any]:
    return LOOKED | {"parts": [{"title": "a part", **taken}]}


CALLS = [
    _compiled({"thread_id": "{thread}"}, "thread"),
    _compiled({"thread_id": "{thread}", "dry_run": True}, "thread"),
    _compiled({"session_id": "{session}"}, "session"),
    _compiled({"attempt_id": "{attempt}"}, "attempt"),
    _compiled({"task_id": "{task}"}, "task"),
    _call("get_context GET /context/{packet} +", C, None, "{canary}", "packet"),
    _call("explain_context GET /context/{packet}/explain?ref={constraint}", C, None, '"verdict":"in"', "packet"),
    _call("replay_context GET /context/{packet}/replay", C, None, '"verdict":"identical"', "packet"),
    _call("report_outcome POST /context/{packet}/outcome +", C, {"result": "done"}, "{packet}", "packet"),
    _call(
        "resolve_thread POST /threads/resolve", C, {"raw_text": "go on", "thread_id": "{thread}"}, "{thread}", "thread"
    ),
    _call("resolve_thread POST /threads/resolve", C, {"raw_text": "go on", "task_id": "{task}"}, "{thread}", "task"),
    _call("create_thread POST /threads +", W, {"title": "tides again"}, "tides again"),
    _call("list_threads GET /threads", W, None, "{canary}"),
    _call("get_thread GET /threads/{thread}", W, None, "{canary}", "thread"),
    _call("change_thread PATCH /threads/{thread} + =", W, {"tags": ["late"]}, "{canary}", "thread"),
    _call("get_vision GET /threads/{thread}/vision", W, None, "{canary}", "thread"),
    _call("put_vision PUT /threads/{thread}/vision + ! =", W, {"origin_goal": "right tides"}, "{thread}", "thread"),
    _call(
        "merge_thread POST /threads/{thread}/merge =",
        W,
        {"into_thread_id": "{own_thread}", **LOOKED},
        "{thread}",
        "thread",
    ),
    _call(
        "merge_thread POST /threads/{own_thread}/merge =",
        W,
        {"into_thread_id": "{thread}", **LOOKED},
        "{thread}",
        "thread",
    ),
    _call("split_thread POST /threads/{thread}/split + ! =", W, PARTED, "{canary}", "thread"),
    _call(
        "split_thread POST /threads/{own_thread}/split =", W, _part(session_ids=["{session}"]), "{session}", "session"
    ),
    _call("split_thread POST /threads/{own_thread}/split =", W, _part(task_ids=["{task}"]), "{task}", "task"),
    _call("undo_thread POST /threads/{part}/undo + ! =", W, {"reason": "back"}, "{part}", "part"),
    _call("list_constraints GET /threads/{thread}/constraints", W, None, "{canary}", "thread"),
    _call("create_task POST /tasks +", W, {"thread_id": "{thread}", "title": "more"}, "{thread}", "thread"),
    _call("create_task POST /tasks +", W, NOT_MINE | {"title": "more", "depends_on": ["{task}"]}, "{task}", "task"),
    _call("get_task GET /tasks/{task}", W, None, "{canary}", "task"),
    _call("change_task PATCH /tasks/{task} + =", W, {"brief": "soon"}, "{canary}", "task"),
    _call("change_task PATCH /tasks/{task} + =", W, {"depends_on": []}, "{canary}", "task"),
    _call("send_back_task POST /tasks/{task}/send-back + !", W, {"reason": "late"}, "{canary}", "task"),
    _call(
        "open_session POST /sessions + !", W, {"thread_id": "{thread}", "task_id": "{task}"}, "{task}", "thread", "task"
    ),
    _call("open_session POST /sessions + !", W, NOT_MINE | {"task_id": "{task}"}, "{task}", "task"),
    _call("get_session GET /sessions/{session}", W, None, "{thread}", "session"),
    _call("list_events GET /sessions/{session}/events", W, None, "{canary}", "session"),
    _call("append_events POST /sessions/{session}/events + !", W, SPOKEN, "{session}", "session"),
    _call(
        "append_events POST /sessions/{own_session}/events + !",
        W,
        SPOKEN | {"attempt_id": "{attempt}"},
        "{session}",
        "attempt",
    ),
    _call("start_attempt POST /sessions/{session}/attempts + !", W, {}, "{session}", "session"),
    _call("resume_session POST /sessions/{session}/resume + !", W, {}, "{session}", "session"),
    _call("write_handoff POST /sessions/{session}/handoff + !", W, {"next_actor": "tester"}, "{session}", "session"),
    _call("checkpoint_session POST /sessions/{session}/checkpoint + !", W, SUMMARISED, "{canary}", "session"),
    _call("checkpoint_session POST /sessions/{session}/checkpoint !", W, {}, "{canary}", "session"),  # nothing is due
    _call("get_summary GET /sessions/{session}/summary", W, None, "{canary}", "session"),
    _call("interrupt_session POST /sessions/{session}/interrupt + !", W, {}, "{session}", "session"),
    _call("close_session POST /sessions/{session}/close + !", W, {}, "{session}", "session"),
    _call(
        "retire_constraint POST /sessions/{session}/constraints/retire + !",
        (WRITE, ATTEST),
        RETIRED,
        "{session}",
        "session",
    ),
    _call(
        "store_artifact POST /artifacts +", W, {"session_id": "{session}", "content": "a b"}, "artifact://", "session"
    ),
    _call("read_artifact GET /artifacts/{artifact} +", (EVIDENCE,), None, "{canary}", "artifact"),
    _opened("event://{session}/1", "session"),
    _opened("event://{session}/1-3", "session"),
    _opened("artifact://{artifact}", "artifact"),
    _opened("artifact://{artifact}#t=0,20", "artifact"),
    _opened("memory://{memory}@1", "memory"),
    _opened("memory://{memory}", "memory"),
    _opened("handoff://{handoff}", "handoff"),
    _opened("summary://{summary}", "summary"),
    _proposed({}, "evidence_missing"),
    _proposed(
        {"content": "The tables of {fresh} came late.", "evidence": [{"ref": "event://{session}/1"}]},
        "needs_human",
        "session",
    ),
    _proposed({"action": "UPDATE", "target_id": "{memory}"}, "{memory}", "memory"),
    _proposed({"scope_type": "thread", "scope_id": "{thread}"}, "{thread}", "thread"),
    _proposed({"scope_type": "task", "scope_id": "{task}"}, "{task}", "task"),
    _call("get_memory GET /memories/{memory}", (READ,), None, "{canary}", "memory"),
    _call(
        "give_memory_feedback POST /memories/{memory}/feedback +", (READ,), {"kind": "outdated"}, "{memory}", "memory"
    ),
    _call("list_memories GET /memories", (READ,), None, "{canary}"),
    _call("show_key GET /key", (), None, '"memory:read"'),
    _call("propose_contract POST /proposals +", (PROPOSAL,), PROPOSED, "dev"),
    _call("list_proposals GET /proposals", (PROPOSAL,), None, "keeper"),
    _call("search_memories GET /memories/search?q=tide+tables+{canary}", (READ,), None, "begin at noon"),
]
# Rows that every member of a project may read, and no outsider.
OF_THE_PROJECT = [
    replace(_opened("revision://{revision}", "revision"), shows="hard_boundaries"),
    _call("get_proposal GET /proposals/{proposal}", (PROPOSAL,), None, "{canary}", "proposal"),
    _call("withdraw_proposal POST /proposals/{proposal}/withdraw + !", (PROPOSAL,), {}, "withdrawn", "proposal"),
    _call(
        "propose_contract POST /proposals +",
        (PROPOSAL,),
        PROPOSED_PROFILE | {"subject": "{person}"},
        "{own_canary}",
        "person",
    ),
    replace(_compiled(NOT_MINE | {"on_behalf_of": "{person}"}, "person"), shows="{thread}"),
]
