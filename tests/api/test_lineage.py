"""Threads become one, or several, and are undone: what goes along, what is refused, and what comes back."""

import threading
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from governance.models import AuditEvent
from governance.scope import project_scope
from memories.models import Memory
from memories.writes import admit
from sessions.models import Session
from tests.api.asking import append, compiled, event, make_thread, ok, open_session, refused
from tests.cast import Cast, Member
from tests.databases import owner_link
from threads.models import Lineage, Thread

SEVERAL = 6
PAYDAY = "The harbour pays on Fridays."
FACTS = """
SELECT 'session', s.id, s.thread_id, s.state, NULL::text FROM agent_sessions_session s
UNION ALL SELECT 'task', t.id, t.thread_id, t.state, NULL FROM threads_task t
UNION ALL SELECT 'binding', b.id, b.thread_id, b.channel, NULL FROM threads_binding b
UNION ALL SELECT 'memory', m.id, m.scope_id, m.status, m.content FROM memories_memory m
UNION ALL SELECT 'passage', p.id, p.thread_id, p.ref, p.text FROM memories_passage p
UNION ALL SELECT 'talk', k.id, k.thread_id, k.source::text, NULL FROM threads_threadtalk k
UNION ALL SELECT 'use', u.id, u.thread_id, u.role, u.last_used_at::text FROM threads_threaduse u
UNION ALL SELECT 'thread', h.id, NULL, h.state || h.provisional, array_to_string(h.tags || h.keywords, ',')
  FROM threads_thread h
UNION ALL SELECT 'wanted', v.thread_id, NULL, v.origin_goal, array_to_string(v.non_goals, ',') FROM threads_vision v
  WHERE v.version = (SELECT max(w.version) FROM threads_vision w WHERE w.thread_id = v.thread_id)
ORDER BY 1, 2
"""


def worked(cast: Cast, what: str, *more: dict[str, Any], thread: str = "", **window: Any) -> tuple[str, str]:
    """Return a thread and the session in which its goal, and these entries, were said."""
    thread = thread or make_thread(cast.dev, what, tags=[what], bindings=[{"channel": f"feishu:{what}"}])
    session = open_session(cast.dev, thread, **window)
    append(cast.dev, session, event(f"please build the {what} for the harbour", "goal", attested=True), *more)
    return thread, session


def demand(text: str) -> dict[str, Any]:
    return event(text, "demand", kind="constraint", attested=True)


def task_on(cast: Cast, thread: str, title: str = "dig") -> str:
    return str(ok(cast.dev.client().post("/tasks", {"thread_id": thread, "title": title}))["id"])


def learnt(who: Member, thread: str, content: str, session: str, **more: Any) -> str:
    """Let an agent learn something on a thread from the first entry of a session; returns the memory's id."""
    said = {"content": content, "type": "semantic", "scope_type": "thread", "scope_id": thread}
    cited = {"evidence": [{"ref": f"event://{session}/1", "quote": "for the harbour"}]}
    return str(ok(who.client().post("/memories", said | cited | more))["id"])


def asked(who: Member, thread: str, verb: str, **body: Any) -> Any:
    return who.client().post(f"/threads/{thread}/{verb}", {"reason": "the same matter", **body}, If_Match="*")


def merged(cast: Cast, source: str, into: str, **more: Any) -> Any:
    return asked(cast.dev, source, "merge", into_thread_id=into, **more)


def part(title: str, **taken: Any) -> dict[str, Any]:
    return {"title": title, **taken}


def facts() -> list[Any]:
    """Return where everything belongs, seen past row-level security."""
    with owner_link(connection.settings_dict["NAME"]) as link:
        return link.execute(FACTS).fetchall()


def two_lines(cast: Cast) -> tuple[str, str]:
    """Return two threads with everything on them: sessions of two roles, a task, a memory, channels and a demand."""
    first, session = worked(cast, "tide tables", demand("never round the heights"))
    worked(cast, "heights", thread=first, task_id=task_on(cast, first))
    learnt(cast.dev, first, "The tide tables begin at noon.", session)
    ok(cast.dev.client().call("PUT", f"/threads/{first}/vision", wanted("tides", "no charts"), If_Match="*"))
    second, _ = worked(cast, "harbour lights", role="chief")
    return first, second


