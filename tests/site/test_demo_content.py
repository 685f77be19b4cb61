"""What a newcomer finds in the demo: these tests only look."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from governance.actors import Acting, acting_as
from governance.audit import verify_chain
from governance.models import Actor, AuditEvent, Membership, User
from governance.projects import acting_for_owner
from governance.refs import resolve
from governance.scope import project_scope
from governance.vocabulary import ActorKind, Audience, Phase
from greywind_site.demo import DemoCredentials, contracts, credentials, en, en_notes, mixed, results, zh
from memories.models import Conflict, Feedback, Injection, Memory, MemoryEvidence, Passage
from memories.retrieval import Hit, Limits, Scope, retrieve
from memories.vocabulary import PENDING
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.context.vocabulary import Dialect
from sessions.models import Artifact, Attempt, ContextPacket, Event, Handoff, Session, WorkSummary
from sessions.reading import constraints_of
from sessions.runtime import prepare_context
from tests.site.demo_cast import seeded
from threads.models import Task, TaskEdge, Thread

AGENTS = {contracts.AGENT_NAME: contracts.AGENT_ROLES, "Chief": ("chief",), "Dev": ("dev",), "Tester": ("tester",)}
OTHERS = (*AGENTS, credentials.SECOND_NAME)
HAN, LATIN = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[a-z]{4}")


@pytest.fixture(scope="module")
def demo(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DemoCredentials]:
    with seeded(django_db_blocker, tmp_path_factory.mktemp("demo")) as made:
        yield made


@pytest.fixture
def owner(demo: DemoCredentials) -> Iterator[Acting]:
    """The owner, with the scope open."""
    acting = acting_for_owner(demo.project_id)
    with project_scope(acting):
        yield acting


def acting_named(demo: DemoCredentials, name: str) -> Acting:
    with project_scope(acting_for_owner(demo.project_id)):
        return acting_as(Actor.objects.get(name=name))


def thread_titled(title: str) -> Thread:
    return Thread.objects.get(title=title)


def private_hits() -> list[Hit]:
    """What a search for the private notes finds in the open scope, and is private."""
    scope = Scope(thread_id=None, now=timezone.now())
    found = retrieve("周四下午不给李晓排评审 年底前再招一个后端", scope=scope, limits=Limits(most=50, through=True))
    return [hit for hit in found.hits if "周四" in hit.text or "后端" in hit.text]


def carry_on(demo: DemoCredentials, name: str) -> dict[str, Any]:
    """What "继续" is answered to an agent, as a dry run."""
    ask = ContextAsk(user_input=InputFact(raw_text="继续"), dry_run=True)
    return prepare_context(ask, acting=acting_named(demo, name), now=timezone.now())


def test_there_are_four_agents_with_their_roles(owner: Acting) -> None:
    agents = Actor.objects.filter(kind=ActorKind.AGENT)
    assert {agent.name: tuple(agent.roles) for agent in agents} == AGENTS


def test_there_are_two_humans(owner: Acting) -> None:
    levels = dict(Membership.objects.values_list("actor__name", "level"))
    assert levels == {"demo": "owner", credentials.SECOND_NAME: "maintainer"}


def test_nobody_can_sign_in_as_the_second_human(demo: DemoCredentials) -> None:
    assert not User.objects.get(username=credentials.SECOND_NAME).has_usable_password()


@pytest.mark.parametrize("title", [zh.THREAD.title, en.THREAD.title, mixed.THREAD.title])
def test_both_humans_speak_on_every_work_thread(owner: Acting, title: str) -> None:
    said = Event.objects.filter(session__thread=thread_titled(title), role="user")
    assert set(said.values_list("actor__name", flat=True)) == {"demo", credentials.SECOND_NAME}


def test_what_humans_wrote_is_vouched_for_by_the_console(owner: Acting) -> None:
    humans = Event.objects.filter(actor__kind=ActorKind.HUMAN)
    assert set(humans.values_list("attested_by", flat=True)) == {"console"}


def test_no_agent_speaks_for_a_human(owner: Acting) -> None:
    assert not Event.objects.filter(role="user").exclude(actor__kind=ActorKind.HUMAN).exists()


def test_a_correction_takes_a_demand_back(owner: Acting) -> None:
    made = Event.objects.filter(kind="constraint", text=en.HANDS_OFF).count()
    standing = [row.text for row in constraints_of(thread_titled(en.THREAD.title))]
    assert (made, en.HANDS_OFF in standing, len(standing)) == (1, False, 3)


def test_demands_stand_on_every_work_thread(owner: Acting) -> None:
    assert all(constraints_of(thread) for thread in Thread.objects.filter(type="work"))


def test_the_export_has_six_tasks_in_five_states(owner: Acting) -> None:
    states = list(Task.objects.filter(thread=thread_titled(en.THREAD.title)).values_list("state", flat=True))
    assert sorted(states) == ["blocked", "doing", "done", "planned", "planned", "ready"]


def test_a_task_of_the_search_waits_for_review(owner: Acting) -> None:
    assert Task.objects.get(state="review").thread.title == mixed.THREAD.title


def test_the_tasks_of_the_export_wait_for_each_other(owner: Acting) -> None:
    edges = TaskEdge.objects.filter(task__thread=thread_titled(en.THREAD.title)).count()
    assert edges == sum(len(text.depends_on) for text in en_notes.TASKS) == 7


def test_tester_sent_the_writer_back(owner: Acting) -> None:
    task = Task.objects.get(title=en_notes.TASKS[1].title)
    ledger = AuditEvent.objects.filter(target=task.public_id).order_by("seq")
    moves = list(ledger.filter(verb__in=["task.doing", "task.review"]).values_list("verb", flat=True))
    assert (moves, ledger.get(reason=en.SENT_BACK).verb) == (["task.doing", "task.review", "task.doing"], "task.doing")


def test_the_team_hands_over_each_time(owner: Acting) -> None:
    rows = Handoff.objects.filter(thread=thread_titled(en.THREAD.title)).order_by("created_at")
    chain = list(rows.values_list("author__name", "to_session__role"))
    assert chain == [("Chief", "dev"), ("Dev", "tester"), ("Tester", "dev")]


def test_dev_goes_on_in_its_own_session(owner: Acting) -> None:
    session = Session.objects.get(thread=thread_titled(en.THREAD.title), role="dev")
    assert list(Attempt.objects.filter(session=session).values_list("number", flat=True).order_by("number")) == [1, 2]


def test_the_summary_of_dev_has_two_versions(owner: Acting) -> None:
    rows = WorkSummary.objects.filter(session__thread=thread_titled(en.THREAD.title)).order_by("version")
    assert [(row.version, row.parent_id) for row in rows] == [(1, None), (2, rows[0].pk)]


def test_no_attempt_crashed(owner: Acting) -> None:
    assert set(Attempt.objects.values_list("state", flat=True)) == {"ended"}


@pytest.mark.parametrize("needle", [results.CAUSE, results.broken_note()], ids=["test log", "index listing"])
def test_a_large_result_hides_its_needle_in_the_middle(owner: Acting, needle: str) -> None:
    event = Event.objects.select_related("artifact").get(artifact__content__contains=needle)
    assert (needle in event.text, f"artifact://{event.artifact.public_id}" in event.text) == (False, True)


def test_large_results_are_the_same_everywhere(owner: Acting) -> None:
    kept = set(Artifact.objects.values_list("content", flat=True))
    assert kept == {results.slow_client_log(), results.index_listing()}


def test_one_packet_was_refused_and_says_what_was_missing(owner: Acting) -> None:
    refused = ContextPacket.objects.get(refused=True)
    assert all(row["needed"] > row["available"] for row in refused.decisions["shortfall"])


def test_packets_differ_by_role_phase_and_dialect(owner: Acting) -> None:
    rows = list(ContextPacket.objects.all())
    shown = ({row.role for row in rows}, {row.decisions["phase"] for row in rows}, {row.dialect for row in rows})
    assert shown == ({"chief", "dev", "tester"}, set(Phase), set(Dialect))


def test_packets_left_something_out_for_different_reasons(owner: Acting) -> None:
    layers = [layer for row in ContextPacket.objects.all() for layer in row.decisions["budget"]["layers"]]
    reasons = {dropped[0] for layer in layers for dropped in layer["dropped"]}
    assert reasons >= {"layer_cap", "knowledge_status", "phase"}


def test_a_packet_carried_what_had_been_learnt(owner: Acting) -> None:
    assert Injection.objects.filter(memory__status="active").exists()


@pytest.mark.parametrize("letters", [HAN, LATIN], ids=["Chinese", "English"])
@pytest.mark.parametrize(("states", "kinds"), [(["active"], {"fact", "decision", "lesson"}), (PENDING, {"lesson"})])
def test_memories_are_there_in_both_languages(
    owner: Acting, letters: re.Pattern[str], states: Sequence[str], kinds: set[str]
) -> None:
    rows = Memory.objects.filter(status__in=states, audience=Audience.PROJECT)
    assert {row.kind for row in rows if letters.search(row.content)} >= kinds


def test_testers_candidate_cites_the_lines_that_show_it(owner: Acting) -> None:
    held = Memory.objects.get(
        status__in=PENDING, proposed_by__name="Tester", kind="lesson", reason_code="low_source_needs_human"
    )
    cited = MemoryEvidence.objects.get(memory=held, ref__startswith="artifact://")
    assert cited.quote == results.CAUSE
    assert results.CAUSE in resolve(cited.ref, owner).text


def test_a_candidate_asks_to_change_a_lesson(owner: Acting) -> None:
    held = Memory.objects.get(status__in=PENDING, action="UPDATE")
    assert held.target.content == en_notes.BUILT_MEMORIES[0].content


def test_candidates_wait_for_different_reasons(owner: Acting) -> None:
    codes = set(Memory.objects.filter(status__in=PENDING).values_list("reason_code", flat=True))
    assert codes == {
        "review_mode_needs_human",
        "low_source_needs_human",
        "identity_needs_human",
        "screening_suspicious",
        "conflict_open",
    }


def test_a_gate_refused_one_and_a_human_another(owner: Acting) -> None:
    refused = Memory.objects.filter(status="rejected")
    assert sorted(refused.values_list("reason_code", flat=True)) == ["evidence_own_words", "refused_by_human"]
    assert all(row.evidence_gap for row in refused)


@pytest.mark.parametrize("letters", [HAN, LATIN], ids=["Chinese", "English"])
def test_a_conflict_is_open_in_both_languages(owner: Acting, letters: re.Pattern[str]) -> None:
    assert [row for row in Conflict.objects.filter(state="open") if letters.search(row.subject_text + row.attribute)]


def test_two_who_used_a_memory_said_so(owner: Acting) -> None:
    assert set(Feedback.objects.values_list("actor__name", flat=True)) == {"Tester", credentials.SECOND_NAME}


def test_candidates_are_found_by_no_search(owner: Acting) -> None:
    assert not Passage.objects.filter(memory__status__in=PENDING).exists()


def test_the_owner_has_a_thread_of_their_own(owner: Acting) -> None:
    thread = Thread.objects.get(audience=Audience.PRIVATE)
    assert (thread.owner_id, Event.objects.filter(session__thread=thread).count()) == (owner.actor_id, 3)


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_private_is_there_for_anybody_else(demo: DemoCredentials, name: str) -> None:
    with project_scope(acting_named(demo, name)):
        seen = [model.objects.filter(audience=Audience.PRIVATE).count() for model in (Thread, Session, Event, Memory)]
    assert seen == [0, 0, 0, 0]


@pytest.mark.parametrize("name", OTHERS)
def test_no_search_brings_anybody_else_the_private_notes(demo: DemoCredentials, name: str) -> None:
    with project_scope(acting_named(demo, name)):
        assert not private_hits()


def test_the_owner_finds_the_private_notes(owner: Acting) -> None:
    assert len(private_hits()) > 1


@pytest.mark.parametrize(
    ("name", "title", "recovery"),
    [
        ("Chief", en.THREAD.title, "rebuilt"),
        ("Dev", en.THREAD.title, "rebuilt"),
        ("Tester", en.THREAD.title, "rebuilt"),
        (contracts.AGENT_NAME, zh.THREAD.title, "rebuilt"),
    ],
)
def test_every_agent_goes_on_where_it_stopped(demo: DemoCredentials, name: str, title: str, recovery: str) -> None:
    answer = carry_on(demo, name)
    shown = (answer["packet"]["thread"]["thread_title"], answer["session"]["recovery"], answer["resolution"]["rule"])
    assert shown == (title, recovery, "recent")


def test_a_title_speaks_three_languages(owner: Acting) -> None:
    title = thread_titled(mixed.THREAD.title).title
    assert all(re.search(letters, title) for letters in ("[\u30a0-\u30ff]", "[\u4e00-\u9fff]", "[a-z]"))


def test_everything_happened_before_now(owner: Acting) -> None:
    rows = (Thread, Task, Session, Event, Handoff, WorkSummary, ContextPacket, Memory)
    assert max(model.objects.latest("created_at").created_at for model in rows) < timezone.now()


def test_the_ledger_is_whole(owner: Acting) -> None:
    assert verify_chain().fault is None
