"""The faults that a resume meets: each has an outcome that says so, and none is an empty start that looks whole."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from governance.models import AuditEvent, InboxItem
from governance.scope import project_scope
from governance.vocabulary import InboxState
from sessions.models import Attempt, ProviderSession, Session
from sessions.vocabulary import AttemptState
from tests.api.asking import append, compiled, event, layer, make_thread, ok, open_session, refused
from tests.api.world import ANY_VERSION
from tests.cast import Cast
from tests.governance.rawsql import owner

CODE = {"harness": "claude-code", "id": "cc-1"}
CODEX = {"harness": "codex", "id": "cx-1"}
type Harm = Callable[[Cast, str], Any]


def worked_on(cast: Cast) -> str:
    """Return a session of a harness that is alive, with two entries."""
    session = open_session(cast.dev, make_thread(cast.dev), provider_session=CODE)
    append(cast.dev, session, event("build the parser", attested=True), event("done", "e2", role="assistant"))
    return session


def resumed(cast: Cast, session: str, **more: Any) -> Any:
    return cast.dev.client().post(f"/sessions/{session}/resume", {"provider_session": CODE, **more})


def by_hand(statement: str) -> Harm:
    """Harm the database behind the product's back, as a broken disk would."""

    def harm(_: Cast, session: str) -> None:
        pk = session.removeprefix("ses_")
        with owner() as link, link.transaction():
            link.execute("SET LOCAL session_replication_role = replica")
            link.execute(statement, {"session": pk})

    return harm


def handed_over(cast: Cast, session: str) -> None:
    ok(cast.dev.client().post(f"/sessions/{session}/handoff", {"next_actor": "dev"}))


def told_summary(sections: str, to_seq: int = 2) -> Harm:
    return by_hand(
        "INSERT INTO agent_sessions_worksummary (id, created_at, project_id, audience, session_id, version, from_seq,"
        " to_seq, trigger, author_id, sections, tokens_o200k)"
        " SELECT gen_random_uuid(), now(), s.project_id, 'project',"
        f" s.id, 1, 1, {to_seq}, 'asked', s.opened_by_id, '{sections}', 3 FROM agent_sessions_session s"
        " WHERE s.id = %(session)s"
    )


def with_broken_handoff(cast: Cast, session: str) -> None:
    handed_over(cast, session)
    by_hand("UPDATE agent_sessions_handoff SET summary = '' WHERE from_session_id = %(session)s")(cast, session)


def nothing(_: Cast, __: str) -> None:
    """Harm nothing."""


def given_up(cast: Cast, session: str) -> None:
    """Let the job that keeps its summary be in quarantine."""
    ok(cast.dev.client().post(f"/sessions/{session}/checkpoint", {}))
    by_hand(
        "INSERT INTO governance_job (id, created_at, project_id, audience, kind, subject, state, attempts, asked_again,"
        " due_at, done_parts, error, trace) SELECT gen_random_uuid(), now(), s.project_id, 'project',"
        f" 'summarise_session', '{session}', 'quarantined', 5, false, now(), 0, 'ValueError', ''"
        " FROM agent_sessions_session s WHERE s.id = %(session)s"
    )(cast, session)


def with_what_fell(table: str) -> Harm:
    """Let the work summary or the handoff rest on a memory that was revoked since."""
    rests = {
        "worksummary": """sections = '{"conclusions": ["the port is 81 [%s]"]}' WHERE session_id""",
        "handoff": "summary = 'the port is 81 (%s)' WHERE from_session_id",
    }

    def harm(cast: Cast, session: str) -> None:
        api = cast.dev.client()
        memory = ok(api.post("/memories", {"content": "The port is 81.", "type": "semantic"}))["id"]
        ok(api.post(f"/sessions/{session}/checkpoint", {}))
        handed_over(cast, session)
        cites = rests[table] % f"memory://{memory}@1"
        by_hand(f"UPDATE agent_sessions_{table} SET {cites} = %(session)s")(cast, session)
        here = "project_id = (SELECT project_id FROM agent_sessions_session WHERE id = %(session)s)"
        by_hand(f"UPDATE memories_memory SET status = 'revoked' WHERE {here}")(cast, session)

    return harm