def pair(cast: Cast) -> tuple[str, str]:
    """Return two threads with one session each, of two roles."""
    return worked(cast, "tide tables")[0], worked(cast, "harbour lights", role="chief")[0]


def wanted(goal: str, no: str) -> dict[str, Any]:
    return {"origin_goal": goal, "non_goals": [no]}


def test_a_packet_of_the_merged_thread_knows_what_both_knew(cast: Cast) -> None:
    first, second = two_lines(cast)
    ok(merged(cast, first, second))
    packet = compiled(cast.dev, "when do the tide tables begin?", thread_id=second, role="dev")["packet"]
    assert set(packet["thread"]["constraints"]) == {"never round the heights", "no charts"}
    assert packet["vision"]["origin_goal"] == "please build the harbour lights for the harbour\n\ntides"
    assert len(packet["thread"]["linked_task_ids"]) == 1
    assert "please build the heights" in packet["session"]["recent_dialogue"][0]["text"]


def test_a_merged_session_goes_on_from_its_last_packet(cast: Cast) -> None:
    first, second = two_lines(cast)
    before = compiled(cast.dev, "when do the tide tables begin?", thread_id=first, role="dev")
    ok(merged(cast, first, second))
    after = compiled(cast.dev, "继续", thread_id=second, session_id=before["session"]["id"])
    assert after["retrieval"]["kept_from"] == before["packet_id"]


def test_a_session_that_left_its_thread_is_asked_anew_what_was_found_there(cast: Cast) -> None:
    first, _ = two_lines(cast)
    task = task_on(cast, first, "print")
    before = compiled(cast.dev, "when do the tide tables begin?", thread_id=first, task_id=task, role="tester")
    made = ok(asked(cast.dev, first, "split", parts=[part("print", task_ids=[task])]))["lineage"][0]["to"]
    after = compiled(cast.dev, "继续", thread_id=made, session_id=before["session"]["id"], role="tester")
    assert (before["session"]["id"], after["retrieval"]["kept_from"]) == (after["session"]["id"], None)


def test_a_memory_of_the_thread_is_found_where_its_work_went(cast: Cast) -> None:
    first, second = two_lines(cast)
    with project_scope(cast.owner.acting):
        admit(cast.owner.acting, Memory.objects.get(), reason="seen", now=timezone.now())
    ok(merged(cast, first, second))
    found = compiled(cast.dev, "when do the tide tables begin?", thread_id=second, role="dev")["packet"]["retrieved"]
    assert any("begin at noon" in one["content"] for one in found)


def test_a_channel_and_a_session_lead_to_where_the_work_went(cast: Cast) -> None:
    first, second = pair(cast)
    [one, *_] = moved = [row.public_id for row in sessions_of(cast, first)]
    ok(merged(cast, first, second))
    bound = compiled(cast.dev, "go on", binding={"channel": "feishu:tide tables"}, role="dev")
    told = ok(cast.dev.client().post(f"/sessions/{one}/resume", {}))
    assert (bound["resolution"]["thread_id"], bound["session"]["id"] in moved) == (second, True)
    assert (told["thread_id"], told["outcome"]) == (second, "rebuilt")


def sessions_of(cast: Cast, thread: str) -> list[Session]:
    with project_scope(cast.dev.acting):
        return list(Session.objects.filter(thread_id=thread.removeprefix("thr_")))


ENDED: dict[str, tuple[str, dict[str, Any]]] = {
    "a packet": ("/context", {"user_input": {"raw_text": "go on"}, "thread_id": "{}"}),
    "a session": ("/sessions", {"thread_id": "{}"}),
    "a task": ("/tasks", {"thread_id": "{}", "title": "dig"}),
    "a resolution": ("/threads/resolve", {"raw_text": "go on", "thread_id": "{}"}),
}


