"""Matters in the inbox: opened once, claimed, put off, woken and settled; each move is in the ledger."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from governance.actors import Acting
from governance.errors import Clash, Forbidden, Invalid, NotThere
from governance.inbox import (
    claim_item,
    end_snooze,
    find_item,
    open_item,
    release_item,
    settle_item,
    snooze_item,
    titled,
    wake_item,
)
from governance.models import AuditEvent, InboxItem
from governance.scope import project_scope
from governance.vocabulary import Audience, InboxKind, InboxState, MembershipLevel, Risk
from tests.cast import Cast, make_cast
from tests.governing import joined

NOW = timezone.now()
LATER = NOW + timedelta(days=3)
REF = "conflict://cfl_" + "0" * 32


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def opened(who: Acting, **more: Any) -> InboxItem:
    """Open the matter of these tests."""
    with project_scope(who):
        return open_item(who, InboxKind.CONFLICT, REF, title="two ports", now=NOW, **more)


def now_of(cast: Cast) -> InboxItem:
    with project_scope(cast.owner.acting):
        return InboxItem.objects.get(ref=REF)


def moved(cast: Cast, verb: Any, *args: Any, who: Acting | None = None, **named: Any) -> InboxItem:
    """Do one thing to the matter, and read it again."""
    acting = who or cast.owner.acting
    with project_scope(acting):
        verb(acting, InboxItem.objects.get(ref=REF), *args, **named)
    return now_of(cast)


def test_a_matter_is_opened_once_and_says_who_brought_it_up(cast: Cast) -> None:
    first, again = opened(cast.dev.acting), opened(cast.tester.acting)
    assert (first.pk, first.opened_by_id, first.state) == (again.pk, cast.dev.actor.pk, "open")


def test_a_matter_that_is_opened_again_has_the_new_title_and_risk(cast: Cast) -> None:
    opened(cast.dev.acting)
    with project_scope(cast.dev.acting):
        open_item(cast.dev.acting, InboxKind.CONFLICT, REF, title="three ports", risk=Risk.HIGH, now=NOW)
    item = now_of(cast)
    assert (item.title, item.risk) == ("three ports", "high")


def test_the_same_ref_of_another_kind_is_another_matter(cast: Cast) -> None:
    first = opened(cast.dev.acting)
    with project_scope(cast.dev.acting):
        other = open_item(cast.dev.acting, InboxKind.CANDIDATE, REF, title="x", now=NOW)
    assert first.pk != other.pk


def test_what_was_settled_is_open_again_when_it_is_opened(cast: Cast) -> None:
    opened(cast.dev.acting)
    with project_scope(cast.owner.acting):
        settle_item(InboxKind.CONFLICT, REF, now=NOW, reason="kept the old")
    settled = now_of(cast)
    opened(cast.dev.acting)
    again = now_of(cast)
    assert (settled.state, settled.settled_at, again.state, again.settled_at) == ("done", NOW, "open", None)


def test_settling_twice_or_nothing_is_no_fault(cast: Cast) -> None:
    opened(cast.dev.acting)
    with project_scope(cast.owner.acting):
        settle_item(InboxKind.CONFLICT, REF, now=NOW)
        settle_item(InboxKind.CONFLICT, REF, now=LATER)
        settle_item(InboxKind.CONFLICT, "conflict://nothing", now=NOW)
    assert now_of(cast).settled_at == NOW


@pytest.mark.parametrize(("on_evidence", "state"), [(True, InboxState.OPEN), (False, InboxState.SNOOZED)])
def test_new_evidence_wakes_what_waits_for_it_and_nothing_else(cast: Cast, on_evidence: bool, state: str) -> None:
    opened(cast.dev.acting)
    moved(cast, snooze_item, now=NOW, until=LATER, on_evidence=on_evidence)
    opened(cast.dev.acting)
    assert now_of(cast).state == state


def test_waking_opens_what_is_put_off(cast: Cast) -> None:
    opened(cast.dev.acting)
    moved(cast, snooze_item, now=NOW, on_evidence=True)
    with project_scope(cast.dev.acting):
        wake_item(InboxKind.CONFLICT, REF)
    item = now_of(cast)
    assert (item.state, item.awaits_evidence, item.snoozed_until) == ("open", False, None)


@pytest.mark.parametrize(("days", "state"), [(-1, InboxState.OPEN), (0, InboxState.OPEN), (1, InboxState.SNOOZED)])
def test_a_snooze_ends_by_itself(days: int, state: InboxState) -> None:
    item = InboxItem(state=InboxState.SNOOZED, snoozed_until=NOW + timedelta(days=days))
    assert item.state_at(NOW) is state


def test_what_is_snoozed_can_be_put_off_further_or_taken_back(cast: Cast) -> None:
    opened(cast.dev.acting)
    moved(cast, snooze_item, now=NOW, until=NOW + timedelta(days=1))
    further = moved(cast, snooze_item, now=NOW, until=LATER)
    back = moved(cast, end_snooze)
    assert (further.snoozed_until, back.state, back.snoozed_until) == (LATER, "open", None)


def test_a_snooze_needs_an_end_within_a_year(cast: Cast) -> None:
    opened(cast.dev.acting)
    codes = []
    for until in (None, NOW, NOW - timedelta(days=1), NOW + timedelta(days=400)):
        with pytest.raises(Invalid) as refusal:
            moved(cast, snooze_item, now=NOW, until=until)
        codes.append(refusal.value.code)
    assert codes == ["snooze_needs_end", *["snooze_out_of_range"] * 3]


def test_a_claim_is_seen_and_taken_over(cast: Cast) -> None:
    opened(cast.dev.acting)
    other = joined(cast, "maintainer", MembershipLevel.MAINTAINER)
    mine = moved(cast, claim_item, now=NOW)
    theirs = moved(cast, claim_item, who=other, now=LATER)
    assert (mine.assignee_id, theirs.assignee_id, theirs.claimed_at) == (cast.owner.actor.pk, other.actor_id, LATER)


def test_only_who_claimed_it_releases_it(cast: Cast) -> None:
    opened(cast.dev.acting)
    other = joined(cast, "maintainer", MembershipLevel.MAINTAINER)
    moved(cast, claim_item, now=NOW)
    with pytest.raises(Clash, match="only they release it"):
        moved(cast, release_item, who=other)
    assert moved(cast, release_item).assignee_id is None


@pytest.mark.parametrize("verb", [claim_item, snooze_item])
def test_what_is_settled_is_neither_claimed_nor_put_off(cast: Cast, verb: Any) -> None:
    opened(cast.dev.acting)
    with project_scope(cast.owner.acting):
        settle_item(InboxKind.CONFLICT, REF, now=NOW)
    with pytest.raises(Clash, match="settled"):
        moved(cast, verb, now=NOW)


@pytest.mark.parametrize("who", ["viewer", "agent"])
def test_a_viewer_and_an_agent_triage_nothing(cast: Cast, who: str) -> None:
    opened(cast.dev.acting)
    acting = joined(cast, "viewer", MembershipLevel.VIEWER) if who == "viewer" else cast.dev.acting
    for verb in (claim_item, snooze_item, release_item, end_snooze):
        named = {"now": NOW} if verb in (claim_item, snooze_item) else {}
        with pytest.raises(Forbidden):
            moved(cast, verb, who=acting, **named)


def test_every_move_is_in_the_ledger_without_the_title(cast: Cast) -> None:
    item = opened(cast.dev.acting)
    moved(cast, claim_item, now=NOW)
    moved(cast, snooze_item, now=NOW, until=LATER)
    with project_scope(cast.owner.acting):
        settle_item(InboxKind.CONFLICT, REF, now=NOW)
    with project_scope(cast.owner.acting):
        entries = list(AuditEvent.objects.filter(target=item.public_id).order_by("seq"))
    assert [entry.verb for entry in entries] == ["inbox.open", "inbox.claim", "inbox.snooze", "inbox.done"]
    assert not [entry for entry in entries if "ports" in entry.detail + entry.reason]


def test_a_private_matter_is_its_owners_alone(cast: Cast) -> None:
    mine = {"audience": Audience.PRIVATE, "audience_role": None, "owner_id": cast.personal.actor.pk}
    item = opened(cast.personal.acting, reach=mine)
    with project_scope(cast.owner.acting):
        assert not InboxItem.objects.filter(ref=REF).exists()
        with pytest.raises(NotThere):
            find_item(item.public_id, pointer="{item}")
    with pytest.raises(NotThere):
        opened(cast.dev.acting)


def test_an_item_that_is_not_there_and_a_malformed_id_are_alike(cast: Cast) -> None:
    for named in ("inb_" + "0" * 32, "inb_x", "mem_" + "0" * 32, ""):
        with project_scope(cast.owner.acting), pytest.raises(NotThere) as refusal:
            find_item(named, pointer="{item}")
        assert refusal.value.code == "not_found"


def test_an_assignee_is_of_the_same_project(cast: Cast) -> None:
    other = make_cast("beta")
    item = opened(cast.dev.acting)
    with pytest.raises(IntegrityError, match="assignee_id_scoped"), project_scope(cast.owner.acting):
        InboxItem.objects.filter(pk=item.pk).update(assignee_id=other.owner.actor.pk)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("two\n ports", "two ports"),
        ("x" * 300, "x" * 300),
        ("x" * 301, "x" * 299 + "…"),
        ("端" * 400, "端" * 299 + "…"),
        ("👩‍👩‍👧" * 80, "👩‍👩‍👧" * 59 + "…"),
    ],
)
def test_a_title_is_one_line_cut_between_graphemes(text: str, title: str) -> None:
    assert titled(text) == title
