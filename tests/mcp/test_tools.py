"""Every tool, over stdio and over HTTP, as an agent meets it."""

from typing import Any

import pytest

from governance.ids import new_id, parse_id, public_id
from governance.keys import mint
from governance.scope import project_scope
from governance.vocabulary import KeyScope
from memories.models import Memory
from memories.vocabulary import MemoryStatus, MemoryType
from memories.writes import MemoryWish, admit, propose
from tests.cast import at
from tests.factories import LARGE
from tests.mcp.carriers import HTTP, STDIO, Agent, Site, agent, dev, outsider, site
from tests.stage import stage

__all__ = ["dev", "outsider", "site", "stage"]  # the fixtures of this module
pytestmark = pytest.mark.slow
# What each tool tells a harness of itself: whether it only reads, and whether it may be repeated.
HINTS = {
    "context_compile": (False, False),
    "context_explain": (True, True),
    "session_append": (False, True),
    "memory_propose": (False, True),
    "memory_search": (True, True),
    "evidence_read": (True, True),
    "review_status": (True, True),
}
SAID = [{"role": "user", "text": "继续 the lexer"}, {"role": "assistant", "text": "好的，done"}]


def test_the_tools_are_these_and_say_what_they_do_to_the_world(dev: Agent) -> None:
    shown = {tool.name: (tool.annotations.read_only_hint, tool.annotations.idempotent_hint) for tool in dev.tools()}
    assert shown == HINTS


def test_no_tool_destroys_or_reaches_into_the_open_world(dev: Agent) -> None:
    hints = [tool.annotations for tool in dev.tools()]
    assert {(hint.destructive_hint, hint.open_world_hint) for hint in hints} == {(False, False)}


def test_every_tool_is_described_in_both_languages_with_closed_arguments_and_a_shape(dev: Agent) -> None:
    for tool in dev.tools():
        assert {"en": "Call it" in tool.description, "zh": any("一" <= c <= "鿿" for c in tool.description)} == {
            "en": True,
            "zh": True,
        }
        assert (tool.input_schema["additionalProperties"], tool.output_schema["type"]) == (False, "object")


@pytest.mark.parametrize("words", ["潮汐表什么时候开始？", "when do the tide tables begin?"])
def test_a_context_comes_in_either_language(dev: Agent, site: Site, words: str) -> None:
    thread = site.stage.ours.thread.public_id
    told = dev.use("context_compile", user_input=words, thread_id=thread)
    assert words in told["text"]
    assert (told["thread_id"], told["session"]["id"][:4]) == (thread, "ses_")


def test_a_context_holds_to_its_bound(dev: Agent, site: Site) -> None:
    asked = {"user_input": "继续", "thread_id": site.stage.ours.thread.public_id}
    told = dev.use("context_compile", **asked, max_input_tokens=900)
    assert told["tokens_used"] <= told["input_cap"] == 900


def test_what_does_not_fit_is_refused_with_what_is_missing(dev: Agent, site: Site) -> None:
    asked = {"user_input": "no " * 2000, "thread_id": site.stage.ours.thread.public_id}
    told = dev.refused("context_compile", **asked, max_input_tokens=600)
    assert told["code"] == "required_content_exceeds_budget"
    assert told["more"]["shortfall"][0]["needed"] > told["more"]["shortfall"][0]["available"]


def test_a_packet_explains_an_item(dev: Agent, site: Site) -> None:
    told = dev.use("context_compile", user_input="go on", thread_id=site.stage.ours.thread.public_id)
    why = dev.use("context_explain", packet_id=told["packet_id"], ref=site.stage.ours.constraint_ref)
    assert (why["verdict"], why["layer"]) == ("in", "constraints")


def test_the_same_call_repeated_stores_nothing_twice(dev: Agent, site: Site) -> None:
    thread = dev.use("context_compile", user_input="start the lexer of the compiler")["thread_id"]
    first = dev.use("session_append", thread_id=thread, entries=SAID)
    again = dev.use("session_append", session_id=first["session_id"], entries=SAID)
    assert [entry["ref"] for entry in again["stored"]] == [entry["ref"] for entry in first["stored"]]
    assert (again["head_seq"], {entry["replayed"] for entry in again["stored"]}) == (first["head_seq"], {True})


