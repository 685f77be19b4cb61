"""Offering a private memory: nobody sees it before its human agrees, and consent is kept with it."""

from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from governance.errors import Clash, Invalid, NotThere
from governance.models import AuditEvent, Decision, Proposal, ProposalText
from governance.proposals import comment
from governance.scope import project_scope
from governance.vocabulary import DecisionVerb, ProposalState
from memories.erasing import erase
from memories.models import Memory, Offer
from memories.offers import asked_offering, decline, offers_of
from tests.cast import Cast, Member
from tests.governing import again, decided
from tests.memories.learning import auto_cast
from tests.memories.offering import EVERYTHING, SAID, ask, asked, found, kept, offered, rows_of, shared

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return auto_cast()


def test_an_agents_wish_is_seen_by_nobody_but_its_human(cast: Cast, lin: Member) -> None:
    _, answer = asked(cast)
    assert (answer.status_code, answer.json()["state"]) == (202, "asked")
    assert "Windkessel" not in rows_of(lin, *EVERYTHING, "governance_auditevent")
    assert "Windkessel" in rows_of(cast.owner, "memories_offer")


def test_counts_and_searches_of_others_do_not_know_of_it(cast: Cast, lin: Member) -> None:
    asked(cast)
    with project_scope(lin.acting):
        assert (Memory.objects.count(), Offer.objects.count(), Proposal.objects.count()) == (0, 0, 0)
    assert found(lin) == []


def test_asking_again_asks_once(cast: Cast) -> None:
    memory, first = asked(cast)
    again = ask(cast.personal, memory)
    assert (again.status_code, again.json()["id"]) == (202, first.json()["id"])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"memory_id": 7},
        {"memory_id": "mem_x"},
        {"memory_id": "mem_" + "0" * 32},
        {"memory_id": "", "content": ""},
        [],
    ],
)
def test_a_bad_wish_is_told_so(cast: Cast, body: Any) -> None:
    answer = cast.personal.client().post("/proposals", {"kind": "memory", "body": body})
    assert answer.status_code in {404, 422}
    assert answer.json()["code"]


def test_an_agent_offers_only_its_own(cast: Cast) -> None:
    memory, _ = asked(cast)
    answer = ask(cast.dev, memory)
    assert answer.status_code == 404


def test_a_no_ends_it_and_is_not_asked_again(cast: Cast) -> None:
    memory, _ = asked(cast)
    with project_scope(cast.owner.acting):
        decline(cast.owner.acting, offers_of(cast.owner.acting)[0], now=timezone.now())
    again = ask(cast.personal, memory)
    assert (again.status_code, again.json()["code"]) == (409, "offer_declined")
    assert "Windkessel" not in rows_of(cast.owner, "memories_offer")


def test_another_human_cannot_answer_for_them(cast: Cast, lin: Member) -> None:
    asked(cast)
    with project_scope(cast.owner.acting):
        offer = Offer.objects.select_related("asked_by").get()
    with project_scope(lin.acting), pytest.raises(NotThere):
        asked_offering(lin.acting, offer)


def test_consent_is_needed(cast: Cast, lin: Member) -> None:
    with pytest.raises(Invalid) as refused:
        offered(lin, kept(lin), agrees=False)
    assert refused.value.code == "consent_missing"


def test_consent_is_to_the_text_that_was_read(cast: Cast, lin: Member) -> None:
    with pytest.raises(Clash) as refused:
        offered(lin, kept(lin), seen="sha256:other")
    assert refused.value.code == "version_moved"


def test_consent_stands_in_proposal_and_ledger(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin))
    with project_scope(cast.owner.acting):
        consent = ProposalText.objects.get(proposal=proposal).body["consent"]
        entry = AuditEvent.objects.get(verb="memory.consent")
    assert (consent["by"], consent["text"]) == (lin.acting.public_id, entry.after)
    assert (entry.actor, entry.target) == (lin.acting.public_id, proposal.public_id)


def test_no_private_text_is_in_the_ledger(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin))
    decided(cast.owner.acting, proposal)
    ledger = rows_of(cast.owner, "governance_auditevent")
    assert not [word for word in ("Windkessel", "battery", "备用电池") if word in ledger]


