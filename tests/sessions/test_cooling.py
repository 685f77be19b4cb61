"""A sealed transcript rests in compressed segments, and whoever reads it finds every word where it was."""

import json
import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance import refs
from governance.errors import Clash
from governance.meters import exposition
from governance.models import AuditEvent, Job
from governance.scope import project_scope
from governance.working import Shift
from greywind_site.operating.transcripts import open_segments
from sessions.cooling import cool
from sessions.cooling_due import sweep_sealed
from sessions.event_api import event_out
from sessions.handoffs import _since
from sessions.hearing_back import _said, hear_back
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import ColdSegment, Event, Session
from sessions.models.segment import packed
from sessions.reading import constraints_of, events_at, tail_of
from sessions.summaries.reading import entries_since
from sessions.transcript_reading import Window, part_of
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from sessions.windows import close, seal_of
from tests.cast import Cast, make_cast
from tests.governance.rawsql import app_link, owner, refusal
from tests.stopping import StopAfter, Stopped
from threads.lifecycle import ThreadWish, create_thread
from threads.models import ThreadTalk

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
SMALL = 4_000  # bytes of a segment here
LONG = "把潮汐表改对，勿四舍五入。\r\n" * 60  # more than half of that
SAID = (
    (EventRole.USER, EventKind.MESSAGE, "修好潮汐表 §1\nkeep the table\u2028of tides 🌊"),
    (EventRole.ASSISTANT, EventKind.MESSAGE, LONG),
    (EventRole.USER, EventKind.CONSTRAINT, "Never round the heights."),
    (EventRole.ASSISTANT, EventKind.MESSAGE, ""),
    (EventRole.TOOL, EventKind.TOOL_RESULT, "3 5\nnot a heading\n"),
    (EventRole.USER, EventKind.CORRECTION, "Round them to one place."),
    (EventRole.ASSISTANT, EventKind.MESSAGE, f"{LONG}end"),
    (EventRole.USER, EventKind.MESSAGE, "Done, thanks."),
)
COLD = [1, 2, 5, 7, 8]
type Asked = tuple[str, str, Any, int]
ASKED: Sequence[Asked] = (
    ("GET", "/sessions/{}/events?limit=3", None, 200),
    ("GET", "/evidence?ref=event://{}/1-3", None, 200),
    ("GET", "/evidence?ref=event://{}/7&unit=lines&offset=1&limit=2", None, 200),
    ("POST", "/sessions/{}/checkpoint", {}, 201),
    ("POST", "/sessions/{}/resume", {}, 409),
    ("POST", "/sessions/{}/handoff", {"next_actor": "dev"}, 409),
    ("POST", "/sessions/{}/events", {"events": [{"client_id": "0", "role": "user", "text": SAID[0][2]}]}, 409),
)


@pytest.fixture
def cast(monkeypatch: pytest.MonkeyPatch) -> Cast:
    monkeypatch.setattr("sessions.cooling.MOST_BYTES", SMALL)
    return make_cast("alpha")


@pytest.fixture
def sealed(cast: Cast) -> Session:
    """A session that is over, with entries of every kind; its texts take two segments."""
    return told_and_closed(cast)


def told_and_closed(cast: Cast, *, private: bool = False) -> Session:
    with project_scope(cast.dev.acting):
        thread = create_thread(cast.dev.acting, ThreadWish(title="tides", private=private), now=timezone.now())
        session = open_or_resume(cast.dev.acting, thread, OpenWish(role="dev"), now=timezone.now()).session
        append(cast.dev.acting, session.pk, [spoken(n, *said) for n, said in enumerate(SAID)], now=timezone.now())
        close(cast.dev.acting, session, reason="done", now=timezone.now())
    return session


def spoken(n: int, role: EventRole, kind: EventKind, text: str) -> NewEvent:
    told = {"retires": "event://x/1"} if kind is EventKind.CORRECTION else {}
    failed = True if role is EventRole.TOOL else None
    vouched = AttestedBy.HARNESS if role is EventRole.USER else AttestedBy.AGENT
    return NewEvent(client_id=str(n), role=role, kind=kind, text=text, meta=told, failed=failed, attested_by=vouched)