LOST_ENTRY = by_hand("DELETE FROM agent_sessions_event WHERE session_id = %(session)s AND seq = 1")
FAULTS: dict[str, tuple[Harm, dict[str, Any], str, list[str]]] = {
    "nothing": (nothing, {}, "resumed", []),
    "the harness's session is gone": (nothing, {"provider_gone": True}, "rebuilt", ["provider_session"]),
    "another harness": (nothing, {"provider_session": CODEX}, "rebuilt", ["provider_session"]),
    "no harness": (nothing, {"provider_session": None}, "rebuilt", ["provider_session"]),
    "an entry is gone": (LOST_ENTRY, {}, "rebuilt", ["transcript_part"]),
    "an entry never came": (nothing, {"last_client_id": "e7"}, "rebuilt", ["transcript_part"]),
    "the last entry came": (nothing, {"last_client_id": "e2"}, "resumed", []),
    "a summary that cannot be read": (told_summary("[]"), {}, "rebuilt", ["current_summary"]),
    "a summary of what was never said": (told_summary("{}", 9), {}, "rebuilt", ["current_summary"]),
    "a summary that was given up": (given_up, {}, "rebuilt", ["current_summary"]),
    "a summary that rests on what was revoked": (with_what_fell("worksummary"), {}, "rebuilt", ["current_summary"]),
    "a handoff that rests on what was revoked": (with_what_fell("handoff"), {}, "rebuilt", ["whole_handoff"]),
    "a handoff without its summary": (with_broken_handoff, {}, "rebuilt", ["whole_handoff"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_its_outcome_and_names_what_is_missing(cast: Cast, fault: str) -> None:
    harm, sent, outcome, missing = FAULTS[fault]
    session = worked_on(cast)
    harm(cast, session)
    told = ok(resumed(cast, session, **sent))
    assert (told["outcome"], set(missing) <= set(told["missing"])) == (outcome, True)
    with project_scope(cast.dev.acting):
        kept = Attempt.objects.get(state=AttemptState.RUNNING)
    assert (kept.recovery, kept.missing) == (outcome, told["missing"])


def put_away(state: str) -> Harm:
    return by_hand(
        f"UPDATE threads_thread SET state = '{state}' WHERE id ="
        " (SELECT thread_id FROM agent_sessions_session WHERE id = %(session)s)"
    )


def closed(cast: Cast, session: str) -> None:
    ok(cast.dev.client().post(f"/sessions/{session}/close", {}))


FAILURES: dict[str, tuple[Harm, str, str]] = {
    "a merged thread": (put_away("merged"), "thread_not_open", "thread_merged"),
    "a split thread": (put_away("split"), "thread_not_open", "thread_split"),
    "an archived thread": (put_away("archived"), "thread_not_open", "thread_archived"),
    "a session that is over": (closed, "session_closed", "session_over"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_what_cannot_be_picked_up_says_why_and_waits_for_a_human(cast: Cast, failure: str) -> None:
    harm, code, why = FAILURES[failure]
    session = worked_on(cast)
    harm(cast, session)
    problem = refused(resumed(cast, session), 409, code)
    assert (problem["outcome"], problem["why"], len(problem["what_to_do"]) > 20) == ("failed", why, True)
    with project_scope(cast.owner.acting):
        noted = Session.objects.get().resume_failure or {}
        assert (InboxItem.objects.get().ref, noted["why"]) == (f"session://{session}", why)
        assert AuditEvent.objects.filter(verb="session.resume_failed").count() == 1


def test_nothing_to_go_on_from_is_a_failure_that_says_so(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    told = ok(cast.dev.client().post(f"/sessions/{session}/resume", {}))
    assert (told["outcome"], told["why"], "events" in told["missing"]) == ("failed", "nothing_left", True)


def test_a_resume_that_works_takes_the_failure_off_the_desk(cast: Cast) -> None:
    session = worked_on(cast)
    put_away("archived")(cast, session)
    refused(resumed(cast, session), 409, "thread_not_open")
    put_away("open")(cast, session)
    ok(resumed(cast, session))
    with project_scope(cast.owner.acting):
        assert (InboxItem.objects.get().state, Session.objects.get().resume_failure) == (InboxState.DONE, None)


def test_of_many_that_resume_at_once_one_succeeds(cast: Cast) -> None:
    session, codes = worked_on(cast), list[int]()
    start = threading.Barrier(6)

    def one() -> None:
        start.wait()
        try:
            codes.append(resumed(cast, session).status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with project_scope(cast.dev.acting):
        running = Attempt.objects.filter(state=AttemptState.RUNNING).count()
        assert (running, Attempt.objects.count()) == (1, 1 + codes.count(201))
    assert set(codes) <= {201, 409}


def test_a_process_that_saw_an_older_attempt_is_told_who_goes_on(cast: Cast) -> None:
    session = worked_on(cast)
    first = ok(resumed(cast, session))["attempt_id"]
    second = ok(resumed(cast, session, last_attempt_id=first))["attempt_id"]
    problem = refused(resumed(cast, session, last_attempt_id=first), 409, "session_taken")
    assert (problem["why"], problem["successor"]) == ("taken", second)


def test_an_attempt_of_another_session_is_not_there(cast: Cast) -> None:
    session, other = worked_on(cast), worked_on(cast)
    theirs = ok(resumed(cast, other))["attempt_id"]
    refused(resumed(cast, session, last_attempt_id=theirs), 404, "not_found")


def test_a_harness_session_that_was_gone_stays_so(cast: Cast) -> None:
    session = worked_on(cast)
    ok(resumed(cast, session, provider_gone=True))
    assert ok(resumed(cast, session))["outcome"] == "rebuilt"
    with project_scope(cast.dev.acting):
        assert not ProviderSession.objects.get().alive


def test_the_task_goes_on_where_it_was_after_a_resume(cast: Cast) -> None:
    api = cast.dev.client()
    thread = make_thread(api)
    task = ok(api.post("/tasks", {"thread_id": thread, "title": "lexer"}))["id"]
    ok(api.call("PATCH", f"/tasks/{task}", {"state": "ready"}, **ANY_VERSION))
    session = open_session(api, thread, task_id=task)
    append(api, session, event("go"))
    assert ok(api.post(f"/sessions/{session}/resume", {}))["task_id"] == task


@pytest.mark.parametrize("fault", [name for name, (*_, outcome, _) in FAULTS.items() if outcome == "resumed"])
def test_what_is_called_resumed_is_never_empty(cast: Cast, fault: str) -> None:
    harm, sent, *_ = FAULTS[fault]
    session = worked_on(cast)
    harm(cast, session)
    ok(resumed(cast, session, **sent))
    assert "build the parser" in compiled(cast.dev, "go on", session_id=session)["prompt"]["text"]


def test_after_a_compaction_by_the_provider_nothing_stands_in_its_summary_and_in_ours(cast: Cast) -> None:
    session = worked_on(cast)
    theirs = event("The user wants a parser, and it is done.", "e3", role="assistant", kind="provider_compaction")
    append(cast.dev, session, theirs, event("Never drop a comment.", "e4", attested=True))
    ok(cast.dev.client().post(f"/sessions/{session}/checkpoint", {}))
    ok(resumed(cast, session))
    packet = compiled(cast.dev, "go on", session_id=session)
    assert ("wants a parser" in packet["prompt"]["text"], packet["summary"]["covers"]) == (
        False,
        f"event://{session}/1-4",
    )
    assert {"ref": f"event://{session}/3", "reason": "duplicate"} in [
        {name: cut[name] for name in ("ref", "reason")} for cut in layer(packet, "dialogue")["dropped"]
    ]