def test_who_names_the_merged_thread_hears_where_its_work_goes_on(cast: Cast) -> None:
    first, second = pair(cast)
    third, _ = worked(cast, "buoys", role="tester")
    ok(merged(cast, first, second))
    ok(merged(cast, second, third))
    for path, body in ENDED.values():
        named = {name: first if value == "{}" else value for name, value in body.items()}
        problem = refused(cast.dev.client().post(path, named), 409, "thread_not_open")
        assert problem["successors"] == [third]
    learning = {"content": "x y", "type": "semantic", "scope_type": "thread", "scope_id": first}
    assert third in refused(cast.dev.client().post("/memories", learning), 422, "unknown_scope")["detail"]


def test_an_undone_merge_leaves_everything_where_it_was(cast: Cast) -> None:
    first, second = two_lines(cast)
    before = facts()
    ok(merged(cast, first, second))
    assert facts() != before
    ok(asked(cast.dev, first, "undo"))
    assert facts() == before


def test_what_was_said_since_goes_back_with_its_session(cast: Cast) -> None:
    first, second = pair(cast)
    [row] = sessions_of(cast, first)
    ok(merged(cast, first, second))
    append(cast.dev, row.public_id, event("dig deeper at the northern pier", "late", attested=True))
    ok(asked(cast.dev, first, "undo"))
    found = ok(cast.dev.client().get(f"/memories/search?q=northern+pier&thread_id={first}"))["results"]
    assert [hit["ref"] for hit in found] == [f"event://{row.public_id}/2"]


def test_a_preview_changes_nothing_and_is_what_happens(cast: Cast) -> None:
    first, second = two_lines(cast)
    before = facts()
    told = ok(merged(cast, first, second, dry_run=True))
    assert (facts(), told["possible"], told["versions"]) == (before, True, {first: 1, second: 1})
    done = ok(merged(cast, first, second))["lineage"][0]["moved"]
    assert done == {name: len(rows) for name, rows in told["moves"].items()}


def test_a_merge_is_told_by_the_ledger_and_by_both_threads(cast: Cast) -> None:
    first, second = pair(cast)
    ok(merged(cast, first, second))
    told = [ok(cast.dev.client().get(f"/threads/{thread}")) for thread in (first, second)]
    assert [(one["state"], one["successors"]) for one in told] == [("merged", [second]), ("open", [])]
    assert told[0]["lineage"] == told[1]["lineage"]
    with project_scope(cast.owner.acting):
        entries = {row.verb: row for row in AuditEvent.objects.filter(verb__startswith="thread.merge")}
    assert second in entries["thread.merge"].detail
    assert (entries["thread.merged"].target, entries["thread.merged"].reason) == (first, "the same matter")


@pytest.mark.parametrize("into_shared", [True, False])
def test_what_one_reads_alone_never_meets_what_others_read(cast: Cast, into_shared: bool) -> None:
    secret, shared = make_thread(cast.dev, "diary", private=True), make_thread(cast.dev, "tides")
    pair = (secret, shared) if into_shared else (shared, secret)
    before = facts()
    refused(merged(cast, *pair), 409, "audiences_differ")
    assert facts() == before


def test_nobody_merges_with_what_only_another_reads(cast: Cast) -> None:
    secret, mine = make_thread(cast.personal, "diary", private=True), make_thread(cast.dev, "mine", private=True)
    refused(merged(cast, secret, mine), 404, "not_found")
    refused(merged(cast, mine, secret), 404, "not_found")


def test_two_live_sessions_of_one_role_are_named(cast: Cast) -> None:
    (first, one), (second, two) = worked(cast, "tides"), worked(cast, "lights")
    problem = refused(merged(cast, first, second), 409, "two_live_sessions")
    assert problem["obstacles"][0]["about"] == [one, two]
    ok(cast.dev.client().post(f"/sessions/{one}/close", {}))
    ok(merged(cast, first, second))