def test_what_was_appended_stands_in_the_next_context(dev: Agent) -> None:
    thread = dev.use("context_compile", user_input="draw the map of the harbour")["thread_id"]
    dev.use("session_append", thread_id=thread, entries=[{"role": "user", "text": "北面的灯塔 is red"}])
    assert "北面的灯塔 is red" in dev.use("context_compile", user_input="go on", thread_id=thread)["text"]


def test_a_place_to_append_to_is_needed_once(dev: Agent) -> None:
    told = dev.refused("session_append", entries=SAID)
    assert "session_id, or thread_id" in told["message"]


def cited(site: Site) -> list[dict[str, str]]:
    return [{"ref": site.stage.ours.constraint_ref}]


@pytest.mark.parametrize("words", ["码头的吊机限重三吨。", "The crane of the pier lifts three tons."])
def test_a_proposal_is_held_for_a_human(dev: Agent, site: Site, words: str) -> None:
    told = dev.use("memory_propose", content=words, type="semantic", evidence=cited(site))
    with project_scope(site.stage.alpha.dev.acting):
        stored = Memory.objects.get(pk=parse_id("mem", told["memory_id"], pointer=""))
    assert (stored.content, stored.status) == (words, MemoryStatus.POLICY_CHECKED)
    assert (told["held"], told["human"]["where"]) == (True, site.console)


def test_a_proposal_without_evidence_hears_what_is_missing(dev: Agent) -> None:
    told = dev.use("memory_propose", content="The pier has two cranes.", type="semantic")
    assert (told["outcome"], told["code"], told["human"]) == ("rejected", "evidence_missing", None)


def test_the_same_proposal_is_made_once(dev: Agent, site: Site) -> None:
    asked = {"content": "The buoy is yellow.", "type": "semantic", "evidence": cited(site)}
    assert dev.use("memory_propose", **asked) == dev.use("memory_propose", **asked)


def test_a_proposal_that_waits_says_for_whom_and_where(dev: Agent, site: Site) -> None:
    proposed = dev.use("memory_propose", content="The ferry leaves at noon.", type="semantic", evidence=cited(site))
    told = dev.use("review_status", memory_id=proposed["memory_id"])
    assert [row["waits_for"] for row in told["proposals"]] == ["human"]
    assert told["human"]["where"] == site.console


def test_what_is_held_is_among_those_that_wait(dev: Agent, site: Site) -> None:
    held = dev.use("memory_propose", content="The pilot boat is red.", type="semantic", evidence=cited(site))
    refused = dev.use("memory_propose", content="The pier has three cranes.", type="semantic")
    listed = dev.use("review_status", waiting=True, limit=20)["proposals"]
    ids = [row["memory_id"] for row in listed]
    assert (held["memory_id"] in ids, refused["memory_id"] in ids) == (True, False)
    assert {row["waits_for"] for row in listed} == {"human"}


def test_a_warning_of_a_compile_has_its_code_and_its_message(dev: Agent) -> None:
    told = dev.use("context_compile", user_input="hello there")["warnings"]
    assert "no_vision" in [warning["code"] for warning in told]
    assert all(set(warning) == {"code", "message"} and warning["message"][0].isupper() for warning in told)


def test_ones_own_proposals_are_listed_and_nobody_elses(dev: Agent, site: Site) -> None:
    wish = MemoryWish(content="Of the tester.", type=MemoryType.SEMANTIC)
    with project_scope(site.stage.alpha.tester.acting):
        foreign = propose(site.stage.alpha.tester.acting, wish, now=at(9)).public_id
    own = dev.use("memory_propose", content="Of the dev.", type="semantic")["memory_id"]
    listed = [row["memory_id"] for row in dev.use("review_status", limit=20)["proposals"]]
    assert (own in listed, foreign in listed) == (True, False)


