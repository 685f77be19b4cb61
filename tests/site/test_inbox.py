"""The inbox: what waits for whom, in which order, and what comes after a decision."""

import json
import re

import pytest
from django.test import Client
from django.utils import timezone

from governance.models import Proposal, User
from governance.projects import open_project
from governance.proposal_reading import can_decide, sight
from governance.scope import project_scope
from governance.seats import acting_in, seats_of
from governance.vocabulary import ContractKind, DecisionVerb, InboxKind, MembershipLevel
from greywind_site.console.inbox import inbox_of
from greywind_site.console.inbox_rows import Filters, Tab
from memories.models import Conflict
from memories.vocabulary import ConflictState, Origin
from memories.writes import admit
from tests.cast import POLICY, Cast, make_cast
from tests.governing import asked, changed, decided
from tests.memories.learning import Desk, auto_cast, claim, stated
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in, statements
from tests.site.proposal_cast import bolder, page_at, seen_on, softer

ROW = re.compile(r"prp_[0-9a-f]{32}")
ROLE = {"slug": "dev", "duties": ["do the work of dev well"], "hard_boundaries": ["do not merge alone"]}
ASKED = [
    ("owner", softer),
    ("owner", bolder),
    ("dev", softer),
    ("dev", bolder),
]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"))


def listed(client: Client, path: str = "/inbox") -> list[str]:
    """The proposals on the page, in its order."""
    page = client.get(path).content.decode()
    return list(dict.fromkeys(ROW.findall(page)))


def shown_and_decidable(account: User) -> tuple[set[str], set[str]]:
    """What the tab of the waiting ones shows, and what the rules let the account decide."""
    [seat] = seats_of(account)
    shown = inbox_of([seat], Tab.WAITING, Filters(), now=timezone.now(), trace_id="trc_test")
    acting = acting_in(seat, trace_id="trc_test")
    with project_scope(acting):
        may = {row.public_id for row in Proposal.objects.all() if can_decide(acting, sight(row))}
    return {line.matter_id for line in shown.lines}, may


def test_the_gravest_and_then_the_oldest_come_first(cast: Cast, owner: Client) -> None:
    low, high, later = softer(cast.dev), bolder(cast.dev), softer(cast.tester)
    assert listed(owner) == [high.public_id, low.public_id, later.public_id]


@pytest.mark.parametrize("level", list(MembershipLevel))
@pytest.mark.parametrize("more", [(), (MembershipLevel.MAINTAINER,), (MembershipLevel.OWNER,)])
def test_what_waits_for_me_is_what_i_may_decide(cast: Cast, level: MembershipLevel, more: tuple) -> None:
    account = join(make_account(), cast, level)
    for another in more:
        join(make_account(), cast, another)
    for who, ask in ASKED:
        ask(getattr(cast, who))
    shown, may = shown_and_decidable(account)
    assert shown == may


def test_what_i_wrote_waits_for_another_unless_i_am_alone(cast: Cast) -> None:
    account = User.objects.get(username="owner-alpha")
    bolder(cast.owner)
    alone = shown_and_decidable(account)
    join(make_account(), cast, MembershipLevel.OWNER)
    assert (len(alone[0]), alone[0] == alone[1], shown_and_decidable(account)) == (1, True, (set(), set()))


def test_what_i_proposed_is_listed_for_me(cast: Cast, owner: Client) -> None:
    mine = softer(cast.owner)
    theirs = bolder(cast.tester)
    assert mine.public_id in listed(owner, "/inbox?tab=mine")
    assert theirs.public_id in listed(owner, "/inbox?tab=open")


