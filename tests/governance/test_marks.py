"""Marks of what a form showed."""

import pytest

from governance.errors import Clash
from governance.marks import check_mark, mark_of


@pytest.mark.parametrize("shown", [(), ("a",), ("灰风", None, 3), ("a", "b")])
def test_the_same_values_pass(shown: tuple[object, ...]) -> None:
    assert check_mark(mark_of(*shown), *shown) is None


@pytest.mark.parametrize(
    ("shown", "now"), [(("a",), ("b",)), (("ab",), ("a", "b")), ((None,), ()), (("a", "b"), ("b", "a"))]
)
def test_other_values_are_told_apart(shown: tuple[object, ...], now: tuple[object, ...]) -> None:
    with pytest.raises(Clash) as refused:
        check_mark(mark_of(*shown), *now)
    assert refused.value.code == "version_moved"


def test_a_form_without_a_mark_saw_nothing() -> None:
    with pytest.raises(Clash):
        check_mark("", "a")