def test_a_settled_proposal_waits_for_nobody(dev: Agent, site: Site) -> None:
    told = dev.use("review_status", memory_id=site.stage.ours.memory.public_id)
    assert ([row["waits_for"] for row in told["proposals"]], told["human"]) == (["nobody"], None)


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("review_status", {"decision": "approve"}),
        ("review_status", {"status": "approved"}),
        ("memory_propose", {"content": "x", "type": "semantic", "status": "active"}),
        ("memory_approve", {"memory_id": "mem_1"}),
        ("decide", {"批准": True}),
    ],
)
def test_a_decision_asked_for_hears_what_a_human_must_do_and_where(
    dev: Agent, site: Site, tool: str, asked: dict[str, Any]
) -> None:
    told = dev.refused(tool, **asked)
    assert "decides" in told["human"]["must"]
    assert told["human"]["where"] == site.console


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("灯塔的信号每六秒闪一次。", "灯塔 信号"),
        ("The lighthouse keeper sleeps at dawn.", "when does the keeper sleep?"),
    ],
)
def test_a_search_finds_in_either_language(dev: Agent, site: Site, content: str, query: str) -> None:
    owner = site.stage.alpha.owner.acting
    with project_scope(owner):
        admit(
            owner,
            propose(owner, MemoryWish(content=content, type=MemoryType.SEMANTIC), now=at(9)),
            reason="seen",
            now=at(9),
        )
    found = dev.use("memory_search", query=query)
    assert content in [hit["content"] for hit in found["results"]]


def test_a_search_about_nothing_known_abstains(dev: Agent) -> None:
    assert dev.use("memory_search", query="zeppelin moulting") == {"results": [], "abstained": True}


@pytest.mark.parametrize(
    ("narrowed", "found"),
    [({"source": "fact"}, True), ({"source": "event"}, False), ({"since": "2031-01-01T00:00:00+08:00"}, False)],
)
def test_a_search_is_narrowed(dev: Agent, site: Site, narrowed: dict[str, Any], found: bool) -> None:
    owner, content = site.stage.alpha.owner.acting, "The zinnia beds are watered at dusk."
    with project_scope(owner):
        wish = MemoryWish(content=content, type=MemoryType.SEMANTIC)
        admit(owner, propose(owner, wish, now=at(9)), reason="seen", now=at(9))
    told = dev.use("memory_search", query="when are the zinnia beds watered?", **narrowed)
    assert (content in [hit["content"] for hit in told["results"]]) == found


def test_a_filter_that_does_not_fit_another_is_refused_by_name(dev: Agent) -> None:
    moment = "2026-03-01T00:00:00Z"
    told = dev.refused("memory_search", query="tides", source="fact", as_of=moment)
    assert [fault["pointer"] for fault in told["fields"]] == ["?source"]


def test_a_long_hit_is_shortened_and_its_ref_reads_on(dev: Agent, site: Site) -> None:
    owner, content = site.stage.alpha.owner.acting, "quayside ledger 码头账本 " * 200
    with project_scope(owner):
        admit(
            owner,
            propose(owner, MemoryWish(content=content, type=MemoryType.SEMANTIC), now=at(9)),
            reason="seen",
            now=at(9),
        )
    hit = dev.use("memory_search", query="quayside ledger")["results"][0]
    assert (hit["shortened"], len(hit["content"]) <= 1501) == (True, True)
    assert dev.use("evidence_read", ref=hit["ref"], limit=4000)["text"].startswith(hit["content"][:-1])


def test_evidence_is_read_on_to_its_end(dev: Agent, site: Site) -> None:
    ref, pieces, offset = f"artifact://{site.stage.ours.artifact.public_id}", [], 0
    while offset is not None:
        piece = dev.use("evidence_read", ref=ref, offset=offset, limit=3000)
        pieces.append(piece["text"])
        offset = piece["next"]
    assert len(pieces) > 1
    assert "".join(pieces) == f"{site.stage.ours.canary}\n{LARGE}"


