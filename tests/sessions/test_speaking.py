"""A human speaks into a thread: who hears it, what later packets carry, and what must not happen by it."""

from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone

from governance.errors import Clash, Forbidden, Invalid, NotThere
from governance.models import AuditEvent
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from sessions.lifecycle import OpenWish, advance_session, open_or_resume
from sessions.models import Attempt, Event, Session
from sessions.speaking import Retirement, Said, Speech, hearers, roles_without_window, speak, take_back
from sessions.vocabulary import AttestedBy, EventKind, SessionState
from sessions.windows import close
from tests.cast import Cast, Member, make_cast
from tests.site.console_cast import join, make_account
from threads.lifecycle import ThreadWish, create_thread, move_thread
from threads.models import Thread, Vision
from threads.vocabulary import ThreadState


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def a_thread(by: Member, **more: Any) -> Thread:
    with project_scope(by.acting):
        return create_thread(by.acting, ThreadWish(title="tide tables", **more), now=timezone.now())


def a_session(by: Member, thread: Thread, role: str = "dev") -> Session:
    with project_scope(by.acting):
        return open_or_resume(by.acting, thread, OpenWish(role=role), now=timezone.now()).session


def say(by: Member, thread: Thread, text: str = "use metres", **more: Any) -> Said:
    speech = Speech(**{"kind": EventKind.MESSAGE, "text": text, "client_id": "one", **more})
    return speak(by.acting, thread, speech, now=timezone.now())


def packet(cast: Cast, thread: Thread, role: str = "dev") -> dict[str, Any]:
    """The dev's next context packet on the thread."""
    body = {"thread_id": thread.public_id, "role": role, "user_input": {"raw_text": "继续"}}
    answer = cast.dev.client().post("/context", body)
    assert answer.status_code == 200, answer.content
    return answer.json()


def dialogue(answer: dict[str, Any]) -> list[str]:
    return [entry["text"] for entry in answer["packet"]["session"]["recent_dialogue"]]


