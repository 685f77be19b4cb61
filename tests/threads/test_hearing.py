"""What is said is counted as it is stored, compared by the resolver, and seen by nobody who may not see its thread."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from governance.scope import project_scope
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from tests.cast import Cast, Member, make_cast
from threads import hearing
from threads.hearing import hear, talks_of
from threads.lifecycle import ThreadWish, create_thread
from threads.models import Thread, ThreadTalk
from threads.resolution import Resolution, ThreadQuery, resolve

SAID = (
    ("Line one", "The tomatoes in the greenhouse have blight, the seedlings need copper and new compost"),
    ("Line two", "The altos miss their entry in the requiem, the tenor section lost two voices"),
    ("第三条", "橘猫又把药片吐出来了，兽医说肾指标偏高，要换处方粮"),
)
ASKED = "Blight is back on the greenhouse tomatoes, do the seedlings need copper again?"
NOTES = "Notes of the greenhouse: blight on tomatoes, copper for seedlings, compost, blight again on tomatoes"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def talked(by: Member, title: str, text: str, *, private: bool = False, role: EventRole = EventRole.USER) -> Thread:
    then = timezone.now() - timedelta(days=30)
    with project_scope(by.acting):
        thread = create_thread(by.acting, ThreadWish(title=title, private=private), now=then)
        session = open_or_resume(by.acting, thread, OpenWish(role="dev"), now=then).session
        event = NewEvent(client_id="c", role=role, kind=EventKind.MESSAGE, text=text, attested_by=AttestedBy.AGENT)
        append(by.acting, session.pk, [event], now=then)
    return thread


def asked(by: Member, text: str = ASKED) -> Resolution:
    with project_scope(by.acting, read_only=True):
        return resolve(by.acting, ThreadQuery(text=text, role="dev"), now=timezone.now())


def test_what_was_said_is_found_again_whoever_vouches_for_it(cast: Cast) -> None:
    threads = [talked(cast.dev, title, text) for title, text in SAID]
    assert asked(cast.dev).thread == threads[0]


def test_what_an_agent_said_is_not_counted(cast: Cast) -> None:
    thread = talked(cast.dev, "Line", NOTES, role=EventRole.ASSISTANT)
    with project_scope(cast.dev.acting):
        assert talks_of([thread]) == {}


def test_a_private_thread_shifts_nobody_elses_result(cast: Cast) -> None:
    for title, text in SAID:
        talked(cast.dev, title, text)
    before = asked(cast.dev).match
    talked(cast.personal, "Mine", NOTES, private=True)
    assert asked(cast.dev).match == before


def test_a_private_thread_counts_for_its_owner(cast: Cast) -> None:
    for title, text in SAID:
        talked(cast.dev, title, text)
    before = asked(cast.personal).match
    talked(cast.personal, "Mine", NOTES, private=True)
    assert asked(cast.personal).match != before


def test_another_project_shifts_nothing(cast: Cast) -> None:
    for title, text in SAID:
        talked(cast.dev, title, text)
    before = asked(cast.dev).match
    talked(make_cast("beta").dev, "Theirs", NOTES)
    assert asked(cast.dev).match == before


def test_turns_add_up_and_a_full_part_is_followed_by_the_next(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "PART_KEYS", 5)
    source = uuid.uuid4()
    with project_scope(cast.dev.acting):
        thread = create_thread(cast.dev.acting, ThreadWish(title="t"), now=timezone.now())
        for text in ("moss", "moss", "fern and bracken", "lichen"):
            hear(thread, source, [text])
        sizes = list(ThreadTalk.objects.filter(thread=thread).order_by("part").values_list("part", "size"))
        [talk] = talks_of([thread]).values()
    assert [part for part, _ in sizes] == [0, 1]
    assert talk.matter == 5


def test_only_the_latest_parts_are_kept(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "KEPT_PARTS", 2)
    with project_scope(cast.dev.acting):
        thread = create_thread(cast.dev.acting, ThreadWish(title="t"), now=timezone.now())
        sources = [uuid.uuid4() for _ in range(3)]
        for source in sources:
            hear(thread, source, ["moss"])
        kept = ThreadTalk.objects.filter(thread=thread).values_list("source", flat=True)
        assert set(kept) == set(sources[1:])
