"""Asking for a contract from the console: from nothing, from a file, as a draft; and the evidence beside it."""

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance import refs
from governance.citations import refs_in
from governance.models import Proposal, ProposalText, User
from governance.proposal_desk import sweep_expired
from governance.proposal_forms import as_yaml
from governance.proposal_texts import TextWish
from governance.proposals import edit
from governance.scope import project_scope
from governance.vocabulary import ContractKind, MembershipLevel, ProposalState
from tests.api.asking import append, event, make_thread, open_session
from tests.cast import PERSONA, POLICY, Cast, make_cast
from tests.governing import again, changed, decided, joined
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, page_of, signed_in
from tests.site.proposal_cast import bolder, page_at, softer

AGENTS = "# Build\n\n- run the tests first\n\n# 风格\n\n- 短句\n"
SCRIBE = {"slug": "scribe", "duties": ["write it down"]}
WRITTEN = {"title": "a scribe", "rationale": "", "risk": "low", "version": "0"}
EVIL = "<script>alert(1)</script>\u202e"
ENGLISH_SENTENCE = re.compile(r"\b(should|Input|valid|must be|expected|field required)\b", re.IGNORECASE)


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def owner(language: dict[str, str] = ENGLISH) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"), language)


def roles(cast: Cast, rest: str) -> str:
    return f"{page_of(cast)}roles/{rest}"


def proposed(cast: Cast) -> tuple[Proposal, ProposalText]:
    with project_scope(cast.owner.acting):
        text = ProposalText.objects.select_related("proposal").get()
        return text.proposal, text


def drafted(cast: Cast) -> Proposal:
    """A role that is not there yet, kept as a draft by the owner."""
    owner().post(roles(cast, "role/scribe/propose"), WRITTEN | {"body": as_yaml(SCRIBE), "draft": "yes"})
    return proposed(cast)[0]


@pytest.mark.parametrize(("language", "words"), [(ENGLISH, "What was understood"), (CHINESE, "理解结果")])
def test_a_file_is_shown_as_it_was_understood(cast: Cast, language: dict[str, str], words: str) -> None:
    sent = {"kind": "role", "slug": "scribe", "upload": SimpleUploadedFile("AGENTS.md", AGENTS.encode())}
    page = owner(language).post(roles(cast, "new"), sent).content.decode()
    assert all(text in page for text in (words, "Build: run the tests first", "风格: 短句", "<code>duties</code>"))


def test_what_was_not_understood_is_named_before_anything_is_asked(cast: Cast) -> None:
    sent = {"kind": "role", "slug": "scribe", "text": "# duties\n\n- write\n\n# Mood\n\ncheerful\n"}
    page = owner().post(roles(cast, "new"), sent).content.decode()
    assert "1 part was not understood and is left out:" in page
    with project_scope(cast.owner.acting):
        assert not Proposal.objects.exists()


def test_a_file_of_what_holds_is_a_change_of_it(cast: Cast) -> None:
    export = owner().get(roles(cast, "role/dev/1?as=markdown")).content.decode()
    page = owner().post(roles(cast, "new"), {"kind": "role", "text": export.replace("merge", "push")}).content.decode()
    assert ("against revision 1" in page, "<ins>" in page) == (True, True)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"kind": "role", "slug": "Scribe!"}, "A name has 1 to 64"),
        ({"kind": "persona", "text": "name: [", "form": "yaml"}, "This is not YAML"),
        ({"kind": "budget_profile", "slug": "a@b", "text": "only words"}, "Nothing in it could be read"),
        ({"kind": "nothing"}, "Nothing was stored yet"),
    ],
)
def test_what_cannot_be_read_is_said_and_kept(cast: Cast, sent: dict[str, str], said: str) -> None:
    answer = owner().post(roles(cast, "new"), sent)
    page = answer.content.decode()
    assert (answer.status_code, said in page, sent.get("text", "") in page) == (422, True, True)


def test_a_file_that_is_no_text_is_refused(cast: Cast) -> None:
    answer = owner().post(roles(cast, "new"), {"kind": "role", "upload": SimpleUploadedFile("a.md", b"\xff\xfe\x00")})
    assert (answer.status_code, "no text in UTF-8" in answer.content.decode()) == (422, True)


def test_without_a_file_it_is_an_empty_form(cast: Cast) -> None:
    answer = owner().post(roles(cast, "new"), {"kind": "role", "slug": "scribe"})
    assert answer.status_code == 303
    assert "slug: scribe" in owner().get(answer["Location"]).content.decode()


