"""The ledger in the console: what it lists, narrows, exports, and says of its chain."""

import json
from dataclasses import replace

import pytest
from django.test import Client
from django.utils import timezone
from redis.exceptions import RedisError

from governance import audit_reading, chain_checks, exports
from governance.audit import fingerprint
from governance.chain_checks import ChainState
from governance.ids import new_id
from governance.models import AuditEvent, User
from governance.scope import project_scope, record
from governance.vocabulary import MembershipLevel
from tests.cast import Cast, make_cast
from tests.governing import decided
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, page_of, signed_in, statements
from tests.site.proposal_cast import softer


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"))


def entries(client: Client, cast: Cast, query: str = "") -> list[dict[str, object]]:
    """What the export of a page holds."""
    answer = client.get(f"{page_of(cast)}audit/?as=jsonl{query}")
    return [json.loads(line) for line in answer.getvalue().decode().splitlines()]


@pytest.mark.parametrize(("language", "words"), [(ENGLISH, "The chain holds together"), (CHINESE, "链条完整")])
def test_the_chain_is_checked_and_said(cast: Cast, language: dict[str, str], words: str) -> None:
    page = signed_in(User.objects.get(username="owner-alpha"), language).get(f"{page_of(cast)}audit/")
    with project_scope(cast.owner.acting):
        last = AuditEvent.objects.order_by("-seq").values_list("seq", flat=True)[0]
    assert (words in page.content.decode(), page.context["page"].chain.entries) == (True, last)


