"""Five thousand events, a hundred and fifty threads and five hundred packets cost a page no further query."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.models import ContextPacket, Event
from tests.api.test_statements import CONTROL
from tests.browser.bulk import fill
from tests.browser.conftest import Demo, client_of
from tests.demos import pages_of
from threads.models import Thread

pytestmark = pytest.mark.slow
MOST_QUERIES = 12
# Compiles up to twenty packets twice when somebody asks for it: bounded by the packets, not by the rows.
BY_THE_PACKET = {"proposal_effect"}
# Who read a memory is noted beside the page.
NOTED = 'INSERT INTO "memories_memoryread"'


def queries_of(client: Client, path: str) -> int:
    """Queries of one page, without transaction control and without finding the account by its cookie."""
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    own = [q["sql"] for q in captured.captured_queries if not ("django_session" in q["sql"] or NOTED in q["sql"])]
    return len([sql for sql in own if not CONTROL.match(sql)])


def newest(model: type) -> object:
    """A row of the demo, by the owner connection, which needs no scope."""
    return model.objects.using("owner").filter(audience="project").order_by("-created_at").first()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_no_page_costs_more_queries_with_many_rows(demo: Demo) -> None:
    client = client_of(demo.account)
    kinds = pages_of(demo.account)
    pages = [path for kind, paths in kinds.items() if kind not in BY_THE_PACKET for path in paths[:1]]
    before = {path: queries_of(client, path) for path in pages}
    fill(newest(Thread), newest(Event), newest(ContextPacket))
    after = {path: queries_of(client, path) for path in pages}
    assert {path: n for path, n in after.items() if n > max(before[path], MOST_QUERIES - 1) or n > MOST_QUERIES} == {}