def cooled(cast: Cast, session: Session) -> int | None:
    with project_scope(cast.dev.acting):
        return cool(session, now=timezone.now())


def resting(cast: Cast) -> list[int]:
    with project_scope(cast.dev.acting):
        return list(Event.objects.exclude(segment=None).order_by("seq").values_list("seq", flat=True))


def changed(table: str, change: str, *, of: str = "agent_sessions") -> None:
    """Change rows as nobody else may."""
    with owner() as link, link.transaction():
        link.execute("SET LOCAL session_replication_role = replica")
        link.execute(f"UPDATE {of}_{table} SET {change}")


def opened(session: Session, cast: Cast) -> Any:
    place = f"event://{session.public_id}"
    asked = [f"{place}/{seq}" for seq in (1, 2, 3, 7)] + [f"{place}/1-3", f"{place}/5-8"]
    return [refs.resolve(ref, cast.dev.acting).text for ref in asked], refs.which_resolve(asked, cast.dev.acting)


def told(session: Session, cast: Cast) -> dict[str, Any]:
    """Return what everything that reads a transcript finds in it."""
    rows = Event.objects.filter(session=session).order_by("seq")
    return {
        "the API's pages": [event_out(session, row) for row in rows],
        "refs": opened(session, cast),
        "a page of the transcript": part_of(session, Window(size=5), standing=()),
        "a page of one speaker": part_of(session, Window(role=EventRole.USER), standing=()),
        "what a compile reads": [tail_of(session, most=9), events_at(session, [2, 3, 8])],
        "what holds on the thread": constraints_of(session.thread),
        "what a summary reads": entries_since(session, 0, upto=8),
        "what users said": _said(session),
        "what a handoff reads": _since(session, 0),
        "one by its number": rows.get(seq=2).text,
        "a text that is fetched later": rows.defer("text")[0].text,
        "few columns, a few at a time": [row.text for row in rows.only("text").iterator()],
        "the seal": seal_of(session),
    }


def test_every_reader_finds_the_same_words_as_before(cast: Cast, sealed: Session) -> None:
    with project_scope(cast.dev.acting):
        before = told(sealed, cast)
        assert cool(sealed, now=timezone.now()) is None
        assert told(sealed, cast) == before
    assert resting(cast) == COLD


@pytest.mark.parametrize("asked", ASKED)
def test_over_http_a_cold_session_answers_as_a_warm_one(cast: Cast, sealed: Session, asked: Asked) -> None:
    method, path, body, status = asked
    warm = told_and_closed(cast)
    cooled(cast, sealed)
    answers = [cast.dev.client().call(method, path.format(one.public_id), body) for one in (warm, sealed)]
    assert [answer.status_code for answer in answers] == [status, status]
    assert without_names(answers[0].content) == without_names(answers[1].content)


def without_names(content: bytes) -> str:
    """Return an answer without what no two sessions share: ids, hashes and moments."""
    return re.sub(r"\b[a-z]{3}_[0-9a-f]{32}\b|\b[0-9a-f]{32,64}\b|\d{4}-\d\d-\d\dT[^\"]*", "*", content.decode())


def test_a_checkpoint_that_is_repeated_once_its_session_is_cold_is_answered_the_same(
    cast: Cast, sealed: Session
) -> None:
    api, place = cast.dev.client(), f"/sessions/{sealed.public_id}/checkpoint"
    first = api.post(place, {}, **{"Idempotency-Key": "k1"}).json()
    cooled(cast, sealed)
    assert api.post(place, {}, **{"Idempotency-Key": "k1"}).json() == first
    assert api.post(place, {}).json() == first | {"published": False}


