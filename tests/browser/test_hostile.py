"""Text that tries to run as script is shown as text, on every page."""

import pytest

from tests.browser.addresses import crawl
from tests.browser.conftest import SignedIn, client_of
from tests.browser.hostile import hostile
from tests.cast import make_cast
from tests.site.console_cast import account_of

pytestmark = pytest.mark.slow
OWNED = "window.owned"


def test_no_specimen_runs_on_any_page(transactional_db: None, signed_in: SignedIn) -> None:
    client = client_of(hostile(make_cast("alpha")))
    pages = [path for paths in crawl(client, most=1).values() for path in paths]
    ran: list[str] = []
    with signed_in(client) as seen:
        for path in pages:
            seen.open(path)
            ran += [path] if seen.page.evaluate(OWNED) else []
    assert ran + seen.dialogs + seen.complaints + seen.abroad == []


def test_a_specimen_that_is_let_through_is_noticed(transactional_db: None, signed_in: SignedIn) -> None:
    client = client_of(account_of(make_cast("alpha")))
    with signed_in(client, bypass_csp=True) as seen:
        seen.open("/")
        seen.page.set_content("<script>window.owned=1</script>")
        assert seen.page.evaluate(OWNED) == 1