def test_a_new_contract_is_proposed(cast: Cast) -> None:
    owner().post(roles(cast, "role/scribe/propose"), WRITTEN | {"body": as_yaml(SCRIBE)})
    proposal, text = proposed(cast)
    assert (proposal.state, proposal.slug, text.base_id) == (ProposalState.OPEN, "scribe", None)


def test_a_draft_waits_for_nobody_until_it_is_asked_for(cast: Cast) -> None:
    proposal = drafted(cast)
    assert proposal.state == ProposalState.DRAFT
    assert "Your draft" in owner().get(page_at(cast, proposal)).content.decode()
    owner().post(page_at(cast, proposal, "open"))
    assert again(proposal, cast.owner.acting).state == ProposalState.OPEN


def test_a_draft_is_written_on(cast: Cast) -> None:
    proposal = drafted(cast)
    body = as_yaml({"slug": "scribe", "duties": ["write it down, twice"]})
    owner().post(page_at(cast, proposal, "edit"), WRITTEN | {"version": "1", "body": body})
    held = again(proposal, cast.owner.acting)
    assert (held.state, held.version) == (ProposalState.DRAFT, 2)


def test_the_draft_of_another_is_not_asked_for(cast: Cast) -> None:
    proposal = drafted(cast)
    other = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))
    other.post(page_at(cast, proposal, "open"))
    assert again(proposal, cast.owner.acting).state == ProposalState.DRAFT


def test_what_is_under_way_is_listed_with_the_roles(cast: Cast) -> None:
    drafted(cast)
    page = owner().get(roles(cast, "")).content.decode()
    assert ("a scribe" in page, "draft" in page) == (True, True)


@pytest.mark.parametrize("rest", ["new", "role/scribe/propose"])
def test_a_viewer_asks_for_nothing(cast: Cast, rest: str) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    assert viewer.get(roles(cast, rest)).status_code == 403


@pytest.mark.parametrize("rest", ["role/Scribe!/propose", "song/scribe/propose"])
def test_what_can_be_no_contract_is_not_there(cast: Cast, rest: str) -> None:
    assert owner().get(roles(cast, rest)).status_code == 404


@pytest.mark.parametrize("body", ["name: 7", "name: x\nbehavior_rules: one", "name: x\nidentity_core: 3", "name: ''"])
def test_a_chinese_page_says_nothing_of_a_fault_in_english(cast: Cast, body: str) -> None:
    sent = WRITTEN | {"version": "1", "body": body}
    page = owner(CHINESE).post(roles(cast, "persona/default/propose"), sent).content.decode()
    [said] = re.findall(r'<p class="wrong"[^>]*>(.*?)</p>', page, re.DOTALL)
    assert ("不符合" in said or "不合" in said or "“" in said, ENGLISH_SENTENCE.search(said)) == (True, None)


def test_refs_are_found_where_prose_goes_on() -> None:
    text = f"见 event://ses_{'0' * 32}/12-14，以及（memory://mem_{'1' * 32}@2）。 nobody://x https://example.org."
    assert refs_in(text) == [f"event://ses_{'0' * 32}/12-14", f"memory://mem_{'1' * 32}@2"]


def test_evidence_stands_beside_the_diff(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, event("请说得温和一些"))
    proposal = softer(cast.dev, rationale=f"The user asked for it: event://{session}/1")
    page = owner().get(page_at(cast, proposal)).content.decode()
    assert all(text in page for text in ("请说得温和一些", "user · dev-alpha", f"/sessions/{session}/?seq=1#e1"))


def test_private_evidence_of_another_says_that_it_does_not_open(cast: Cast) -> None:
    session = open_session(cast.personal, make_thread(cast.personal, "mine", private=True))
    append(cast.personal, session, event("my own secret words"))
    stranger = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    page = stranger.get(page_at(cast, softer(cast.dev, rationale=f"see event://{session}/1"))).content.decode()
    assert ("my own secret words" in page, "It opens nothing for you now" in page) == (False, True)


def test_another_proposal_is_evidence_too(cast: Cast) -> None:
    first = bolder(cast.dev, rationale="so that nothing is lost")
    page = owner().get(page_at(cast, softer(cast.dev, rationale=f"as in {first.ref}@1"))).content.decode()
    assert ("so that nothing is lost" in page, f"/proposals/{first.public_id}/" in page) == (True, True)


