"""Who may read it decides what may enter."""

import pytest

from governance.vocabulary import Audience, Destination, Sensitivity
from sessions.context.admission import is_reliable_enough, may_enter
from sessions.context.material import Eligibility, Reach
from sessions.context.vocabulary import DropReason

OPEN = Reach()
PUBLIC = Reach(sensitivity=Sensitivity.PUBLIC)
SECRET = Reach(sensitivity=Sensitivity.SECRET)
DEVS = Reach(audience=Audience.ROLE, role="dev", sensitivity=Sensitivity.PUBLIC)
MINE = Reach(audience=Audience.PRIVATE, owner="act_1", sensitivity=Sensitivity.PUBLIC)
NOBODYS = Reach(audience=Audience.PRIVATE)
WINDOW = Eligibility(destination=Destination.PRIVATE, private_owner="act_1", roles=("dev",))
OTHERS_WINDOW = Eligibility(destination=Destination.PRIVATE, private_owner="act_2")
NO_ONES_WINDOW = Eligibility(destination=Destination.PRIVATE)
CHANNEL = Eligibility()
TEAM = Eligibility(roles=("dev",))
OUTSIDE = Eligibility(destination=Destination.EXTERNAL, private_owner="act_1", roles=("dev",))
ALL = Eligibility(highest_sensitivity=Sensitivity.SECRET)


@pytest.mark.parametrize(
    ("reach", "eligibility", "reason"),
    [
        (OPEN, WINDOW, None),
        (OPEN, CHANNEL, None),
        (OPEN, OUTSIDE, DropReason.SENSITIVITY),
        (PUBLIC, OUTSIDE, None),
        (DEVS, WINDOW, None),
        (DEVS, TEAM, None),
        (DEVS, CHANNEL, DropReason.AUDIENCE),
        (DEVS, OUTSIDE, DropReason.AUDIENCE),
        (MINE, WINDOW, None),
        (MINE, OTHERS_WINDOW, DropReason.AUDIENCE),
        (MINE, TEAM, DropReason.AUDIENCE),
        (MINE, OUTSIDE, DropReason.AUDIENCE),
        (NOBODYS, NO_ONES_WINDOW, DropReason.AUDIENCE),
        (SECRET, CHANNEL, DropReason.SENSITIVITY),
        (SECRET, ALL, None),
    ],
)
def test_a_fact_enters_only_where_everyone_may_read_it(reach, eligibility, reason):
    assert may_enter(reach, eligibility) is reason


@pytest.mark.parametrize(
    ("status", "lowest", "enters"),
    [
        ("confirmed", "inferred", True),
        ("inferred", "inferred", True),
        ("open", "inferred", False),
        ("disputed", "disputed", True),
        ("hearsay", "open", False),
    ],
)
def test_a_fact_enters_only_at_the_lowest_knowledge_status_or_above(status, lowest, enters):
    assert is_reliable_enough(status, Eligibility(lowest_knowledge_status=lowest)) is enters
