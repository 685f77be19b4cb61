"""Which of several refs open: the same answer as opening each, in one look for each scheme."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from governance import refs
from governance.scope import project_scope
from tests.cast import Cast, make_cast
from tests.factories import World, seed


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def named(world: World) -> list[str]:
    """Refs of every form around a world, readable and not."""
    session, artifact = world.session.public_id, world.artifact.public_id
    event = [f"event://{session}/{place}" for place in ("1", "1-3", "1-4", "9", "3-1", "0", "1-", "x")]
    whole = [f"artifact://{artifact}{part}" for part in ("", "#l=0,10", "#l=0,9999", "#t=5,4000", "#t=0,0", "#x=1,1")]
    memory = [f"memory://{world.memory.public_id}{version}" for version in ("", "@1", "@2", "@x")]
    return [*event, *whole, *memory, f"handoff://{world.handoff.public_id}", f"summary://{world.summary.public_id}@1"]


def test_the_answer_is_that_of_opening_each(cast: Cast) -> None:
    ours = named(seed(cast, canary="xqours"))
    secret = named(seed(cast, canary="xqsecret", maker=cast.personal, private=True))
    asked = [*ours, *secret, "https://example.com", "nonsense", ""]
    with project_scope(cast.dev.acting):
        one_by_one = {ref for ref in asked if refs.resolves(ref, cast.dev.acting)}
        assert refs.which_resolve(asked, cast.dev.acting) == one_by_one
    assert 0 < len(one_by_one) < len(ours)


def test_many_refs_of_a_scheme_take_one_statement(cast: Cast) -> None:
    session = seed(cast, canary="xqours").session.public_id
    asked = [f"event://{session}/{seq}" for seq in range(1, 21)]
    with project_scope(cast.dev.acting), CaptureQueriesContext(connection) as captured:
        refs.which_resolve(asked, cast.dev.acting)
    assert len(captured) == 1
