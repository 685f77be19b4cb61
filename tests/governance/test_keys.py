"""Keys from their making to their end: what they may do, when they lapse, and what is never shown again."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.agents import add_agent, find_agent, set_active
from governance.errors import Clash, Forbidden, Invalid, NotThere, Unauthenticated
from governance.keys import MintedKey, authenticate, find_key, issue, keys_of_project, revoke, rotate
from governance.models import Actor, ApiKey, AuditEvent, Membership, User
from governance.projects import open_project
from governance.scope import project_scope
from governance.vocabulary import PRESET_SCOPES, KeyPreset, KeyScope, KeyState, MembershipLevel

pytestmark = pytest.mark.django_db(transaction=True)
AGENT_SCOPES = PRESET_SCOPES[KeyPreset.AGENT]


@dataclass(frozen=True)
class Shop:
    """A project, its owner and one agent."""

    owner: Acting
    agent: Actor

    def issue(self, *, now: datetime, lifetime: timedelta | None = timedelta(days=90)) -> MintedKey:
        """Mint a key for the agent, on the owner's word."""
        with project_scope(self.owner):
            return issue(self.owner, self.agent, scopes=AGENT_SCOPES, now=now, name="first", lifetime=lifetime)

    def rotate(self, key: ApiKey, *, overlap: timedelta) -> MintedKey:
        """Rotate a key now."""
        with project_scope(self.owner):
            return rotate(self.owner, key, now=timezone.now(), overlap=overlap)


def build(name: str) -> Shop:
    """Make a project with one agent."""
    now = timezone.now()
    _, human = open_project(name, owner=User.objects.create_user(f"owner-{name}"), now=now)
    owner = acting_as(human)
    with project_scope(owner):
        return Shop(owner, add_agent(owner, "worker", roles=["dev"], now=now))


@pytest.fixture
def shop() -> Shop:
    """One project."""
    return build("shop")


def opens(secret: str) -> bool:
    """True when the bearer text is one of a key that works now."""
    try:
        authenticate(secret, trace_id="")
    except Unauthenticated:
        return False
    return True


def test_a_key_carries_what_it_was_issued_with(shop: Shop) -> None:
    minted = shop.issue(now=timezone.now())
    assert authenticate(minted.secret, trace_id="").scopes == {str(scope) for scope in AGENT_SCOPES}


def test_a_key_lapses_after_ninety_days_unless_told_otherwise(shop: Shop) -> None:
    now = timezone.now()
    with project_scope(shop.owner):
        minted = issue(shop.owner, shop.agent, scopes=AGENT_SCOPES, now=now)
    assert minted.key.expires_at == now + timedelta(days=90)


def test_a_key_may_have_no_end(shop: Shop) -> None:
    assert shop.issue(now=timezone.now(), lifetime=None).key.expires_at is None


@pytest.mark.parametrize("level", [MembershipLevel.VIEWER, MembershipLevel.MAINTAINER])
def test_only_an_owner_issues(shop: Shop, level: MembershipLevel) -> None:
    with project_scope(shop.owner):
        Membership.objects.update(level=level)
    with project_scope(shop.owner), pytest.raises(Forbidden, match="must be owner"):
        issue(shop.owner, shop.agent, scopes=AGENT_SCOPES, now=timezone.now())


def test_a_scope_that_does_not_exist_is_refused_with_those_that_do(shop: Shop) -> None:
    with project_scope(shop.owner), pytest.raises(Invalid, match="no such scope: decide; there are context:compile"):
        issue(shop.owner, shop.agent, scopes=["decide"], now=timezone.now())


def test_a_key_without_scopes_is_refused(shop: Shop) -> None:
    with project_scope(shop.owner), pytest.raises(Invalid, match="at least one scope"):
        issue(shop.owner, shop.agent, scopes=[], now=timezone.now())


@pytest.mark.parametrize("days", [-1, 0, 3651])
def test_a_lifetime_out_of_bounds_is_refused(shop: Shop, days: int) -> None:
    with pytest.raises(Invalid, match="up to 3650 days"):
        shop.issue(now=timezone.now(), lifetime=timedelta(days=days))


