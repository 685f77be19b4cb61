"""`import_transcript`: everything of a file, exactly once, whatever happens in between."""

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from psycopg.conninfo import make_conninfo

from governance.models import AuditEvent
from governance.scope import project_scope
from greywind_site.embedded.instance import CHECKOUT
from sessions import import_places
from sessions.context.tokens import exact_counter
from sessions.import_places import Target
from sessions.importing import HELD_CHARS, HELD_ROWS, Importer, batches
from sessions.imports.records import ImportedEvent, ImportedRow, ImportedSession
from sessions.lifecycle import advance_session
from sessions.models import Artifact, Attempt, Event, ProviderSession, Session
from sessions.vocabulary import AttestedBy, EventKind, EventRole, SessionState
from tests.cast import Cast, make_cast
from tests.imports.reading import GOLDEN
from tests.imports.test_real_sessions import DATA
from tests.imports.test_real_sessions import pytestmark as real_data
from threads.lifecycle import ThreadWish, create_thread, move_thread
from threads.models import Thread, Vision
from threads.vocabulary import ThreadState

SECRETS = ("secret_key", "key_pepper", "audit_pepper")


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def run(cast: Cast, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Runs the command and returns its JSON report."""

    def command(*words: str | Path) -> dict[str, Any]:
        capsys.readouterr()
        call_command("import_transcript", *map(str, words), "--json")
        report: dict[str, Any] = json.loads(capsys.readouterr().out)
        return report

    return command


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., Path]:
    """Writes a transcript of the given records or raw lines."""

    def write(*records: Any, name: str = "work.jsonl") -> Path:
        texts = [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]
        path = tmp_path / name
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
        return path

    return write


def said(seq: int, text: str, *, session: str = "s", role: str = "user", kind: str = "message", **more: Any) -> Any:
    return {"session": session, "seq": seq, "role": role, "kind": kind, "text": text, **more}


def stored(cast: Cast) -> list[Event]:
    """Every event in scope: session by session as they were opened, in order."""
    with project_scope(cast.owner.acting):
        return list(Event.objects.select_related("session__thread", "artifact").order_by("session_id", "seq"))


def whole(event: Event) -> str:
    return event.artifact.content if event.artifact else event.text


def by_session(cast: Cast) -> dict[str, list[str]]:
    """Session title to the whole texts of its events, in the order of seq."""
    found = defaultdict(list)
    for event in stored(cast):
        found[event.session.title].append(whole(event))
    return dict(found)


def as_written() -> dict[str, list[str]]:
    found = defaultdict(list)
    for line in gzip.decompress(DATA.read_bytes()).splitlines():
        row = json.loads(line)
        found[row["session"]].append(row["text"])
    return dict(found)


def counts(cast: Cast) -> list[int]:
    with project_scope(cast.owner.acting):
        models = (Thread, Session, ProviderSession, Attempt, Event, Artifact, Vision, AuditEvent)
        return [model.objects.count() for model in models]


def refused(*words: str | Path) -> tuple[int, str]:
    """Exit code and message of a command that ends with an error."""
    with pytest.raises(CommandError) as caught:
        call_command("import_transcript", *map(str, words))
    return caught.value.returncode, str(caught.value)


@real_data
def test_every_row_of_the_real_sessions_is_stored_exactly_once_also_when_imported_twice(cast, run):
    first = run(DATA)
    assert by_session(cast) == as_written()
    before, again = counts(cast), run(DATA)
    assert (first["stored"], first["threads_made"], again["stored"], again["already_there"]) == (2510, 6, 0, 2510)
    assert counts(cast) == before


@real_data
def test_an_import_that_is_killed_half_way_is_completed_by_the_next(cast):
    with started(DATA) as first:
        wait_for_events(cast, first)
        first.send_signal(signal.SIGKILL)
    assert 0 < len(stored(cast)) < 2510
    with started(DATA) as second:
        assert second.wait(120) == 0
    assert by_session(cast) == as_written()
    assert seqs_without_gap(cast)


def started(*words: str | Path) -> subprocess.Popen[str]:
    """The real command as a process of its own, on the database of this test."""
    config = settings.GREYWIND
    own = {f"GREYWIND_{name.upper()}": getattr(config, name).get_secret_value() for name in SECRETS}
    link = make_conninfo("", **(config.app_database() | {"dbname": connection.settings_dict["NAME"]}))
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_OWNER_URL"}
    command = [sys.executable, "manage.py", "import_transcript", *map(str, words), "--json"]
    return subprocess.Popen(
        command,
        cwd=CHECKOUT,
        env=environment | own | {"DATABASE_URL": link},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def wait_for_events(cast: Cast, process: subprocess.Popen[str]) -> None:
    for _ in range(2400):
        if counts(cast)[4]:
            return
        assert process.poll() is None, "it ended before it stored anything"
        time.sleep(0.05)
    pytest.fail("nothing was stored")


def seqs_without_gap(cast: Cast) -> bool:
    seqs = defaultdict(list)
    for event in stored(cast):
        seqs[event.session_id].append(event.seq)
    return all(found == list(range(1, len(found) + 1)) for found in seqs.values())


def test_an_oversized_tool_result_is_head_tail_and_a_ref_to_the_whole(cast, run, lines):
    text = "".join(f"第 {number} row of the log\n" for number in range(4000))
    run(lines(said(1, text, role="tool", kind="tool_result", tool="bash")))
    (event,) = stored(cast)
    head, _, tail = event.text.partition(f"artifact://{event.artifact.public_id}")
    assert text.startswith(head.rsplit("\n", 1)[0])
    assert text.endswith(tail.partition("\n")[2])
    assert exact_counter("o200k_base").count(event.text) <= settings.GREYWIND.tool_result_cap
    assert event.artifact.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert event.artifact.content == text


def test_a_tool_result_at_the_cap_stays_whole(cast, run, lines):
    run(lines(said(1, "短 result\n" * 20, role="tool", kind="tool_result")))
    (event,) = stored(cast)
    assert (event.text, event.artifact) == ("短 result\n" * 20, None)


def test_each_session_gets_a_thread_titled_by_its_name(cast, run, lines):
    report = run(lines(said(1, "建一个导入器", session="甲"), said(1, "hello", session="b")))
    with project_scope(cast.owner.acting):
        assert sorted(Thread.objects.values_list("title", flat=True)) == ["b", "甲"]
    assert [session["thread_made"] for session in report["sessions"]] == [True, True]


def test_an_imported_session_is_interrupted_and_its_attempt_over(cast, run, lines):
    run(lines(said(1, "build the importer")))
    with project_scope(cast.owner.acting):
        attempt = Attempt.objects.select_related("session", "provider_session").get()
    provider = attempt.provider_session
    assert (attempt.session.state, attempt.session.role, attempt.state, attempt.number) == (
        "interrupted",
        "dev",
        "ended",
        1,
    )
    assert (provider.harness, provider.external_id, provider.alive) == ("import:jsonl", "s", False)
    assert stored(cast)[0].attempt_id == attempt.pk


def test_a_packet_for_an_imported_session_is_rebuilt(cast, run, lines):
    thread_id = run(lines(said(1, "build the importer"), said(2, "done", role="assistant")))["sessions"][0]["thread_id"]
    answer = cast.dev.client().post("/context", {"thread_id": thread_id, "user_input": {"raw_text": "continue"}})
    assert answer.status_code == 200, answer.content
    assert answer.json()["session"]["recovery"] == "rebuilt"


def test_a_missing_time_stays_null_and_a_told_one_is_kept(cast, run, lines):
    run(lines(said(1, "a"), said(2, "b", ts="2026-03-11T14:10:00+09:00")))
    times = [event.occurred_at and event.occurred_at.isoformat() for event in stored(cast)]
    assert times == [None, "2026-03-11T05:10:00+00:00"]


def test_a_summary_becomes_a_compaction_of_the_provider(cast, run, lines):
    run(lines(said(1, "what was done so far", role="assistant", kind="summary", tokens_before=175000)))
    (event,) = stored(cast)
    assert (event.kind, event.meta) == (EventKind.PROVIDER_COMPACTION, {"seq": 1, "tokens_before": 175000})


def test_a_record_that_stands_twice_in_a_file_is_stored_once(cast, run, lines):
    report = run(lines(said(1, "once"), said(1, "once"), said(2, "twice")))
    assert [event.text for event in stored(cast)] == ["once", "twice"]
    assert (report["rows"], report["stored"], report["already_there"]) == (3, 2, 1)


def test_a_file_that_grew_adds_only_what_is_new(cast, run, lines):
    run(lines(said(1, "first")))
    report = run(lines(said(1, "first"), said(2, "second")))
    assert [event.text for event in stored(cast)] == ["first", "second"]
    assert (report["stored"], report["threads_made"]) == (1, 0)


def test_sub_agents_of_claude_code_have_sessions_and_threads_of_their_own(cast, run):
    report = run(GOLDEN / "claude-code.jsonl")
    assert [session["name"] for session in report["sessions"]] == ["s-main", "s-main/side-x1", "s-main/agent-a77"]
    with project_scope(cast.owner.acting):
        assert set(ProviderSession.objects.values_list("harness", flat=True)) == {"claude-code"}
    assert report["threads_made"] == 3


def test_only_what_the_user_said_is_attested(cast, run):
    run(GOLDEN / "claude-code.jsonl")
    attested = [event.text for event in stored(cast) if event.attested_by != AttestedBy.AGENT]
    assert attested == ["写导入器"]


def test_what_a_sub_agent_was_told_becomes_no_vision(cast, run):
    run(GOLDEN / "claude-code.jsonl")
    with project_scope(cast.owner.acting):
        visions = list(Vision.objects.values_list("thread__title", "origin_goal"))
        goals = dict(Thread.objects.values_list("title", "recent_goals"))
    assert visions == [("s-main", "写导入器")]
    assert goals == {"s-main": ["写导入器"], "s-main/side-x1": [], "s-main/agent-a77": []}


def test_a_demonstration_is_no_request(cast, run, lines):
    run(lines(said(1, "please fix the parser of the demo project", demo=True), said(2, "fix the real parser")))
    with project_scope(cast.owner.acting):
        assert Vision.objects.get().origin_goal == "fix the real parser"


def test_a_dry_run_stores_nothing_and_tells_what_would_be(cast, run, lines):
    path = lines(said(1, "one"), said(1, "one"), said(2, "two"), said(1, "other", session="t"))
    before, report = counts(cast), run(path, "--dry-run")
    assert counts(cast) == before
    assert (report["rows"], report["stored"], report["already_there"], report["threads_made"]) == (4, 3, 1, 2)
    assert [session["session_id"] for session in report["sessions"]] == [None, None]


def test_a_dry_run_knows_what_is_there(cast, run, lines):
    run(lines(said(1, "one")))
    report = run(lines(said(1, "one"), said(2, "two")), "--dry-run")
    assert (report["stored"], report["already_there"], report["threads_made"]) == (1, 1, 0)


def test_an_unknown_record_is_kept_raw(cast, run, lines):
    odd = '{"session": "s", "seq": 2, "kind": "hologram", "text": "?", "payload": [1, 2]}'
    run(lines(said(1, "one"), odd))
    event = stored(cast)[1]
    assert (event.kind, event.text) == (EventKind.UNKNOWN, odd)


def test_a_huge_unknown_record_is_an_excerpt_and_a_ref_to_the_whole(cast, run, lines):
    odd = json.dumps({"session": "s", "kind": "hologram", "text": "", "payload": list(range(20_000))})
    run(lines(said(1, "one"), odd))
    event = stored(cast)[1]
    with project_scope(cast.owner.acting):
        artifact = Artifact.objects.get()
    assert event.meta["whole_ref"] == f"artifact://{artifact.public_id}"
    assert event.meta["whole_ref"] in event.text
    assert artifact.content == odd


def test_a_message_over_the_limit_of_a_text_is_an_excerpt_and_a_ref_to_the_whole(cast, run, lines, settings):
    settings.GREYWIND = settings.GREYWIND.model_copy(update={"max_text_bytes": 20_000, "tool_result_cap": 200})
    text = "三字经，人之初。" * 1000
    run(lines(said(1, text)))
    (event,) = stored(cast)
    with project_scope(cast.owner.acting):
        assert Artifact.objects.get().content == text
    assert event.meta["whole_ref"] in event.text
    assert len(event.text.encode()) < 20_000


def test_notes_that_are_too_large_for_a_row_are_kept_beside_it(cast, run, lines):
    picture = "0123456789abcdef" * 20_000
    run(lines(said(1, "look", picture=picture)))
    (event,) = stored(cast)
    with project_scope(cast.owner.acting):
        artifact = Artifact.objects.get()
    assert event.meta == {"meta_ref": f"artifact://{artifact.public_id}"}
    assert json.loads(artifact.content) == {"seq": 1, "picture": picture}


def test_a_line_that_cannot_be_read_is_kept_told_and_ends_with_exit_code_1(cast, lines, capsys):
    path = lines(said(1, "one"), '{"session": "s", broken')
    assert refused(path)[0] == 1
    assert "not JSON" in capsys.readouterr().err
    assert [event.text for event in stored(cast)] == ["one", '{"session": "s", broken']


def test_a_trouble_that_loses_nothing_is_told_and_no_failure(cast, run, lines):
    report = run(lines(said(1, "one"), {"kind": "message", "role": "user", "text": "nameless", "session": ""}))
    assert [trouble["line"] for trouble in report["files"][0]["troubles"]] == [2]
    assert report["files"][0]["unreadable"] == 0


def test_the_first_twenty_troubles_are_listed_and_all_are_counted(cast, lines, capsys):
    assert refused(lines(said(1, "one"), *["{" for _ in range(30)]))[0] == 1
    shown = " ".join(capsys.readouterr().err.split())  # a long path breaks the line anywhere
    assert ("30 troubles" in shown, "10 more" in shown) == (True, True)


def test_with_a_thread_the_sessions_of_a_file_continue_it_as_one(cast, run, lines):
    thread = thread_of(cast, "The long work")
    run(lines(said(1, "a", session="x"), said(1, "b", session="y")), "--thread", thread.public_id)
    with project_scope(cast.owner.acting):
        session = Session.objects.get(thread=thread)
        assert Attempt.objects.filter(session=session).count() == 2
    assert [(event.seq, event.text) for event in stored(cast)] == [(1, "a"), (2, "b")]


def test_with_a_thread_sub_agents_still_have_their_own(cast, run):
    thread = thread_of(cast, "The long work")
    report = run(GOLDEN / "claude-code.jsonl", "--thread", thread.public_id)
    assert [session["thread_made"] for session in report["sessions"]] == [False, True, True]


def test_a_thread_in_which_somebody_works_is_not_imported_into(cast, lines):
    thread = thread_of(cast, "The long work")
    cast.dev.client().post("/context", {"thread_id": thread.public_id, "user_input": {"raw_text": "go on"}})
    code, message = refused(lines(said(1, "a")), "--thread", thread.public_id)
    assert (code, "--role" in message) == (1, True)
    assert stored(cast) == []


def thread_of(cast: Cast, title: str) -> Thread:
    with project_scope(cast.owner.acting):
        return create_thread(cast.owner.acting, ThreadWish(title=title), now=timezone.now())


def test_an_archived_thread_is_completed(cast, run, lines):
    run(lines(said(1, "one")))
    with project_scope(cast.owner.acting):
        move_thread(Thread.objects.get(), ThreadState.ARCHIVED, reason="done")
    report = run(lines(said(1, "one"), said(2, "two")))
    assert (report["stored"], report["already_there"]) == (1, 1)


def test_a_closed_session_is_found_again_and_takes_nothing_new(cast, run, lines):
    run(lines(said(1, "one")))
    with project_scope(cast.owner.acting):
        advance_session(Session.objects.get(), SessionState.CLOSED, reason="done")
    assert run(lines(said(1, "one")))["already_there"] == 1
    code, message = refused(lines(said(1, "one"), said(2, "two")))
    assert (code, message.startswith("s: ")) == (1, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nowhere.jsonl",), "nowhere.jsonl: No such file"),
        (("{file}", "--project", "prj_1"), "--project: expected an id"),
        (("{file}", "--project", f"prj_{'0' * 32}"), "--project: no such project: prj_"),
        (("{file}", "--thread", f"thr_{'0' * 32}"), "--thread: no such thread"),
        (("{file}", "--role", "x" * 65), "--role: expected"),
        (("{prose}",), "prose.txt: --format: no known transcript format"),
        (("{file}", "nowhere.jsonl"), "No such file"),
    ],
)
def test_what_cannot_be_meant_is_one_line_and_exit_code_2(cast, lines, words, told):
    paths = {"file": lines(said(1, "one")), "prose": lines("Once upon a time", name="prose.txt")}
    code, message = refused(*(word.format(**paths) for word in words))
    assert (code, told in message, "\n" in message) == (2, True, False)
    assert stored(cast) == []


def test_an_unknown_format_is_refused_with_the_known_ones(cast, lines):
    with pytest.raises(CommandError, match="claude-code"):
        call_command("import_transcript", str(lines(said(1, "one"))), "--format", "word")


def test_among_several_projects_one_must_be_named(cast, run, lines):
    other = make_cast("beta")
    code, message = refused(lines(said(1, "one")))
    assert (code, other.project.public_id in message, cast.project.public_id in message) == (2, True, True)
    run(lines(said(1, "one")), "--project", other.project.public_id)
    assert (len(stored(other)), len(stored(cast))) == (1, 0)


def test_the_owner_imports_and_the_ledger_says_so(cast, run, lines):
    run(lines(said(1, "one")))
    with project_scope(cast.owner.acting):
        entry = AuditEvent.objects.get(verb="session.import")
    assert entry.actor == cast.owner.actor.public_id
    assert entry.trace.startswith("trc_")


def test_the_report_is_a_table_on_stderr_and_nothing_on_stdout(cast, lines, capsys):
    call_command("import_transcript", str(lines(said(1, "one"))))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert ("already there" in shown.err, "\x1b" in shown.err) == (True, False)


def test_a_live_session_of_the_same_harness_is_not_taken_for_an_imported_one(cast, run):
    provider = {"harness": "claude-code", "id": "s-main"}
    body = {"thread_id": thread_of(cast, "live").public_id, "provider_session": provider}
    assert cast.dev.client().post("/sessions", body).status_code == 201
    assert run(GOLDEN / "claude-code.jsonl")["threads_made"] == 3


def test_how_far_a_file_was_read_is_told(cast, lines):
    heard: list[tuple[int, int]] = []
    path = lines(*(said(seq, f"row {seq}") for seq in range(1100)))
    importer = Importer(cast.owner.acting, Target(role="dev"), now=timezone.now(), dry_run=True)
    importer.read(path, on_read=lambda at, size: heard.append((at, size)))
    assert heard[-1] == (path.stat().st_size, path.stat().st_size)
    assert len(heard) == 4


def test_batches_are_of_one_session_and_hold_every_row():
    given = rows_of(sessions=3000, each=2)
    found = list(batches(iter(given), "jsonl"))
    assert sum(len(batch) for _, batch in found) == len(given)
    assert all(len({row.session.name for row in batch}) == 1 for _, batch in found)


@pytest.mark.parametrize(("sessions", "text", "most"), [(3000, "t", HELD_ROWS), (1, "t" * HELD_CHARS, 1)])
def test_no_more_is_held_than_the_bound_however_the_file_is_mixed(sessions, text, most):
    rest = iter(rows_of(sessions=sessions, each=2, text=text))
    next(batches(rest, "jsonl"))
    assert len(list(rest)) == 2 * sessions - most


def test_two_imports_at_the_same_time_open_a_session_once(cast, lines, monkeypatch):
    path = lines(said(1, "one"), said(2, "two"))
    monkeypatch.setattr(import_places, "place_of", slowly(import_places.place_of))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: imported_elsewhere(cast, path), range(2)))
    assert [event.text for event in stored(cast)] == ["one", "two"]


def slowly[**P, T](function: Callable[P, T]) -> Callable[P, T]:
    """The function with a pause after it, in which another could come in between."""

    def slow(*args: P.args, **kwargs: P.kwargs) -> T:
        found = function(*args, **kwargs)
        time.sleep(0.3)
        return found

    return slow


def imported_elsewhere(cast: Cast, path: Path) -> None:
    try:
        Importer(cast.owner.acting, Target(role="dev"), now=timezone.now()).read(path)
    finally:
        connection.close()


def rows_of(*, sessions: int, each: int, text: str = "t") -> list[ImportedRow]:
    event = ImportedEvent(client_id="c", role=EventRole.USER, kind=EventKind.MESSAGE, text=text)
    names = [f"s{number}" for _ in range(each) for number in range(sessions)]
    return [ImportedRow(session=ImportedSession(name=name, harness=None), event=event) for name in names]
