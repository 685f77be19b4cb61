"""The lexical leg in the database: what it finds, what it counts, and that what is gone is gone at once."""

import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from governance.models.base import reach_of
from governance.scope import project_scope
from governance.vocabulary import Audience
from memories.erasing import erase
from memories.finding import Scope, find, question_of
from memories.lexical import keys_asked
from memories.models import Passage
from memories.passages import PassageWish, index
from memories.renewing import count_passages, renew_due
from memories.retiring import archive, restore, revoke
from memories.vocabulary import KnowledgeStatus, Origin, SourceType
from tests.cast import Cast, Member
from tests.memories.learning import Desk, auto_cast, stated
from tests.memories.test_at_once import at_once
from threads.lexemes import LEXEMES_VERSION

NOW = timezone.now()
ANYWHERE = Scope(thread_id=None, now=NOW)


@pytest.fixture
def cast(db: None) -> Iterator[Cast]:
    return auto_cast()


def wish(cast: Cast, text: str, *, ref: str = "", **more: Any) -> PassageWish:
    given: dict[str, Any] = {"source_type": SourceType.EVENT, "origin": Origin.USER_EXPLICIT} | more
    return PassageWish(
        project_id=cast.project.pk,
        ref=ref or f"event://ses_x/{uuid.uuid4().int}",
        text=text,
        knowledge_status=KnowledgeStatus.INFERRED,
        **given,
    )


def stored(cast: Cast, *texts: str, by: Member | None = None, **more: Any) -> None:
    with project_scope((by or cast.dev).acting):
        index([wish(cast, text, **more) for text in texts])


def texts(member: Member, query: str, scope: Scope = ANYWHERE) -> list[str]:
    """Return what a member finds, best first."""
    with project_scope(member.acting):
        found = find(question_of([query]), scope)
    best = sorted((one.candidate for one in found.located), key=lambda one: -found.bm25(one))
    return [one.text for one in best]


def test_a_passage_is_found_in_the_transaction_that_wrote_it(cast: Cast) -> None:
    with project_scope(cast.dev.acting):
        index([wish(cast, "the gauge at pier four")])
        assert [one.candidate.text for one in find(question_of(["gauge"]), ANYWHERE).located]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("資料庫的遷移腳本", "迁移脚本"),
        ("数据库的迁移脚本", "遷移腳本"),
        ("ＡＢＣ－１２ 號", "abc-12 号"),
        ("後來瞭解", "后来了解"),
    ],
)
def test_traditional_and_simplified_full_and_half_width_meet(cast: Cast, said: str, asked: str) -> None:
    stored(cast, said, "完全无关的一句话")
    assert texts(cast.dev, asked) == [said]


def test_the_database_ranks_as_the_formula_does(cast: Cast) -> None:
    stored(cast, "gauge gauge gauge pier", "gauge pier four of the harbour", "pier", "tide", "harbour gauge gauge")
    question = question_of(["gauge of the harbour pier"])
    with project_scope(cast.dev.acting):
        found = find(question, ANYWHERE)
        with connection.cursor() as cursor:
            cursor.execute(RANKED, [keys_asked(cast.project.pk, question.terms), list(question.terms)])
            ranked = cursor.fetchall()
    expected = {one.candidate.id: found.bm25(one.candidate) for one in found.located}
    assert dict(ranked) == {pk: pytest.approx(score) for pk, score in expected.items()}


RANKED = """
SELECT found, score
FROM find_passages(%s::bigint[], %s, 64, 0.9, 0.4, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}')
"""


def test_the_figures_are_those_of_the_scope(cast: Cast) -> None:
    stored(cast, "gauge one", "gauge two", "harbour three four")
    with project_scope(cast.dev.acting):
        stats = find(question_of(["gauge harbour bell"]), ANYWHERE).stats
    assert (stats.passages, dict(stats.spread)) == (3, {"gaug": 2, "harbour": 1, "bell": 0})


def test_what_another_may_not_read_changes_no_figure(cast: Cast) -> None:
    stored(cast, "gauge one")
    private = {"audience": Audience.PRIVATE, "owner_id": cast.personal.actor.pk}
    stored(cast, *["gauge mine"] * 3, by=cast.personal, reach=private)
    with project_scope(cast.dev.acting):
        stats = find(question_of(["gauge"]), ANYWHERE).stats
    assert (stats.passages, stats.spread["gaug"]) == (1, 1)


def test_a_shared_window_counts_nothing_private(cast: Cast) -> None:
    private = {"audience": Audience.PRIVATE, "owner_id": cast.personal.actor.pk}
    stored(cast, "gauge mine", by=cast.personal, reach=private)
    shared = Scope(thread_id=None, now=NOW, shared=True)
    assert (texts(cast.personal, "gauge"), texts(cast.personal, "gauge", shared)) == (["gauge mine"], [])