def test_a_human_has_no_keys(shop: Shop) -> None:
    with project_scope(shop.owner), pytest.raises(Invalid, match="only an agent"):
        issue(shop.owner, Actor.objects.get(kind="human"), scopes=AGENT_SCOPES, now=timezone.now())


def test_an_agents_preset_neither_attests_nor_issues_capsules() -> None:
    assert set(KeyScope) - AGENT_SCOPES == {KeyScope.EVENT_ATTEST, KeyScope.CAPSULE_ISSUE}


def test_a_harness_attests() -> None:
    assert PRESET_SCOPES[KeyPreset.HARNESS] - AGENT_SCOPES == {KeyScope.EVENT_ATTEST}


def test_both_keys_open_during_the_overlap(shop: Shop) -> None:
    old = shop.issue(now=timezone.now())
    new = shop.rotate(old.key, overlap=timedelta(hours=1))
    assert (opens(old.secret), opens(new.secret)) == (True, True)


def test_the_old_key_lapses_at_the_end_of_the_overlap(shop: Shop) -> None:
    old = shop.issue(now=timezone.now(), lifetime=None)
    shop.rotate(old.key, overlap=timedelta(hours=1))
    with project_scope(shop.owner):
        left = ApiKey.objects.get(pk=old.key.pk).expires_at - timezone.now()
    assert timedelta(minutes=50) < left <= timedelta(hours=1)


def test_no_overlap_ends_the_old_key_at_once(shop: Shop) -> None:
    old = shop.issue(now=timezone.now())
    new = shop.rotate(old.key, overlap=timedelta())
    assert (opens(old.secret), opens(new.secret)) == (False, True)


def test_an_overlap_never_lengthens_a_life(shop: Shop) -> None:
    old = shop.issue(now=timezone.now(), lifetime=timedelta(minutes=5))
    shop.rotate(old.key, overlap=timedelta(days=7))
    with project_scope(shop.owner):
        assert ApiKey.objects.get(pk=old.key.pk).expires_at == old.key.expires_at


def test_the_successor_has_the_same_name_and_scopes(shop: Shop) -> None:
    old = shop.issue(now=timezone.now()).key
    new = shop.rotate(old, overlap=timedelta()).key
    assert (new.name, new.scopes) == (old.name, old.scopes)


@pytest.mark.parametrize("overlap", [timedelta(seconds=-1), timedelta(days=31)])
def test_an_overlap_out_of_bounds_is_refused(shop: Shop, overlap: timedelta) -> None:
    old = shop.issue(now=timezone.now())
    with pytest.raises(Invalid, match="up to 30 days"):
        shop.rotate(old.key, overlap=overlap)


def test_a_revoked_key_opens_nothing(shop: Shop) -> None:
    minted = shop.issue(now=timezone.now())
    with project_scope(shop.owner):
        revoke(shop.owner, minted.key, reason="left on a train", now=timezone.now())
    assert not opens(minted.secret)


def test_a_revocation_keeps_its_reason(shop: Shop) -> None:
    minted = shop.issue(now=timezone.now())
    with project_scope(shop.owner):
        revoke(shop.owner, minted.key, reason="left on a train", now=timezone.now())
    with project_scope(shop.owner):
        assert AuditEvent.objects.get(verb="key.revoke").reason == "left on a train"


def test_a_revocation_without_a_reason_is_refused(shop: Shop) -> None:
    minted = shop.issue(now=timezone.now())
    with project_scope(shop.owner), pytest.raises(Invalid, match="say why"):
        revoke(shop.owner, minted.key, reason="  ", now=timezone.now())


def test_what_was_revoked_is_not_rotated(shop: Shop) -> None:
    minted = shop.issue(now=timezone.now())
    with project_scope(shop.owner):
        revoke(shop.owner, minted.key, reason="lost", now=timezone.now())
    with pytest.raises(Clash, match="revoked"):
        shop.rotate(minted.key, overlap=timedelta())