def test_of_merges_at_once_one_succeeds(cast: Cast) -> None:
    source, _ = worked(cast, "tides")
    others = [worked(cast, f"lights {n}", role="chief")[0] for n in range(SEVERAL)]
    codes, start = list[int](), threading.Barrier(SEVERAL)

    def one(into: str) -> None:
        start.wait()
        try:
            codes.append(merged(cast, source, into).status_code)
        finally:
            connection.close()

    workers = [threading.Thread(target=one, args=[into]) for into in others]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert (codes.count(200), set(codes) <= {200, 409, 412}) == (1, True)
    with project_scope(cast.dev.acting):
        assert (Lineage.objects.count(), Thread.objects.filter(state="merged").count()) == (1, 1)


def test_a_merge_needs_the_versions_that_were_seen_and_a_reason(cast: Cast) -> None:
    first, second = pair(cast)
    path, body = f"/threads/{first}/merge", {"into_thread_id": second, "reason": "x"}
    refused(cast.dev.client().post(path, body), 428, "if_match_required")
    refused(cast.dev.client().post(path, body, If_Match='"9"'), 412, "version_moved")
    refused(merged(cast, first, second, into_version=9), 409, "version_moved")
    refused(merged(cast, first, second, reason=" "), 422, "reason_missing")


def test_a_split_takes_a_task_its_sessions_and_what_holds(cast: Cast) -> None:
    first, _ = worked(cast, "tide tables", demand("never round the heights"))
    task = task_on(cast, first)
    _, session = worked(cast, "heights", thread=first, task_id=task, role="tester")
    told = ok(asked(cast.dev, first, "split", parts=[part("heights", task_ids=[task])]))
    made = told["lineage"][0]["to"]
    packet = compiled(cast.dev, "how high?", thread_id=made, task_id=task, role="tester")
    assert (told["state"], packet["session"]["id"]) == ("open", session)
    assert packet["packet"]["thread"]["constraints"] == ["never round the heights"]
    assert packet["packet"]["vision"]["source"] == "split"


def test_a_demand_is_taken_back_in_the_part_alone(cast: Cast) -> None:
    first, _ = worked(cast, "tide tables", demand("never round the heights"))
    task = task_on(cast, first)
    _, session = worked(cast, "heights", thread=first, task_id=task, role="tester")
    made = ok(asked(cast.dev, first, "split", parts=[part("heights", task_ids=[task])]))["lineage"][0]["to"]
    [held] = ok(cast.dev.client().get(f"/threads/{made}/constraints"))["results"]
    gone = {"ref": held["ref"], "reason": "no more", "client_id": "r"}
    ok(cast.dev.client().post(f"/sessions/{session}/constraints/retire", gone))
    left = [ok(cast.dev.client().get(f"/threads/{thread}/constraints"))["results"] for thread in (first, made)]
    assert [len(rows) for rows in left] == [1, 0]


def test_an_undone_split_leaves_everything_where_it_was(cast: Cast) -> None:
    first, _ = two_lines(cast)
    with project_scope(cast.dev.acting):
        [task] = [row.task.public_id for row in Session.objects.exclude(task=None).select_related("task")]
    before = facts()
    made = ok(asked(cast.dev, first, "split", parts=[part("heights", task_ids=[task])]))["lineage"][0]["to"]
    told = ok(asked(cast.dev, made, "undo"))
    assert told["state"] == "archived"
    made_id = made.removeprefix("thr_")
    assert [
        row for row in facts() if made_id not in (str(row[1]).replace("-", ""), str(row[2]).replace("-", ""))
    ] == before


def test_a_thread_that_is_divided_whole_takes_no_more_work(cast: Cast) -> None:
    first, session = worked(cast, "tide tables")
    task = task_on(cast, first)
    parts = [part("tables", session_ids=[session]), part("digging", task_ids=[task])]
    told = ok(asked(cast.dev, first, "split", parts=parts))
    problem = refused(cast.dev.client().post("/sessions", {"thread_id": first}), 409, "thread_not_open")
    assert (told["state"], problem["successors"]) == ("split", told["successors"])
    bound = compiled(cast.dev, "go on", binding={"channel": "feishu:tide tables"}, role="dev")
    assert bound["resolution"]["thread_id"] == told["successors"][0]
    assert ok(asked(cast.dev, first, "undo"))["state"] == "open"
    assert {row.public_id for row in sessions_of(cast, first)} == {session}