def test_a_search_is_narrowed_to_a_thread_a_source_and_a_time(cast: Cast) -> None:
    desk = Desk(cast.dev)
    thread = desk.session.thread_id
    stored(cast, "gauge here", thread_id=thread, as_of=NOW - timedelta(days=3), reach=reach_of(desk.session))
    stored(cast, "gauge lately", as_of=NOW)
    stored(cast, "gauge lesson", source_type=SourceType.LESSON, as_of=NOW - timedelta(days=9))
    assert texts(cast.dev, "gauge", Scope(thread_id=None, now=NOW, only_thread=thread)) == ["gauge here"]
    assert texts(cast.dev, "gauge", Scope(thread_id=None, now=NOW, sources=("lesson",))) == ["gauge lesson"]
    window = Scope(thread_id=None, now=NOW, since=NOW - timedelta(days=5), until=NOW)
    assert texts(cast.dev, "gauge", window) == ["gauge here"]


def test_a_large_scope_is_searched_by_what_tells(cast: Cast) -> None:
    rows = [wish(cast, f"harbour bell {n % 97}") for n in range(2_100)]
    with project_scope(cast.dev.acting):
        index([*rows, wish(cast, "the harbour gauge")])
    count_passages()
    with project_scope(cast.dev.acting):
        found = find(question_of(["harbour gauge"]), ANYWHERE)
    assert [one.candidate.text for one in found.located] == ["the harbour gauge"]
    assert (found.stats.passages, found.stats.spread["harbour"] > 1_900) == (2_101, True)
    assert len(texts(cast.dev, "harbour")) == 64


def made_long_ago(cast: Cast, text: str) -> None:
    """Store a passage as it was before there were keys."""
    stored(cast, text, ref="event://ses_old/1")
    before = {"keys": [], "counts": [], "length": 0, "lexemes_version": 0}
    with project_scope(cast.dev.acting):
        Passage.objects.filter(ref="event://ses_old/1").update(**before)


def test_what_was_indexed_before_is_found_and_made_anew(cast: Cast) -> None:
    made_long_ago(cast, "the gauge of the harbour")
    assert texts(cast.dev, "gauge") == ["the gauge of the harbour"]
    assert renew_due() == 1
    with project_scope(cast.dev.acting):
        row = Passage.objects.get(ref="event://ses_old/1")
    assert (row.lexemes_version, len(row.keys), renew_due()) == (LEXEMES_VERSION, len(row.terms), 0)
    assert texts(cast.dev, "gauge") == ["the gauge of the harbour"]


def test_private_passages_are_made_anew_as_their_owner(cast: Cast) -> None:
    private = {"audience": Audience.PRIVATE, "owner_id": cast.personal.actor.pk}
    stored(cast, "my gauge", by=cast.personal, reach=private)
    with project_scope(cast.personal.acting):
        Passage.objects.update(lexemes_version=0, keys=[])
    assert (renew_due(), texts(cast.personal, "gauge")) == (1, ["my gauge"])


FACT = "The tide gauge stands at pier four."


@pytest.mark.parametrize("change", ["UPDATE memories_passage SET live = false", "DELETE FROM memories_passage"])
def test_a_row_that_is_gone_is_found_no_more_in_the_same_transaction(cast: Cast, change: str) -> None:
    stored(cast, FACT)
    with project_scope(cast.dev.acting):
        with connection.cursor() as cursor:
            cursor.execute(change)
        assert find(question_of(["tide gauge"]), ANYWHERE).located == []


VERBS: dict[str, Callable[[Cast, Any], Any]] = {
    "archived": lambda cast, memory: archive(cast.owner.acting, memory, reason="test", now=timezone.now()),
    "revoked": lambda cast, memory: revoke(cast.owner.acting, memory, reason="test", now=timezone.now()),
    "erased": lambda cast, memory: erase(cast.owner.acting, memory, reason="test", now=timezone.now()),
}


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_a_memory_out_of_use_is_found_no_more_in_the_same_transaction(cast: Cast, verb: str) -> None:
    memory = stated(cast.owner, FACT).memory
    with project_scope(cast.owner.acting):
        assert find(question_of([FACT]), ANYWHERE).located
        VERBS[verb](cast, memory)
        assert find(question_of([FACT]), ANYWHERE).located == []


def test_a_memory_that_came_back_is_found_again(cast: Cast) -> None:
    memory = stated(cast.owner, FACT).memory
    with project_scope(cast.owner.acting):
        archive(cast.owner.acting, memory, reason="test", now=timezone.now())
        restore(cast.owner.acting, memory, reason="test", now=timezone.now())
    assert texts(cast.owner, FACT) == [FACT]


@pytest.mark.django_db(transaction=True)
def test_what_eight_write_at_once_is_all_found() -> None:
    cast = auto_cast()
    said = [f"gauge of writer {name}" for name in ("ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen")]
    at_once([lambda text=text: stored(cast, text) for text in said])
    assert sorted(texts(cast.dev, "gauge writer")) == said
