"""Proposing under an id of one's own, and as a human."""

from dataclasses import replace
from uuid import UUID

import pytest
from django.utils import timezone

from governance.errors import Clash, Forbidden
from governance.ids import new_id
from governance.keys import mint
from governance.scope import project_scope
from governance.vocabulary import KeyScope, MembershipLevel
from memories.models import Memory, MemoryVersion
from memories.vocabulary import MemoryStatus, MemoryType, Origin
from memories.writes import MemoryWish, propose
from tests.cast import Cast, Member, make_cast
from tests.site.console_cast import join, make_account


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def proposed(by: Member, key: UUID, content: str = "The tables are in metres.", *, private: bool = False) -> Memory:
    wish = MemoryWish(id=key, content=content, type=MemoryType.SEMANTIC, private=private)
    with project_scope(by.acting):
        return propose(by.acting, wish, now=timezone.now())


def test_the_same_proposal_under_one_id_is_one_memory(cast: Cast) -> None:
    key = new_id()
    first, second = (proposed(cast.owner, key) for _ in range(2))
    with project_scope(cast.owner.acting):
        assert (first.pk, second.pk, MemoryVersion.objects.count()) == (key, key, 1)


def test_another_proposal_under_the_same_id_is_refused(cast: Cast) -> None:
    key = new_id()
    proposed(cast.owner, key)
    with pytest.raises(Clash, match="fresh one"):
        proposed(cast.owner, key, "The tables are in feet.")


def test_the_id_of_another_s_memory_is_refused(cast: Cast) -> None:
    key = new_id()
    proposed(cast.dev, key)
    with pytest.raises(Clash, match="fresh one"):
        proposed(cast.owner, key)


def test_an_id_that_is_taken_out_of_sight_is_refused(cast: Cast) -> None:
    key = new_id()
    proposed(cast.personal, key, private=True)
    with pytest.raises(Clash, match="fresh one"):
        proposed(cast.owner, key)


def test_a_viewer_proposes_nothing(cast: Cast) -> None:
    account = join(make_account(), cast, MembershipLevel.VIEWER)
    with project_scope(cast.owner.acting):
        actor = account.actors.get()
    viewer = Member(actor, replace(cast.owner.acting, actor_id=actor.pk))
    with pytest.raises(Forbidden, match="maintainer"):
        proposed(viewer, new_id())


def test_a_human_s_own_statement_is_the_strongest_source(cast: Cast) -> None:
    wish = MemoryWish(content="Metres.", type=MemoryType.SEMANTIC, origin=Origin.USER_EXPLICIT)
    with project_scope(cast.owner.acting):
        assert propose(cast.owner.acting, wish, now=timezone.now()).source_rank == "user_explicit"


def test_a_key_of_the_project_is_refused_and_not_kept(cast: Cast) -> None:
    with project_scope(cast.owner.acting):
        key = mint(cast.dev.actor, scopes=[KeyScope.CONTEXT_COMPILE]).secret
    memory = proposed(cast.dev, new_id(), f"The agent is let in by {key} from now on.")
    assert (memory.status, memory.content) == (
        MemoryStatus.REJECTED,
        "The agent is let in by [platform_token] from now on.",
    )
