"""What people set on their own account."""

import uuid

import pytest
from django.utils import timezone

from governance.accounts import choose_password, set_preferences
from governance.models import AuditEvent, User
from governance.people import invite
from governance.scope import project_scope
from governance.vocabulary import Language, MembershipLevel
from tests.cast import Cast, make_cast


@pytest.fixture
def newcomer(db: None) -> tuple[Cast, User]:
    """A member whose account was made by the invitation."""
    cast = make_cast("alpha")
    name = f"new-{uuid.uuid4().hex[:8]}"
    with project_scope(cast.owner.acting):
        return cast, invite(cast.owner.acting, name, MembershipLevel.VIEWER, now=timezone.now()).user


def test_an_invited_account_has_to_choose_a_password(newcomer: tuple[Cast, User]) -> None:
    _, account = newcomer
    account.refresh_from_db()
    assert account.must_change_password


def test_an_own_password_ends_the_one_for_one_use(newcomer: tuple[Cast, User]) -> None:
    _, account = newcomer
    choose_password(account, "violet tractor 41 hums")
    account.refresh_from_db()
    assert (account.check_password("violet tractor 41 hums"), account.must_change_password) == (True, False)


def test_choosing_a_password_leaves_an_entry_in_each_project(newcomer: tuple[Cast, User]) -> None:
    alpha, account = newcomer
    beta = make_cast("beta")
    with project_scope(beta.owner.acting):
        invite(beta.owner.acting, account.username, MembershipLevel.VIEWER, now=timezone.now())
    choose_password(account, "violet tractor 41 hums", trace_id="trc_x")
    assert [last_entry(cast) for cast in (alpha, beta)] == [("member.choose_password", "trc_x", "{}")] * 2


def last_entry(cast: Cast) -> tuple[str, str, str]:
    with project_scope(cast.owner.acting, read_only=True):
        entry = AuditEvent.objects.order_by("-seq")[0]
    return entry.verb, entry.trace, entry.detail


def test_preferences_are_stored(newcomer: tuple[Cast, User]) -> None:
    _, account = newcomer
    set_preferences(account, time_zone="Asia/Tokyo", language=Language.EN)
    account.refresh_from_db()
    assert (account.time_zone, account.language) == ("Asia/Tokyo", "en")
