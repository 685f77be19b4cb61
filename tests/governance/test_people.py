"""Who may let whom in, and what a one-time password opens and ends."""

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from threading import Barrier, BrokenBarrierError

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from governance import people
from governance.actors import Acting, acting_as
from governance.errors import Clash, Forbidden, Invalid, NotThere, Refusal
from governance.models import Actor, AuditEvent, User
from governance.people import (
    find_member,
    invite,
    level_of,
    members,
    remove_member,
    reset_password,
    reset_password_as_operator,
    set_level,
)
from governance.projects import open_project
from governance.scope import project_scope
from governance.seats import seats_of
from governance.vocabulary import MembershipLevel

pytestmark = pytest.mark.django_db(transaction=True)
LEVELS_BELOW = [MembershipLevel.VIEWER, MembershipLevel.MAINTAINER]


@dataclass(frozen=True)
class House:
    """A project with its owner."""

    owner: Acting
    account: User

    def invite(self, username: str, level: MembershipLevel = MembershipLevel.VIEWER) -> tuple[Acting, str]:
        """Let somebody in, on the owner's word; returns who they are and their password."""
        with project_scope(self.owner):
            done = invite(self.owner, username, level, now=timezone.now())
        return acting_as(done.actor), done.password or ""


def build(name: str, owner: str) -> House:
    """Make a project with an owner of this account name."""
    account = User.objects.create_user(owner, password="first-owner-password")
    _, human = open_project(name, owner=account, now=timezone.now())
    return House(acting_as(human), account)


@pytest.fixture
def house() -> House:
    """One project."""
    return build("house", "olga")


@pytest.fixture
def inside(house: House) -> Iterator[House]:
    """One project whose owner's scope is open."""
    with project_scope(house.owner):
        yield house


def signs_in(username: str, password: str) -> bool:
    """True when the console's own form lets them in."""
    answer = Client().post(reverse("sign_in"), {"username": username, "password": password})
    return answer.status_code == 302


def met(barrier: Barrier) -> None:
    """Wait for the other one, or for the barrier to give up."""
    with suppress(BrokenBarrierError):
        barrier.wait()


def remove_in_a_thread(by: Acting, username: str) -> None:
    """Remove a member, or be refused, on a connection of the thread's own."""
    try:
        with suppress(Refusal), project_scope(by):
            remove_member(by, find_member(username, pointer="/username"))
    finally:
        connection.close()


def test_an_invited_person_signs_in_with_the_one_time_password(house: House) -> None:
    _, password = house.invite("wei")
    assert signs_in("wei", password)


def test_an_account_that_is_there_keeps_its_password(house: House) -> None:
    other = build("other", "bo")
    with project_scope(house.owner):
        done = invite(house.owner, "bo", MembershipLevel.VIEWER, now=timezone.now())
    assert done.password is None
    assert other.account.check_password("first-owner-password")


@pytest.mark.parametrize("level", LEVELS_BELOW)
def test_only_an_owner_invites(house: House, level: MembershipLevel) -> None:
    acting, _ = house.invite("wei", level)
    with project_scope(acting), pytest.raises(Forbidden, match="must be owner"):
        invite(acting, "more", MembershipLevel.VIEWER, now=timezone.now())


def test_an_agent_invites_nobody(house: House) -> None:
    agent = Acting(project_id=house.owner.project_id, actor_id=house.owner.actor_id, kind="agent")
    with project_scope(agent), pytest.raises(Forbidden, match="not a human member"):
        invite(agent, "more", MembershipLevel.OWNER, now=timezone.now())


@pytest.mark.parametrize("username", ["", "   ", "two words", "semi;colon", "x" * 151, "line\nbreak"])
def test_a_name_that_no_account_can_have_is_refused(inside: House, username: str) -> None:
    with pytest.raises(Invalid, match="1 to 150"):
        invite(inside.owner, username, MembershipLevel.VIEWER, now=timezone.now())


def test_a_chinese_account_name_is_a_name(house: House) -> None:
    _, password = house.invite("王伟")
    assert signs_in("王伟", password)


def test_nobody_is_invited_twice(house: House) -> None:
    house.invite("wei", MembershipLevel.MAINTAINER)
    with project_scope(house.owner), pytest.raises(Clash, match="already a member, as maintainer"):
        invite(house.owner, "wei", MembershipLevel.VIEWER, now=timezone.now())


def test_a_closed_account_is_not_let_in(house: House) -> None:
    User.objects.create_user("gone", is_active=False)
    with project_scope(house.owner), pytest.raises(Clash, match="closed"):
        invite(house.owner, "gone", MembershipLevel.VIEWER, now=timezone.now())


def test_a_level_changes_what_one_may(house: House) -> None:
    acting, _ = house.invite("wei")
    with project_scope(house.owner):
        set_level(house.owner, find_member("wei", pointer="/username"), MembershipLevel.MAINTAINER)
    with project_scope(acting):
        assert level_of(acting) == MembershipLevel.MAINTAINER


@pytest.mark.parametrize("level", LEVELS_BELOW)
def test_the_last_owner_stays_owner(inside: House, level: MembershipLevel) -> None:
    with pytest.raises(Clash, match="last owner"):
        set_level(inside.owner, find_member("olga", pointer="/username"), level)


def test_the_last_owner_is_not_removed(inside: House) -> None:
    with pytest.raises(Clash, match="last owner"):
        remove_member(inside.owner, find_member("olga", pointer="/username"))