def test_what_was_decided_is_listed_and_waits_no_more(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    decided(cast.owner.acting, proposal, DecisionVerb.REJECT)
    assert (listed(owner), listed(owner, "/inbox?tab=decided")) == ([], [proposal.public_id])


@pytest.mark.parametrize(
    ("query", "found"), [("risk=high", 0), ("risk=medium", 1), ("kind=role", 1), ("kind=policy", 0)]
)
def test_filters_narrow_the_list(cast: Cast, owner: Client, query: str, found: int) -> None:
    asked(cast.dev.acting, ContractKind.ROLE, "dev", ROLE)
    assert len(listed(owner, f"/inbox?{query}")) == found


def test_nothing_fits_offers_to_clear_the_filters(cast: Cast, owner: Client) -> None:
    assert "Clear the filters" in owner.get("/inbox?risk=high").content.decode()


@pytest.mark.parametrize(
    ("language", "words"), [({"Accept-Language": "en"}, "Nothing waits for you"), (CHINESE, "没有")]
)
def test_an_empty_inbox_says_so(cast: Cast, language: dict[str, str], words: str) -> None:
    client = signed_in(User.objects.get(username="owner-alpha"), language)
    assert words in client.get(f"{page_of(cast)}inbox").content.decode()


def test_the_next_one_follows_a_decision(cast: Cast, owner: Client) -> None:
    first, second = softer(cast.dev), softer(cast.tester)
    sent = seen_on(owner, page_at(cast, first)) | {"verb": "reject", "reason_code": "wrong", "next": "on"}
    answer = owner.post(page_at(cast, first, "decide"), sent)
    assert owner.get(answer["Location"])["Location"] == f"{page_at(cast, second)}?from=inbox"


def test_the_next_one_comes_under_the_filter_of_the_first(cast: Cast, owner: Client) -> None:
    low, _, other = softer(cast.dev), bolder(cast.dev), softer(cast.tester)
    here = owner.get("/inbox/next?risk=low")["Location"]
    sent = seen_on(owner, here) | {"verb": "reject", "reason_code": "wrong", "next": "on"}
    after = owner.post(page_at(cast, low, "decide"), sent)
    assert other.public_id in owner.get(after["Location"])["Location"]


def test_a_line_says_how_many_decisions_it_lacks_and_what_it_rests_on(cast: Cast) -> None:
    changed(cast, ContractKind.POLICY, "default", POLICY | {"two_deciders_for": ["high"]})
    join(make_account(), cast, MembershipLevel.OWNER)
    client = signed_in(join(make_account(), cast, MembershipLevel.OWNER))
    ref = f"memory://mem_{7:032x}"
    proposal = bolder(cast.dev, rationale=f"It is in {ref}; and again {ref}.")
    before = client.get("/inbox?tab=open").content.decode()
    client.post(page_at(cast, proposal, "decide"), seen_on(client, page_at(cast, proposal)) | {"verb": "approve"})
    after = client.get("/inbox?tab=open").content.decode()
    assert ("needs 2 more decisions · Evidence: 1<" in before, "needs 1 more decision ·" in after) == (True, True)


def test_after_the_last_one_the_inbox_follows(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    assert owner.get(f"/inbox?next={proposal.public_id}")["Location"] == "/inbox"


def test_what_the_filters_leave_is_exported(cast: Cast, owner: Client) -> None:
    low, high = softer(cast.dev), bolder(cast.dev)
    rows = [json.loads(line) for line in owner.get("/inbox?risk=low&as=jsonl").getvalue().splitlines()]
    whole = owner.get(f"{page_of(cast)}inbox?as=csv").getvalue().decode()
    assert [(row["ref"], row["lacking"]) for row in rows] == [(low.ref, 1)]
    assert (high.ref in whole, low.ref in whole, rows[0]["project"]) == (True, True, cast.project.public_id)


def test_small_matters_are_chosen_together_where_the_list_is_of_one_project(cast: Cast, owner: Client) -> None:
    open_project("more", owner=User.objects.get(username="owner-alpha"), now=timezone.now())
    softer(cast.dev)
    pages = [owner.get(path).content.decode() for path in ("/inbox", f"/inbox?project={cast.project.public_id}")]
    assert ['name="id"' in page for page in pages] == [False, True]


def test_a_candidate_in_a_conflict_is_one_matter_until_the_conflict_ends(transactional_db: None) -> None:
    gauge = auto_cast("gauge")
    account = User.objects.get(username="owner-gauge")
    held = Desk(gauge.dev).learn("Port of the gauge: 90", claims=claim("90"), origin=Origin.TOOL_OUTPUT).memory
    assert matters_of(account) == [(InboxKind.CANDIDATE, held.public_id)]
    stated(gauge.owner, "Port of the gauge: 80", claims=claim("80"))
    with project_scope(gauge.owner.acting):
        conflict = admit(gauge.owner.acting, held, reason="looks right", now=timezone.now()).conflict
    assert conflict is not None
    assert matters_of(account) == [(InboxKind.CONFLICT, conflict.public_id)]
    assert "1 of them is a side of a conflict" in signed_in(account).get(page_of(gauge)).content.decode()
    with project_scope(gauge.owner.acting):
        Conflict.objects.filter(pk=conflict.pk).update(state=ConflictState.SETTLED)
    assert (InboxKind.CANDIDATE, held.public_id) in matters_of(account)
    assert "side of a conflict" not in signed_in(account).get(page_of(gauge)).content.decode()


def matters_of(account: User, tab: Tab = Tab.WAITING) -> list[tuple[InboxKind, str]]:
    """What a tab of the account's inbox holds."""
    shown = inbox_of(seats_of(account), tab, Filters(), now=timezone.now(), trace_id="trc_test")
    return [(line.kind, line.matter_id) for line in shown.lines]


def test_other_projects_stay_out_of_it(cast: Cast, owner: Client) -> None:
    softer(make_cast("beta").dev)
    assert listed(owner, "/inbox?tab=open") == []


def test_a_stranger_finds_no_inbox_of_a_project(cast: Cast) -> None:
    assert signed_in(make_account()).get(f"{page_of(cast)}inbox").status_code == 404


def test_four_projects_take_twelve_queries(cast: Cast, owner: Client) -> None:
    account = User.objects.get(username="owner-alpha")
    for n in range(3):
        open_project(f"more {n}", owner=account, now=timezone.now())
    for member in (cast.dev, cast.tester):
        softer(member)
    assert statements(owner, "/inbox") <= 12
