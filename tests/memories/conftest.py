"""People of the tests of memory, beside the cast that each module makes."""

import pytest

from governance.vocabulary import MembershipLevel
from tests.cast import Cast, Member
from tests.governing import joined


@pytest.fixture
def lin(cast: Cast) -> Member:
    """A maintainer beside the owner, who may keep something for themselves."""
    acting = joined(cast, "lin", MembershipLevel.MAINTAINER)
    return Member(actor=None, acting=acting)  # type: ignore[arg-type] # its acting is all that these tests need