def test_an_owner_whose_account_is_closed_does_not_count(house: House) -> None:
    house.invite("second", MembershipLevel.OWNER)
    User.objects.filter(username="second").update(is_active=False)
    with project_scope(house.owner), pytest.raises(Clash, match="last owner"):
        remove_member(house.owner, find_member("olga", pointer="/username"))


def test_one_of_two_owners_may_go(house: House) -> None:
    second, _ = house.invite("second", MembershipLevel.OWNER)
    with project_scope(second):
        remove_member(second, find_member("olga", pointer="/username"))
        assert [member.username for member in members()] == ["second"]


def test_two_owners_cannot_take_each_other_away_at_one_moment(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    second, _ = house.invite("second", MembershipLevel.OWNER)
    # Each stops before its commit until the other is there too, or for so long that the other must be waiting for it.
    meet = Barrier(2, timeout=1)
    monkeypatch.setattr(people, "record", lambda *_, **__: met(meet))
    with ThreadPoolExecutor() as threads:
        pairs = [(house.owner, "second"), (second, "olga")]
        done = [threads.submit(remove_in_a_thread, by, username) for by, username in pairs]
    assert [one.exception() for one in done] == [None, None]
    with project_scope(house.owner):
        assert len(members()) == 1


def test_whoever_is_removed_has_no_seat(house: House) -> None:
    house.invite("wei")
    with project_scope(house.owner):
        remove_member(house.owner, find_member("wei", pointer="/username"))
    assert seats_of(User.objects.get(username="wei")) == []


def test_whoever_comes_back_is_the_same_actor(house: House) -> None:
    before, _ = house.invite("wei")
    with project_scope(house.owner):
        remove_member(house.owner, find_member("wei", pointer="/username"))
    after, password = house.invite("wei", MembershipLevel.MAINTAINER)
    assert (after.actor_id, password) == (before.actor_id, "")


def test_a_member_of_another_project_is_not_there(house: House) -> None:
    build("other", "bo")
    with project_scope(house.owner), pytest.raises(NotThere):
        find_member("bo", pointer="/username")


def test_another_projects_member_cannot_be_removed_by_its_row(house: House) -> None:
    other = build("other", "bo")
    with project_scope(other.owner):
        foreign = find_member("bo", pointer="/username")
    with project_scope(house.owner), pytest.raises(NotThere):
        remove_member(house.owner, foreign)


def test_a_reset_password_replaces_the_old_one(house: House) -> None:
    name = f"wei-{uuid.uuid4().hex}"  # failed sign-ins are counted by name, for all processes together
    _, old = house.invite(name)
    with project_scope(house.owner):
        new = reset_password(house.owner, find_member(name, pointer="/username"))
    assert (signs_in(name, old), signs_in(name, new)) == (False, True)


def test_a_reset_ends_the_sessions_of_the_account(house: House) -> None:
    _, old = house.invite("wei")
    browser = Client()
    browser.post(reverse("sign_in"), {"username": "wei", "password": old})
    with project_scope(house.owner):
        reset_password(house.owner, find_member("wei", pointer="/username"))
    assert reverse("sign_in") in browser.get(reverse("home")).headers["Location"]


def test_an_owner_does_not_reset_whoever_works_elsewhere_too(house: House) -> None:
    build("other", "bo")
    house.invite("bo")
    with project_scope(house.owner), pytest.raises(Forbidden, match="only the operator"):
        reset_password(house.owner, find_member("bo", pointer="/username"))


def test_an_owner_does_not_reset_another_owner(house: House) -> None:
    house.invite("second", MembershipLevel.OWNER)
    with project_scope(house.owner), pytest.raises(Forbidden, match="only the operator"):
        reset_password(house.owner, find_member("second", pointer="/username"))


@pytest.mark.parametrize("level", LEVELS_BELOW)
def test_only_an_owner_resets(house: House, level: MembershipLevel) -> None:
    acting, _ = house.invite("wei", level)
    house.invite("other")
    with project_scope(acting), pytest.raises(Forbidden, match="must be owner"):
        reset_password(acting, find_member("other", pointer="/username"))


def test_the_operator_resets_anybody_and_each_project_hears_of_it(house: House) -> None:
    other = build("other", "bo")
    house.invite("bo")
    assert signs_in("bo", reset_password_as_operator("bo"))
    for place in (house, other):
        with project_scope(place.owner):
            entry = AuditEvent.objects.get(verb="member.reset_password")
            assert entry.actor == Actor.objects.get(kind="system").public_id


def test_no_password_reaches_the_ledger(house: House) -> None:
    _, password = house.invite("wei")
    with project_scope(house.owner):
        again = reset_password(house.owner, find_member("wei", pointer="/username"))
        rows = AuditEvent.objects.values_list("reason", "before", "after", "detail", "target")
        written = " ".join(part for row in rows for part in row)
    assert not [secret for secret in (password, again) if secret in written]


def test_each_change_of_the_members_is_one_entry(house: House) -> None:
    house.invite("wei")
    with project_scope(house.owner):
        member = find_member("wei", pointer="/username")
        set_level(house.owner, member, MembershipLevel.MAINTAINER)
        set_level(house.owner, member, MembershipLevel.MAINTAINER)
        remove_member(house.owner, member)
    with project_scope(house.owner):
        told = AuditEvent.objects.filter(verb__startswith="member.").order_by("seq").values_list("verb", flat=True)
        assert list(told) == ["member.invite", "member.set_level", "member.remove"]
