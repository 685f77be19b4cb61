"""What a proposal would do to recorded packets, as its reviewer is shown it."""

import pytest
from django.test import Client

from governance.models import AuditEvent, Proposal, User
from governance.scope import project_scope
from governance.vocabulary import ContractKind, MembershipLevel
from sessions.effect_reading import Effect, effect_of, text_weighed
from sessions.models import ContextPacket
from sessions.vocabulary import ItemChange
from tests.api.asking import compiled, make_thread
from tests.cast import PERSONA, POLICY, Cast, make_cast
from tests.governing import asked, changed
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, page_of, signed_in
from tests.site.proposal_cast import page_at, softer

LONGER = {
    "slug": "dev",
    "duties": ["do the work of dev", "写明每一处改动的理由，并附上测试"],
    "hard_boundaries": ["do not merge alone"],
}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def owner(language: dict[str, str] = ENGLISH) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"), language)


def role(cast: Cast, body: dict[str, object]) -> Proposal:
    return asked(cast.dev.acting, ContractKind.ROLE, "dev", body)


def effect(cast: Cast, proposal: Proposal) -> Effect:
    with project_scope(cast.owner.acting, read_only=True):
        return effect_of(text_weighed(proposal.public_id))


def test_a_longer_role_costs_its_packets_more(cast: Cast) -> None:
    compiled(cast.dev)
    [packet] = effect(cast, role(cast, LONGER)).packets
    with project_scope(cast.owner.acting):
        recorded = ContextPacket.objects.get().used
    assert (packet.before, (packet.difference or 0) > 10) == (recorded, True)
    assert [(move.change, move.layer.value) for move in packet.moves] == [(ItemChange.CHANGED, "role")]


def test_an_item_that_goes_is_named(cast: Cast) -> None:
    compiled(cast.dev)
    silent = {name: value for name, value in PERSONA.items() if name != "speaking_style"}
    [packet] = effect(cast, asked(cast.dev.acting, ContractKind.PERSONA, "default", silent)).packets
    [move] = packet.moves
    assert (move.change, move.source.ref.endswith("#speaking_style")) == (ItemChange.GONE, True)


def test_other_words_of_the_same_cost_are_a_change(cast: Cast) -> None:
    compiled(cast.dev)
    [packet] = effect(cast, softer(cast.dev)).packets
    assert (packet.difference, [move.change for move in packet.moves]) == (0, [ItemChange.CHANGED])


def test_a_role_that_no_longer_fits_is_a_refusal_with_its_figures(cast: Cast) -> None:
    compiled(cast.dev)
    seen = effect(cast, role(cast, LONGER | {"max_input_tokens": 90}))
    [packet] = seen.packets
    assert (seen.refusals, packet.after, packet.short[0].needed > packet.short[0].available) == (1, None, True)


def test_a_policy_that_lets_less_in_is_worked_out(cast: Cast) -> None:
    compiled(cast.dev)
    seen = effect(
        cast,
        asked(
            cast.dev.acting,
            ContractKind.POLICY,
            "default",
            {**POLICY, "rules": ["Cite.", "每一条结论都要附上可以打开的来源。"]},
        ),
    )
    assert (len(seen.packets), seen.difference != 0) == (1, True)


def test_packets_of_other_contracts_are_left_alone(cast: Cast) -> None:
    compiled(cast.tester, role="tester")
    assert effect(cast, role(cast, LONGER)).packets == []


def test_private_packets_of_others_are_in_no_figure(cast: Cast) -> None:
    thread = make_thread(cast.personal, "my own", private=True)
    compiled(cast.personal, thread_id=thread)
    assert effect(cast, role(cast, LONGER)).packets == []


def test_whom_it_reaches_and_what_runs_on(cast: Cast) -> None:
    compiled(cast.dev)
    seen = effect(cast, role(cast, LONGER))
    assert (seen.agents, seen.running) == (["dev-alpha", "personal-alpha"], 1)


def test_a_packet_that_is_of_an_older_revision_is_compared_with_what_holds(cast: Cast) -> None:
    compiled(cast.dev)
    changed(cast, ContractKind.PERSONA, "default", {**PERSONA, "speaking_style": "terse"})
    [packet] = effect(cast, softer(cast.dev)).packets
    assert [move.change for move in packet.moves] == [ItemChange.CHANGED]


@pytest.mark.parametrize(("language", "words"), [(ENGLISH, "compiled with this text"), (CHINESE, "用这份文本重新编译")])
def test_the_page_says_it_in_the_readers_language(cast: Cast, language: dict[str, str], words: str) -> None:
    compiled(cast.dev)
    page = owner(language).get(page_at(cast, role(cast, LONGER), "effect")).content.decode()
    assert (words in page, "<html" in page) == (True, True)


def test_the_part_alone_is_loaded_in_place(cast: Cast) -> None:
    page = owner().get(page_at(cast, role(cast, LONGER), "effect"), headers={"HX-Request": "true"}).content.decode()
    assert ("<html" in page, "nothing to compare" in page) == (False, True)


def test_looking_leaves_no_trace(cast: Cast) -> None:
    compiled(cast.dev)
    proposal = role(cast, LONGER)
    counts = []
    for _ in range(2):
        with project_scope(cast.owner.acting):
            counts.append((ContextPacket.objects.count(), AuditEvent.objects.count()))
        owner().get(page_at(cast, proposal, "effect"))
    assert counts[0] == counts[1]


def test_strangers_find_nothing(cast: Cast) -> None:
    proposal = role(cast, LONGER)
    assert signed_in(make_account()).get(page_at(cast, proposal, "effect")).status_code == 404


@pytest.mark.parametrize("rest", ["effect?v=9", "effect?v=x"])
def test_a_version_that_is_none_is_not_there(cast: Cast, rest: str) -> None:
    assert owner().get(page_at(cast, role(cast, LONGER), rest)).status_code == 404


def test_a_viewer_may_look(cast: Cast) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    assert viewer.get(f"{page_of(cast)}proposals/{role(cast, LONGER).public_id}/effect").status_code == 200
