"""What a search returns of what it found: the likely, and for whoever looks them through, the unlikely behind it."""

from collections.abc import Iterator

import pytest

from governance.scope import project_scope
from memories.retrieval import Found, Limits, retrieve
from memories.vocabulary import LostBy
from tests.cast import Cast
from tests.memories.learning import auto_cast
from tests.memories.test_finding import ANYWHERE, stored

QUESTION = "When does the harbour crane of the northern quay get its new cable?"
ABOUT = "The harbour crane of the northern quay gets its new cable on Monday."
# Each shares less of the question than the one before, and says more of something else.
WORDS = ABOUT.split()
BESIDE = [" ".join([*WORDS[: 12 - n % 12], *(f"bench{n}painted{each}" for each in range(n))]) for n in range(1, 60)]


@pytest.fixture
def cast(db: None) -> Iterator[Cast]:
    return auto_cast()


def found(cast: Cast, limits: Limits) -> Found:
    with project_scope(cast.dev.acting):
        return retrieve(QUESTION, scope=ANYWHERE, limits=limits)


def test_only_who_looks_hits_through_gets_what_is_unlikely(cast: Cast) -> None:
    stored(cast, ABOUT, *BESIDE)
    few, through = (found(cast, Limits(most=60, through=through)) for through in (False, True))
    assert few.hits[0].text == through.hits[0].text == ABOUT
    assert [hit.ref for hit in through.hits][: len(few.hits)] == [hit.ref for hit in few.hits]
    unlike = [sum(one.rule is LostBy.UNLIKE for one in each.lost) for each in (few, through)]
    assert unlike[1] < unlike[0]
