"""What `bench_resolution --learn` makes of asked sessions: the least lead that is allowed, and weights by it."""

from dataclasses import replace

import pytest

from greywind_site.benching.resolution_learning import SILENT, Case, learn, least_lead, left_out
from threads.talk import TalkWeights

FLAT, SHARP = TalkWeights(manner=1.0, sharpness=1.0), TalkWeights(manner=2.0, sharpness=1.5)


def right(number: int, lead: float, *, of: str = "set") -> Case:
    return Case(of=of, thread=f"{of}{number % 5}", right=True, lead=lead, stray=SILENT)


def wrong(lead: float, *, of: str = "set") -> Case:
    return replace(right(0, lead, of=of), right=False)


MANY = [right(number, 1.0) for number in range(39)]


def test_the_lead_is_above_the_wrong_ones_beyond_one_in_twenty() -> None:
    assert least_lead([*MANY, wrong(0.9), wrong(0.5), wrong(0.3)]) == pytest.approx(0.35)


def test_a_set_with_few_inputs_is_held_to_the_same_share() -> None:
    few = [right(number, 1.0, of="few") for number in range(4)]
    assert least_lead([*MANY, *few, wrong(0.6, of="few")]) == pytest.approx(0.65)


def test_strays_raise_the_lead() -> None:
    strays = [replace(case, stray=0.7) for case in MANY[:10]]
    assert least_lead([*strays, *MANY[10:]]) == pytest.approx(0.75)


def test_the_weights_that_find_most_are_taken() -> None:
    flat = [*(right(number, 0.4) for number in range(19)), wrong(0.6), wrong(0.6)]
    sharp = [*(right(number, 0.8) for number in range(19)), wrong(0.6), wrong(0.6)]
    learnt = learn({FLAT: flat, SHARP: sharp})
    assert learnt.weights == SHARP
    assert learnt.lead == pytest.approx(0.65)


def test_a_thread_is_judged_by_what_the_others_taught() -> None:
    """Its own wrong ones would have raised the lead; nobody else's do."""
    cases = [*MANY, *(replace(wrong(0.5), thread="apart") for _ in range(4))]
    figures = left_out({FLAT: cases})["set"]
    assert (figures["inputs"], figures["wrong"].split(" ")[0]) == (43, "4")