@pytest.mark.parametrize(
    ("text", "marked"), [("The key is sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6", "work"), (SAID, "secret")]
)
def test_a_secret_is_never_offered(cast: Cast, lin: Member, text: str, marked: str) -> None:
    memory = kept(lin)
    with project_scope(lin.acting):
        Memory.objects.filter(pk=memory.pk).update(content=text, sensitivity=marked)
    with pytest.raises(Invalid) as refused:
        offered(lin, memory)
    assert refused.value.code == "offer_holds_secret"


def test_a_memory_is_offered_once_at_a_time(cast: Cast, lin: Member) -> None:
    memory = kept(lin)
    proposal = offered(lin, memory)
    with pytest.raises(Clash) as refused:
        offered(lin, memory)
    assert refused.value.extra["proposal_id"] == proposal.public_id


def test_raw_sql_shares_nothing_without_its_humans_consent(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin))
    forged = {"content": "x", "consent": {"by": cast.owner.acting.public_id}}
    with pytest.raises(DatabaseError, match="shared by the human who agrees"), project_scope(cast.owner.acting):
        ProposalText.objects.create(
            project=cast.project,
            proposal=proposal,
            version=2,
            author_id=cast.owner.acting.actor_id,
            body=forged,
            body_hash="h",
            title="t",
            risk="high",
            level="owner",
        )


def test_an_erased_memory_leaves_no_words_in_what_was_asked(cast: Cast) -> None:
    memory, _ = asked(cast)
    with project_scope(cast.personal.acting):
        erase(cast.personal.acting, Memory.objects.get(pk=memory.pk), reason="", now=timezone.now())
    assert "Windkessel" not in rows_of(cast.owner, "memories_offer")


SAYING_IT = {"title": "the Windkessel battery", "rationale": "whoever goes there needs the Windkessel"}
OF_PROPOSALS = ("governance_proposaltext", "governance_comment", "governance_decision", "governance_inboxitem")


def erased(by: Member, memory: Memory) -> None:
    with project_scope(by.acting):
        erase(by.acting, Memory.objects.get(pk=memory.pk), reason="", now=timezone.now())


def discussed(by: Member, proposal: Proposal) -> None:
    with project_scope(by.acting):
        comment(by.acting, proposal, "is the Windkessel locked?", now=timezone.now())


@pytest.mark.parametrize("verb", [DecisionVerb.REJECT, DecisionVerb.REQUEST_CHANGES])
def test_erasing_it_reaches_an_offer_that_was_not_taken(cast: Cast, lin: Member, verb: DecisionVerb) -> None:
    memory = kept(lin)
    proposal = offered(lin, memory, **SAYING_IT)
    discussed(cast.owner, proposal)
    decided(cast.owner.acting, proposal, verb, text="not the Windkessel")
    erased(lin, memory)
    assert "Windkessel" not in rows_of(cast.owner, *OF_PROPOSALS)
    assert again(proposal, cast.owner.acting).state in {ProposalState.REJECTED, ProposalState.WITHDRAWN}


def test_erasing_what_was_offered_leaves_what_the_project_took(cast: Cast, lin: Member) -> None:
    memory = kept(lin)
    decided(cast.owner.acting, offered(lin, memory))
    erased(lin, memory)
    assert [SAID in row.content for row in shared(cast.owner)] == [True]
    assert SAID in rows_of(cast.owner, "governance_proposaltext")


def test_erasing_what_the_project_took_reaches_the_offer(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin), **SAYING_IT)
    decided(cast.owner.acting, proposal, text="we need the Windkessel")
    erased(cast.owner, shared(cast.owner)[0])
    assert "Windkessel" not in rows_of(cast.owner, "memories_memory", *OF_PROPOSALS)


def test_raw_sql_takes_no_words_from_what_was_decided(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin))
    decided(cast.owner.acting, proposal)
    with pytest.raises(DatabaseError), project_scope(cast.owner.acting):
        Decision.objects.filter(proposal=proposal).update(text="")
