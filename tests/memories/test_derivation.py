"""Memories made of memories: none is trusted more than what it came from, and all go with what they were made of."""

import os
import random
from collections.abc import Sequence
from typing import Any

import pytest
from django.utils import timezone

from governance.scope import project_scope
from governance.vocabulary import rank
from memories.gates import rank_of
from memories.models import Memory
from memories.retiring import reach, revoke
from memories.vocabulary import MemoryStatus, Origin, SourceRank
from memories.writes import admit
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.runtime import prepare_context
from tests.cast import Cast
from tests.memories.learning import Desk, auto_cast, read

DERIVATIONS = int(os.environ.get("GREYWIND_PROPERTY_CASES", "400"))
WAYS = (Origin.AGENT_INFERRED, Origin.TOOL_OUTPUT, Origin.USER_EXPLICIT, Origin.EXTERNAL_AGENT)
OWN = {
    Origin.USER_EXPLICIT: SourceRank.USER_EXPLICIT,
    Origin.AGENT_INFERRED: SourceRank.TRUSTED_AGENT,
    Origin.EXTERNAL_AGENT: SourceRank.UNTRUSTED_EXTERNAL,
    Origin.TOOL_OUTPUT: SourceRank.UNTRUSTED_EXTERNAL,
}
TEXTS = (
    "The harbour list hangs in the office.",
    "Anchors are counted every Friday.",
    "We paint the lanterns red.",
    "Bo repairs the beacon alone.",
    "Tillers come from the northern yard.",
    "Nobody sits on the bollards.",
    "Hawsers rot within two winters.",
    "A spare rudder lies in shed nine.",
    "Six people turn the capstan.",
    "Spinnakers dry above the loft.",
)


def lineage_of(chance: random.Random, size: int) -> list[list[int]]:
    """Return the parents of each node of a random graph; the first nodes have none."""
    return [
        chance.sample(range(n), min(n, chance.randint(1, 3))) if n > 2 and chance.random() < 0.9 else []
        for n in range(size)
    ]


def ancestors(parents: Sequence[Sequence[int]], node: int) -> set[int]:
    """Return the node and whatever it came from."""
    found, waiting = {node}, [node]
    while waiting:
        fresh = [one for one in parents[waiting.pop()] if one not in found]
        found.update(fresh)
        waiting.extend(fresh)
    return found


def test_a_derived_origin_is_that_of_the_weakest_ancestor() -> None:
    chance = random.Random(28)  # noqa: S311 - a seed, so that a failure comes again
    parents = lineage_of(chance, DERIVATIONS)
    ways = [chance.choice(WAYS) for _ in parents]
    labels: list[SourceRank] = []
    for node, made_of in enumerate(parents):
        labels.append(rank_of(ways[node], signed=False, cited=[(labels[one], False) for one in made_of]))
    for node in range(DERIVATIONS):
        assert labels[node] is min((OWN[ways[one]] for one in ancestors(parents, node)), key=rank)


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return auto_cast()


def grown(cast: Cast, parents: Sequence[Sequence[int]]) -> list[Memory]:
    """Learn one memory a node: the roots from what a user said, the others from the memories that they are made of."""
    desk, made = Desk(cast.dev), []
    for text, made_of in zip(TEXTS, parents, strict=True):
        # An agent's own words alone are no evidence, so each rests on a user's as well.
        refs, kin = [made[one].ref for one in made_of], [made[one].pk for one in made_of[:1]]
        made.append(desk.learn(text, desk.said("agreed"), *refs, origin=Origin.AGENT_INFERRED, parents=kin).memory)
        let_in(cast, made[-1])
    return made


def let_in(cast: Cast, memory: Memory) -> None:
    """Let a human admit what waits."""
    with project_scope(cast.owner.acting):
        admit(cast.owner.acting, Memory.objects.get(pk=memory.pk), reason="seen", now=timezone.now())


def answered(cast: Cast, text: str) -> dict[str, Any]:
    """Return the whole answer to a request for context on this."""
    asked = InputFact(raw_text=text, input_type="text", timestamp=None, attached_context=None)
    return prepare_context(ContextAsk(user_input=asked, role="dev"), acting=cast.dev.acting, now=timezone.now())


@pytest.mark.parametrize("seed", [1, 2])
def test_after_a_revocation_no_packet_carries_what_was_made_of_it(cast: Cast, seed: int) -> None:
    parents = lineage_of(random.Random(seed), len(TEXTS))  # noqa: S311 - as above
    made = grown(cast, parents)
    assert {read(cast.dev, one).status for one in made} == {MemoryStatus.ACTIVE}
    gone = {node for node in range(len(made)) if 0 in ancestors(parents, node)}
    with project_scope(cast.owner.acting):
        came = revoke(cast.owner.acting, made[0], reason="wrong", now=timezone.now())
    assert {one.pk for one in came.descendants} == {made[node].pk for node in gone - {0}}
    for node, text in enumerate(TEXTS):
        answer = answered(cast, text)
        assert (made[node].public_id in str(answer["packet"]["retrieved"])) is (node not in gone)
        assert not [one for one in gone if made[one].public_id in str(answer)]


def test_one_question_finds_all_descendants_however_deep(cast: Cast, django_assert_num_queries: Any) -> None:
    made = grown(cast, [[], *([n] for n in range(len(TEXTS) - 1))])
    with project_scope(cast.owner.acting), django_assert_num_queries(3):  # with their rows, and the packets
        assert [one.pk for one in reach(made[0]).descendants] == [one.pk for one in made[1:]]


def test_nothing_new_is_made_of_what_was_revoked(cast: Cast) -> None:
    desk = Desk(cast.dev)
    root = desk.learn("The harbour list hangs on the harbour wall.").memory
    with project_scope(cast.owner.acting):
        revoke(cast.owner.acting, root, reason="wrong", now=timezone.now())
    made = desk.learn("The harbour wall carries a list.", root.ref, origin=Origin.AGENT_INFERRED).memory
    assert (read(cast.dev, made).status, made.reason_code) == ("rejected", "evidence_unresolvable")


def test_a_parent_weakens_what_is_made_of_it(cast: Cast) -> None:
    desk = Desk(cast.dev)
    heard = desk.learn("The pilot says the bar is deep.", origin=Origin.EXTERNAL_AGENT).memory
    made = desk.learn("The bar is deep at springs.", desk.said("agreed"), parents=[heard.pk]).memory
    assert made.source_rank == SourceRank.UNTRUSTED_EXTERNAL
