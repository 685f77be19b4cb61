"""What users said before their words were counted is counted afterwards: once, by whoever may see it, and no more."""

import pytest
from django.utils import timezone

from governance.ids import new_id
from governance.scope import project_scope
from sessions import hearing_back
from sessions.hearing_back import hear_back
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Session
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from tests.cast import Cast, Member, make_cast
from threads.hearing import KEPT_PARTS, talks_of
from threads.lifecycle import ThreadWish, create_thread
from threads.models import Thread, ThreadTalk
from threads.vocabulary import ThreadType

SAID = "The tomatoes in the greenhouse have blight, the seedlings need copper and new compost"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def talked(by: Member, text: str = SAID, *, type_: ThreadType = ThreadType.WORK, private: bool = False) -> Thread:
    with project_scope(by.acting):
        wish = ThreadWish(title="The greenhouse", type=type_, private=private)
        thread = create_thread(by.acting, wish, now=timezone.now())
        session = open_or_resume(by.acting, thread, OpenWish(role="dev"), now=timezone.now()).session
        event = NewEvent(
            client_id="c", role=EventRole.USER, kind=EventKind.MESSAGE, text=text, attested_by=AttestedBy.AGENT
        )
        append(by.acting, session.pk, [event], now=timezone.now())
    return thread


def forget(by: Member) -> None:
    """What an erasure and the upgrade leave behind: no word is counted, and the sessions say so."""
    with project_scope(by.acting):
        ThreadTalk.objects.all().delete()
        Session.objects.update(unheard=True)


def keys_of(by: Member, thread: Thread) -> list[int]:
    with project_scope(by.acting):
        return sorted(int(key) for talk in talks_of([thread]).values() for key in talk.keys)


@pytest.mark.parametrize("private", [False, True])
def test_what_nobody_counted_is_counted_afterwards_as_it_would_have_been(cast: Cast, private: bool) -> None:
    thread = talked(cast.dev, private=private)
    before = keys_of(cast.dev, thread)
    forget(cast.dev)
    assert (hear_back(), keys_of(cast.dev, thread)) == (1, before)


def test_it_is_counted_once(cast: Cast) -> None:
    talked(cast.dev)
    forget(cast.dev)
    assert [hear_back() for _ in range(2)] == [1, 0]


def test_where_there_is_no_word_to_count_it_is_not_tried_again(cast: Cast) -> None:
    talked(cast.dev, "……")
    forget(cast.dev)
    assert [hear_back() for _ in range(2)] == [1, 0]


def test_what_does_not_say_that_it_is_unheard_is_not_looked_at(cast: Cast) -> None:
    talked(cast.dev)
    with project_scope(cast.dev.acting):
        ThreadTalk.objects.all().delete()
    assert hear_back() == 0


@pytest.mark.parametrize("type_", list(ThreadType))
def test_nothing_waits_twice(cast: Cast, type_: ThreadType) -> None:
    talked(cast.dev, type_=type_)
    forget(cast.dev)
    heard = hear_back()
    with project_scope(cast.dev.acting):
        waiting = Session.objects.filter(unheard=True).count()
    assert (heard, waiting) == (int(type_ != ThreadType.SMALL_TALK), 0)


def test_one_sweep_takes_a_bounded_number_and_the_next_the_rest(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing_back, "BATCH", 1)
    for _ in range(2):
        talked(cast.dev)
    forget(cast.dev)
    assert [hear_back() for _ in range(3)] == [1, 1, 0]


def test_a_thread_that_keeps_all_it_may_is_left_alone(cast: Cast) -> None:
    thread = talked(cast.dev)
    with project_scope(cast.dev.acting):
        row = ThreadTalk.objects.get(thread=thread)
        row.delete()
        for part in range(KEPT_PARTS):
            row.pk, row.source, row.part = new_id(), thread.pk, part
            row.save(force_insert=True)
        Session.objects.update(unheard=True)
    assert hear_back() == 0
