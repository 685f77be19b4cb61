"""Packets seen again: the same hash, the same bytes, why, what became of them, and who may see what."""

from typing import Any

import pytest

from governance.scope import project_scope
from memories.lifecycle import advance
from memories.models import Injection, Memory, Passage
from memories.passages import searched_by
from memories.vocabulary import MemoryKind, MemoryStatus, MemoryType
from memories.writes import MemoryWish, admit, propose
from sessions.context.vocabulary import Dialect
from sessions.models import ContextPacket, PacketOutcome
from tests.api.asking import append, ask, compiled, event, grown, layer, make_thread, ok, open_session, refused
from tests.api.asking import row_counts as rows_now
from tests.cast import Cast, Member, at

LESSON = "The config parser must keep comments: users lost theirs in March."
QUESTION = "how does the config parser treat comments"


def learnt(cast: Cast, content: str = LESSON, *, by: Member | None = None, **more: Any) -> Memory:
    """Return an active memory, admitted by the owner."""
    proposer = by or cast.owner
    with project_scope(proposer.acting):
        wish = MemoryWish(content=content, type=MemoryType.SEMANTIC, kind=MemoryKind.LESSON, **more)
        memory = propose(proposer.acting, wish, now=at(9))
    with project_scope(cast.owner.acting):
        if not more.get("private"):
            admit(cast.owner.acting, memory, reason="test", now=at(9))
    return memory


def private_of(cast: Cast, member: Member, content: str = LESSON) -> None:
    """Put a private passage of a member where search would find it."""
    memory = learnt(cast, content, by=member, private=True)
    with project_scope(member.acting):
        Passage.objects.create(
            project=cast.project,
            source_type="lesson",
            ref=f"memory://{memory.public_id}@1",
            memory=memory,
            text=content,
            **searched_by(f"{content} {QUESTION}", speaker="", project_id=cast.project.pk),
            audience="private",
            owner_id=member.actor.pk,
        )


