"""A page that changes something, where the ledger cannot be written."""

import re
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client

from governance.models import Project
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from tests.cast import Cast, make_cast
from tests.databases import owner_link
from tests.site.console_cast import join, make_account, page_of, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    """The browser of an owner."""
    return signed_in(join(make_account(), cast, MembershipLevel.OWNER))


@pytest.fixture
def form(cast: Cast, owner: Client) -> dict[str, str]:
    """The settings of the project, with another name, as its page sends them."""
    page = owner.get(f"{page_of(cast)}settings").content.decode()
    [seen] = re.findall(r'name="seen" value="([^"]+)"', page)
    return {"name": "renamed", "max_input_tokens": "", "seen": seen}


@pytest.fixture
def unwritable(form: dict[str, str]) -> Iterator[None]:
    """A ledger that takes no entry."""
    with owner_link(str(connection.settings_dict["NAME"])) as link:
        link.execute("REVOKE INSERT ON governance_auditevent FROM gw_app")
        yield
        link.execute("GRANT INSERT ON governance_auditevent TO gw_app")


@pytest.mark.usefixtures("unwritable")
def test_a_form_is_answered_with_503_and_leaves_nothing(cast: Cast, owner: Client, form: dict[str, str]) -> None:
    answer = owner.post(f"{page_of(cast)}settings", form)
    with project_scope(cast.owner.acting, read_only=True):
        assert (answer.status_code, Project.objects.get().name) == (503, cast.project.name)


@pytest.mark.usefixtures("unwritable")
def test_a_page_that_changes_nothing_is_shown(cast: Cast, owner: Client) -> None:
    assert owner.get(page_of(cast)).status_code == 200
