"""A memory counts as less sensitive only once an owner has said so of just that."""

from typing import Any

import pytest
from django.db import DatabaseError
from django.urls import reverse
from django.utils import timezone

from governance.errors import Clash, Forbidden, Invalid
from governance.models import AuditEvent, InboxItem, Proposal, ProposalText
from governance.scope import project_scope
from governance.vocabulary import InboxState, Sensitivity
from memories.erasing import erase
from memories.lowering import Lowering, propose_lower
from memories.models import Memory, Passage
from memories.vocabulary import MemoryStatus
from memories.writes import admit
from tests.cast import Cast, Member
from tests.governing import decided
from tests.memories.learning import auto_cast, stated

pytestmark = pytest.mark.django_db
SAID = "The tide gauge of Lin stands at quay seven"


@pytest.fixture
def cast() -> Cast:
    return auto_cast()


@pytest.fixture
def memory(cast: Cast) -> Memory:
    """A memory in use that counts as personal."""
    made = stated(cast.owner, SAID, sensitivity=Sensitivity.PERSONAL).memory
    with project_scope(cast.owner.acting):
        if made.status != MemoryStatus.ACTIVE:
            admit(cast.owner.acting, made, reason="it is so", now=timezone.now())
        return Memory.objects.get(pk=made.pk)


def asked(by: Member, memory: Memory, **more: Any) -> Proposal:
    said = {"version": memory.version, "after": Sensitivity.WORK, "why": "a quay is no secret"} | more
    with project_scope(by.acting):
        return propose_lower(by.acting, Lowering(memory=memory, **said), now=timezone.now())


def level_of(by: Member, memory: Memory) -> tuple[str, str]:
    with project_scope(by.acting):
        passage = Passage.objects.get(memory=memory, live=True)
        return Memory.objects.get(pk=memory.pk).sensitivity, passage.sensitivity


def test_an_owner_lowers_it_everywhere_at_once(cast: Cast, lin: Member, memory: Memory) -> None:
    proposal = asked(lin, memory)
    assert level_of(cast.owner, memory) == ("personal", "personal")
    decided(cast.owner.acting, proposal)
    assert level_of(cast.owner, memory) == ("work", "work")
    with project_scope(cast.owner.acting):
        assert AuditEvent.objects.filter(verb="memory.lower", target=memory.public_id).exists()


def test_a_maintainer_does_not_decide_it(cast: Cast, lin: Member, memory: Memory) -> None:
    proposal = asked(cast.owner, memory)
    with pytest.raises(Forbidden) as refused:
        decided(lin.acting, proposal)
    assert refused.value.code == "level_too_low"


def test_raw_sql_lowers_nothing_that_was_not_decided(cast: Cast, lin: Member, memory: Memory) -> None:
    asked(lin, memory)
    with pytest.raises(DatabaseError, match="less sensitive"), project_scope(cast.owner.acting):
        Memory.objects.filter(pk=memory.pk).update(sensitivity="work")


def test_an_approval_is_for_the_level_that_was_decided(cast: Cast, lin: Member, memory: Memory) -> None:
    decided(cast.owner.acting, asked(lin, memory))
    with pytest.raises(DatabaseError, match="less sensitive"), project_scope(cast.owner.acting):
        Memory.objects.filter(pk=memory.pk).update(sensitivity="public")


def test_raising_it_needs_no_decision(cast: Cast, memory: Memory) -> None:
    with project_scope(cast.owner.acting):
        assert Memory.objects.filter(pk=memory.pk).update(sensitivity="secret") == 1


def test_what_changed_since_is_not_lowered(cast: Cast, lin: Member, memory: Memory) -> None:
    proposal = asked(lin, memory)
    with project_scope(cast.owner.acting):
        Memory.objects.filter(pk=memory.pk).update(sensitivity="secret")
    with pytest.raises(Clash) as refused:
        decided(cast.owner.acting, proposal)
    assert refused.value.code == "version_moved"
    assert level_of(cast.owner, memory)[0] == "secret"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"after": Sensitivity.PERSONAL}, "not_lower"),
        ({"why": " "}, "reason_missing"),
        ({"version": 9}, "version_moved"),
    ],
)
def test_a_bad_wish_is_told_so(cast: Cast, memory: Memory, more: dict[str, Any], code: str) -> None:
    with pytest.raises((Invalid, Clash)) as refused:
        asked(cast.owner, memory, **more)
    assert refused.value.code == code


def test_it_is_asked_for_once(cast: Cast, lin: Member, memory: Memory) -> None:
    asked(lin, memory)
    with pytest.raises(Clash) as refused:
        asked(cast.owner, memory)
    assert refused.value.code == "lowering_waits"


def test_an_agent_asks_and_a_human_decides(cast: Cast, memory: Memory) -> None:
    body = {"memory_id": memory.public_id, "sensitivity": "public", "reason": "it stands on a map"}
    answer = cast.dev.client().post("/proposals", {"kind": "sensitivity", "body": body})
    assert (answer.status_code, answer.json()["state"]) == (202, "open")
    assert level_of(cast.owner, memory)[0] == "personal"


def test_the_page_asks_for_it(cast: Cast, memory: Memory, client: Any) -> None:
    client.force_login(cast.owner.actor.user)
    page = reverse("lower_memory", args=[cast.project.public_id, memory.public_id])
    assert SAID in client.get(page).text
    sent = client.post(page, {"version": memory.version, "sensitivity": "work", "reason": "on a map"}, follow=True)
    assert (sent.status_code, "memory://" in sent.text) == (200, True)


def test_erasing_the_memory_takes_the_question_off_the_desk(cast: Cast, lin: Member, memory: Memory) -> None:
    proposal = asked(lin, memory, why="quay seven is on every map")
    with project_scope(cast.owner.acting):
        erase(cast.owner.acting, memory, reason="", now=timezone.now())
        assert ProposalText.objects.get(proposal=proposal).rationale == ""
        assert InboxItem.objects.get(ref=proposal.ref).state == InboxState.DONE
