"""Who is served first: floors, then each group's own share, and what is left goes to whoever ranks highest."""

import pytest

from sessions.context.compiler import Compiled
from sessions.context.vocabulary import Group, Layer
from tests.context.cast import bare_material, budget_of, compiled_of, event, hit

CAP = 1_000
OPEN = {layer: {"floor": 0.0, "cap": 1.0} for layer in Layer}
TALK = tuple(event(n, "word " * 60, role="assistant" if n % 2 else "user") for n in range(18))
LESSON = hit("a", "lesson " * 60)


def shared(evidence: float, *hits) -> Compiled:
    """A compile of more dialogue than fits, in which only evidence has a share of its own."""
    groups = {"policy": 0.0, "plan": 0.0, "self": 0.0, "evidence": evidence}
    return compiled_of(bare_material(events=TALK, hits=hits), CAP, layers=OPEN, groups=groups)


def used(compiled: Compiled, layer: Layer) -> int:
    """Tokens of a layer."""
    return next(row.used for row in compiled.layers if row.layer is layer)


@pytest.mark.parametrize(("evidence", "found"), [(0.0, 0), (0.3, 1)])
def test_a_group_has_its_share_before_what_ranks_higher_elsewhere(evidence, found):
    assert len(shared(evidence, LESSON).packet["retrieved"]) == found


def test_what_a_group_does_not_need_goes_to_the_others():
    headroom = budget_of(CAP, groups={"policy": 0.0, "plan": 0.0, "self": 0.0, "evidence": 0.3}).groups[Group.HEADROOM]
    compiled = shared(0.3)
    assert used(compiled, Layer.DIALOGUE) > headroom
    assert compiled.used > 0.9 * CAP


def test_a_share_is_no_more_than_a_promise():
    larger = [hit(str(n), "lesson " * 80, score=0.9 - n / 10) for n in range(5)]
    compiled = shared(0.2, *larger)
    assert 0.1 * CAP < used(compiled, Layer.MEMORIES) <= 0.2 * CAP


def test_a_layer_says_what_it_could_still_have_taken():
    compiled = compiled_of(bare_material(), CAP)
    row = next(row for row in compiled.layers if row.layer is Layer.MEMORIES)
    assert (row.used, row.free, row.left_out) == (0, min(row.cap, CAP - compiled.used), 0)
