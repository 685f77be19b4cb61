"""Erasing a person: no byte of what they said is left, nobody else's is touched, and the ledger holds and tells."""

import json
import os
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connections
from django.utils import timezone

from governance.actors import Acting
from governance.audit import verify_chain
from governance.errors import Clash, Unavailable
from governance.models import Actor, AuditEvent, Membership, User
from governance.proposals import comment
from governance.scope import project_scope
from governance.vocabulary import ContractKind, DecisionVerb, MembershipLevel
from greywind_site.erasing import person
from greywind_site.erasing.holdings import TOMBSTONE
from greywind_site.erasing.person import erase_memory, erase_person, preview
from greywind_site.operating.command import Refused
from memories.models import Memory
from memories.vocabulary import MemoryStatus, Origin
from sessions.cooling import cool
from sessions.hearing_back import hear_back
from sessions.models import ColdSegment, Event, Session
from sessions.vocabulary import EventRole
from sessions.windows import close, seal_of
from tests.cast import Cast, make_cast
from tests.erasing.leaver import leaver_of
from tests.erasing.leftovers import dump, holding
from tests.factories import seed
from tests.governance.rawsql import owner
from tests.governing import asked, decided, joined
from tests.memories.learning import Desk, auto_cast, read
from tests.memories.offering import kept, offered
from tests.stopping import StopAfter, Stopped, Watch
from threads.dag import TaskWish, create_task
from threads.lifecycle import ThreadWish, create_thread
from threads.models import Thread

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
CANARY, KEPT = "xqcanaryx", "xqkeptx"
BO = f"{CANARY}-bo"
VECTORS_OF_NOTHING = """
SELECT count(*) FROM memories_embedding e WHERE NOT EXISTS (SELECT FROM memories_passage p WHERE p.id = e.passage_id)
"""
# Every statement is too many for each run of the suite; with 1 all of them are stopped at.
EACH = int(os.environ.get("GREYWIND_STOP_EACH", "13"))


def gone(username: str = BO, **more: object) -> list[person.Erased]:
    return erase_person(username, reason="asked to be forgotten", now=timezone.now(), **more)


def lived(cast: Cast) -> None:
    """Let Bo have said one of everything, in shared and in private rows."""
    seed(cast, canary=CANARY)
    seed(cast, canary=f"{CANARY}p", private=True)
    leaver_of(cast, BO, cast.dev)


def test_no_byte_is_left_and_nobody_elses_is_touched() -> None:
    cast = make_cast()
    seed(cast, canary=KEPT, maker=cast.personal, private=True)
    lived(cast)
    kept = holding(KEPT)
    gone()
    # Idempotency keys, the hashes of requests and the names of work are a program's; here they happen to hold the word.
    assert set(holding(CANARY)) == {"governance_storedanswer", "memories_consolidation"}
    assert holding(KEPT) == kept
    with owner() as link:
        assert link.execute(VECTORS_OF_NOTHING).fetchone() == (0,)
        said = link.execute("SELECT DISTINCT erased, summary = '' FROM agent_sessions_handoff").fetchall()
    assert set(said) == {(True, True), (False, False)}


@pytest.fixture
def heard() -> tuple[Cast, Desk, Acting]:
    """A project in which Bo's agent has heard Bo speak."""
    cast = auto_cast()
    bo = joined(cast, BO, MembershipLevel.MAINTAINER)
    with project_scope(cast.owner.acting):
        Actor.objects.filter(pk=cast.dev.actor.pk).update(owned_by=bo.actor_id)
    return cast, Desk(cast.dev), bo