def test_words_are_found_in_evidence_and_read_around(dev: Agent, site: Site) -> None:
    ref = f"artifact://{site.stage.ours.artifact.public_id}"
    found = dev.use("evidence_read", ref=ref, find=site.stage.ours.canary)
    assert [match["line"] for match in found["results"]] == [1]
    offset = found["results"][0]["offset"]
    assert site.stage.ours.canary in dev.use("evidence_read", ref=ref, unit="lines", offset=offset, limit=1)["text"]


def test_what_an_agent_still_sees_is_not_given_again(dev: Agent, site: Site) -> None:
    asked = {"user_input": "go on", "thread_id": site.stage.ours.thread.public_id}
    whole = dev.use("context_compile", **asked)
    delta = dev.use("context_compile", **asked, have_packet_id=whole["packet_id"])
    assert (whole["delta"], delta["delta"]["against"]) == (None, whole["packet_id"])
    assert delta["tokens_used"] < whole["tokens_used"]


@pytest.mark.parametrize(
    ("tool", "asked", "field"),
    [
        ("context_compile", {"user_input": "长" * 100_001}, "/user_input"),
        ("session_append", {"session_id": "ses_1", "entries": SAID * 26}, "/entries"),
        (
            "session_append",
            {"session_id": "ses_1", "entries": [{"role": "user", "text": "x" * 500_001}]},
            "/entries/0/text",
        ),
        ("memory_propose", {"content": "x" * 20_001, "type": "semantic"}, "/content"),
        ("memory_search", {"query": "q" * 2001}, "/query"),
        ("evidence_read", {"ref": "event://x/1", "limit": 4001}, "/limit"),
        ("context_explain", {"packet_id": "p" * 81, "ref": "x"}, "/packet_id"),
        ("review_status", {"limit": 21}, "/limit"),
    ],
)
def test_what_is_too_large_is_refused_by_its_field(dev: Agent, tool: str, asked: dict[str, Any], field: str) -> None:
    told = dev.refused(tool, **asked)
    assert (told["code"], [fault["pointer"] for fault in told["fields"]]) == ("invalid", [field])


def test_a_misspelt_argument_does_not_pass_for_an_absent_one(dev: Agent) -> None:
    told = dev.refused("memory_search", query="tides", limits=3)
    assert [fault["pointer"] for fault in told["fields"]] == ["/limits"]


def test_a_list_sent_as_text_is_read(dev: Agent, site: Site) -> None:
    thread = site.stage.ours.thread.public_id
    told = dev.use("session_append", thread_id=thread, entries='[{"role": "user", "text": "as text"}]')
    assert len(told["stored"]) == 1


def asked_of(world: Any) -> list[tuple[str, dict[str, Any], str]]:
    """Calls that name a row of a world, and which argument names it."""
    session = world.session.public_id
    return [
        ("evidence_read", {"ref": f"artifact://{world.artifact.public_id}"}, "art"),
        ("evidence_read", {"ref": f"event://{session}/1"}, "ses"),
        ("evidence_read", {"ref": f"memory://{world.memory.public_id}"}, "mem"),
        ("context_explain", {"packet_id": world.packet.public_id, "ref": world.constraint_ref}, "pkt"),
        ("context_compile", {"user_input": "go on", "thread_id": world.thread.public_id}, "thr"),
        ("context_compile", {"user_input": "go on", "session_id": session}, "ses"),
        ("session_append", {"session_id": session, "entries": SAID}, "ses"),
        ("session_append", {"thread_id": world.thread.public_id, "entries": SAID}, "thr"),
        ("review_status", {"memory_id": world.memory.public_id}, "mem"),
    ]


def heard(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name != "trace_id"}


