"""The page of a work summary: what it says and rests on, what it covers, and writing or restoring a version there."""

import pytest
from django.test import Client

from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from sessions.models import WorkSummary
from tests.cast import Cast
from tests.memories.learning import Desk, auto_cast
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in
from tests.summaries.publishing import summed


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return auto_cast()


@pytest.fixture
def desk(cast: Cast) -> Desk:
    desk = Desk(cast.dev)
    desk.said("Please build the tide gauge importer.")
    desk.said("Never overwrite the raw readings.")
    summed(desk)
    return desk


@pytest.fixture
def maintainer(cast: Cast, desk: Desk) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))


def newest(desk: Desk) -> WorkSummary:
    with project_scope(desk.member.acting):
        return WorkSummary.objects.filter(session=desk.session).order_by("-version")[0]


def address(cast: Cast, row: WorkSummary, deed: str = "") -> str:
    return f"{page_of(cast)}summaries/{row.public_id}/{deed}"


def test_a_line_stands_with_a_link_to_what_it_rests_on(cast: Cast, desk: Desk, maintainer: Client) -> None:
    page = maintainer.get(address(cast, newest(desk))).content.decode()
    assert "Never overwrite the raw readings" in page
    assert f"sessions/{desk.session.public_id}/?seq=2#e2" in page


def test_it_is_said_in_chinese_as_well(cast: Cast, desk: Desk, maintainer: Client) -> None:
    page = maintainer.get(address(cast, newest(desk)), headers=CHINESE).content.decode()
    assert "覆盖第 1–2 条，共 2 条" in page


def test_bringing_it_up_to_date_shows_the_next_version(cast: Cast, desk: Desk, maintainer: Client) -> None:
    desk.said("Use one transaction for each file.")
    answer = maintainer.post(address(cast, newest(desk), "renew"), follow=True)
    page = answer.content.decode()
    assert (newest(desk).version, "new in this version" in page, "asked for in the console" in page) == (2, True, True)


def test_restoring_a_version_that_lacks_a_demand_is_refused_with_the_line(
    cast: Cast, desk: Desk, maintainer: Client
) -> None:
    first = newest(desk)
    desk.said("Only the office may see readings.")
    summed(desk)
    answer = maintainer.post(address(cast, first, "restore"))
    assert (answer.status_code, newest(desk).version) == (422, 2)
    assert "Only the office may see readings" in answer.content.decode()


def test_restoring_what_passes_writes_a_version(cast: Cast, desk: Desk, maintainer: Client) -> None:
    first = newest(desk)
    desk.said("Use one transaction for each file.")
    summed(desk)
    maintainer.post(address(cast, first, "restore"))
    assert newest(desk).sections == first.sections


def test_a_viewer_reads_and_writes_nothing(cast: Cast, desk: Desk) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    row = newest(desk)
    assert viewer.get(address(cast, row)).status_code == 200
    assert viewer.post(address(cast, row, "renew")).status_code == 403