def test_a_broken_chain_is_an_alarm(cast: Cast, owner: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = ChainState(entries=2, last=9, at=timezone.now(), first_bad=3)
    monkeypatch.setattr(audit_reading, "chain_state", lambda *_, **__: broken)
    page = owner.get(f"{page_of(cast)}audit/").content.decode()
    assert ("Entry 3 is the first" in page, 'role="alert"' in page, "holds together" in page) == (True, True, False)


def test_all_that_fits_is_exported_part_by_part(cast: Cast, owner: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "PART", 3)
    with project_scope(cast.owner.acting):
        stored = list(AuditEvent.objects.order_by("-seq").values_list("seq", flat=True))
    assert (len(stored) > 6, [entry["seq"] for entry in entries(owner, cast)]) == (True, stored)
    assert len(owner.get(f"{page_of(cast)}audit/?as=csv").getvalue().splitlines()) == len(stored) + 1


@pytest.mark.parametrize(("query", "verbs"), [("&verb=proposal.create", {"proposal.create"}), ("&verb=none", set())])
def test_the_verb_narrows_it(cast: Cast, owner: Client, query: str, verbs: set[str]) -> None:
    softer(cast.dev)
    assert {entry["verb"] for entry in entries(owner, cast, query)} == verbs


def test_actor_and_object_narrow_it(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    found = entries(owner, cast, f"&actor={cast.dev.actor.public_id}&target={proposal.public_id}")
    assert {(entry["actor"], entry["target"]) for entry in found} == {(cast.dev.actor.public_id, proposal.public_id)}


@pytest.mark.parametrize(("query", "any_left"), [("&until=2001-01-01", False), ("&since=2001-01-01", True)])
def test_days_narrow_it(cast: Cast, owner: Client, query: str, any_left: bool) -> None:
    assert bool(entries(owner, cast, query)) is any_left


def test_a_day_that_is_none_is_marked(cast: Cast, owner: Client) -> None:
    assert "field-wrong" in owner.get(f"{page_of(cast)}audit/?since=yesterday").content.decode()


def test_older_entries_follow_without_a_gap(cast: Cast, owner: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_reading, "PAGE", 3)
    whole = [entry["seq"] for entry in entries(owner, cast)]
    page = owner.get(f"{page_of(cast)}audit/").context["page"]
    next_page = owner.get(f"{page_of(cast)}audit/?before={page.older}").context["page"]
    assert [line.event.seq for line in (*page.lines, *next_page.lines)] == whole[:6]


@pytest.mark.parametrize("before", ["x", "-1", "9" * 30])
def test_a_cursor_that_nobody_was_given_is_not_there(cast: Cast, owner: Client, before: str) -> None:
    assert owner.get(f"{page_of(cast)}audit/?before={before}").status_code == 404


def test_proposals_and_revisions_are_linked(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    decided(cast.owner.acting, proposal)
    page = owner.get(f"{page_of(cast)}audit/").content.decode()
    assert (f"proposals/{proposal.public_id}/" in page, "roles/persona/default/2" in page) == (True, True)


def test_objects_and_actors_lead_to_their_pages_unseen(cast: Cast, owner: Client) -> None:
    unknown, agent = f"mem_{new_id().hex}", cast.dev.actor.public_id
    with project_scope(cast.dev.acting):
        for target in (unknown, f"event://ses_{new_id().hex}/4", agent, "key_" + new_id().hex, "anything"):
            record("hunt.plant", target)
    page = owner.get(f"{page_of(cast)}audit/?verb=hunt.plant")
    lines = {line.event.target.partition("_")[0].partition(":")[0]: line for line in page.context["page"].lines}
    hrefs = {name: line.href.removeprefix(page_of(cast)) for name, line in lines.items()}
    assert hrefs["mem"] == f"memories/{unknown}/"
    assert (hrefs["event"].endswith("?seq=4#e4"), hrefs["act"]) == (True, f"agents/{agent}/")
    assert (hrefs["key"], hrefs["anything"]) == ("", "")
    assert {line.actor_href for line in lines.values()} == {f"{page_of(cast)}agents/{agent}/"}
    assert f'href="{page_of(cast)}memories/{unknown}/"' in page.content.decode()


def test_a_person_leads_to_their_line_among_the_members(cast: Cast, owner: Client) -> None:
    with project_scope(cast.owner.acting):
        record("hunt.plant", cast.owner.actor.public_id)
    [line] = owner.get(f"{page_of(cast)}audit/?verb=hunt.plant").context["page"].lines
    there, anchor = line.actor_href.split("#")
    assert (line.href, f'<tr id="{anchor}">' in owner.get(there).content.decode()) == (line.actor_href, True)


def test_a_viewer_reads_it_and_a_stranger_does_not(cast: Cast) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    answers = [client.get(f"{page_of(cast)}audit/").status_code for client in (viewer, signed_in(make_account()))]
    assert answers == [200, 404]


def test_entries_of_another_project_stay_there(cast: Cast, owner: Client) -> None:
    other = make_cast("beta")
    assert entries(owner, cast, f"&target={other.dev.actor.public_id}") == []


def test_more_entries_take_no_more_queries(cast: Cast, owner: Client) -> None:
    taken = []
    chain_on(owner, cast)  # from then on a view knows what was checked before
    for _ in range(2):
        softer(cast.dev)
        softer(cast.tester)
        taken.append(statements(owner, f"{page_of(cast)}audit/"))
    assert (taken[0] == taken[1], taken[0] <= 12) == (True, True)


def chain_on(client: Client, cast: Cast) -> ChainState:
    """What the page says of the chain."""
    return client.get(f"{page_of(cast)}audit/").context["page"].chain


def test_a_view_checks_only_so_much_and_the_next_goes_on(
    cast: Cast, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain_checks, "MOST_NEW", 4)
    first, second = chain_on(owner, cast), chain_on(owner, cast)
    assert (first.entries, first.is_behind, second.entries) == (4, True, 8)


def test_what_is_new_is_checked_and_what_was_is_not_read_again(
    cast: Cast, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = chain_on(owner, cast)
    read: list[tuple[int, str]] = []
    check = chain_checks.first_fault
    monkeypatch.setattr(
        chain_checks, "first_fault", lambda *args, after, to: read.append(after) or check(*args, after=after, to=to)
    )
    softer(cast.dev)
    seen = chain_on(owner, cast)
    assert read == [(known.entries, known.hash)]
    assert (seen.entries > known.entries, seen.first_bad, seen.whole_at) == (True, None, known.whole_at)


def test_the_whole_chain_is_checked_on_demand(cast: Cast, owner: Client) -> None:
    before = chain_on(owner, cast)
    answer = owner.post(f"{page_of(cast)}audit/verify")
    after = chain_on(owner, cast)
    assert (answer.status_code, after.entries, after.whole_at > before.whole_at) == (303, before.entries, True)


def test_a_viewer_is_not_offered_the_check_of_the_whole(cast: Cast) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    answer = viewer.post(f"{page_of(cast)}audit/verify")
    assert (answer.status_code, "audit/verify" in viewer.get(f"{page_of(cast)}audit/").content.decode()) == (403, False)


def test_a_cache_that_is_away_costs_a_longer_look_and_nothing_else(
    cast: Cast, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise RedisError

    monkeypatch.setattr(chain_checks.cache, "get", away)
    monkeypatch.setattr(chain_checks.cache, "set", away)
    with project_scope(cast.owner.acting, read_only=True):
        state = chain_checks.chain_state(cast.project.pk, now=timezone.now())
    assert (state.entries, state.first_bad) == (state.last, None)


def test_a_remembered_entry_that_is_another_now_lets_the_whole_be_checked(cast: Cast) -> None:
    wrong = ChainState(entries=3, last=3, hash="00" * 32, at=timezone.now())
    chain_checks.cache.set(f"ledger-checked:{cast.project.pk.hex}", wrong)
    with project_scope(cast.owner.acting, read_only=True):
        state = chain_checks.chain_state(cast.project.pk, now=timezone.now())
    assert (state.entries, state.hash != wrong.hash, state.whole_at is not None) == (state.last, True, True)


def test_a_reason_kept_as_its_hash_is_short_and_nobody_stands_for_themselves(cast: Cast, owner: Client) -> None:
    acting = replace(cast.owner.acting, on_behalf_of=cast.owner.actor.pk)
    with project_scope(acting):
        record("memory.propose", "memory://x", reason=fingerprint("said in private"))
    line = owner.get(f"{page_of(cast)}audit/").context["page"].lines[0]
    assert (line.reason, line.reason_hash) == ("", fingerprint("said in private").partition(":")[2][:12])
    assert (line.actor, line.behalf) == (cast.owner.actor.name, "")
