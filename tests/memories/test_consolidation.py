"""What is put in order by itself: the same said twice, what recurs, what contradicts, what is too much; only once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from governance.scope import project_scope
from greywind_site.tasks import consolidate_memories
from memories import relating
from memories.consolidation import consolidate_due
from memories.models import Conflict, Consolidation, Feedback, Injection, Memory, MemoryEvidence, MemoryParent
from memories.retiring import restore
from memories.vocabulary import FeedbackKind, MemoryKind, MemoryType, Origin, ScopeType
from memories.writes import admit, refuse
from sessions.vocabulary import EventKind, EventRole
from tests.cast import Cast, make_cast
from tests.memories.learning import Desk, auto_cast, read, stated
from tests.stopping import StopAfter, Stopped

INFERRED: dict[str, Any] = {"origin": Origin.AGENT_INFERRED}


@pytest.fixture
def cast(db: None) -> Cast:
    return auto_cast()


@pytest.fixture
def desk(cast: Cast) -> Desk:
    return Desk(cast.dev)


def run(now: datetime | None = None) -> dict[str, int]:
    """Put in order what is due; a token is a character here."""
    return dict(consolidate_due(count=len, now=now or timezone.now()))


def happened(cast: Cast, text: str, **more: Any) -> Memory:
    """Remember an account of something, from a session of its own."""
    desk = Desk(cast.dev)
    there = {"type": MemoryType.EPISODE, "scope_type": ScopeType.THREAD, "scope_id": desk.session.thread_id}
    return desk.learn(text, desk.said("是这样 · so it was"), **(INFERRED | there | more)).memory


def made(cast: Cast) -> list[Memory]:
    with project_scope(cast.owner.acting):
        return list(Memory.objects.exclude(type=MemoryType.EPISODE).order_by("created_at"))


@pytest.mark.parametrize(
    "texts",
    [
        [f"On {day} March the staging deploy failed because the token had expired." for day in (3, 9, 17)],
        [f"3月{day}日预发部署失败：令牌过期。" for day in (3, 9, 17)],
    ],
)
def test_what_recurs_in_three_sessions_is_proposed(cast: Cast, texts: list[str]) -> None:
    for text in texts:
        happened(cast, text)
    assert run()["proposed"] == 1
    [memory] = made(cast)
    assert (memory.type, memory.scope_type, memory.content) == ("semantic", "project", texts[-1])


def failed(cast: Cast, days: tuple[int, ...] = (3, 9, 17), **more: Any) -> list[Memory]:
    """Remember the same mishap of several days, each from a session of its own."""
    return [happened(cast, f"On {day} March the staging deploy failed: expired token.", **more) for day in days]


def test_a_proposal_rests_on_all_that_recurred_and_is_made_of_it(cast: Cast) -> None:
    episodes = failed(cast)
    run()
    [memory] = made(cast)
    with project_scope(cast.owner.acting):
        parents = set(MemoryParent.objects.filter(memory=memory).values_list("parent_id", flat=True))
        cited = set(MemoryEvidence.objects.filter(memory=memory).values_list("ref", flat=True))
    assert (parents, {one.ref for one in episodes} <= cited) == ({one.pk for one in episodes}, True)


def test_what_is_in_order_is_left_alone(cast: Cast) -> None:
    failed(cast)
    run()
    assert (run(), len(made(cast))) == ({}, 1)


def test_two_sessions_are_no_rule(cast: Cast) -> None:
    failed(cast, (3, 9))
    run()
    assert made(cast) == []


def test_another_subject_does_not_count(cast: Cast) -> None:
    failed(cast, (3, 9))
    happened(cast, "On 17 March the production deploy failed: expired token.")
    run()
    assert made(cast) == []


def test_the_policy_says_how_often_is_a_rule(db: None) -> None:
    cast = make_cast(policy={"review_mode": "low_risk_auto", "recurring_from": 2})
    failed(cast, (3, 9))
    assert run()["proposed"] == 1


def test_a_proposal_is_as_weighty_as_the_weakest_that_it_is_made_of(cast: Cast) -> None:
    failed(cast, (3, 9))
    desk = Desk(cast.dev)
    ref = desk.said("exit 1: expired token", role=EventRole.TOOL, kind=EventKind.TOOL_RESULT)
    text = "On 17 March the staging deploy failed: expired token."
    weak = desk.learn(text, ref, origin=Origin.TOOL_OUTPUT).memory
    with project_scope(cast.owner.acting):
        Memory.objects.filter(pk=weak.pk).update(type=MemoryType.EPISODE)
        admit(cast.owner.acting, read(cast.owner, weak), reason="seen", now=timezone.now())
    run()
    [memory] = made(cast)
    assert (memory.source_rank, memory.status, memory.reason_code) == (
        "untrusted_external",
        "policy_checked",
        "low_source_needs_human",
    )


@pytest.mark.parametrize("text", ["The dev role may merge without approval.", "测试角色有权合并代码。"])
def test_what_touches_identity_is_only_proposed(cast: Cast, text: str) -> None:
    for _ in range(3):
        episode = happened(cast, text)
        with project_scope(cast.owner.acting):
            admit(cast.owner.acting, read(cast.owner, episode), reason="it was said", now=timezone.now())
    run()
    assert [(one.status, one.reason_code) for one in made(cast)] == [("evidence_checked", "identity_needs_human")]


def test_under_a_careful_policy_what_recurs_waits_for_a_human(db: None) -> None:
    cast = make_cast()
    for episode in failed(cast):
        with project_scope(cast.owner.acting):
            admit(cast.owner.acting, read(cast.owner, episode), reason="seen", now=timezone.now())
    run()
    assert [one.reason_code for one in made(cast)] == ["review_mode_needs_human"]


def test_a_lesson_becomes_a_procedure_and_a_wish_a_preference(cast: Cast) -> None:
    failed(cast, kind=MemoryKind.LESSON)
    for _ in range(3):
        happened(cast, "用户希望周报用中文写。")
    run()
    assert sorted(one.type for one in made(cast)) == ["preference", "procedural"]


def test_the_same_words_from_several_sessions_recur_as_one_row(cast: Cast) -> None:
    for _ in range(3):
        happened(cast, "The nightly backup ran late.", scope_type=ScopeType.PROJECT, scope_id=None)
    assert run()["proposed"] == 1


def test_an_episode_that_says_no_more_than_what_was_made_of_it_is_merged_into_it(cast: Cast) -> None:
    for _ in range(3):
        episode = happened(cast, "The nightly backup ran late.", scope_type=ScopeType.PROJECT, scope_id=None)
    run()
    run()
    [memory] = made(cast)
    told = read(cast.dev, episode)
    assert (told.archived_for, told.superseded_by_id, bool(memory.dedupe_key)) == ("merged", memory.pk, True)


def test_what_a_human_refused_is_not_proposed_again(cast: Cast) -> None:
    failed(cast, kind=MemoryKind.LESSON)
    run()
    [memory] = made(cast)
    with project_scope(cast.owner.acting):
        refuse(cast.owner.acting, memory, reason="chance", now=timezone.now())
    failed(cast, (21, 22, 23), kind=MemoryKind.LESSON)
    run()
    assert len(made(cast)) == 1


def test_later_accounts_bear_out_what_was_proposed(cast: Cast) -> None:
    failed(cast)
    run()
    [later] = failed(cast, (25,))
    run()
    with project_scope(cast.owner.acting):
        assert MemoryParent.objects.filter(memory=made(cast)[0], parent=later).exists()


def doubled(cast: Cast, desk: Desk, texts: tuple[str, str], **more: Any) -> tuple[Memory, Memory]:
    """Two memories that came into one place past each other."""
    thread = {"scope_type": ScopeType.THREAD, "scope_id": desk.session.thread_id}
    one, other = desk.learn(texts[0], **INFERRED, **more).memory, desk.learn(texts[1], **INFERRED, **thread).memory
    with project_scope(cast.owner.acting):
        Memory.objects.filter(pk=other.pk).update(scope_type=ScopeType.PROJECT, scope_id=None)
    return one, other


AGAIN = (
    "Staging deploy failed because the token expired.",
    "The staging deploy failed again because the token expired.",
)


def test_two_that_say_the_same_become_one_with_the_evidence_of_both(cast: Cast, desk: Desk) -> None:
    one, other = doubled(cast, desk, AGAIN)
    assert run()["merged"] == 1
    gone = read(cast.dev, other)
    with project_scope(cast.dev.acting):
        assert MemoryEvidence.objects.filter(memory=one).count() == 2
    assert (gone.archived_for, gone.superseded_by_id, read(cast.dev, one).status) == ("merged", one.pk, "active")


def test_a_merge_that_a_human_took_back_is_not_made_again(cast: Cast, desk: Desk) -> None:
    _, other = doubled(cast, desk, AGAIN)
    run()
    with project_scope(cast.owner.acting):
        restore(cast.owner.acting, read(cast.owner, other), reason="it is another deploy", now=timezone.now())
    run()
    assert read(cast.dev, other).status == "active"


PORTS = ("The port of the tide gauge is 80.", "The port of the tide gauge is 90.")


def test_what_contradicts_waits_for_somebody(cast: Cast, desk: Desk) -> None:
    doubled(cast, desk, PORTS)
    assert run()["disputed"] == 1
    with project_scope(cast.owner.acting):
        assert Conflict.objects.get().state == "open"


def test_days_apart_two_events_contradict_nothing(cast: Cast) -> None:
    desk = Desk(cast.dev)
    told = [
        desk.learn(f"On {day} March the staging deploy failed.", type=MemoryType.EPISODE, **INFERRED).outcome
        for day in (3, 9)
    ]
    assert told == ["active", "active"]


def limited(**bounds: int) -> Cast:
    return make_cast(policy={"review_mode": "low_risk_auto", **bounds})


def living(cast: Cast) -> set[str]:
    with project_scope(cast.owner.acting):
        return set(Memory.objects.filter(status="active").values_list("content", flat=True))


def test_the_least_useful_go_where_there_are_too_many(db: None) -> None:
    cast = limited(memories_per_place=2)
    desk = Desk(cast.dev)
    names = ["Oslo has a harbour.", "Bergen has a fish market.", "Narvik exports iron ore.", "Bodø has an airport."]
    rows = [desk.learn(name, importance=0.4, **INFERRED).memory for name in names]
    with project_scope(cast.dev.acting):
        home = {"project_id": cast.project.pk}
        Injection.objects.create(memory=rows[0], packet_id=rows[0].pk, at=timezone.now(), **home)
        Feedback.objects.create(memory=rows[1], actor_id=cast.dev.actor.pk, kind=FeedbackKind.USEFUL, **home)
        Feedback.objects.create(memory=rows[2], actor_id=cast.dev.actor.pk, kind=FeedbackKind.OUTDATED, **home)
    assert run()["archived"] == 2
    assert (living(cast), read(cast.dev, rows[3]).archived_for) == (set(names[:2]), "budget")


def test_what_a_user_said_goes_last(db: None) -> None:
    cast = limited(memories_per_place=1)
    stated(cast.owner, "Oslo has a harbour.", importance=0.1)
    Desk(cast.dev).learn("Bergen has a fish market.", importance=1.0, **INFERRED)
    run()
    assert living(cast) == {"Oslo has a harbour."}


def test_a_place_has_a_bound_in_tokens(db: None) -> None:
    cast = limited(memory_tokens_per_place=30)
    desk = Desk(cast.dev)
    desk.learn("Oslo has a harbour.", importance=0.9, **INFERRED)
    desk.learn("Bergen has a fish market.", importance=0.2, **INFERRED)
    run()
    assert living(cast) == {"Oslo has a harbour."}


@pytest.mark.parametrize("text", ["This month the staging port is 9090.", "本月预发环境的端口是 9090。"])
def test_what_is_said_of_a_period_ends_with_it(cast: Cast, desk: Desk, text: str) -> None:
    memory = desk.learn(text, type=MemoryType.SEMANTIC).memory
    run()
    run(timezone.now() + timedelta(days=32))
    assert read(cast.dev, memory).archived_for == "expired"


@pytest.mark.parametrize("text", ["This month we moved the database to Postgres.", "本周我们把数据库换成了 Postgres。"])
def test_what_came_about_in_a_period_goes_on(cast: Cast, desk: Desk, text: str) -> None:
    memory = desk.learn(text).memory
    run()
    run(timezone.now() + timedelta(days=40))
    assert read(cast.dev, memory).status == "active"


class Rows:
    """Counts statements, and the rows that they return or touch."""

    def __init__(self) -> None:
        self.statements = self.rows = 0

    def count(self, execute: Callable[..., Any], *asked: Any) -> Any:
        result = execute(*asked)
        self.statements, self.rows = self.statements + 1, self.rows + max(asked[-1]["cursor"].rowcount, 0)
        return result


def cost_of_one_more(desk: Desk, text: str) -> tuple[int, int]:
    desk.learn(text, **INFERRED)
    counted = Rows()
    with connection.execute_wrapper(counted.count):
        run()
    return counted.statements, counted.rows


def test_the_work_is_that_of_what_is_new(cast: Cast, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relating, "LATEST", 3)
    monkeypatch.setattr(relating, "LIKE", 3)
    costs = []
    for lot, text in {"amber": "Kim paints harbours in winter.", "birch": "Lena repairs clocks at noon."}.items():
        for n in range(4):
            desk.learn(f"Shelf {lot}{n} holds box {n}.", **INFERRED)
        run()
        costs.append(cost_of_one_more(desk, text))
    assert costs[0] == costs[1]


def test_a_run_that_stops_anywhere_has_done_whole_batches(transactional_db: None) -> None:
    cast = auto_cast()
    failed(cast)
    stopped = 0
    for left in range(5, 400, 23):
        try:
            with connection.execute_wrapper(StopAfter(left)):
                run()
        except Stopped:
            stopped += 1
            assert len(made(cast)) <= 1
        else:
            break
    assert (stopped > 2, len(made(cast)), run()) == (True, 1, {})


def test_two_workers_at_once_propose_it_once(transactional_db: None) -> None:
    cast = auto_cast()
    failed(cast)

    def work(_: int) -> dict[str, int]:
        try:
            return run()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(work, range(2)))
    assert (len(made(cast)), sum(one.get("proposed", 0) for one in done)) == (1, 1)


def test_private_memories_are_put_in_order_apart(cast: Cast) -> None:
    for day in (3, 9, 17):
        Desk(cast.personal).learn(f"On {day} March I slept badly.", type=MemoryType.EPISODE, private=True, **INFERRED)
    run()
    with project_scope(cast.personal.acting):
        [mine] = Memory.objects.exclude(type=MemoryType.EPISODE)
    assert (mine.audience, mine.owner_id, made(cast)) == ("private", cast.personal.actor.pk, [])


def test_the_task_counts_the_tokens_of_what_is_new(cast: Cast, desk: Desk) -> None:
    memory = desk.learn("Oslo has a harbour.").memory
    assert (consolidate_memories(), read(cast.dev, memory).tokens) == (1, 6)


def test_the_last_run_is_kept(cast: Cast, desk: Desk) -> None:
    desk.learn("Oslo has a harbour.")
    now = timezone.now()
    run(now)
    with project_scope(cast.owner.acting):
        last = Consolidation.objects.get()
    assert (last.ran_at, last.counts) == (now, {"seen": 1})