@pytest.mark.parametrize("number", range(9))
def test_an_outsider_hears_of_a_row_what_it_hears_of_a_random_id(outsider: Agent, site: Site, number: int) -> None:
    tool, asked, prefix = asked_of(site.stage.ours)[number]
    name = next(name for name, value in asked.items() if f"{prefix}_" in str(value))
    real = next(word for word in str(asked[name]).replace("/", " ").split() if word.startswith(f"{prefix}_"))
    random = asked | {name: str(asked[name]).replace(real, public_id(prefix, new_id()))}
    told = outsider.refused(tool, **asked)
    assert told["code"] == "not_found"
    assert heard(told) == heard(outsider.refused(tool, **random))


def test_an_outsiders_search_finds_nothing_of_ours(outsider: Agent) -> None:
    found = outsider.use("memory_search", query="tide tables xqalphax begin noon")
    assert "xqalphax" not in str(found)


def key_without(site: Site, scope: KeyScope) -> str:
    with project_scope(site.stage.alpha.owner.acting):
        return mint(site.stage.alpha.dev.actor, scopes=set(KeyScope) - {scope}).secret


@pytest.mark.parametrize(
    ("scope", "tool", "asked"),
    [
        (KeyScope.CONTEXT_COMPILE, "context_compile", {"user_input": "go on"}),
        (KeyScope.CONTEXT_COMPILE, "context_explain", {"packet_id": "pkt_1", "ref": "event://x/1"}),
        (KeyScope.SESSION_WRITE, "session_append", {"session_id": "ses_1", "entries": SAID}),
        (KeyScope.MEMORY_PROPOSE, "memory_propose", {"content": "x", "type": "semantic"}),
        (KeyScope.MEMORY_READ, "memory_search", {"query": "tides"}),
        (KeyScope.MEMORY_READ, "review_status", {}),
        (KeyScope.EVIDENCE_READ, "evidence_read", {"ref": "event://x/1"}),
    ],
)
def test_a_key_without_the_scope_is_told_which_one_it_lacks(
    site: Site, scope: KeyScope, tool: str, asked: dict[str, Any]
) -> None:
    with agent(HTTP, site.url, key_without(site, scope)) as lacking:
        told = lacking.refused(tool, **asked)
    assert (told["code"], told["status"], scope in told["message"]) == ("scope_missing", 403, True)


def test_a_key_without_the_scope_is_told_so_over_stdio(site: Site) -> None:
    with agent(STDIO, site.url, key_without(site, KeyScope.EVIDENCE_READ)) as lacking:
        assert lacking.refused("evidence_read", ref="event://x/1")["code"] == "scope_missing"


def test_only_a_key_that_attests_vouches_for_a_users_words(site: Site) -> None:
    demand = [{"role": "user", "kind": "constraint", "text": "never round", "attested": True}]
    with agent(HTTP, site.url, key_without(site, KeyScope.EVENT_ATTEST)) as plain:
        told = plain.refused("session_append", thread_id=site.stage.ours.thread.public_id, entries=demand)
    assert (told["code"], "event:attest" in told["message"]) == ("scope_missing", True)


@pytest.mark.parametrize("carrier", [STDIO, HTTP])
def test_a_harness_of_the_year_before_is_served(site: Site, carrier: str) -> None:
    with agent(carrier, site.url, site.stage.alpha.dev.secret, mode="legacy") as older:
        assert {tool.name for tool in older.tools()} == set(HINTS)
        assert older.use("memory_search", query="zeppelin moulting")["abstained"]


def test_a_wrong_key_over_stdio_is_told_so(site: Site) -> None:
    with agent(STDIO, site.url, "gw_zzzzzzzz_" + "a" * 43) as stranger:
        told = stranger.refused("memory_search", query="tides")
    assert (told["code"], told["status"]) == ("unauthenticated", 401)
    assert "lapsed or revoked" in told["remedy"]


def test_a_server_that_is_away_is_said_to_be_away(site: Site) -> None:
    with agent(STDIO, "http://127.0.0.1:9", site.stage.alpha.dev.secret) as lonely:
        told = lonely.refused("review_status")
    assert (told["code"], "http://127.0.0.1:9" in told["message"]) == ("unreachable", True)
