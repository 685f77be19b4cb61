"""The page of a proposal: who sees and may do what, each form, what moved, and what is hostile."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance.contract_texts import from_yaml
from governance.models import Comment, Decision, Proposal, Revision, User
from governance.projects import open_project
from governance.proposal_forms import as_yaml
from governance.proposal_texts import TextWish
from governance.proposals import comment, edit
from governance.schemas import checked_body
from governance.scope import project_scope
from governance.vocabulary import ContractKind, MembershipLevel, ProposalState
from tests.cast import PERSONA, POLICY, Cast, make_cast
from tests.governing import again, asked, changed
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in
from tests.site.proposal_cast import BOLDER, SOFTER, bolder, page_at, seen_on, softer

EVIL = "<script>alert(1)</script>\u202e"
FORMS = ("decide", "comment", "withdraw", "edit")
WRITTEN = {"title": "style", "rationale": "it reads better", "risk": "low", "version": "1"}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"))


def at_level(cast: Cast, level: MembershipLevel) -> Client:
    return signed_in(join(make_account(), cast, level))


def send(client: Client, cast: Cast, proposal: Proposal, verb: str, **more: str):
    """Decide on what the page shows now."""
    return client.post(
        page_at(cast, proposal, "decide"), seen_on(client, page_at(cast, proposal)) | {"verb": verb} | more
    )


def state_of(cast: Cast, proposal: Proposal) -> str:
    return again(proposal, cast.owner.acting).state


def next_version(cast: Cast, proposal: Proposal, body: dict[str, object]) -> None:
    with project_scope(cast.dev.acting):
        edit(cast.dev.acting, proposal, TextWish(body=body), expected_version=1, now=timezone.now())


@pytest.mark.parametrize(("kind", "body"), [(ContractKind.PERSONA, PERSONA), (ContractKind.POLICY, POLICY)])
def test_a_body_survives_the_form(kind: ContractKind, body: dict[str, object]) -> None:
    whole = checked_body(kind, body)
    assert from_yaml(as_yaml(whole), kind) == whole


@pytest.mark.parametrize("language", [{"Accept-Language": "en"}, CHINESE])
def test_what_changes_is_marked_and_said_in_words(cast: Cast, language: dict[str, str]) -> None:
    client = signed_in(User.objects.get(username="owner-alpha"), language)
    page = client.get(page_at(cast, softer(cast.dev))).content.decode()
    word = "[added:" if language is not CHINESE else "新增"
    assert "warm" in page.partition("<ins>")[2].partition("</ins>")[0]
    assert word in page.partition("<ins>")[2].partition("</ins>")[0]


def test_a_stranger_finds_no_proposal(cast: Cast) -> None:
    account = make_account()
    open_project("Elsewhere", owner=account, now=timezone.now())
    assert signed_in(account).get(page_at(cast, softer(cast.dev))).status_code == 404


def test_a_viewer_reads_and_is_offered_nothing(cast: Cast) -> None:
    page = at_level(cast, MembershipLevel.VIEWER).get(page_at(cast, softer(cast.dev)))
    assert (page.status_code, b"/decide" in page.content, b"/edit" in page.content) == (200, False, False)


@pytest.mark.parametrize("form", FORMS)
def test_a_viewer_changes_nothing(cast: Cast, form: str) -> None:
    proposal = softer(cast.dev)
    answer = at_level(cast, MembershipLevel.VIEWER).post(page_at(cast, proposal, form), {"text": "x", "reason": "x"})
    assert (answer.status_code, state_of(cast, proposal)) == (403, ProposalState.OPEN)


def test_an_approval_puts_the_text_in_force(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    answer = send(owner, cast, proposal, "approve")
    assert (answer.status_code, state_of(cast, proposal)) == (303, ProposalState.APPROVED)
    assert "the next attempt gets this revision" in owner.get(answer["Location"]).content.decode()


def test_a_maintainer_approves_what_is_theirs_to_decide(cast: Cast) -> None:
    proposal = softer(cast.dev)
    send(at_level(cast, MembershipLevel.MAINTAINER), cast, proposal, "approve")
    assert state_of(cast, proposal) == ProposalState.APPROVED


def test_a_maintainer_sees_why_the_buttons_are_off(cast: Cast) -> None:
    page = at_level(cast, MembershipLevel.MAINTAINER).get(page_at(cast, bolder(cast.dev))).content.decode()
    assert "Your level in this project does not allow it" in page
    assert 'value="approve"' not in page


def test_the_author_sees_why_another_one_decides(cast: Cast, owner: Client) -> None:
    join(make_account(), cast, MembershipLevel.OWNER)
    page = owner.get(page_at(cast, bolder(cast.owner))).content.decode()
    assert "somebody else of that level decides it" in page


def test_a_reader_is_told_the_author_where_nobody_else_may_decide(cast: Cast) -> None:
    page = at_level(cast, MembershipLevel.MAINTAINER).get(page_at(cast, bolder(cast.owner))).content.decode()
    assert re.search(r"They may:\s*<bdi>owner-alpha</bdi></p>", page)


def test_a_reader_is_not_told_the_author_where_another_may_decide(cast: Cast) -> None:
    other = join(make_account(), cast, MembershipLevel.OWNER)
    page = at_level(cast, MembershipLevel.MAINTAINER).get(page_at(cast, bolder(cast.owner))).content.decode()
    assert re.search(rf"They may:\s*<bdi>{other.username}</bdi></p>", page)


def test_a_refused_decision_says_why_and_keeps_the_words(cast: Cast) -> None:
    maintainer, proposal = at_level(cast, MembershipLevel.MAINTAINER), bolder(cast.dev)
    sent = {"version": "1", "seen_hash": "sha256:0", "verb": "approve", "text": "looks fine"}
    answer = maintainer.post(page_at(cast, proposal, "decide"), sent)
    assert (answer.status_code, state_of(cast, proposal)) == (403, ProposalState.OPEN)


def test_a_rejection_needs_its_reason(cast: Cast, owner: Client) -> None:
    answer = send(owner, cast, softer(cast.dev), "reject", text="I would rather not")
    assert (answer.status_code, "I would rather not" in answer.content.decode()) == (422, True)


def test_a_rejection_stores_reason_and_words(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    send(owner, cast, proposal, "reject", text="No.", reason_code="unsafe")
    page = owner.get(page_at(cast, proposal)).content.decode()
    assert (state_of(cast, proposal), "unsafe" in page, "No." in page) == (ProposalState.REJECTED, True, True)


def test_changes_are_asked_for(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    send(owner, cast, proposal, "request_changes", text="Say how warm.")
    assert state_of(cast, proposal) == ProposalState.CHANGES_REQUESTED


def test_an_edited_text_is_what_holds(cast: Cast, owner: Client) -> None:
    body = as_yaml({**PERSONA, "speaking_style": "calm and dry"})
    answer = send(owner, cast, softer(cast.dev), "edit_and_approve", body=body)
    with project_scope(cast.owner.acting):
        held = Revision.objects.get(contract__kind="persona", state="active").body["speaking_style"]
    assert (answer.status_code, held) == (303, "calm and dry")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("name: [", "This is not YAML"),
        ("name: x\nmood: gay", "There is no field “mood” here."),
        ("name: 7", "The field “name” does not fit"),
    ],
)
def test_what_is_no_text_of_a_contract_is_kept_and_explained(cast: Cast, owner: Client, body: str, told: str) -> None:
    answer = send(owner, cast, softer(cast.dev), "edit_and_approve", body=body)
    assert (answer.status_code, told in answer.content.decode()) == (422, True)


def test_another_version_since_is_shown_and_the_words_are_kept(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    bound = seen_on(owner, page_at(cast, proposal))
    next_version(cast, proposal, {**PERSONA, "speaking_style": "calm and loud"})
    answer = owner.post(page_at(cast, proposal, "decide"), bound | {"verb": "approve", "text": "my own words"})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert all(text in page for text in ("my own words", "Asked for", "calm and loud", 'name="version" value="2"'))


def test_another_revision_since_is_shown_three_ways(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    bound = seen_on(owner, page_at(cast, proposal))
    changed(cast, ContractKind.PERSONA, "default", {**PERSONA, "speaking_style": "terse"})
    answer = owner.post(page_at(cast, proposal, "decide"), bound | {"verb": "approve", "text": "kept"})
    page = answer.content.decode()
    assert (answer.status_code, "both changed it" in page, "terse" in page, "kept" in page) == (409, True, True, True)


def test_a_proposal_that_ended_meanwhile_keeps_the_words(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    bound = seen_on(owner, page_at(cast, proposal))
    send(at_level(cast, MembershipLevel.MAINTAINER), cast, proposal, "approve")
    answer = owner.post(page_at(cast, proposal, "decide"), bound | {"verb": "approve", "text": "too late words"})
    assert (answer.status_code, "too late words" in answer.content.decode()) == (409, True)


def test_it_is_written_onto_what_holds_now(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    changed(cast, ContractKind.PERSONA, "default", {**PERSONA, "name": "GreyWind"})
    sent = WRITTEN | {"body": as_yaml({**SOFTER, "name": "GreyWind"})}
    assert owner.post(page_at(cast, proposal, "edit"), sent).status_code == 303
    assert "Another revision holds" not in owner.get(page_at(cast, proposal)).content.decode()


def test_a_stale_next_version_is_refused_and_kept(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    next_version(cast, proposal, {**PERSONA, "speaking_style": "calm and loud"})
    answer = owner.post(page_at(cast, proposal, "edit"), WRITTEN | {"body": as_yaml({**PERSONA, "role": "a scribe"})})
    assert (answer.status_code, "a scribe" in answer.content.decode()) == (409, True)


def test_a_comment_is_stored(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    owner.post(page_at(cast, proposal, "comment"), {"text": "Why warm?"})
    with project_scope(cast.owner.acting):
        assert Comment.objects.get(proposal=proposal).text == "Why warm?"


def test_an_own_proposal_is_withdrawn(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.owner)
    owner.post(page_at(cast, proposal, "withdraw"), {"reason": "thought better of it"})
    assert state_of(cast, proposal) == ProposalState.WITHDRAWN


def test_what_others_proposed_is_not_withdrawn(cast: Cast) -> None:
    maintainer, proposal = at_level(cast, MembershipLevel.MAINTAINER), softer(cast.owner)
    assert b"/withdraw" not in maintainer.get(page_at(cast, proposal)).content
    maintainer.post(page_at(cast, proposal, "withdraw"), {"reason": ""})
    assert state_of(cast, proposal) == ProposalState.OPEN


def test_a_change_is_proposed_from_what_holds(cast: Cast, owner: Client) -> None:
    path = f"{page_of(cast)}roles/persona/default/propose"
    assert "calm and exact" in owner.get(path).content.decode()
    answer = owner.post(path, WRITTEN | {"body": as_yaml(SOFTER)})
    assert (answer.status_code, "/proposals/prp_" in answer["Location"]) == (303, True)


def test_a_change_of_what_no_longer_holds_is_kept_and_compared(cast: Cast, owner: Client) -> None:
    changed(cast, ContractKind.PERSONA, "default", {**PERSONA, "speaking_style": "terse"})
    answer = owner.post(f"{page_of(cast)}roles/persona/default/propose", WRITTEN | {"body": as_yaml(SOFTER)})
    page = answer.content.decode()
    assert (answer.status_code, "both changed it" in page, 'name="version" value="2"' in page) == (409, True, True)


def test_hostile_words_stay_words(cast: Cast, owner: Client) -> None:
    body = {**PERSONA, "speaking_style": EVIL}
    proposal = asked(cast.dev.acting, ContractKind.PERSONA, "default", body, rationale=EVIL)
    page = owner.get(page_at(cast, proposal)).content.decode()
    assert ("<script>alert" in page, "⟦U+202E⟧" in page) == (False, True)


def test_a_version_that_is_none_is_not_there(cast: Cast, owner: Client) -> None:
    proposal = softer(cast.dev)
    assert [owner.get(page_at(cast, proposal, f"?v={v}")).status_code for v in ("1", "2", "x", "٣")] == [
        200,
        404,
        404,
        404,
    ]


def test_the_number_of_queries_does_not_grow_with_the_discussion(cast: Cast, owner: Client) -> None:
    proposal, taken = softer(cast.dev), []
    for _ in range(2):
        with CaptureQueriesContext(connection) as seen:
            owner.get(page_at(cast, proposal))
        taken.append(len(seen))
        with project_scope(cast.dev.acting):
            for n in range(5):
                comment(cast.dev.acting, proposal, f"thought {n}", now=timezone.now())
    assert taken[0] == taken[1]


def test_a_decision_is_bound_to_what_was_seen(cast: Cast, owner: Client) -> None:
    proposal = asked(cast.dev.acting, ContractKind.PERSONA, "default", BOLDER)
    send(owner, cast, proposal, "approve")
    with project_scope(cast.owner.acting):
        assert Decision.objects.get(proposal=proposal).seen_hash.startswith("sha256:")
