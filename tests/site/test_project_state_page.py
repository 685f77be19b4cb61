"""The page of where a project stands: by thread, with what each line rests on, for those who may read the thread."""

import pytest
from django.test import Client

from governance.vocabulary import MembershipLevel
from tests.api.asking import append, event, make_thread, ok, open_session
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def viewer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.VIEWER))


def stood(cast: Cast, title: str, **thread: object) -> str:
    """Have a thread summed up; returns its session."""
    session = open_session(cast.dev, make_thread(cast.dev, title=title, **thread), role="dev")
    append(cast.dev, session, event("Write the rollback plan. Blocked by: the key is missing.", attested=True))
    said = {"next_steps": ["Write the rollback plan [1]"], "blockers": ["Blocked by: the key is missing [1]"]}
    ok(cast.dev.client().post(f"/sessions/{session}/checkpoint", {"sections": said}))
    return session


def shown(client: Client, cast: Cast, query: str = "", *, headers: dict[str, str] | None = None) -> str:
    answer = client.get(f"{page_of(cast)}state/{query}", headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def test_each_thread_stands_with_what_blocks_it_and_where_that_was_said(cast: Cast, viewer: Client) -> None:
    session = stood(cast, "Spring release", tags=["release"])
    page = shown(viewer, cast)
    assert all(words in page for words in ("Spring release", "the key is missing", "Write the rollback plan"))
    assert f"sessions/{session}/?seq=1#e1" in page
    assert "<code>chief</code>" in page


def test_it_is_said_in_chinese_and_says_what_is_newer_than_the_summary(cast: Cast, viewer: Client) -> None:
    append(cast.dev, stood(cast, "春季发布"), event("and one thing more", "e2"))
    page = shown(viewer, cast, headers=CHINESE)
    assert all(words in page for words in ("项目现状", "受阻于", "之后的条目尚未收入"))


def test_a_private_thread_stands_there_for_its_owner_alone(cast: Cast, viewer: Client) -> None:
    stood(cast, "Spring release", private=True)
    page = shown(viewer, cast)
    assert "Spring release" not in page
    assert "Nothing is summed up yet" in page


def test_a_topic_shows_the_threads_that_share_it(cast: Cast, viewer: Client) -> None:
    for title, tag in (("Spring release", "release"), ("Autumn release", "release"), ("Tide gauges", "tides")):
        stood(cast, title, tags=[tag])
    page = shown(viewer, cast, "?topic=release")
    assert ("Autumn release" in page, "Tide gauges" in page, "?topic=tides" in page) == (True, False, False)
    assert "No thread fits" in shown(viewer, cast, "?topic=nothing")