def test_what_rests_costs_one_statement_and_what_is_warm_none(cast: Cast, sealed: Session) -> None:
    with project_scope(cast.dev.acting), CaptureQueriesContext(connection) as captured:
        list(Event.objects.filter(session=sealed))
    assert len(captured) == 1
    cooled(cast, sealed)
    with project_scope(cast.dev.acting), CaptureQueriesContext(connection) as captured:
        list(Event.objects.filter(session=sealed))
    assert len(captured) == 2


def test_moving_twice_moves_once_and_the_ledger_holds_counts_alone(cast: Cast, sealed: Session) -> None:
    assert (cooled(cast, sealed), cooled(cast, sealed)) == (None, None)
    with project_scope(cast.dev.acting):
        [entry] = AuditEvent.objects.filter(verb="session.cool")
        raw, kept = (
            sum(values) for values in zip(*ColdSegment.objects.values_list("raw_bytes", "entries"), strict=True)
        )
        assert Session.objects.get(pk=sealed.pk).cold_at is not None
    detail = json.loads(entry.detail)
    assert (detail["segments"], detail["entries"], detail["raw_bytes"], kept) == (2, len(COLD), raw, len(COLD))
    assert detail["kept_bytes"] < raw / 10


def test_stopped_anywhere_it_has_happened_whole_or_not_at_all(cast: Cast, sealed: Session) -> None:
    for left in range(60):
        try:
            with connection.execute_wrapper(StopAfter(left)):
                cooled(cast, sealed)
        except Stopped:
            assert resting(cast) == []
        else:
            break
    assert (resting(cast), left > 10) == (COLD, True)


def test_a_damaged_segment_is_told_by_name_and_nothing_is_shown(cast: Cast, sealed: Session) -> None:
    cooled(cast, sealed)
    changed("coldsegment", "content = substr(content, 1, 40)")
    answer = cast.dev.client().get(f"/sessions/{sealed.public_id}/events")
    assert (answer.status_code, answer.json()["code"], "results" in answer.json()) == (500, "transcript_damaged", False)
    assert sealed.public_id in answer.json()["detail"]
    assert b"greywind_damaged_segments_total 0" not in exposition()
    assert sealed.public_id in open_segments([cast.project.pk]).fault


def test_a_damaged_one_is_tried_to_be_heard_once(cast: Cast, sealed: Session) -> None:
    cooled(cast, sealed)
    changed("coldsegment", "content = substr(content, 1, 40)")
    with project_scope(cast.dev.acting):
        ThreadTalk.objects.all().delete()
        Session.objects.update(unheard=True)
    assert (hear_back(), hear_back()) == (1, 0)


# What the database holds against the application, and against whoever owns the tables.

FORGED = """
INSERT INTO agent_sessions_coldsegment
  (id, created_at, project_id, audience, session_id, first_seq, last_seq, entries, codec, content, raw_bytes, sha256)
SELECT gen_random_uuid(), now(), project_id, audience, id, 1, 1, 1, 'zlib', '', 1, repeat('0', 64)
FROM agent_sessions_session
"""


def test_the_application_takes_a_text_out_of_its_entry_by_its_own_segment_alone(cast: Cast, sealed: Session) -> None:
    made = packed([(1, SAID[0][2])])
    made.project_id, made.session = sealed.project_id, sealed
    rest = "SELECT rest_in_segment(id) FROM agent_sessions_coldsegment"
    with app_link() as link:
        assert refusal(link, cast.dev.acting, "UPDATE agent_sessions_event SET text = ''") == "42501"
        assert refusal(link, cast.dev.acting, "SELECT rest_in_segment(gen_random_uuid())") == "GW005"
        with owner() as other:
            other.execute(FORGED)
        assert (refusal(link, cast.dev.acting, rest), resting(cast)) == ("GW005", [])
        changed("coldsegment", f"sha256 = '{made.sha256}'")
        assert refusal(link, cast.tester.acting, rest) is None
        changed("session", "state = 'idle'")
        assert refusal(link, cast.dev.acting, rest) == "GW005"
    with pytest.raises(Clash, match="not sealed"):
        cooled(cast, sealed)


