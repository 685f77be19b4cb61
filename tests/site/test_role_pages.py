"""What holds, what held, and how to ask for another text."""

import pytest
from django.test import Client

from governance.contract_texts import from_markdown
from governance.contracts import active_revision
from governance.models import Proposal, User
from governance.schemas import checked_body
from governance.scope import project_scope
from governance.vocabulary import ContractKind, MembershipLevel
from tests.cast import PERSONA, Cast, make_cast
from tests.governing import changed
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, page_of, signed_in, statements

TERSE = {**PERSONA, "speaking_style": "terse"}
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"))


def persona_at(cast: Cast, rest: str) -> str:
    return f"{page_of(cast)}roles/persona/default/{rest}"


@pytest.mark.parametrize(
    ("language", "words"), [(ENGLISH, "Roles, personas and policies"), (CHINESE, "角色、人格与策略")]
)
def test_what_holds_is_listed_with_who_holds_it(cast: Cast, language: dict[str, str], words: str) -> None:
    page = signed_in(User.objects.get(username="owner-alpha"), language).get(f"{page_of(cast)}roles/").content.decode()
    assert (words in page, "tester-alpha" in page, "owner-alpha" in page) == (True, True, True)


def test_a_stranger_finds_no_roles(cast: Cast) -> None:
    stranger = signed_in(make_account())
    assert {stranger.get(path).status_code for path in (f"{page_of(cast)}roles/", persona_at(cast, "1"))} == {404}


def test_a_viewer_is_offered_no_change(cast: Cast) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    changed(cast, ContractKind.PERSONA, "default", TERSE)
    assert [b"/propose" in viewer.get(path).content for path in (f"{page_of(cast)}roles/", persona_at(cast, "1"))] == [
        False,
        False,
    ]


def test_a_revision_is_shown_by_field(cast: Cast, owner: Client) -> None:
    page = owner.get(persona_at(cast, "1")).content.decode()
    assert ("calm and exact" in page, "speaking_style" in page, "in force" in page) == (True, True, True)


@pytest.mark.parametrize("rest", ["2", "0", "x", "1?with=9", "1?with=x", "99999999"])
def test_what_never_held_is_not_there(cast: Cast, owner: Client, rest: str) -> None:
    assert owner.get(persona_at(cast, rest)).status_code == 404


def test_two_revisions_are_compared(cast: Cast, owner: Client) -> None:
    changed(cast, ContractKind.PERSONA, "default", TERSE)
    page = owner.get(persona_at(cast, "2?with=1")).content.decode()
    assert ("From revision 1 to revision 2" in page, "<ins>" in page) == (True, True)


def test_the_export_reads_back_as_the_same_body(cast: Cast, owner: Client) -> None:
    answer = owner.get(persona_at(cast, "1?as=markdown"))
    assert "attachment" in answer["Content-Disposition"]
    assert from_markdown(answer.content.decode(), ContractKind.PERSONA) == checked_body(ContractKind.PERSONA, PERSONA)


def test_going_back_is_a_proposal(cast: Cast, owner: Client) -> None:
    changed(cast, ContractKind.PERSONA, "default", TERSE)
    answer = owner.post(persona_at(cast, "1/revert"), {"rationale": "too terse"})
    with project_scope(cast.owner.acting):
        asked = Proposal.objects.get(reverts__number=1)
        held = active_revision(ContractKind.PERSONA, "default")
    assert (answer["Location"].endswith(f"{asked.public_id}/"), held.number if held else 0) == (True, 2)


def test_a_viewer_does_not_ask_to_go_back(cast: Cast) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    assert viewer.post(persona_at(cast, "1/revert")).status_code == 403


def test_going_back_to_what_holds_says_that_it_holds(cast: Cast, owner: Client) -> None:
    answer = owner.post(persona_at(cast, "1/revert"), {"rationale": ""})
    assert "It says this already" in owner.get(answer["Location"]).content.decode()


def test_hostile_text_stays_text(cast: Cast, owner: Client) -> None:
    changed(cast, ContractKind.PERSONA, "default", {**PERSONA, "speaking_style": EVIL})
    assert EVIL not in owner.get(persona_at(cast, "2?with=1")).content.decode()


def test_the_list_takes_as_many_queries_for_more_contracts(cast: Cast, owner: Client) -> None:
    taken = []
    for n in range(2):
        taken.append(statements(owner, f"{page_of(cast)}roles/"))
        for slug in ("scribe", "herald"):
            changed(cast, ContractKind.ROLE, f"{slug}{n}", {"slug": f"{slug}{n}", "duties": ["write"]})
    assert (taken[0] == taken[1], taken[0] <= 12) == (True, True)