def test_the_chain_holds_and_tells_of_it(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, desk, bo = heard
    memory = desk.learn("The gauge stands at pier four.").memory
    gone()
    with project_scope(cast.owner.acting):
        told = AuditEvent.objects.get(verb="person.erase")
        assert (told.target, told.reason) == (bo.public_id, "asked to be forgotten")
        assert AuditEvent.objects.filter(verb="memory.erase", target=memory.public_id).count() == 1
        assert verify_chain().fault is None


def test_a_tombstone_stands_where_they_were(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, desk, bo = heard
    memory = desk.learn("The gauge stands at pier four.").memory
    gone()
    memory = read(cast.owner, memory)
    with project_scope(cast.owner.acting):
        human = Actor.objects.select_related("user").get(pk=bo.actor_id)
    account = human.user
    assert (memory.status, memory.erased_at is None, memory.content) == (MemoryStatus.REVOKED, False, "")
    assert (human.name, account.username) == (f"erased-{human.pk.hex}", f"erased-{account.pk.hex}")
    assert (account.is_active, account.has_usable_password()) == (False, False)


def test_a_preview_counts_and_changes_nothing(heard: tuple[Cast, Desk, Acting]) -> None:
    _, desk, _ = heard
    desk.learn("The gauge stands at pier four.")
    before = dump()
    [found] = preview(BO)
    assert (found.rows["event"], found.rows["memory"]) == (1, 1)
    assert dump() == before


def test_what_others_learnt_from_them_goes_with_it(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, desk, _ = heard
    said = desk.said(f"the {CANARY} gauge stands at pier four")
    root = desk.learn(f"The {CANARY} gauge stands at pier four.", said).memory
    desk.learn(f"Pier four has a gauge, {CANARY}.", root.ref, origin=Origin.AGENT_INFERRED)
    gone()
    assert holding(CANARY) == {}
    with project_scope(cast.owner.acting):
        assert set(Memory.objects.values_list("status", flat=True)) == {MemoryStatus.REVOKED}


def test_what_an_agent_repeats_of_them_goes_with_it(heard: tuple[Cast, Desk, Acting]) -> None:
    _, desk, _ = heard
    desk.said(f"please move the {CANARY} gauge to pier four")
    desk.said(f"You said: please move the {CANARY} gauge to pier four", role=EventRole.ASSISTANT)
    gone()
    assert holding(CANARY) == {}


def test_in_lists_and_in_json_their_words_are_known_as_well(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, desk, _ = heard
    said = f'please move "the {CANARY} gauge" \\ its table\nto pier four'
    desk.said(said)
    with project_scope(cast.tester.acting):
        thread = create_thread(cast.tester.acting, ThreadWish(title="errands"), now=timezone.now())
        create_task(cast.tester.acting, thread, TaskWish(title="one", next_steps=[f"do: {said}"]), now=timezone.now())
    asked(cast.tester.acting, ContractKind.ROLE, "keeper", {"slug": "keeper", "duties": [said]}, rationale=said)
    gone()
    assert holding(CANARY) == {}


def test_what_describes_them_goes_though_it_was_adopted(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, _, _ = heard
    body = {"self_id": "bo", "identity_core": {"roles": [f"keeper of {CANARY}"]}}
    proposal = asked(cast.dev.acting, ContractKind.SELF_PROFILE, "bo", body, rationale=f"for {CANARY}")
    decided(cast.owner.acting, proposal, text=f"{CANARY} it is")
    gone()
    assert holding(CANARY) == {}


def test_a_task_of_theirs_is_told_in_nobodys_packet(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, _, bo = heard
    with project_scope(bo):
        thread = Thread.objects.get()
        create_task(bo, thread, TaskWish(title=f"count the {CANARY}", next_steps=["soon"]), now=timezone.now())
    turn = {"user_input": {"raw_text": "what is to do?"}, "thread_id": thread.public_id, "role": "tester"}
    assert cast.tester.client().post("/context", turn).status_code == 200
    gone()
    assert holding(CANARY) == {}


def test_what_was_proposed_of_a_memory_goes_with_it() -> None:
    cast = auto_cast()
    owner, memory = cast.owner.acting, kept(cast.owner, f"The {CANARY} key hangs in the hall.")
    refused = offered(cast.owner, memory, title=f"the {CANARY} key", rationale=f"for {CANARY}")
    with project_scope(owner):
        comment(owner, refused, f"which {CANARY}?", now=timezone.now())
    decided(owner, refused, DecisionVerb.REJECT, text=f"no {CANARY} here")
    erase_memory(memory, reason="asked", now=timezone.now())
    assert holding(CANARY) == {}


def test_what_others_said_there_is_counted_anew(heard: tuple[Cast, Desk, Acting]) -> None:
    _, desk, _ = heard
    desk.said("please move the gauge to pier four")
    gone()
    assert [hear_back() for _ in range(2)] == [1, 0]


def test_what_an_agent_said_of_its_own_stays(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, desk, _ = heard
    desk.said("please move the gauge to pier four")
    desk.said("The tables are done.", role=EventRole.ASSISTANT)
    gone()
    with project_scope(cast.owner.acting):
        assert [event.text for event in Event.objects.order_by("seq")] == ["", "The tables are done."]


def test_words_that_rest_compressed_go_and_the_others_come_out_again(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, desk, _ = heard
    desk.said(f"please move the {CANARY} gauge to pier four")
    desk.said("The tables are done.", role=EventRole.ASSISTANT)
    desk.said(f"You said: please move the {CANARY} gauge to pier four", role=EventRole.ASSISTANT)
    with project_scope(cast.owner.acting):
        session = Session.objects.get()
        close(cast.owner.acting, session, reason="done", now=timezone.now())
        cool(session, now=timezone.now())
    gone()
    with project_scope(cast.owner.acting):
        assert not ColdSegment.objects.exists()
        assert [event.text for event in Event.objects.order_by("seq")] == ["", "The tables are done.", ""]
        assert cool(session, now=timezone.now()) is None
        assert dict(ColdSegment.objects.get().texts()) == {2: "The tables are done."}
    assert holding(CANARY) == {}


def test_of_several_segments_those_alone_are_opened_that_hold_such_words(
    heard: tuple[Cast, Desk, Acting], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.cooling.MOST_ENTRIES", 2)
    cast, desk, _ = heard
    spoken = f"please move the {CANARY} gauge to pier four"
    desk.said(spoken)
    for text in ("It is moved.", "The tables are done.", "So are the charts.", "All of it.", f"You said: {spoken}"):
        desk.said(text, role=EventRole.ASSISTANT)
    with project_scope(cast.owner.acting):
        session = Session.objects.get()
        close(cast.owner.acting, session, reason="done", now=timezone.now())
        cool(session, now=timezone.now())
    gone()
    with project_scope(cast.owner.acting):
        [untouched] = ColdSegment.objects.all()
        assert list(untouched.texts()) == [3, 4]
        cool(session, now=timezone.now())
        texts = [event.text for event in Event.objects.order_by("seq")]
        assert texts == ["", "It is moved.", "The tables are done.", "So are the charts.", "All of it.", ""]
        assert [list(segment.texts()) for segment in ColdSegment.objects.order_by("first_seq")] == [[2, 5], [3, 4]]


def test_a_threads_title_that_was_taken_from_their_words_goes(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, desk, _ = heard
    desk.said("please move the gauge to pier four")
    with project_scope(cast.owner.acting):
        Thread.objects.update(title="move the gauge to pier …")
    gone()
    with project_scope(cast.owner.acting):
        assert Thread.objects.get().title == TOMBSTONE


def test_a_title_that_holds_a_short_word_of_theirs_stays(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, desk, _ = heard
    desk.said("ok")
    with project_scope(cast.owner.acting):
        Thread.objects.update(title="Book the survey boat")
    gone()
    with project_scope(cast.owner.acting):
        assert Thread.objects.get().title == "Book the survey boat"


def test_a_seal_is_made_anew_over_what_is_left(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, desk, _ = heard
    desk.said("yes")
    with project_scope(cast.dev.acting):
        session = Session.objects.get()
        close(cast.dev.acting, session, reason="", now=timezone.now())
        before = session.seal
    gone()
    with project_scope(cast.owner.acting):
        now = Session.objects.get()
        assert (now.seal == seal_of(now), now.seal == before) == (True, False)


def test_agents_go_on_working_in_the_thread(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, desk, _ = heard
    desk.said("please move the gauge to pier four")
    gone()
    asked = {
        "user_input": {"raw_text": "继续", "input_type": "text"},
        "session_id": desk.session.public_id,
        "role": "dev",
    }
    assert cast.dev.client().post("/context", asked).status_code == 200


def test_who_sends_the_same_words_again_hears_that_they_were_erased(heard: tuple[Cast, Desk, Acting]) -> None:
    _, desk, _ = heard
    desk.said("anything")
    gone()
    desk.count = 0
    with pytest.raises(Clash, match="leave this entry out") as refusal:
        desk.said("anything")
    assert refusal.value.code == "erased_since"


def test_one_project_alone_leaves_the_account(heard: tuple[Cast, Desk, Acting]) -> None:
    cast, _, bo = heard
    gone(project_id=cast.project.pk)
    assert User.objects.get(username=BO).is_active
    with project_scope(cast.owner.acting):
        assert not Membership.objects.filter(actor_id=bo.actor_id).exists()


def test_a_stop_before_any_statement_erases_nothing(heard: tuple[Cast, Desk, Acting]) -> None:
    _, desk, _ = heard
    desk.learn(f"The {CANARY} gauge stands at pier four.")
    with owner() as link:
        watch, left = Watch(link), 0
        before = watch.content()
        while True:
            try:
                with connections["owner"].execute_wrapper(StopAfter(left)):
                    gone()
            except Stopped:
                assert watch.content() == before, f"stopped before statement {left + 1}"
                left += EACH
            else:
                break
        assert (left > 50, watch.content() == before) == (True, False)


def test_the_last_owner_is_not_erased() -> None:
    make_cast()
    with pytest.raises(Clash, match="last owner"):
        gone("owner-alpha")


def test_without_the_owner_role_nobody_is_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(person, "has_owner", lambda: False)
    with pytest.raises(Unavailable, match="DATABASE_OWNER_URL"):
        gone()


def test_the_command_tells_what_stays(heard: tuple[Cast, Desk, Acting]) -> None:
    out = StringIO()
    call_command("erase", "--person", BO, "--reason", "asked", "--dry-run", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert (told["dry_run"], len(told["projects"]), "ledger" in told["stays"][0]) == (True, 1, True)
    assert User.objects.filter(username=BO).exists()


def test_the_command_does_nothing_unasked(heard: tuple[Cast, Desk, Acting]) -> None:
    with pytest.raises(Refused, match="--yes"):
        call_command("erase", "--person", BO, "--reason", "asked")
    assert User.objects.filter(username=BO).exists()


def test_the_command_erases_one_memory(heard: tuple[Cast, Desk, Acting]) -> None:
    _, desk, _ = heard
    memory = desk.learn(f"The {CANARY} gauge stands at pier four.").memory
    call_command("erase", "--memory", memory.public_id, "--reason", "wrong", "--yes", "--json", stdout=StringIO())
    assert "memories_memory" not in holding(CANARY)