def test_another_projects_key_is_not_there(shop: Shop) -> None:
    foreign = build("other").issue(now=timezone.now()).key
    with project_scope(shop.owner), pytest.raises(NotThere):
        revoke(shop.owner, foreign, reason="not mine", now=timezone.now())


@pytest.mark.parametrize("form", ["id", "beginning", "whole"])
def test_a_key_is_found_by_what_a_list_shows_and_by_its_text(shop: Shop, form: str) -> None:
    minted = shop.issue(now=timezone.now())
    texts = {"id": minted.key.public_id, "beginning": f"gw_{minted.key.prefix}", "whole": minted.secret}
    with project_scope(shop.owner):
        assert find_key(texts[form], pointer="/key").pk == minted.key.pk


@pytest.mark.parametrize("text", ["", "key_1", "gw_zzzzzzzz", "gw_", "key_" + "0" * 32])
def test_what_is_no_key_is_not_there(shop: Shop, text: str) -> None:
    with project_scope(shop.owner), pytest.raises(NotThere):
        find_key(text, pointer="/key")


def test_a_list_tells_what_each_key_is_worth(shop: Shop) -> None:
    now = timezone.now()
    shop.issue(now=now - timedelta(days=91))
    ended = shop.issue(now=now)
    shop.issue(now=now)
    with project_scope(shop.owner):
        revoke(shop.owner, ended.key, reason="lost", now=now)
        states = [facts.state for facts in keys_of_project(now=now)]
    assert states == [KeyState.LIVE, KeyState.REVOKED, KeyState.LAPSED]


def test_a_list_loads_no_digest(shop: Shop) -> None:
    shop.issue(now=timezone.now())
    with project_scope(shop.owner):
        (facts,) = keys_of_project(now=timezone.now())
    assert facts.key.get_deferred_fields() == {"digest"}


def test_a_switched_off_agents_keys_open_nothing_until_it_is_on_again(shop: Shop) -> None:
    minted = shop.issue(now=timezone.now())
    for active in (False, True):
        with project_scope(shop.owner):
            set_active(shop.owner, shop.agent, active=active)
        assert opens(minted.secret) == active


def test_a_switched_off_agent_gets_no_key(shop: Shop) -> None:
    with project_scope(shop.owner):
        set_active(shop.owner, shop.agent, active=False)
    with pytest.raises(Clash, match="inactive"):
        shop.issue(now=timezone.now())


def test_a_role_without_a_contract_is_refused_with_those_that_have_one(shop: Shop) -> None:
    with project_scope(shop.owner), pytest.raises(Invalid, match="chief, dev, reviewer, tester"):
        add_agent(shop.owner, "pilot", roles=["dev", "pilot"], now=timezone.now())


def test_two_agents_do_not_share_a_name(shop: Shop) -> None:
    with project_scope(shop.owner), pytest.raises(Clash, match="another agent"):
        add_agent(shop.owner, "worker", roles=["dev"], now=timezone.now())


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\x07b", "a\u202eb"])
def test_a_name_that_cannot_be_read_is_refused(shop: Shop, name: str) -> None:
    with project_scope(shop.owner), pytest.raises(Invalid, match="/name"):
        add_agent(shop.owner, name, roles=["dev"], now=timezone.now())


def test_another_projects_agent_is_not_there(shop: Shop) -> None:
    foreign = build("other").agent.public_id
    with project_scope(shop.owner), pytest.raises(NotThere):
        find_agent(foreign, pointer="/agent")


def test_no_secret_and_no_digest_reaches_the_ledger(shop: Shop) -> None:
    old = shop.issue(now=timezone.now())
    new = shop.rotate(old.key, overlap=timedelta())
    with project_scope(shop.owner):
        written = " ".join(map(str, AuditEvent.objects.values_list("reason", "before", "after", "detail", "target")))
    parts = [key.secret[12:] for key in (old, new)] + [bytes(key.key.digest).hex() for key in (old, new)]
    assert not [part for part in parts if part in written]