CHANGES = (
    "text = ''",
    "text = 'another'",
    "seq = 99, text = '', segment_id = %(segment)s",
    "meta = '{}', text = '', segment_id = %(segment)s",
    "segment_id = %(segment)s",
    "text = '', segment_id = %(segment)s",
    "text = 'back', segment_id = NULL",
)


def test_even_the_owner_changes_an_entry_in_no_other_way(cast: Cast, sealed: Session) -> None:
    cooled(cast, sealed)
    with project_scope(cast.dev.acting):
        segment = str(ColdSegment.objects.values_list("pk", flat=True)[0])
    with owner() as link:
        for change in CHANGES:
            for seq in (1, 3, 4):  # one that rests, one that never does, and one that says nothing
                statement = f"UPDATE agent_sessions_event SET {change % {'segment': repr(segment)}} WHERE seq = {seq}"
                assert refusal(link, None, statement) in ("GW001", "23514"), statement


# The way back.


def given_back() -> None:
    """Do what a migration backward does with the texts."""
    with connections["owner"].schema_editor() as editor:
        import_module("sessions.migrations.0014_cold_segments").give_all_back(apps, editor)


def test_a_migration_backward_puts_every_text_back(cast: Cast, sealed: Session) -> None:
    with project_scope(cast.dev.acting):
        before = told(sealed, cast)
    cooled(cast, sealed)
    given_back()
    with project_scope(cast.dev.acting):
        assert (told(sealed, cast), resting(cast)) == (before, [])


def test_a_migration_backward_drops_nothing_while_a_text_is_missing(cast: Cast, sealed: Session) -> None:
    cooled(cast, sealed)
    with owner() as link, link.transaction():
        link.execute("SET LOCAL session_replication_role = replica")
        link.execute("DELETE FROM agent_sessions_coldsegment WHERE first_seq = 1")
    with pytest.raises(RuntimeError, match="texts rest in no segment"):
        given_back()
    assert resting(cast) == COLD


# The sweep.


def test_a_sweep_and_a_worker_compress_what_was_closed_long_ago(cast: Cast, sealed: Session) -> None:
    with project_scope(cast.dev.acting):
        Job.objects.all().delete()
    assert sweep_sealed(after_days=30) == 0
    changed("session", "closed_at = closed_at - interval '31 days'")
    assert (sweep_sealed(after_days=0), sweep_sealed(after_days=32), sweep_sealed(after_days=30)) == (0, 0, 1)
    assert (Shift().work()["done"], resting(cast), sweep_sealed(after_days=30)) == (1, COLD, 0)


def test_what_is_in_quarantine_lets_the_next_one_pass(
    cast: Cast, sealed: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = told_and_closed(cast)
    changed("session", "closed_at = closed_at - interval '31 days'")
    monkeypatch.setattr("sessions.cooling_due.BATCH", 1)
    with project_scope(cast.dev.acting):
        Job.objects.all().delete()
    sweep_sealed(after_days=30)
    changed("job", "state = 'quarantined'", of="governance")
    sweep_sealed(after_days=30)
    with project_scope(cast.dev.acting):
        waiting = dict(Job.objects.values_list("subject", "state"))
    assert waiting == {sealed.public_id: "quarantined", other.public_id: "waiting"}


def test_what_is_private_rests_in_segments_that_are_private(cast: Cast) -> None:
    session = told_and_closed(cast, private=True)
    changed("session", "closed_at = closed_at - interval '31 days'")
    with project_scope(cast.dev.acting):
        Job.objects.all().delete()
    assert (sweep_sealed(after_days=30), Shift().work()["done"], resting(cast)) == (1, 1, COLD)
    with project_scope(cast.tester.acting):
        assert not ColdSegment.objects.filter(session=session).exists()
    with app_link() as link:
        rest = "SELECT rest_in_segment(%s)"
        with project_scope(cast.dev.acting):
            pk = ColdSegment.objects.values_list("pk", flat=True)[0]
        assert refusal(link, cast.tester.acting, rest, [pk]) == "GW005"
