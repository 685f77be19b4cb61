"""Random walks of a memory through plain SQL, step by step beside a model of what the design allows."""

import os
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.scope import project_scope
from memories.lifecycle import FORWARD, GATES_BEFORE, MEMORY_TRANSITIONS
from memories.models import GateVerdict, Memory
from memories.vocabulary import Gate, MemoryStatus
from tests.cast import Cast, make_cast

VERDICT = st.tuples(st.just("verdict"), st.sampled_from(Gate), st.booleans())
MOVE = st.tuples(st.just("move"), st.sampled_from(MemoryStatus), st.none())
# Long walks end soon in a state that has no way out, so that most steps are verdicts.
SEQUENCES = int(os.environ.get("GREYWIND_PROPERTY_CASES", "1000")) // 16
STEPS = st.lists(st.one_of(VERDICT, VERDICT, MOVE), max_size=50)


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast("alpha")


class Model:
    """What the design says of one memory: its state, and what the gates have said."""

    def __init__(self) -> None:
        self.state = MemoryStatus.CANDIDATE
        self.said: set[tuple[Gate, bool]] = set()

    def takes(self, kind: str, what: Any, passed: bool | None) -> bool:
        """Say whether the step is allowed, and take it."""
        if kind == "move":
            return self._moves(what)
        refused_before = bool(passed) and (what, False) in self.said
        allowed = (what, bool(passed)) not in self.said and not refused_before
        if allowed:
            self.said.add((what, bool(passed)))
        return allowed

    def _moves(self, there: MemoryStatus) -> bool:
        here = self.state
        if here in FORWARD and there in FORWARD and FORWARD.index(there) > FORWARD.index(here):
            between = FORWARD[FORWARD.index(here) + 1 : FORWARD.index(there) + 1]
            gates = [gate for state in between for gate in GATES_BEFORE.get(state, ())]
            allowed = all((Gate(gate), True) in self.said for gate in gates)
        else:
            allowed = here is there or there in MEMORY_TRANSITIONS[here]
        self.state = there if allowed else here
        return allowed


def stored(cast: Cast) -> Memory:
    now = timezone.now()
    made = {"project_id": cast.project.pk, "proposed_by_id": cast.dev.actor.pk, "created_at": now, "updated_at": now}
    kinds = {"type": "semantic", "origin": "agent_inferred", "source_rank": "trusted_agent"}
    return Memory.objects.create(content="x", content_hash="x", reason_code="why", **kinds, **made)


def accepts(memory: Memory, kind: str, what: Any, passed: bool | None) -> bool:
    """Try the step in the database; one that is refused leaves nothing behind."""
    try:
        with transaction.atomic():
            if kind == "move":
                with connection.cursor() as cursor:
                    cursor.execute("UPDATE memories_memory SET status = %s WHERE id = %s", [what, memory.pk])
                    return cursor.rowcount == 1
            row = {"memory": memory, "gate": what, "passed": passed, "reason_code": "why"}
            GateVerdict.objects.create(project_id=memory.project_id, **row)
            return True
    except DatabaseError:
        return False


@settings(max_examples=SEQUENCES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_database_walks_as_the_model_does(cast: Cast, steps: list[tuple[str, Any, bool | None]]) -> None:
    with project_scope(cast.dev.acting):
        memory, model = stored(cast), Model()
        for step in steps:
            assert accepts(memory, *step) == model.takes(*step), (model.state, step)
        memory.refresh_from_db()
        assert memory.status == model.state
