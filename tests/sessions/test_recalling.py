"""What was found for a goal is kept from turn to turn, until the goal, the phase or the readers change."""

from typing import Any

import pytest
from django.utils import timezone

from governance.scope import project_scope
from memories.models import Memory
from memories.retiring import revoke
from sessions.recalling import Goal, Kept, own_matter, why_anew
from sessions.vocabulary import Anew
from tests.api.asking import ask, make_thread, ok, open_session
from tests.cast import Cast
from tests.memories.learning import auto_cast, stated
from threads.speech import read

GOAL = Goal(phase="execute", task="tsk_1", readers="r")
KEPT = Kept(packet="pkt_1", goal=GOAL, hits=({"ref": "memory://mem_1@1"},), considered=3, eligible=2)


@pytest.mark.parametrize("text", ["继续", "go on", "好的，接着做", "ok, continue please"])
def test_a_turn_that_only_goes_on_keeps_what_was_found(text: str) -> None:
    assert why_anew(KEPT, GOAL, matter=own_matter(read(text))) is None


def test_a_turn_with_a_matter_of_its_own_asks_anew() -> None:
    assert why_anew(KEPT, GOAL, matter=own_matter(read("where does the tide gauge stand?"))) is Anew.MATTER


@pytest.mark.parametrize(
    ("kept", "goal", "why"),
    [
        (None, GOAL, Anew.FIRST),
        (KEPT, Goal(phase="accept", task="tsk_1", readers="r"), Anew.PHASE),
        (KEPT, Goal(phase="execute", task="tsk_2", readers="r"), Anew.TASK),
        (KEPT, Goal(phase="execute", task="tsk_1", readers="others"), Anew.READERS),
        (Kept(packet="pkt_1", goal=GOAL, hits=(), considered=0, eligible=0), GOAL, Anew.EMPTY),
    ],
)
def test_another_goal_asks_anew(kept: Kept | None, goal: Goal, why: Anew) -> None:
    assert why_anew(kept, goal, matter=None) is why


FACT = "The tide gauge stands at pier four."
OTHER = "The tide gauge at the old pier was sold."


@pytest.fixture
def cast(db: None) -> Cast:
    return auto_cast()


def turn(cast: Cast, session: str, text: str, **more: Any) -> dict[str, Any]:
    return ok(cast.dev.client().post("/context", ask(text, session_id=session, **more)))


def refs(answer: dict[str, Any]) -> list[str]:
    return [hit["ref"] for hit in answer["packet"]["retrieved"]]


@pytest.fixture
def session(cast: Cast) -> str:
    stated(cast.owner, FACT)
    api = cast.dev.client()
    return open_session(api, make_thread(api, title="where the tide gauge stands"))


def test_a_mere_go_on_gets_the_same_refs_in_the_same_order(cast: Cast, session: str) -> None:
    first = turn(cast, session, "where does the tide gauge stand?")
    stated(cast.owner, OTHER)
    second = turn(cast, session, "继续")
    assert (refs(second), second["retrieval"]["kept_from"]) == (refs(first), first["packet_id"])
    assert refs(first)


def test_a_new_phase_asks_anew(cast: Cast, session: str) -> None:
    turn(cast, session, "where does the tide gauge stand?", phase="execute")
    assert turn(cast, session, "继续", phase="accept")["retrieval"]["kept_from"] is None


def test_what_was_revoked_is_asked_anew(cast: Cast, session: str) -> None:
    [ref] = refs(turn(cast, session, "where does the tide gauge stand?"))
    with project_scope(cast.owner.acting):
        revoke(cast.owner.acting, Memory.objects.get(), reason="test", now=timezone.now())
    second = turn(cast, session, "继续")
    assert (ref in refs(second), second["retrieval"]["kept_from"]) == (False, None)


def test_what_the_search_did_not_choose_has_its_rule(cast: Cast, session: str) -> None:
    for number in range(12):
        stated(cast.owner, f"The tide gauge needs {'abcdefghijkl'[number] * 3} paint.")
    stated(cast.owner, "The bell of the church is made of bronze and stands for hours.")
    packet = turn(cast, session, "where does the tide gauge stand?")["packet_id"]
    with project_scope(cast.owner.acting):
        bell = Memory.objects.get(content__startswith="The bell")
    told = ok(cast.dev.client().get(f"/context/{packet}/explain?ref=memory://{bell.public_id}@1"))
    assert (told["verdict"], told["rule"]) == ("cut", "unlike")
