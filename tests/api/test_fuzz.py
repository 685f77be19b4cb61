"""Any JSON, anywhere in a whole request: never a failure of ours, and nothing stored that cannot be read back."""

import copy
import json
import os
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.asking import ask
from tests.api.conftest import Standing
from tests.api.world import CALLS, Endpoint, filled

# Six a call in the suite; GREYWIND_PROPERTY_CASES=20000 asks for more.
EXAMPLES = int(os.environ.get("GREYWIND_PROPERTY_CASES", "1000")) // 160
FEW = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TRICKY = [
    "",
    "\x00",
    "\ud800",
    "<|endoftext|>",
    "\u202e",
    "9" * 400,
    "null",
    "§ forged",
    "{thread}",
    "{session}",
    "{task}",
    "\\u0000",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "1970-01-01",
    "event://{session}/1",
]
NUMBERS = [0, -1, 2**31, 2**63, 10**30, 1e308, -1e308, 5e-324, float("nan"), float("inf")]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(NUMBERS)
    | st.text(max_size=40)
    | st.sampled_from(TRICKY)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
READS = (
    "get_context",
    "get_thread",
    "get_vision",
    "get_task",
    "get_session",
    "list_events",
    "list_constraints",
    "list_threads",
    "get_memory",
)
WRITES = [name for name, call in CALLS.items() if call.body]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every place in a JSON value, the whole first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, deeper in inner for found in places(deeper, (*path, key)))]


@st.composite
def spoilt(draw: st.DrawFn, call: Endpoint) -> Any:
    """Draw a whole request with one to three of its places replaced, taken out or added to."""
    assert call.body is not None
    body = copy.deepcopy(call.body())
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from([place for place in places(body) if place] or [("new",)]))
        parent = body
        for key in path:
            parent = parent[key]
        change = draw(st.sampled_from(["replace", "replace", "remove"]))
        if change == "remove":
            _ = parent.pop(last) if isinstance(parent, list) else parent.pop(last, None)
        else:
            parent[last] = draw(VALUES)
    return body


@pytest.mark.parametrize("name", WRITES)
@FEW
@given(data=st.data())
def test_nothing_in_a_body_is_a_failure_of_ours(name: str, data: st.DataObject, standing: Standing) -> None:
    call, world = CALLS[name], standing.world
    body = filled(data.draw(spoilt(call)), world)
    answer = standing.api.call(call.method, filled(call.path, world), json.dumps(body), **call.headers)
    assert answer.status_code < 500, answer.content
    for read in READS if answer.status_code < 400 else ():
        seen = standing.api.get(filled(CALLS[read].path, world))
        assert seen.status_code < 500, (read, seen.content)


def test_whatever_was_stored_compiles(standing: Standing) -> None:
    answer = standing.api.post("/context", ask("go on", thread_id=standing.world["thread"]))
    assert answer.status_code < 500, answer.content


QUERIED = ["list_threads", "list_events", "read_artifact", "read_evidence", "search_memories", "explain_context"]
PARAMETERS = st.sampled_from(["cursor", "limit", "offset", "unit", "ref", "q", "state"])
WORDS = st.text(max_size=30) | st.integers().map(str) | st.sampled_from(TRICKY[3:])


@pytest.mark.parametrize("name", QUERIED)
@FEW
@given(query=st.dictionaries(PARAMETERS, WORDS, max_size=4))
def test_nothing_in_a_query_is_a_failure_of_ours(name: str, query: dict[str, str], standing: Standing) -> None:
    path = filled(CALLS[name].path.partition("?")[0], standing.world)
    answer = standing.api.get(f"{path}?{urlencode(filled(query, standing.world))}")
    assert answer.status_code < 500, answer.content