@pytest.mark.parametrize("version", ["", "@1"])
def test_a_proposal_is_opened_by_its_ref(cast: Cast, version: str) -> None:
    proposal = softer(cast.dev, rationale="it reads better")
    with project_scope(cast.dev.acting):
        opened = refs.resolve(f"{proposal.ref}{version}", cast.dev.acting)
    assert (opened.ref, "it reads better" in opened.text) == (f"{proposal.ref}@1", True)


def test_a_proposal_of_another_project_is_opened_by_no_ref(cast: Cast) -> None:
    there = make_cast("beta")
    named = [softer(cast.dev).ref, f"{softer(cast.dev).ref}@7", "proposal://prp_x", softer(there.dev).ref]
    with project_scope(cast.dev.acting):
        assert refs.which_resolve(named, cast.dev.acting) == {named[0]}


def test_hostile_sources_stay_words(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, event(EVIL))
    page = owner().get(page_at(cast, softer(cast.dev, rationale=f"see event://{session}/1"))).content.decode()
    assert ("<script>alert" in page, "⟦U+202E⟧" in page) == (False, True)


def test_a_hostile_file_stays_words(cast: Cast) -> None:
    sent = {"kind": "role", "slug": "scribe", "text": f"# duties\n\n- {EVIL}\n\n# {EVIL}\n\nx\n"}
    page = owner().post(roles(cast, "new"), sent).content.decode()
    assert ("<script>alert" in page, "⟦U+202E⟧" in page) == (False, True)


def test_an_approval_that_lapsed_is_told(cast: Cast) -> None:
    changed(cast, ContractKind.POLICY, "default", {**POLICY, "two_deciders_for": ["low"]})
    first, _ = (joined(cast, make_account().username, MembershipLevel.MAINTAINER) for _ in range(2))
    proposal = softer(cast.dev)
    decided(first, proposal)
    with project_scope(cast.dev.acting):
        text = TextWish(body={**PERSONA, "speaking_style": "calm and loud"})
        edit(cast.dev.acting, proposal, text, expected_version=1, now=timezone.now())
    assert "1 earlier approval lapsed" in owner().get(page_at(cast, proposal)).content.decode()


def test_as_many_queries_for_more_of_a_kind(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, *[event(f"words {n}", f"e{n}") for n in range(1, 6)])
    taken = []
    for most in (1, 5):
        refs = " ".join(f"event://{session}/{n}" for n in range(1, most + 1))
        proposal = softer(cast.dev, rationale=refs)
        client = owner()
        with CaptureQueriesContext(connection) as seen:
            client.get(page_at(cast, proposal))
        taken.append(len(seen))
    assert taken[0] == taken[1]


def test_the_refusal_names_who_may_decide(cast: Cast) -> None:
    joined(cast, make_account().username, MembershipLevel.OWNER)
    page = owner().get(page_at(cast, bolder(cast.owner))).content.decode()
    assert ("You wrote this" in page, "They may:" in page, "person-" in page.partition("They may:")[2]) == (True,) * 3


def test_an_agent_of_ones_own_is_said_to_be_that(cast: Cast) -> None:
    joined(cast, make_account().username, MembershipLevel.OWNER)
    assert "An agent of yours wrote this" in owner().get(page_at(cast, bolder(cast.dev))).content.decode()


def test_a_level_that_is_too_low_names_the_one_that_is_needed(cast: Cast) -> None:
    maintainer = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))
    assert "an owner decides this" in maintainer.get(page_at(cast, bolder(cast.dev))).content.decode()


def test_a_lapsed_proposal_says_so_on_its_buttons(cast: Cast) -> None:
    proposal = softer(cast.dev)
    sweep_expired(now=timezone.now() + timedelta(days=400))
    page = owner().get(page_at(cast, proposal)).content.decode()
    assert ("It lapsed" in page, 'aria-describedby="why-not"' in page, "/decide" in page) == (True, True, False)


def test_going_back_is_titled_in_the_askers_language(cast: Cast) -> None:
    changed(cast, ContractKind.PERSONA, "default", {**PERSONA, "speaking_style": "terse"})
    answer = owner(CHINESE).post(roles(cast, "persona/default/1/revert"))
    assert "把人格 default 恢复到第 1 号版本" in owner().get(answer["Location"]).content.decode()