def test_the_same_state_gives_the_same_hash_twice(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    first, second = (compiled(cast.dev, session_id=session) for _ in range(2))
    assert first["packet_hash"] == second["packet_hash"]
    assert first["packet_id"] != second["packet_id"]


def test_another_word_gives_another_hash(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    first, second = (compiled(cast.dev, text, session_id=session) for text in ("one parser", "two parsers"))
    assert first["packet_hash"] != second["packet_hash"]


@pytest.mark.parametrize("dialect", [dialect.value for dialect in Dialect])
def test_a_packet_is_shown_again_byte_for_byte(cast: Cast, dialect: str) -> None:
    learnt(cast)
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, event("Keep comments. 保留注释。", attested=True))
    first = compiled(cast.dev, QUESTION, session_id=session, format=dialect)
    again = ok(cast.dev.client().get(f"/context/{first['packet_id']}"))
    assert again == first


def test_a_packet_is_shown_again_as_it_was_after_later_writes(cast: Cast) -> None:
    api = cast.dev.client()
    thread = make_thread(api)
    session = open_session(api, thread)
    append(api, session, event("Keep comments.", attested=True))
    first = compiled(api, QUESTION, session_id=session)
    append(api, session, event("later", "e2"), event("Never.", "e3", kind="constraint", attested=True))
    ok(api.call("PATCH", f"/threads/{thread}", {"title": "renamed"}, If_Match="*"))
    ok(api.call("PUT", f"/threads/{thread}/vision", {"origin_goal": "another"}, If_Match="*"))
    assert ok(api.get(f"/context/{first['packet_id']}")) == first


def test_a_packet_names_no_thread_that_its_reader_does_not_see(cast: Cast) -> None:
    make_thread(cast.personal, "diary of the parser garden", private=True)
    make_thread(cast.personal, "config parser comments")
    packet = compiled(cast.personal, QUESTION)
    again = ok(cast.dev.client().get(f"/context/{packet['packet_id']}"))
    titles = [[one["title"] for one in body["resolution"]["candidates"]] for body in (packet, again)]
    assert titles == [["config parser comments", "diary of the parser garden"], ["config parser comments"]]


def test_showing_a_packet_is_in_the_ledger(cast: Cast) -> None:
    packet = compiled(cast.dev)["packet_id"]
    before = rows_now()
    ok(cast.dev.client().get(f"/context/{packet}"))
    assert grown(before) == {"governance_auditevent": 1}


def test_a_memory_in_a_packet_is_injected(cast: Cast) -> None:
    memory = learnt(cast)
    body = compiled(cast.dev, QUESTION)
    assert [row["content"] for row in body["packet"]["retrieved"]] == [LESSON]
    with project_scope(cast.dev.acting):
        assert list(Injection.objects.values_list("memory_id", flat=True)) == [memory.pk]


def test_a_packet_whose_memory_was_revoked_is_gone(cast: Cast) -> None:
    memory = learnt(cast)
    packet = compiled(cast.dev, QUESTION)["packet_id"]
    with project_scope(cast.owner.acting):
        advance(memory, MemoryStatus.REVOKED, reason="test", now=at(10))
    refused(cast.dev.client().get(f"/context/{packet}"), 410, "content_no_longer_permitted")


def test_a_revoked_memory_is_in_no_later_packet(cast: Cast) -> None:
    memory = learnt(cast)
    with project_scope(cast.owner.acting):
        advance(memory, MemoryStatus.REVOKED, reason="test", now=at(10))
    assert compiled(cast.dev, QUESTION)["packet"]["retrieved"] == []


def test_explain_says_that_it_was_in(cast: Cast) -> None:
    memory = learnt(cast)
    packet, ref = compiled(cast.dev, QUESTION)["packet_id"], f"memory://{memory.public_id}@1"
    told = ok(cast.dev.client().get(f"/context/{packet}/explain?ref={ref}"))
    assert (told["verdict"], told["layer"]) == ("in", "memories")


def test_explain_says_why_it_was_cut(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, *[event(f"turn {n} of the parser " * 20, f"e{n}") for n in range(60)])
    body = compiled(cast.dev, session_id=session, budget={"max_input_tokens": 2000})
    ref = layer(body, "dialogue")["dropped"][0]["ref"]
    told = ok(cast.dev.client().get(f"/context/{body['packet_id']}/explain?ref={ref}"))
    assert (told["verdict"], told["items"][0]["ref"]) == ("cut", ref)
    assert told["items"][0]["reason"]


def test_explain_says_that_it_was_never_considered(cast: Cast) -> None:
    packet = compiled(cast.dev)["packet_id"]
    told = ok(cast.dev.client().get(f"/context/{packet}/explain?ref=memory://mem_{'1' * 32}"))
    assert told["verdict"] == "never_considered"


def test_an_outcome_is_stored(cast: Cast) -> None:
    packet = compiled(cast.dev)["packet_id"]
    report = {"result": "done", "verification": "passed", "usage": {"input_tokens": 310}, "cited_refs": ["event://x/1"]}
    ok(cast.dev.client().post(f"/context/{packet}/outcome", report))
    with project_scope(cast.dev.acting):
        row = PacketOutcome.objects.get()
    assert (row.result, row.verification, row.usage) == ("done", "passed", {"input_tokens": 310})


@pytest.mark.parametrize("usage", [{"x" * 101: 1}, {f"figure_{n}": n for n in range(41)}])
def test_figures_of_usage_are_few_and_named_shortly(cast: Cast, usage: dict[str, int]) -> None:
    packet = compiled(cast.dev)["packet_id"]
    answer = cast.dev.client().post(f"/context/{packet}/outcome", {"result": "done", "usage": usage})
    [fault] = answer.json()["errors"]
    assert (answer.status_code, fault["pointer"]) == (422, "/usage")
    assert "at most 40 figures, named in 100 characters" in fault["message"]


def test_an_outcome_with_a_key_is_stored_once(cast: Cast) -> None:
    packet = compiled(cast.dev)["packet_id"]
    for _ in range(2):
        ok(cast.dev.client().post(f"/context/{packet}/outcome", {"result": "done"}, Idempotency_Key="o1"))
    with project_scope(cast.dev.acting):
        assert PacketOutcome.objects.count() == 1


def test_a_repeated_key_gives_the_same_packet(cast: Cast) -> None:
    api = cast.dev.client()
    first, second = (api.post("/context", ask(), Idempotency_Key="k1") for _ in range(2))
    assert second.content == first.content
    assert second.headers["Idempotent-Replayed"] == "true"
    with project_scope(cast.dev.acting):
        assert ContextPacket.objects.count() == 1


def test_a_repeated_key_with_another_body_is_refused(cast: Cast) -> None:
    ok(cast.dev.client().post("/context", ask(), Idempotency_Key="k1"))
    answer = cast.dev.client().post("/context", ask("something else"), Idempotency_Key="k1")
    refused(answer, 422, "idempotency_key_reused")


def test_a_refusal_is_not_remembered_under_its_key(cast: Cast) -> None:
    small = ask(budget={"max_input_tokens": 40})
    for _ in range(2):
        answer = cast.dev.client().post("/context", small, Idempotency_Key="k1")
        refused(answer, 422, "required_content_exceeds_budget")
    ok(cast.dev.client().post("/context", ask(), Idempotency_Key="k1"))


def test_a_private_memory_enters_no_shared_packet(cast: Cast) -> None:
    private_of(cast, cast.dev)
    body = compiled(cast.dev, QUESTION)
    assert LESSON not in str(body)


def test_a_private_memory_is_not_even_counted_in_a_shared_packet(cast: Cast) -> None:
    before = compiled(cast.dev, QUESTION, dry_run=True)["retrieval"]
    private_of(cast, cast.dev)
    body = compiled(cast.dev, QUESTION, dry_run=True)
    assert body["retrieval"] == before
    assert layer(body, "memories")["dropped"] == []


def test_a_private_memory_enters_its_owners_private_thread(cast: Cast) -> None:
    private_of(cast, cast.dev)
    body = compiled(cast.dev, QUESTION, thread_id=make_thread(cast.dev, private=True))
    assert [row["content"] for row in body["packet"]["retrieved"]] == [LESSON]


def test_speaking_for_somebody_leaves_the_private_out(cast: Cast) -> None:
    private_of(cast, cast.dev)
    thread = make_thread(cast.dev, private=True)
    body = compiled(cast.dev, QUESTION, thread_id=thread, on_behalf_of=cast.owner.actor.public_id)
    assert body["packet"]["retrieved"] == []


def test_one_speaks_for_humans_of_the_project_only(cast: Cast, others: Cast) -> None:
    for nobody in (others.owner, cast.tester):
        answer = cast.dev.client().post("/context", ask(on_behalf_of=nobody.actor.public_id))
        assert refused(answer, 422, "unknown_human")["errors"][0]["pointer"] == "/on_behalf_of"


def test_a_channel_that_others_read_brings_no_private_memory(cast: Cast) -> None:
    private_of(cast, cast.dev)
    make_thread(cast.dev, private=True, bindings=[{"channel": "group", "audience": "external"}])
    body = compiled(cast.dev, QUESTION, binding={"channel": "group"})
    assert body["packet"]["retrieved"] == []


def test_a_packet_of_a_private_thread_is_not_there_for_others(cast: Cast) -> None:
    packet = compiled(cast.dev, thread_id=make_thread(cast.dev, private=True))["packet_id"]
    refused(cast.tester.client().get(f"/context/{packet}"), 404, "not_found")
