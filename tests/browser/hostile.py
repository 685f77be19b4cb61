"""A project in which every text that anybody may write tries to run as script."""

from typing import Any

from governance.models import User
from governance.vocabulary import MembershipLevel
from tests.api.asking import compiled, make_thread, ok, open_session
from tests.cast import Api, Cast
from tests.site.console_cast import join, make_account

SPECIMENS = (
    "<script>window.owned=1</script>",
    '"><img src=x onerror="window.owned=1">',
    "' autofocus onfocus='window.owned=1' x='",
    "<svg onload=window.owned=1>",
    "javascript:window.owned=1",
    "</textarea></title></style><iframe srcdoc='<script>parent.owned=1</script>'>",
    "{{ 7|add:7 }}{% load i18n %}",
    "\u202egpj.exe\u202c <b hx-get='/' hx-trigger='load'>x</b>",
)
ALL = " ".join(SPECIMENS)


def hostile(cast: Cast) -> User:
    """Fill the cast's project with specimens through the API, and return the account of an owner who looks at it."""
    api = cast.dev.client()
    for n, specimen in enumerate(SPECIMENS):
        _one(api, f"{specimen} {n}", n)
    thread = make_thread(api, ALL[:200], tags=[s[:60] for s in SPECIMENS], keywords=[ALL[:60]], summary=ALL)
    vision = {"origin_goal": ALL, "done_when": [ALL], "non_goals": [ALL], "user_priorities": [ALL], "quality_bar": ALL}
    ok(api.call("PUT", f"/threads/{thread}/vision", vision, If_None_Match="*"))
    session = open_session(api, thread, provider_session={"harness": SPECIMENS[0][:60], "id": ALL[:180]})
    ok(api.post(f"/sessions/{session}/events", {"events": _events()}))
    artifact = ok(api.post("/artifacts", {"session_id": session, "content": f"{ALL}\n" * 50}))["ref"]
    memory = {"content": ALL, "type": "semantic", "evidence": [{"ref": artifact, "quote": ALL[:200]}]}
    ok(api.post("/memories", memory | {"change_reason": ALL[:300]}))
    task = ok(api.post("/tasks", {"thread_id": thread, "title": ALL[:150], "brief": ALL, "next_steps": [ALL]}))["id"]
    ok(api.post("/tasks", {"thread_id": thread, "title": ALL[:150], "depends_on": [task]}))
    compiled(
        api, session_id=session, user_input={"raw_text": ALL, "attached_context": ALL}, ui_context={"summary": ALL}
    )
    ok(api.post(f"/sessions/{session}/interrupt", {"kind": "user", "reason": ALL[:400]}))
    return join(make_account(), cast, MembershipLevel.OWNER)


def _one(api: Api, text: str, n: int) -> None:
    thread = make_thread(api, text[:200])
    session = open_session(api, thread)
    ok(api.post(f"/sessions/{session}/events", {"events": [{"client_id": f"h{n}", "role": "user", "text": text}]}))
    compiled(api, session_id=session, user_input={"raw_text": text})


def _events() -> list[dict[str, Any]]:
    said = [
        {"role": "user", "kind": "message", "text": ALL},
        {"role": "user", "kind": "constraint", "attested": True, "text": ALL},
        {"role": "user", "kind": "correction", "attested": True, "text": ALL},
        {"role": "assistant", "kind": "tool_call", "tool": ALL[:180], "text": ALL},
        {"role": "tool", "kind": "tool_result", "tool": ALL[:180], "text": f"{ALL}\n" * 200, "failed": True},
        {"role": "assistant", "kind": "message", "text": ALL, "meta": {ALL[:50]: ALL}},
    ]
    return [entry | {"client_id": f"a{n} {SPECIMENS[0]}"} for n, entry in enumerate(said)]
