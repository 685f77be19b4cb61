"""A packet compiled once more: the same bytes, or every part that is gone by its name and why."""

from typing import Any

import pytest
from django.db import connection

from governance.scope import project_scope
from greywind_site.erasing.person import erase_memory
from memories.known import conflict_of
from memories.lifecycle import advance
from memories.models import Memory
from memories.vocabulary import MemoryKind, MemoryStatus, MemoryType, WriteAction
from memories.writes import ClaimWish, MemoryWish, propose
from sessions.cooling import cool
from sessions.models import ColdSegment, Session
from tests.api.asking import append, compiled, event, make_thread, ok, open_session, refused
from tests.api.test_context_again import LESSON, QUESTION, learnt
from tests.cast import Cast, at, make_cast
from tests.databases import owner_link

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
LIMITED = "The config parser keeps at most 10 comments."


@pytest.fixture
def cast() -> Cast:
    return make_cast("alpha")


def replayed(cast: Cast, packet: str) -> dict[str, Any]:
    return ok(cast.dev.client().get(f"/context/{packet}/replay"))


def correct(cast: Cast, memory: Memory, text: str) -> Memory:
    """Let the owner say something else in a memory's place."""
    wish = {"action": WriteAction.UPDATE, "target_id": memory.pk, "expected_version": 1, "change_reason": "test"}
    return learnt(cast, text, **wish)


def proposed(cast: Cast, text: str, **more: Any) -> Memory:
    """Let the owner propose something that nobody has let in."""
    with project_scope(cast.owner.acting):
        wish = MemoryWish(content=text, type=MemoryType.SEMANTIC, kind=MemoryKind.LESSON, **more)
        return propose(cast.owner.acting, wish, now=at(9))


def changed(statement: str) -> None:
    """Change rows as nobody else may."""
    with owner_link(str(connection.settings_dict["NAME"])) as link:
        link.execute("SET session_replication_role = replica")
        link.execute(statement)


def test_a_packet_is_replayed_to_its_own_bytes(cast: Cast) -> None:
    learnt(cast)
    packet = compiled(cast.dev, QUESTION)
    told = replayed(cast, packet["packet_id"])
    assert (told["verdict"], told["hash"], told["lost"]) == ("identical", packet["packet_hash"], [])


def test_on_top_of_a_compressed_transcript_every_byte_is_the_same(cast: Cast) -> None:
    dev, thread = cast.dev, make_thread(cast.dev)
    session = open_session(dev, thread)
    demand = event("keep the comments", kind="constraint", attested=True)
    append(dev, session, demand, event("the parser is slow", "e2"))
    packet = compiled(dev, QUESTION, session_id=session)
    ok(dev.client().post(f"/sessions/{session}/close", {}))
    later = open_session(dev, thread)

    def told() -> list[Any]:
        follows = compiled(dev, QUESTION, session_id=later, dry_run=True)
        return [ok(dev.client().get(f"/context/{packet['packet_id']}")), follows["packet_hash"], follows["prompt"]]

    before = told()
    with project_scope(dev.acting):
        cool(Session.objects.get(head_seq=2), now=at(9))
        assert ColdSegment.objects.get().entries == 1
    assert (before[0], told()) == (packet, before)
    assert replayed(cast, packet["packet_id"])["verdict"] == "identical"


def test_a_refusal_is_replayed_to_a_refusal(cast: Cast) -> None:
    body = {"user_input": {"raw_text": "do it " * 400}, "budget": {"max_input_tokens": 60}}
    packet = cast.dev.client().post("/context", body).json()["packet_id"]
    told = replayed(cast, packet)
    assert (told["refused"], told["verdict"]) == (True, "identical")


def test_a_memory_that_was_corrected_since_says_what_it_said(cast: Cast) -> None:
    memory = learnt(cast)
    packet = compiled(cast.dev, QUESTION)
    correct(cast, memory, "The config parser must keep comments and blank lines.")
    assert ok(cast.dev.client().get(f"/context/{packet['packet_id']}")) == packet


def test_a_memory_that_is_disputed_since_says_what_it_said(cast: Cast) -> None:
    learnt(cast, LIMITED, claims=[ClaimWish(subject="config parser", attribute="limit", value="10")])
    packet = compiled(cast.dev, QUESTION)
    claim = ClaimWish(subject="config parser", attribute="limit", value="20")
    other = proposed(cast, "The config parser keeps at most 20 comments.", claims=[claim])
    with project_scope(cast.owner.acting):
        assert conflict_of(other) is not None
    assert replayed(cast, packet["packet_id"])["verdict"] == "identical"


def test_a_revoked_memory_is_named(cast: Cast) -> None:
    memory = learnt(cast)
    packet = compiled(cast.dev, QUESTION)["packet_id"]
    with project_scope(cast.owner.acting):
        advance(memory, MemoryStatus.REVOKED, reason="test", now=at(10))
    told = replayed(cast, packet)
    assert (told["verdict"], told["lost"]) == (
        "parts_lost",
        [{"ref": f"memory://{memory.public_id}@1", "why": "revoked"}],
    )


def test_an_erased_memory_is_named(cast: Cast) -> None:
    memory = learnt(cast)
    packet = compiled(cast.dev, QUESTION)["packet_id"]
    erase_memory(memory, reason="test", now=at(10))
    told = replayed(cast, packet)
    assert told["verdict"] == "parts_lost"
    assert {"ref": f"memory://{memory.public_id}@1", "why": "erased"} in told["lost"]
    assert LESSON not in str(told)


def test_what_is_gone_is_named_where_the_packet_is_asked_for(cast: Cast) -> None:
    memory = learnt(cast)
    packet = compiled(cast.dev, QUESTION)["packet_id"]
    with project_scope(cast.owner.acting):
        advance(memory, MemoryStatus.REVOKED, reason="test", now=at(10))
    problem = refused(cast.dev.client().get(f"/context/{packet}"), 410, "content_no_longer_permitted")
    assert [one["why"] for one in problem["lost"]] == ["revoked"]


def test_an_erased_entry_is_named(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    cast.dev.client().post(
        f"/sessions/{session}/events", {"events": [{"client_id": "e", "role": "user", "text": "hm"}]}
    )
    packet = compiled(cast.dev, session_id=session)["packet_id"]
    changed("""UPDATE agent_sessions_event SET text = '', meta = '{"erased": true}'""")
    assert replayed(cast, packet)["lost"] == [{"ref": f"event://{session}/1", "why": "erased"}]


def test_a_profile_that_moved_on_is_named(cast: Cast) -> None:
    packet = compiled(cast.dev)["packet_id"]
    changed("UPDATE agent_sessions_contextpacket SET receipt = jsonb_set(receipt, '{profile,1}', '99')")
    told = replayed(cast, packet)
    assert (told["verdict"], [one["why"] for one in told["lost"]]) == ("parts_lost", ["moved"])


def test_other_bytes_of_the_same_parts_are_told_apart(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    packet = compiled(cast.dev)["packet_id"]
    monkeypatch.setattr("sessions.replay.hash_of", lambda *_: "sha256:other")
    told = replayed(cast, packet)
    assert (told["verdict"], told["hash"], told["lost"]) == ("different", "sha256:other", [])


def test_a_packet_of_others_is_not_replayed(cast: Cast) -> None:
    packet = compiled(cast.dev, thread_id=make_thread(cast.dev, private=True))["packet_id"]
    refused(cast.tester.client().get(f"/context/{packet}/replay"), 404, "not_found")