LATER: dict[str, str] = {"a new session": "begun_since", "a merge onward": "thread_not_open"}


@pytest.mark.parametrize("later", LATER)
def test_later_work_that_an_undoing_would_tear_apart_refuses_it(cast: Cast, later: str) -> None:
    first, _ = worked(cast, "tide tables")
    task = task_on(cast, first)
    made = ok(asked(cast.dev, first, "split", parts=[part("digging", task_ids=[task])]))["lineage"][0]["to"]
    if later == "a new session":
        worked(cast, "spades", thread=made, role="tester")
    else:
        other, _ = worked(cast, "buoys", role="chief")
        ok(merged(cast, made, other))
        assert ok(asked(cast.dev, made, "undo"))["state"] == "open"
        ok(merged(cast, made, other))
        ok(cast.dev.client().call("PATCH", f"/threads/{other}", {"state": "archived"}, If_Match="*"))
    before = facts()
    refused(asked(cast.dev, made, "undo"), 409, LATER[later])
    assert facts() == before


def split_off(cast: Cast, thread: str, **taken: Any) -> str:
    """Split one part off a thread; returns the new thread."""
    told = ok(asked(cast.dev, thread, "split", parts=[part("digging", **taken)]))
    return str(told["lineage"][0]["to"])


def test_merges_into_one_thread_are_undone_one_after_the_other(cast: Cast) -> None:
    first, second = pair(cast)
    third, _ = worked(cast, "buoys", role="tester")
    before = facts()
    for one in (first, third):
        ok(merged(cast, one, second))
    for one in (third, first):
        ok(asked(cast.dev, one, "undo"))
    assert facts() == before


def test_a_merge_is_not_undone_before_what_was_merged_after_it(cast: Cast) -> None:
    first, second = pair(cast)
    third, _ = worked(cast, "buoys", role="tester")
    for one in (first, third):
        ok(merged(cast, one, second))
    before = facts()
    problem = refused(asked(cast.dev, first, "undo"), 409, "merged_since")
    assert (problem["obstacles"][0]["about"], facts()) == ([third, second], before)


@pytest.mark.parametrize("used", [False, True])
def test_an_empty_thread_is_provisional_again_unless_it_was_used(cast: Cast, used: bool) -> None:
    first, second = worked(cast, "tide tables")[0], make_thread(cast.dev, "harbour lights")
    ok(cast.dev.client().call("PUT", f"/threads/{second}/vision", wanted("lights", "no charts"), If_Match="*"))
    ok(merged(cast, first, second))
    if used:
        worked(cast, "buoys", thread=second, role="tester")
    ok(asked(cast.dev, first, "undo"))
    assert ok(cast.dev.client().get(f"/threads/{second}"))["provisional"] is not used


def test_tags_that_were_changed_since_a_merge_stay(cast: Cast) -> None:
    first, second = pair(cast)
    ok(merged(cast, first, second))
    tags = ["harbour lights", "piers"]
    ok(cast.dev.client().call("PATCH", f"/threads/{second}", {"tags": tags}, If_Match="*"))
    ok(asked(cast.dev, first, "undo"))
    assert ok(cast.dev.client().get(f"/threads/{second}"))["tags"] == tags


def test_a_merged_thread_is_not_merely_reopened(cast: Cast) -> None:
    first, second = pair(cast)
    ok(merged(cast, first, second))
    asks = cast.dev.client().call("PATCH", f"/threads/{first}", {"state": "open"}, If_Match="*")
    refused(asks, 409, "thread_has_lineage")


def test_a_part_is_not_given_back_to_a_thread_that_was_merged_since(cast: Cast) -> None:
    first, _ = worked(cast, "tide tables")
    made = split_off(cast, first, task_ids=[task_on(cast, first)])
    ok(merged(cast, first, worked(cast, "buoys", role="chief")[0]))
    problem = refused(asked(cast.dev, made, "undo"), 409, "thread_not_open")
    assert problem["obstacles"][0]["about"] == [first]