def test_a_message_is_vouched_for_by_the_console(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    said = say(cast.owner, thread, session_id=a_session(cast.dev, thread).pk)
    with project_scope(cast.owner.acting):
        event = Event.objects.get(pk=said.event.pk)
    assert (event.attested_by, event.role, event.actor_id) == ("console", "user", cast.owner.actor.pk)


def test_the_next_packet_carries_a_message(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    say(cast.owner, thread, session_id=a_session(cast.dev, thread).pk)
    assert "use metres" in dialogue(packet(cast, thread))


def test_the_next_packet_carries_a_correction(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    say(cast.owner, thread, "feet, not metres", kind=EventKind.CORRECTION, session_id=a_session(cast.dev, thread).pk)
    assert "feet, not metres" in dialogue(packet(cast, thread))


def test_the_packets_of_every_session_carry_a_constraint(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    say(cast.owner, thread, "never round", kind=EventKind.CONSTRAINT, session_id=a_session(cast.dev, thread).pk)
    carried = [packet(cast, thread, role)["packet"]["thread"]["constraints"] for role in ("dev", "tester")]
    assert carried == [["never round"], ["never round"]]


def test_a_correction_takes_a_constraint_back(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    session = a_session(cast.dev, thread)
    say(cast.owner, thread, "never round", kind=EventKind.CONSTRAINT, session_id=session.pk)
    wish = {"kind": EventKind.CORRECTION, "client_id": "two", "retires": f"event://{session.public_id}/1"}
    say(cast.owner, thread, "round to a decimetre", session_id=session.pk, **wish)
    answer = packet(cast, thread)
    assert (answer["packet"]["thread"]["constraints"], "round to a decimetre" in dialogue(answer)) == ([], True)


def test_a_first_message_is_the_original_intent(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    say(cast.owner, thread, "Repair the tide tables of the harbour.", role="dev")
    with project_scope(cast.owner.acting):
        assert Vision.objects.get(thread=thread).origin_goal == "Repair the tide tables of the harbour."


def test_where_nobody_works_a_session_is_opened_without_an_attempt(cast: Cast) -> None:
    said = say(cast.owner, a_thread(cast.dev), role="dev")
    with project_scope(cast.owner.acting):
        assert (said.opened, Attempt.objects.filter(session=said.session).exists()) == (True, False)


def test_the_agent_finds_what_was_said_before_it_came(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    said = say(cast.owner, thread, role="dev")
    answer = packet(cast, thread)
    assert (answer["session"]["id"], "use metres" in dialogue(answer)) == (said.session.public_id, True)


def test_speaking_leaves_the_running_attempt_as_it_was(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    session = a_session(cast.dev, thread)
    with project_scope(cast.dev.acting):
        before = Attempt.objects.get(session=session)
    say(cast.owner, thread, session_id=session.pk)
    with project_scope(cast.dev.acting):
        after = Attempt.objects.get(session=session)
    assert (after.state, after.lease_until) == (before.state, before.lease_until)
    assert packet(cast, thread)["session"]["recovery"] == "continued"


def test_what_a_human_says_belongs_to_no_attempt(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    said = say(cast.owner, thread, session_id=a_session(cast.dev, thread).pk)
    with project_scope(cast.dev.acting):
        assert Event.objects.get(pk=said.event.pk).attempt_id is None


def test_sending_twice_stores_once(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    first, second = (say(cast.owner, thread, role="dev") for _ in range(2))
    assert (first.event.seq, second.event.seq, second.replayed, second.opened) == (1, 1, True, False)


def test_a_form_sent_again_with_other_words_stores_nothing(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    say(cast.owner, thread, role="dev")
    with pytest.raises(Clash, match="fresh id"):
        say(cast.owner, thread, "other words", role="dev")


def test_speaking_is_in_the_ledger(cast: Cast) -> None:
    said = say(cast.owner, a_thread(cast.dev), role="dev")
    with project_scope(cast.owner.acting):
        entry = AuditEvent.objects.get(verb="event.append")
    assert (entry.actor, entry.target) == (cast.owner.acting.public_id, f"event://{said.session.public_id}/1-1")


def test_a_viewer_may_not_speak(cast: Cast) -> None:
    account = join(make_account(), cast, MembershipLevel.VIEWER)
    with project_scope(cast.owner.acting):
        actor = account.actors.get()
    viewer = Member(actor, replace(cast.owner.acting, actor_id=actor.pk))
    with pytest.raises(Forbidden, match="maintainer"):
        say(viewer, a_thread(cast.dev), role="dev")


def test_an_agent_cannot_speak_as_a_human(cast: Cast) -> None:
    with pytest.raises(Forbidden, match="human member"):
        say(cast.dev, a_thread(cast.dev), role="dev")


def test_nobody_speaks_into_a_thread_that_is_not_open(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    with project_scope(cast.owner.acting):
        move_thread(thread, ThreadState.ARCHIVED, reason="over")
    with pytest.raises(Clash, match="reopen"):
        say(cast.owner, thread, role="dev")


def test_a_closed_session_hears_nothing(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    session = a_session(cast.dev, thread)
    with project_scope(cast.dev.acting):
        close(cast.dev.acting, session, reason="done", now=timezone.now())
    with pytest.raises(Clash, match="takes no more events"):
        say(cast.owner, thread, session_id=session.pk)


def test_a_session_of_another_thread_hears_nothing(cast: Cast) -> None:
    elsewhere = a_session(cast.dev, a_thread(cast.dev))
    with pytest.raises(NotThere):
        say(cast.owner, a_thread(cast.dev), session_id=elsewhere.pk)


@pytest.mark.parametrize(
    ("wish", "pointer"),
    [
        ({"role": "nobody"}, "/role"),
        ({"role": "dev", "text": " \n"}, "/text"),
        ({"role": "dev", "kind": EventKind.TOOL_RESULT}, "/kind"),
        ({"role": "dev", "kind": EventKind.CONSTRAINT, "text": "never round " * 400}, "/text"),
        ({"role": "dev", "retires": "event://ses_0/1"}, "/retires"),
        ({"role": "dev", "kind": EventKind.CORRECTION, "retires": "event://ses_0/1"}, "/retires"),
    ],
)
def test_what_cannot_be_said_is_refused_by_its_field(cast: Cast, wish: dict[str, Any], pointer: str) -> None:
    with pytest.raises(Invalid) as caught:
        say(cast.owner, a_thread(cast.dev), **wish)
    assert caught.value.faults[0].pointer == pointer


def retire(cast: Cast, thread: Thread, ref: str, client_id: str = "gone") -> Said:
    wish = Retirement(ref=ref, reason="no longer wanted", client_id=client_id, attested_by=AttestedBy.CONSOLE)
    return take_back(cast.owner.acting, thread, wish, now=timezone.now())


def test_a_retired_constraint_is_in_no_packet(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    said = say(cast.owner, thread, "never round", kind=EventKind.CONSTRAINT, role="dev")
    retire(cast, thread, f"event://{said.session.public_id}/1")
    assert packet(cast, thread)["packet"]["thread"]["constraints"] == []


def test_the_session_that_made_a_constraint_takes_its_retirement(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    said = say(cast.owner, thread, "never round", kind=EventKind.CONSTRAINT, role="dev")
    say(cast.owner, thread, "later words", role="tester")
    assert retire(cast, thread, f"event://{said.session.public_id}/1").session == said.session


def test_a_constraint_of_a_closed_session_can_be_retired(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    said = say(cast.owner, thread, "never round", kind=EventKind.CONSTRAINT, role="dev")
    with project_scope(cast.owner.acting):
        session = Session.objects.get(pk=said.session.pk)
        close(cast.owner.acting, session, reason="done", now=timezone.now())
    gone = retire(cast, thread, f"event://{said.session.public_id}/1")
    assert (gone.opened, packet(cast, thread)["packet"]["thread"]["constraints"]) == (True, [])


def test_retiring_twice_with_one_form_is_retiring_once(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    said = say(cast.owner, thread, "never round", kind=EventKind.CONSTRAINT, role="dev")
    first, second = (retire(cast, thread, f"event://{said.session.public_id}/1") for _ in range(2))
    assert (first.event.seq, second.event.seq, second.replayed) == (2, 2, True)


def test_what_does_not_stand_cannot_be_retired(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    said = say(cast.owner, thread, role="dev")
    with pytest.raises(Invalid, match="no standing constraint"):
        retire(cast, thread, f"event://{said.session.public_id}/1")


def test_the_session_with_the_latest_entry_is_offered_first(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    older = a_session(cast.dev, thread)
    a_session(cast.tester, thread, "tester")
    say(cast.owner, thread, session_id=older.pk)
    with project_scope(cast.owner.acting):
        live = hearers(thread)
        assert (live[0], roles_without_window(live)) == (older, ["chief", "reviewer"])


def test_a_human_s_words_wake_an_idle_session(cast: Cast) -> None:
    thread = a_thread(cast.dev)
    session = a_session(cast.dev, thread)
    with project_scope(cast.dev.acting):
        advance_session(session, SessionState.IDLE, reason="pause")
    say(cast.owner, thread, session_id=session.pk)
    with project_scope(cast.dev.acting):
        assert Session.objects.get(pk=session.pk).state == SessionState.ACTIVE


def test_an_owner_s_private_thread_keeps_what_is_said_there_private(cast: Cast) -> None:
    said = say(cast.owner, a_thread(cast.owner, private=True), role="dev")
    with project_scope(cast.dev.acting):
        assert not Event.objects.filter(pk=said.event.pk).exists()
