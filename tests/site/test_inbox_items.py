"""The inbox of all kinds of matters: claimed, put off, woken, counted, found again; and the page of one."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from governance.inbox import open_item, settle_item, snooze_item
from governance.models import InboxItem, User
from governance.scope import project_scope
from governance.vocabulary import Audience, InboxKind, MembershipLevel, Risk
from tests.cast import Cast, Member, make_cast
from tests.memories.learning import Desk
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in, statements
from tests.site.proposal_cast import bolder, softer

XSS = "<script>alert(1)</script>"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"))


def matter(by: Member, n: int = 0, *, kind: InboxKind = InboxKind.CONFLICT, **more: Any) -> InboxItem:
    """Let a matter wait."""
    ref = f"{'memory://mem_' if kind is InboxKind.CANDIDATE else 'conflict://cfl_'}{n:032x}"
    with project_scope(by.acting):
        return open_item(by.acting, kind, ref, **{"title": "two ports", "now": timezone.now()} | more)


def put_off(cast: Cast, item: InboxItem, **how: Any) -> None:
    with project_scope(cast.owner.acting):
        row = InboxItem.objects.get(pk=item.pk)
        snooze_item(cast.owner.acting, row, now=how.pop("now", timezone.now()), **how)


def titles(client: Client, query: str = "") -> list[str]:
    return [line.title for line, _ in client.get(f"/inbox{query}").context["lines"]]


def at(cast: Cast, item: InboxItem, rest: str = "") -> str:
    return f"{page_of(cast)}inbox/{item.public_id}/{rest}"


def test_every_kind_stands_in_the_same_queue(cast: Cast, owner: Client) -> None:
    matter(cast.dev, title="a conflict", risk=Risk.HIGH)
    softer(cast.dev)
    matter(cast.dev, 1, title="a candidate", kind=InboxKind.CANDIDATE)
    page = owner.get("/inbox")
    kinds = [line.kind for line, _ in page.context["lines"]]
    assert kinds == ["conflict", "proposal", "candidate"]
    assert [(kind, number) for kind, number, _ in page.context["counts"]] == [
        ("proposal", 1),
        ("conflict", 1),
        ("candidate", 1),
    ]


def test_counts_stay_when_a_kind_is_chosen(cast: Cast, owner: Client) -> None:
    matter(cast.dev)
    softer(cast.dev)
    page = owner.get("/inbox?kind=conflict")
    assert (len(page.context["lines"]), len(page.context["counts"])) == (1, 2)


FOUND = {
    "?q=PORTS": 1,
    "?q=%25": 0,
    "?risk=high": 0,
    "?assignee=nobody": 1,
    "?assignee=me": 0,
    "?kind=conflict&sort=newest": 1,
    "?kind=nonsense": 1,
    "?sort=nonsense": 1,
}


def test_the_address_narrows_the_list(cast: Cast, owner: Client) -> None:
    matter(cast.dev)
    assert {query: len(titles(owner, query)) for query in FOUND} == FOUND


def test_orders_are_the_readers_choice(cast: Cast, owner: Client) -> None:
    now = timezone.now()
    matter(cast.dev, 1, title="old", now=now - timedelta(days=2))
    matter(cast.dev, 2, title="grave", risk=Risk.HIGH, now=now - timedelta(days=1))
    matter(cast.dev, 3, title="new", now=now)
    assert titles(owner) == ["grave", "old", "new"]
    assert titles(owner, "?sort=oldest") == ["old", "grave", "new"]
    assert titles(owner, "?sort=newest") == ["new", "grave", "old"]


def test_the_state_of_what_was_decided_narrows_it(cast: Cast, owner: Client) -> None:
    softer(cast.dev)
    assert len(titles(owner, "?tab=mine&state=open")) == len(titles(owner, "?tab=mine")) == 1
    assert titles(owner, "?tab=mine&state=approved") == []


def test_what_is_put_off_waits_elsewhere_and_comes_back_by_itself(cast: Cast, owner: Client) -> None:
    early, late = matter(cast.dev, 1, title="early"), matter(cast.dev, 2, title="late")
    yesterday = timezone.now() - timedelta(days=1)
    put_off(cast, early, now=yesterday - timedelta(days=1), until=yesterday)
    put_off(cast, late, until=timezone.now() + timedelta(days=1))
    assert (titles(owner), titles(owner, "?tab=snoozed")) == (["early"], ["late"])


def test_an_empty_inbox_says_when_the_next_one_comes_back(cast: Cast, owner: Client) -> None:
    put_off(cast, matter(cast.dev), until=timezone.now() + timedelta(days=2))
    page = owner.get("/inbox")
    assert (page.context["inbox"].wakes_at is not None, "comes back" in page.content.decode()) == (True, True)


def test_what_was_settled_is_among_the_decided(cast: Cast, owner: Client) -> None:
    item = matter(cast.dev)
    with project_scope(cast.owner.acting):
        settle_item(InboxKind.CONFLICT, item.ref, now=timezone.now())
    assert (titles(owner), titles(owner, "?tab=decided")) == ([], ["two ports"])


def test_a_claim_is_shown_to_the_others_and_released(cast: Cast, owner: Client) -> None:
    item = matter(cast.dev)
    other = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))
    owner.post(at(cast, item, "claim"))
    assert (titles(owner, "?assignee=me"), titles(other, "?assignee=others")) == (["two ports"], ["two ports"])
    assert "owner-alpha" in other.get("/inbox").content.decode()
    owner.post(at(cast, item, "release"))
    assert titles(other, "?assignee=nobody") == ["two ports"]


def test_a_matter_is_put_off_on_its_page_and_taken_back(cast: Cast, owner: Client) -> None:
    item = matter(cast.dev)
    until = (timezone.localdate() + timedelta(days=3)).isoformat()
    answer = owner.post(at(cast, item, "snooze"), {"until": until, "on_evidence": "on"})
    assert (answer.status_code, titles(owner), titles(owner, "?tab=snoozed")) == (303, [], ["two ports"])
    owner.post(at(cast, item, "wake"))
    assert titles(owner) == ["two ports"]


def test_a_day_that_is_none_is_refused_beside_its_field(cast: Cast, owner: Client) -> None:
    item = matter(cast.dev)
    answers = [
        owner.post(at(cast, item, "snooze"), {"until": until})
        for until in ("", "yesterday", "2001-01-01", "2999-01-01")
    ]
    assert {(answer.status_code, "field-wrong" in answer.content.decode()) for answer in answers} == {(422, True)}


def test_only_a_conflict_waits_for_evidence(cast: Cast, owner: Client) -> None:
    conflict, candidate = matter(cast.dev), matter(cast.dev, kind=InboxKind.CANDIDATE)
    offers = ["on_evidence" in owner.get(at(cast, item)).content.decode() for item in (conflict, candidate)]
    assert offers == [True, False]


def test_a_viewer_changes_nothing_and_a_stranger_finds_nothing(cast: Cast) -> None:
    item = matter(cast.dev)
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    stranger = signed_in(make_account())
    for verb in ("claim", "release", "snooze", "wake"):
        answers = [client.post(at(cast, item, verb), {"until": ""}).status_code for client in (viewer, stranger)]
        assert answers == [403, 404]


def test_a_viewer_reads_the_page_of_a_matter_without_its_forms(cast: Cast) -> None:
    item = matter(cast.dev)
    page = signed_in(join(make_account(), cast, MembershipLevel.VIEWER)).get(at(cast, item))
    assert (page.status_code, 'name="until"' in page.content.decode()) == (200, False)


def test_a_private_matter_and_a_random_one_are_alike(cast: Cast, owner: Client) -> None:
    reach = {"audience": Audience.PRIVATE, "audience_role": None, "owner_id": cast.personal.actor.pk}
    item = matter(cast.personal, reach=reach)
    random = f"{page_of(cast)}inbox/inb_{'0' * 32}/"
    pages = [owner.get(path) for path in (at(cast, item), random)]
    assert {page.status_code for page in pages} == {404}
    assert (titles(owner), titles(owner, "?tab=open")) == ([], [])


def test_a_candidate_leads_to_its_memory_and_what_has_no_page_to_its_item(cast: Cast, owner: Client) -> None:
    candidate = matter(cast.dev, 7, kind=InboxKind.CANDIDATE)
    alarm = matter(cast.dev, 8, kind=InboxKind.CAPSULE)
    page = owner.get("/inbox").content.decode()
    assert f"memories/mem_{7:032x}/?from=inbox" in page
    assert (at(cast, alarm) in page, candidate.kind) == (True, "candidate")


def test_the_next_one_keeps_the_filter_and_the_order(cast: Cast, owner: Client) -> None:
    first = matter(cast.dev, 1, kind=InboxKind.CANDIDATE, risk=Risk.HIGH)
    bolder(cast.dev)
    second = matter(cast.dev, 2, kind=InboxKind.CANDIDATE)
    begin = owner.get("/inbox/next?kind=candidate")["Location"]
    after = owner.get(f"/inbox/next?kind=candidate&after={first.public_id}")["Location"]
    assert (f"mem_{1:032x}" in begin, f"mem_{2:032x}" in after) == (True, True)
    last = owner.get(f"/inbox/next?kind=candidate&after={second.public_id}")
    assert (last.status_code, last["Location"]) == (303, "/inbox")


def test_a_candidate_and_a_conflict_count_the_evidence_behind_their_memories(cast: Cast, owner: Client) -> None:
    Desk(cast.dev).learn("The tide tables begin at noon.")
    matter(cast.dev, 1)
    assert [line.evidence for line, _ in owner.get("/inbox?sort=oldest").context["lines"]] == [1, 0]


def test_hostile_titles_are_shown_as_text(cast: Cast, owner: Client) -> None:
    item = matter(cast.dev, title=XSS)
    for path in ("/inbox", at(cast, item)):
        page = owner.get(path).content.decode()
        assert (XSS in page, "&lt;script&gt;" in page) == (False, True)


def test_chinese_readers_find_it_in_chinese(cast: Cast) -> None:
    item = matter(cast.dev)
    client = signed_in(User.objects.get(username="owner-alpha"), CHINESE)
    assert all(words in client.get(at(cast, item)).content.decode() for words in ("认领", "暂缓", "冲突"))


def test_more_matters_take_no_more_queries(cast: Cast, owner: Client) -> None:
    taken: dict[str, list[int]] = {"waiting": [], "mine": [], "snoozed": [], "decided": [], "open": []}
    for n in range(2):
        for m in range(3):
            matter(cast.dev, n * 10 + m, title=f"{n} {m}")
        put_off(cast, matter(cast.dev, 100 + n), until=timezone.now() + timedelta(days=1))
        for tab, counts in taken.items():
            counts.append(statements(owner, f"{page_of(cast)}inbox?tab={tab}"))
    assert all(few == many <= 12 for few, many in taken.values())
