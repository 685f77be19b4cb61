"""Who may read it decides what may enter."""

from dataclasses import replace

import pytest

from governance.vocabulary import Audience, Destination, Sensitivity
from sessions.context.admission import for_readers, is_reliable_enough, may_enter
from sessions.context.material import Eligibility, Material, Reach
from sessions.context.vocabulary import DropReason
from tests.context.cast import compiled_of, full_material

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


def privately(destination: Destination) -> Material:
    """The full material, said in a private thread, for a packet that goes there."""
    material = full_material()
    window = Eligibility(destination=destination, private_owner="act_1" if destination is Destination.PRIVATE else None)
    return replace(material, thread=replace(material.thread, private=True), eligibility=window)


@pytest.mark.parametrize("destination", [Destination.PROJECT, Destination.EXTERNAL])
def test_what_was_said_in_a_private_thread_stays_out_where_others_read(destination):
    packet = compiled_of(privately(destination)).packet
    assert (packet["vision"], packet["handoff"], packet["session"]["recent_dialogue"]) == (None, None, [])
    assert (packet["thread"]["thread_title"], packet["thread"]["constraints"]) == (None, [])
    assert packet["user_input"]["raw_text"] == "继续"


def test_a_packet_says_that_the_private_thread_stayed_out():
    assert "private_thread" in {row["code"] for row in compiled_of(privately(Destination.PROJECT)).warnings}


def test_a_private_thread_is_whole_in_a_private_window():
    material = privately(Destination.PRIVATE)
    assert for_readers(material) is material