def test_a_vision_that_came_to_a_part_since_is_not_lost(cast: Cast) -> None:
    first = make_thread(cast.dev)
    session = open_session(cast.dev, first)
    task_on(cast, first)
    made = split_off(cast, first, session_ids=[session])
    worked(cast, "boats", thread=made)
    refused(asked(cast.dev, made, "undo"), 409, "vision_edited")


def test_a_part_names_each_thing_in_its_own_list(cast: Cast) -> None:
    first, _ = worked(cast, "tide tables")
    task = task_on(cast, first)
    refused(asked(cast.dev, first, "split", parts=[part("dig", session_ids=[task])]), 404, "not_found")
    assert split_off(cast, first, task_ids=[task, task])


def test_the_ledger_says_why_a_part_was_split_off(cast: Cast) -> None:
    first, _ = worked(cast, "tide tables")
    split_off(cast, first, task_ids=[task_on(cast, first)])
    with project_scope(cast.owner.acting):
        assert AuditEvent.objects.get(verb="thread.split").reason == "the same matter"


def test_what_was_offered_to_all_from_a_private_thread_follows_it(cast: Cast) -> None:
    first, second = (make_thread(cast.dev, name, private=True) for name in ("diary", "journal"))
    ok(cast.dev.client().call("PUT", f"/threads/{second}/vision", wanted("tides", "no charts"), If_Match="*"))
    _, session = worked(cast, "diary", thread=first)
    memory = learnt(cast.dev, first, PAYDAY, session)
    before = facts()
    ok(merged(cast, first, second))
    assert home_of(cast.dev, memory) == second
    ok(asked(cast.dev, first, "undo"))
    assert facts() == before


def test_there_is_nothing_to_undo_on_a_thread_without_lineage(cast: Cast) -> None:
    refused(asked(cast.dev, make_thread(cast.dev), "undo"), 409, "nothing_to_undo")


def test_the_database_lets_no_lineage_be_rewritten_or_redone(cast: Cast) -> None:
    first, second = pair(cast)
    ok(merged(cast, first, second))
    ok(asked(cast.dev, first, "undo"))
    heard = [sqlstate(change) for change in ("state = 'standing'", "moved = '{}'", "whole = false")]
    assert heard == ["GW002", "GW001", "GW001"]


def sqlstate(change: str) -> str | None:
    with owner_link(connection.settings_dict["NAME"]) as link, pytest.raises(psycopg.Error) as refusal:
        link.execute(f"UPDATE threads_lineage SET {change}")  # type: ignore[call-overload]  # literals of this module
    return refusal.value.sqlstate


def home_of(who: Member, memory: str) -> Any:
    return ok(who.client().get(f"/memories/{memory}"))["scope_id"]


def test_what_only_another_reads_follows_unseen_and_comes_back(cast: Cast) -> None:
    first, session = worked(cast, "tide tables")
    second, _ = worked(cast, "harbour lights", role="chief")
    memory = learnt(cast.personal, first, PAYDAY, session, private=True)
    told = ok(merged(cast, first, second, dry_run=True))
    done = ok(merged(cast, first, second))
    assert (told["moves"]["memories"], done["lineage"][0]["moved"]["memories"]) == ([], 0)
    with project_scope(cast.dev.acting):
        assert Lineage.objects.count() == 1
    moved = home_of(cast.personal, memory)
    ok(asked(cast.dev, first, "undo"))
    assert (moved, home_of(cast.personal, memory)) == (second, first)


def test_what_only_another_reads_follows_the_part_that_it_rests_on(cast: Cast) -> None:
    first, _ = worked(cast, "tide tables")
    task = task_on(cast, first)
    _, session = worked(cast, "heights", thread=first, task_id=task, role="tester")
    memory = learnt(cast.personal, first, PAYDAY, session, private=True)
    made = ok(asked(cast.dev, first, "split", parts=[part("heights", task_ids=[task])]))["lineage"][0]["to"]
    moved = home_of(cast.personal, memory)
    ok(asked(cast.dev, made, "undo"))
    assert (moved, home_of(cast.personal, memory)) == (made, first)
