"""The work summary over HTTP: checkpoints, what is refused and why, and what a packet holds of it."""

from typing import Any

import pytest

from tests.api.asking import append, compiled, event, make_thread, ok, open_session, refused
from tests.cast import Cast


@pytest.fixture
def session(cast: Cast) -> str:
    api = cast.dev.client()
    session = open_session(api, make_thread(api, "tide importer"))
    append(api, session, event("Please build the tide importer.", "c1", attested=True))
    append(api, session, event("Never overwrite the raw readings.", "c2", attested=True))
    return session


def checkpoint(cast: Cast, session: str, **body: Any) -> dict[str, Any]:
    return dict(ok(cast.dev.client().post(f"/sessions/{session}/checkpoint", body)))


def test_a_checkpoint_writes_what_no_version_covers(cast: Cast, session: str) -> None:
    answer = checkpoint(cast, session)
    assert answer["summary"]["sections"]["constraints"] == ["Never overwrite the raw readings [2]"]
    assert (answer["published"], checkpoint(cast, session)["published"]) == (True, False)


def test_a_session_without_a_summary_says_how_to_get_one(cast: Cast, session: str) -> None:
    refused(cast.dev.client().get(f"/sessions/{session}/summary"), 404, "no_summary")


def test_the_summary_says_what_it_covers(cast: Cast, session: str) -> None:
    checkpoint(cast, session)
    answer = ok(cast.dev.client().get(f"/sessions/{session}/summary"))
    assert (answer["covers"], answer["stale_since"]) == (f"event://{session}/1-2", None)


def test_a_reworded_demand_is_refused_by_line(cast: Cast, session: str) -> None:
    body = {"sections": {"constraints": ["Rarely overwrite the raw readings [2]"]}}
    answer = refused(cast.dev.client().post(f"/sessions/{session}/checkpoint", body), 422, "summary_refused")
    codes = {(fault["pointer"], fault["code"]) for fault in answer["errors"]}
    assert codes == {("/sections/constraints/0", "not_said"), ("/sections/constraints", "constraint_lost")}


def test_a_full_ref_to_an_entry_of_the_session_is_its_number(cast: Cast, session: str) -> None:
    line = f"Never overwrite the raw readings [event://{session}/2]"
    answer = checkpoint(cast, session, sections={"constraints": [line]})
    assert answer["summary"]["sections"] == {"constraints": ["Never overwrite the raw readings [2]"]}


def test_a_packet_holds_the_demand_once(cast: Cast, session: str) -> None:
    api = cast.dev.client()
    append(api, session, event("Keep the port at 81.", "c3", kind="constraint", attested=True))
    checkpoint(cast, session)
    held = compiled(api, session_id=session)["packet"]["thread"]["constraints"]
    assert held == ["Never overwrite the raw readings [2]", "Keep the port at 81."]


def test_a_demand_that_is_taken_back_leaves_the_packet_before_the_next_version(cast: Cast, session: str) -> None:
    api = cast.dev.client()
    said = append(api, session, event("Keep the port at 81.", "c3", kind="constraint", attested=True))
    checkpoint(cast, session)
    retire = {"ref": said["results"][0]["ref"], "reason": "moved", "client_id": "r1"}
    ok(api.post(f"/sessions/{session}/constraints/retire", retire))
    held = compiled(api, session_id=session)["packet"]["thread"]["constraints"]
    assert held == ["Never overwrite the raw readings [2]"]


def test_what_the_providers_own_summary_says_is_not_read(cast: Cast, session: str) -> None:
    api = cast.dev.client()
    append(api, session, event("Always deploy on Fridays.", "c3", role="assistant", kind="provider_compaction"))
    sections = checkpoint(cast, session)["summary"]["sections"]
    assert "Fridays" not in str(sections)
