"""The validators find every planted fault, and nothing in what the engine wrote."""

from functools import cache
from pathlib import Path

import pytest

from tests.summaries.planting import Planted, planted
from tests.summaries.talks import DOCK, HARBOUR, basis, faults, talk, version

MIDDLE = {HARBOUR: 30, DOCK: 11}


@cache
def found(path: Path) -> tuple[list[Planted], list[Planted]]:
    """All faults planted in two versions of a talk, and those of them that nobody found."""
    session = talk(path)
    half, end = MIDDLE[path], session.entries[-1].seq
    first = version(session, {}, 1, half)
    second = version(session, first, half + 1, end)
    held = [(first, basis(session, {}, 1, half)), (second, basis(session, first, half + 1, end))]
    cases = [(one, against) for sections, against in held for one in planted(sections)]
    return [one for one, _ in cases], [one for one, against in cases if not faults(one.sections, against)]


@pytest.mark.parametrize("path", [HARBOUR, DOCK], ids=["zh", "en"])
def test_every_planted_fault_is_found(path: Path) -> None:
    assert [one.name for one in found(path)[1]] == []


def test_there_are_enough_of_them_and_rewordings_among_them() -> None:
    cases = [one for path in (HARBOUR, DOCK) for one in found(path)[0]]
    assert (len(cases) >= 200, sum(one.reworded for one in cases) >= 80) == (True, True)


@pytest.mark.parametrize("path", [HARBOUR, DOCK], ids=["zh", "en"])
def test_what_the_engine_writes_has_no_fault(path: Path) -> None:
    session = talk(path)
    first = version(session, {}, 1, MIDDLE[path])
    end = session.entries[-1].seq
    second = version(session, first, MIDDLE[path] + 1, end)
    assert faults(first, basis(session, {}, 1, MIDDLE[path])) == []
    assert faults(second, basis(session, first, MIDDLE[path] + 1, end)) == []
