"""The conflict desk: who sees what, each way to settle one, what is kept when something moved, and what is refused."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from governance.models import InboxItem, User
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel, Sensitivity
from memories.candidates import add_evidence
from memories.conflict_list import ConflictFilters, conflict_list
from memories.models import Conflict, Memory, MemoryRead
from memories.vocabulary import ConflictState, Origin
from memories.weighing import Kept
from memories.writes import EvidenceWish
from tests.cast import make_cast
from tests.memories.learning import Contradiction, Desk, auto_cast, claim, read, stated
from tests.site.console_cast import CHINESE, join, make_account, page_of, proven, signed_in
from tests.site.thread_cast import at, next_page, queries, shown, told

OLD, NEW, THIRD = Contradiction.OLD, Contradiction.NEW, "Port of the gauge: 70"
HIDDEN = re.compile(r'name="(version|seen_hash)" value="([^"]*)"')
XSS = "<script>alert(1)</script>"


class Dispute(Contradiction):
    """A conflict, its address, and who may look at it."""

    @property
    def page(self) -> str:
        return at(self.cast, "conflicts", self.conflict.public_id, "")

    def browser(self, level: MembershipLevel = MembershipLevel.MAINTAINER, **options: Any) -> Client:
        return signed_in(join(make_account(), self.cast, level), **options)

    def now(self) -> Conflict:
        with project_scope(self.cast.owner.acting):
            return Conflict.objects.get(pk=self.conflict.pk)


def seen_on(client: Client, path: str) -> dict[str, str]:
    """What the page binds a decision to."""
    return dict(HIDDEN.findall(shown(client, path).partition("/settle")[2]))


def settle(client: Client, dispute: Dispute, way: str, **more: Any) -> Any:
    seen = more.pop("seen", None) or seen_on(client, dispute.page)
    return client.post(f"{dispute.page}settle", {"way": way, **seen, **more})


def take(memory: Memory) -> str:
    return f"take_new:{memory.public_id}"


def keep(memory: Memory) -> str:
    return f"keep_old:{memory.public_id}"


@pytest.fixture
def dispute(db: None) -> Dispute:
    return Dispute(auto_cast())


# Who sees it


@pytest.mark.parametrize("path", ["conflicts/", "conflicts/{}/"])
def test_a_stranger_finds_no_conflicts_here(dispute: Dispute, path: str) -> None:
    other = make_cast("beta")
    client = signed_in(User.objects.get(username="owner-beta"))
    there = client.get(page_of(dispute.cast) + path.format(dispute.conflict.public_id))
    own = client.get(page_of(other) + "conflicts/" + dispute.conflict.public_id + "/")
    assert (there.status_code, own.status_code) == (404, 404)


@pytest.mark.parametrize(
    "conflict_id", ["cfl_1", "mem_" + "0" * 32, "cfl_" + "0" * 12 + "7" + "0" * 3 + "8" + "0" * 15]
)
def test_an_id_that_nobody_was_given_is_not_there(dispute: Dispute, conflict_id: str) -> None:
    assert dispute.browser().get(at(dispute.cast, "conflicts", conflict_id, "")).status_code == 404


def test_a_private_conflict_is_its_owners_alone(db: None) -> None:
    cast = auto_cast()
    desk = Desk(cast.dev)
    cited = [EvidenceWish(ref=desk.said("80 or 90"))]
    stated(cast.owner, OLD, claims=claim("80"), private=True, evidence=cited)
    held = stated(cast.owner, NEW, claims=claim("90"), private=True, evidence=cited, knowledge_status="inferred")
    with project_scope(cast.owner.acting):
        conflict = Conflict.objects.get()
    page = at(cast, "conflicts", conflict.public_id, "")
    other = signed_in(join(make_account(), cast, MembershipLevel.OWNER))
    assert (other.get(page).status_code, held.conflict is not None) == (404, True)
    assert "only you" in shown(signed_in(User.objects.get(username="owner-alpha")), page)


def test_a_viewer_reads_and_sees_no_verbs(dispute: Dispute) -> None:
    page = shown(dispute.browser(MembershipLevel.VIEWER), dispute.page)
    assert (OLD in page, NEW in page, "/settle" in page, "/snooze" in page) == (True, True, False, False)


@pytest.mark.parametrize("verb", ["settle", "snooze", "wake", "undo"])
def test_a_viewer_decides_nothing(dispute: Dispute, verb: str) -> None:
    answer = dispute.browser(MembershipLevel.VIEWER).post(dispute.page + verb, {"way": take(dispute.new)})
    assert (answer.status_code, dispute.now().state) == (403, ConflictState.OPEN)


# What it shows


def test_the_page_has_both_claims_their_difference_and_what_follows(dispute: Dispute) -> None:
    page = shown(dispute.browser(), dispute.page)
    for words in (
        OLD,
        NEW,
        "<del>",
        "<ins>",
        "carried by 0 in the last 30 days",
        "Both sources weigh the same",
        "event://",
    ):
        assert words in page, words


def test_the_page_says_where_the_next_packet_may_carry_what(dispute: Dispute) -> None:
    page = shown(dispute.browser(), dispute.page)
    now, _, then = page.partition("/settle")
    assert ("in no packet" in now, "execute" in then or "in every phase" in then) == (True, True)


def test_the_page_reads_in_chinese(dispute: Dispute) -> None:
    page = shown(dispute.browser(language=CHINESE), dispute.page)
    for words in ("主张与证据", "逐词对比", "保留原来的", "照此裁决", "经过"):
        assert words in page, words


def test_a_third_claim_shows_up_while_it_is_open(dispute: Dispute) -> None:
    dispute.say(THIRD, "70")
    page = shown(dispute.browser(), dispute.page)
    assert (THIRD in page, page.count('class="verb"')) == (True, 7)


def test_reading_the_page_is_in_the_access_log(dispute: Dispute) -> None:
    shown(dispute.browser(), dispute.page)
    with project_scope(dispute.cast.owner.acting):
        assert set(MemoryRead.objects.values_list("memory_id", flat=True)) == {dispute.old.pk, dispute.new.pk}


def test_hostile_words_stay_words(dispute: Dispute) -> None:
    with project_scope(dispute.cast.owner.acting):
        Memory.objects.filter(pk=dispute.new.pk).update(content=f"Port: 60 {XSS}\u202e")
    page = shown(dispute.browser(), dispute.page)
    assert (XSS in page, "\u202e" in page.partition("<textarea")[0], "⟦U+202E⟧" in page) == (False, False, True)


def test_evidence_that_does_not_open_says_so_without_a_quote(dispute: Dispute) -> None:
    closed = Kept(ref=f"event://{dispute.desk.session.public_id}/99", quote="between us", quote_hash="")
    with project_scope(dispute.cast.owner.acting):
        add_evidence(dispute.new, [closed])
    page = shown(dispute.browser(), dispute.page)
    assert ("You may decide, but not read this source." in page, "between us" in page) == (True, False)


# Settling it


def test_taking_the_new_one_says_what_happens_next(dispute: Dispute) -> None:
    client = dispute.browser()
    page = next_page(client, settle(client, dispute, take(dispute.new), reason="measured today"))
    assert (dispute.standing(), told(page)[:8], "measured today" in page) == (("archived", "active"), "Settled.", True)


def test_keeping_the_old_one_goes_on_to_the_next_matter(dispute: Dispute) -> None:
    client = dispute.browser()
    answer = settle(client, dispute, keep(dispute.old), next="on")
    assert (answer["Location"], dispute.standing()) == (
        f"/inbox?next={dispute.conflict.public_id}",
        ("active", "rejected"),
    )


def test_merging_puts_the_written_text_in_their_place(dispute: Dispute) -> None:
    client = dispute.browser()
    settle(client, dispute, "merge", text="Port of the gauge: 80, at night 90")
    with project_scope(dispute.cast.owner.acting):
        assert Memory.objects.get(status="active").content == "Port of the gauge: 80, at night 90"


def test_a_merge_without_words_keeps_the_rest_of_the_form(dispute: Dispute) -> None:
    answer = settle(dispute.browser(), dispute, "merge", text=" ", reason="both are right")
    page = answer.content.decode()
    assert (answer.status_code, "Write the text that takes their place." in page) == (422, True)
    assert ("both are right" in page, dispute.standing()) == (True, ("active", "evidence_checked"))


def test_a_secret_does_not_get_in_by_a_merge(dispute: Dispute) -> None:
    text = "Port of the gauge: 80, password: hunter2-Xk29!vQ"
    answer = settle(dispute.browser(), dispute, "merge", text=text)
    assert (answer.status_code, "It holds a secret." in answer.content.decode()) == (422, True)


def test_all_of_them_hold_each_in_its_time(dispute: Dispute) -> None:
    answer = settle(dispute.browser(), dispute, "both_valid", until_A="2026-03-01", from_B="2026-03-02")
    old, new = read(dispute.cast.dev, dispute.old), read(dispute.cast.dev, dispute.new)
    assert (answer.status_code, dispute.standing()) == (303, ("active", "active"))
    assert old.valid_to == new.valid_from == datetime(2026, 3, 2, tzinfo=UTC)


def test_all_of_them_hold_each_in_its_place(dispute: Dispute) -> None:
    thread = dispute.desk.session.thread
    settle(dispute.browser(), dispute, "both_valid", scope_B=thread.public_id)
    new = read(dispute.cast.dev, dispute.new)
    assert (new.scope_type, new.scope_id) == ("thread", thread.pk)


def test_a_time_that_ends_before_it_begins_is_said_beside_it(dispute: Dispute) -> None:
    answer = settle(dispute.browser(), dispute, "both_valid", from_A="2026-03-02", until_A="2026-03-01")
    assert "This day lies before" in answer.content.decode()


def test_none_of_them_holds(dispute: Dispute) -> None:
    settle(dispute.browser(), dispute, "neither")
    assert dispute.standing() == ("archived", "rejected")


def test_it_waits_for_evidence_and_can_be_taken_back_before(dispute: Dispute) -> None:
    client = dispute.browser()
    settle(client, dispute, "needs_evidence")
    waits = dispute.now().state
    client.post(f"{dispute.page}wake")
    assert (waits, dispute.now().state) == (ConflictState.SNOOZED, ConflictState.OPEN)


def test_without_a_way_the_form_asks_for_one(dispute: Dispute) -> None:
    answer = settle(dispute.browser(), dispute, "", reason="hm")
    assert (answer.status_code, "Choose one of the ways." in answer.content.decode()) == (422, True)


def test_what_a_settlement_did_is_taken_back(dispute: Dispute) -> None:
    client = dispute.browser()
    page = next_page(client, settle(client, dispute, take(dispute.new)))
    named = re.search(r'name="settlement" value="([^"]*)"', page)
    assert named is not None
    back = next_page(client, client.post(f"{dispute.page}undo", {"settlement": named[1], "reason": "too soon"}))
    assert (told(back)[:11], dispute.now().state, "/settle" in back) == ("Taken back:", ConflictState.OPEN, True)


def test_a_settlement_of_nothing_is_not_taken_back(dispute: Dispute) -> None:
    assert dispute.browser().post(f"{dispute.page}undo", {"settlement": "stl_1"}).status_code == 404


def test_a_settled_conflict_leaves_the_inbox_and_is_linked_from_it_before(dispute: Dispute) -> None:
    client = dispute.browser()
    assert dispute.page in shown(client, f"{page_of(dispute.cast)}inbox")
    settle(client, dispute, take(dispute.new))
    with project_scope(dispute.cast.owner.acting):
        assert InboxItem.objects.get(kind="conflict").state == "done"


def test_a_grave_one_asks_who_it_is_first_and_keeps_what_was_written(dispute: Dispute) -> None:
    with project_scope(dispute.cast.owner.acting):
        Conflict.objects.update(risk="high")
    client = proven(dispute.browser(), minutes_ago=999)
    answer = settle(client, dispute, take(dispute.new), reason="I was there")
    assert answer["Location"].startswith("/account/confirm?")
    page = shown(proven(client), dispute.page)
    assert ("I was there" in page, f'value="{take(dispute.new)}" required' in page) == (True, True)
    assert dispute.now().state == ConflictState.OPEN


# What moved meanwhile


def test_two_decide_at_once_one_wins_and_the_other_keeps_the_text(dispute: Dispute) -> None:
    first, second = dispute.browser(), dispute.browser()
    seen = seen_on(second, dispute.page)
    settle(first, dispute, take(dispute.new))
    answer = settle(second, dispute, "merge", seen=seen, text="Port: 80 and 90", reason="I know better")
    page = answer.content.decode()
    assert (answer.status_code, "somebody settled it since" in page, "take the new one" in page) == (409, True, True)
    assert ("Port: 80 and 90" in page, "I know better" in page) == (True, True)


def test_a_claim_that_came_meanwhile_is_shown_before_anything_is_decided(dispute: Dispute) -> None:
    client = dispute.browser()
    seen = seen_on(client, dispute.page)
    dispute.say(THIRD, "70")
    answer = settle(client, dispute, keep(dispute.old), seen=seen, reason="as ever")
    page = answer.content.decode()
    assert (answer.status_code, THIRD in page, "as ever" in page) == (409, True, True)
    again = dict(HIDDEN.findall(page.partition("/settle")[2]))
    assert settle(client, dispute, keep(dispute.old), seen=again).status_code == 303


# Putting it off


def test_it_is_put_off_until_a_day_and_listed_there(dispute: Dispute) -> None:
    client, version = dispute.browser(), str(dispute.now().version)
    day = (timezone.now() + timedelta(days=3)).date().isoformat()
    next_page(client, client.post(f"{dispute.page}snooze", {"version": version, "until": day}))
    assert dispute.conflict.public_id in shown(client, at(dispute.cast, "conflicts/?state=snoozed"))


@pytest.mark.parametrize(("until", "status"), [("", 422), ("2020-01-01", 422), ("never", 422)])
def test_a_snooze_without_an_end_says_what_is_missing(dispute: Dispute, until: str, status: int) -> None:
    version = str(dispute.now().version)
    answer = dispute.browser().post(f"{dispute.page}snooze", {"version": version, "until": until})
    assert (answer.status_code, "wrong" in answer.content.decode()) == (status, True)


def test_a_snooze_of_what_moved_is_not_done(dispute: Dispute) -> None:
    answer = dispute.browser().post(f"{dispute.page}snooze", {"version": "0", "on_evidence": "on"})
    assert (answer.status_code, dispute.now().state) == (409, ConflictState.OPEN)


# The list


def test_the_gravest_come_first_and_of_those_the_oldest(dispute: Dispute) -> None:
    for n, risk in enumerate(("low", "high", "high")):
        one = dispute.desk.learn(f"Depth of well {n}: 3 m", claims=claim("3", subject=f"well {n}", attribute="depth"))
        more: dict[str, Any] = {"claims": claim("4", subject=f"well {n}", attribute="depth")}
        made = dispute.desk.learn(f"Depth of well {n}: 4 m", origin=Origin.AGENT_INFERRED, **more)
        assert made.conflict is not None
        with project_scope(dispute.cast.owner.acting):
            Conflict.objects.filter(pk=made.conflict.pk).update(risk=risk, subject_text=f"well {n}")
        assert one.memory.pk != made.memory.pk
    with project_scope(dispute.cast.owner.acting):
        lines = conflict_list(ConflictState.OPEN, ConflictFilters()).lines
        after = conflict_list(ConflictState.OPEN, ConflictFilters(), after=lines[1].id).lines
    names = [line.about.text.partition(" ·")[0] if line.about else "" for line in lines]
    assert (names, [line.id for line in after]) == (
        ["well 1", "well 2", "tide gauge", "well 0"],
        [lines[2].id, lines[3].id],
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=gauge: 90", True),
        ("q=nowhere", False),
        ("risk=low", True),
        ("risk=high", False),
        ("suggestion=merge", False),
    ],
)
def test_the_filters_are_in_the_address(dispute: Dispute, query: str, found: bool) -> None:
    page = shown(dispute.browser(), at(dispute.cast, f"conflicts/?{query}"))
    assert (dispute.conflict.public_id in page, "Clear the filters" in page) == (found, True)


@pytest.mark.parametrize(("language", "words"), [("en", "3 claims"), ("zh-CN", "3 条主张")])
def test_a_conflict_about_nothing_in_particular_is_named_by_its_claims(
    dispute: Dispute, language: str, words: str
) -> None:
    dispute.say(THIRD, "70")
    with project_scope(dispute.cast.owner.acting):
        Conflict.objects.update(subject_text="", attribute="")
    client = dispute.browser(language={"Accept-Language": language})
    assert f">{words}</a>" in shown(client, at(dispute.cast, "conflicts/"))


@pytest.mark.parametrize(
    ("state", "words"),
    [("open", "Nothing contradicts itself"), ("snoozed", "Nothing is put off"), ("settled", "Nothing was settled yet")],
)
def test_an_empty_list_says_why_and_what_next(db: None, state: str, words: str) -> None:
    cast = make_cast("alpha")
    client = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    assert words in shown(client, at(cast, f"conflicts/?state={state}"))


def test_a_place_in_the_list_that_nobody_was_given_is_not_there(dispute: Dispute) -> None:
    client = dispute.browser()
    assert client.get(at(dispute.cast, "conflicts/?after=cfl_1")).status_code == 404


def test_the_queries_of_both_pages_do_not_grow_with_their_rows(dispute: Dispute) -> None:
    client = dispute.browser()
    pages = (dispute.page, at(dispute.cast, "conflicts/"))
    few = [queries(client, page) for page in pages]
    dispute.say(THIRD, "70")
    dispute.say("Port of the gauge: 60", "60", dispute.desk.said("60"), dispute.desk.said("sixty"))
    assert [queries(client, page) for page in pages] == few
    assert max(few) <= 13, few


def test_what_is_private_or_secret_is_carried_by_no_packet(dispute: Dispute) -> None:
    with project_scope(dispute.cast.owner.acting):
        Memory.objects.filter(pk=dispute.new.pk).update(sensitivity=Sensitivity.SECRET)
    then = shown(dispute.browser(), dispute.page).partition("/settle")[2]
    assert "in no packet" in then
