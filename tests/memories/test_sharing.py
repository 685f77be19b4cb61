"""Deciding on an offered memory: who may, what comes of it, and what others may know of where it was."""

import pytest
from django.utils import timezone

from governance.errors import Clash, Forbidden
from governance.models import Proposal, ProposalText
from governance.proposal_texts import TextWish
from governance.proposals import edit, withdraw
from governance.scope import project_scope
from governance.vocabulary import Audience, DecisionVerb, MembershipLevel
from memories.models import Memory
from memories.sharing import shared_as
from memories.vocabulary import MemoryStatus, Origin, SourceRank
from tests.cast import Cast, Member
from tests.governing import decided, joined
from tests.memories.learning import Desk, auto_cast, stated
from tests.memories.offering import EVERYTHING, SAID, answered, ask, found, kept, offered, rows_of, shared

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return auto_cast()


def test_an_approved_offer_is_a_shared_memory_of_its_offerer(cast: Cast, lin: Member) -> None:
    memory = kept(lin)
    decided(cast.owner.acting, offered(lin, memory))
    [made] = shared(cast.dev)
    assert (made.content, made.proposed_by_id, made.source_rank) == (
        SAID,
        lin.acting.actor_id,
        SourceRank.USER_EXPLICIT,
    )
    assert found(cast.dev) == [SAID]


def test_the_private_one_stays_as_it_was(cast: Cast, lin: Member) -> None:
    memory = kept(lin)
    decided(cast.owner.acting, offered(lin, memory))
    with project_scope(lin.acting):
        still = Memory.objects.get(pk=memory.pk)
    assert (still.audience, still.status, still.content) == (Audience.PRIVATE, MemoryStatus.ACTIVE, SAID)


@pytest.mark.parametrize(("named", "word"), [(False, "from a private memory"), (True, "from a private memory of lin")])
def test_the_shared_one_says_whose_it_was_only_with_consent(cast: Cast, lin: Member, named: bool, word: str) -> None:
    decided(cast.owner.acting, offered(lin, kept(lin), named=named))
    assert shared(cast.dev)[0].change_reason == word


def test_nobody_else_reads_from_which_memory_it_came(cast: Cast, lin: Member) -> None:
    memory = kept(lin)
    decided(cast.owner.acting, offered(lin, memory))
    tables = (*EVERYTHING, "memories_memoryparent", "memories_memoryevidence", "governance_proposal")
    assert str(memory.pk) not in rows_of(cast.owner, *tables)
    assert memory.public_id not in rows_of(cast.owner, *tables)


def test_what_it_became_is_found_from_the_proposal(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin))
    decided(cast.owner.acting, proposal)
    with project_scope(cast.dev.acting):
        assert shared_as(Proposal.objects.get(pk=proposal.pk)) == shared(cast.dev)[0].public_id


def test_private_evidence_is_neither_quoted_nor_named(cast: Cast) -> None:
    desk = Desk(cast.personal)
    ref = desk.said("whisper: the spare battery")
    ask(cast.personal, desk.learn(SAID, ref, private=True).memory)
    decided(cast.owner.acting, answered(cast))
    told = rows_of(cast.owner, "governance_proposaltext", "memories_memoryevidence")
    assert not [word for word in ("whisper", ref) if word in told]


def test_an_agents_memory_weighs_no_more_once_it_is_shared(cast: Cast) -> None:
    desk = Desk(cast.personal)
    memory = desk.learn(SAID, desk.said(SAID), private=True, origin=Origin.AGENT_INFERRED).memory
    ask(cast.personal, memory)
    decided(cast.owner.acting, answered(cast))
    assert shared(cast.dev)[0].source_rank == SourceRank.TRUSTED_AGENT


def test_the_only_owner_decides_their_own_and_the_row_says_so(cast: Cast) -> None:
    decision = decided(cast.owner.acting, offered(cast.owner, kept(cast.owner)))
    assert decision.self_approved


