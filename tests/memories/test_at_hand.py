"""What the process keeps of passages: it spares a reading, and never says what the database no longer does."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance.scope import project_scope
from governance.vocabulary import Audience
from memories import at_hand
from memories.finding import Scope, find, question_of
from memories.lately import Lately
from memories.models import Passage
from memories.passages import PassageWish, index
from memories.vocabulary import KnowledgeStatus, Origin, SourceType
from tests.cast import Cast, Member
from tests.memories.learning import auto_cast

ANYWHERE = Scope(thread_id=None, now=timezone.now())


@pytest.fixture
def cast(db: None) -> Iterator[Cast]:
    at_hand.kept.clear()
    yield auto_cast()
    at_hand.kept.clear()


def write(cast: Cast, text: str, **more: Any) -> None:
    index(
        [
            PassageWish(
                project_id=cast.project.pk,
                ref="event://ses_x/7",
                text=text,
                source_type=SourceType.EVENT,
                origin=Origin.USER_EXPLICIT,
                knowledge_status=KnowledgeStatus.INFERRED,
                **more,
            )
        ]
    )


def found(member: Member) -> list[str]:
    with project_scope(member.acting):
        return found_here()


def found_here() -> list[str]:
    return [one.candidate.text for one in find(question_of(["gauge"]), ANYWHERE).located]


def test_what_is_at_hand_is_not_read_again(cast: Cast) -> None:
    with project_scope(cast.dev.acting):
        write(cast, "gauge at pier four")
    found(cast.dev)
    with CaptureQueriesContext(connection) as asked:
        assert found(cast.dev) == ["gauge at pier four"]
    assert not [one for one in asked.captured_queries if "p.terms" in one["sql"]]


def test_a_passage_written_anew_says_the_new_text_even_in_the_transaction_that_wrote_it(cast: Cast) -> None:
    with project_scope(cast.dev.acting):
        write(cast, "gauge at pier four")
        first = found_here()
        write(cast, "gauge at pier five")
        assert (first, found_here()) == (["gauge at pier four"], ["gauge at pier five"])


def test_what_another_has_at_hand_is_not_found_by_who_may_not_read_it(cast: Cast) -> None:
    with project_scope(cast.personal.acting):
        write(cast, "gauge of mine", reach={"audience": Audience.PRIVATE, "owner_id": cast.personal.actor.pk})
    assert (found(cast.personal), found(cast.dev)) == (["gauge of mine"], [])


def test_what_went_is_not_found_though_it_was_at_hand(cast: Cast) -> None:
    with project_scope(cast.dev.acting):
        write(cast, "gauge at pier four")
    found(cast.dev)
    with project_scope(cast.dev.acting):
        Passage.objects.update(live=False)
    assert found(cast.dev) == []


def test_only_so_many_are_kept_and_those_looked_for_live_longest() -> None:
    kept: Lately[str, int] = Lately(2)
    kept.keep({"one": 1, "two": 2})
    kept.of(["one"])
    kept.keep({"three": 3})
    assert kept.of(["one", "two", "three"]) == {"one": 1, "three": 3}