def test_another_owner_decides_where_there_is_one(cast: Cast) -> None:
    other = joined(cast, "mei", MembershipLevel.OWNER)
    proposal = offered(cast.owner, kept(cast.owner))
    with pytest.raises(Forbidden) as refused:
        decided(cast.owner.acting, proposal)
    assert refused.value.code == "own_proposal"
    assert not decided(other, proposal).self_approved


def test_a_maintainer_does_not_decide_it(cast: Cast, lin: Member) -> None:
    other = joined(cast, "mei", MembershipLevel.MAINTAINER)
    with pytest.raises(Forbidden) as refused:
        decided(other, offered(lin, kept(lin)))
    assert refused.value.code == "level_too_low"


def test_a_rejection_changes_nothing(cast: Cast, lin: Member) -> None:
    memory = kept(lin)
    decided(cast.owner.acting, offered(lin, memory), DecisionVerb.REJECT)
    assert shared(cast.dev) == []
    with project_scope(lin.acting):
        assert Memory.objects.get(pk=memory.pk).status == MemoryStatus.ACTIVE


def test_withdrawing_takes_the_words_out(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin))
    with project_scope(lin.acting):
        withdraw(lin.acting, Proposal.objects.get(pk=proposal.pk), reason="", now=timezone.now())
    assert not [word for word in ("Windkessel", "a battery") if word in rows_of(cast.owner, *EVERYTHING)]


def test_what_was_decided_is_not_withdrawn(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin))
    decided(cast.owner.acting, proposal)
    with project_scope(lin.acting), pytest.raises(Clash):
        withdraw(lin.acting, Proposal.objects.get(pk=proposal.pk), reason="", now=timezone.now())


def test_a_reviewer_edits_the_text_and_not_the_consent(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin))
    with project_scope(cast.owner.acting):
        body = ProposalText.objects.get(proposal=proposal).body
    mine = {**body, "content": "The spare battery is in locker 3.", "consent": {"by": "act_x"}, "named": "nobody"}
    decided(cast.owner.acting, proposal, DecisionVerb.EDIT_AND_APPROVE, body=mine)
    with project_scope(cast.owner.acting):
        second = ProposalText.objects.get(proposal=proposal, version=2)
    assert (second.body["consent"], second.body["named"]) == (body["consent"], "")
    assert shared(cast.dev)[0].content == "The spare battery is in locker 3."


def test_the_offerers_own_edit_is_their_consent_to_it(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin))
    with project_scope(lin.acting):
        before = ProposalText.objects.get(proposal=proposal).body
        wish = TextWish(body={**before, "content": "The spare battery is in a locker."})
        after = edit(lin.acting, proposal, wish, expected_version=1, now=timezone.now()).body
    assert after["consent"]["text"] != before["consent"]["text"]


def test_what_contradicts_the_known_opens_a_conflict(cast: Cast, lin: Member) -> None:
    stated(cast.owner, "The tide gauge listens on port 8080.")
    decided(cast.owner.acting, offered(lin, kept(lin, "The tide gauge listens on port 9090.")))
    assert [one.content for one in shared(cast.dev)] == ["The tide gauge listens on port 8080."]
    assert "conflict" in rows_of(cast.owner, "governance_inboxitem")


def carried(by: Member) -> str:
    """What a packet about it says."""
    asked = {"raw_text": "Windkessel 备用电池在哪里？", "input_type": "text", "timestamp": "2026-03-02T09:00:00+00:00"}
    answer = by.client().post("/context", {"role": "dev", "user_input": asked})
    assert answer.status_code == 200
    return str(answer.json()["packet"]["retrieved"])


def test_packets_of_others_carry_it_only_once_it_is_approved(cast: Cast, lin: Member) -> None:
    proposal = offered(lin, kept(lin))
    before = carried(cast.dev)
    decided(cast.owner.acting, proposal)
    assert ("locker" in before, "locker" in carried(cast.dev)) == (False, True)
