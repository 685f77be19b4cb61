"""The page of one packet: every token has its place, and nobody reads what is not theirs."""

import html
import json
import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from governance.models import AuditEvent, User
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from memories.feedback import FeedbackWish, give_feedback
from memories.lifecycle import advance
from memories.models import Memory
from memories.vocabulary import FeedbackKind, MemoryStatus
from sessions import packet_layers, packet_prompt, packet_views
from sessions.models import PacketOutcome
from tests.api.asking import append, compiled, event, layer, make_thread, ok, open_session
from tests.api.test_context_again import QUESTION, learnt
from tests.cast import Cast, at, make_cast
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, page_of, signed_in, statements
from tests.site.test_packet_list import contexts_of, starve


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def viewer(cast: Cast) -> User:
    return join(make_account(), cast, MembershipLevel.VIEWER)


@pytest.fixture
def client(viewer: User) -> Client:
    """The console of a viewer, in English."""
    return signed_in(viewer)


def worked(cast: Cast, turns: int = 3, **more: Any) -> dict[str, Any]:
    """The answer to a request in a session with a few turns, a constraint and a memory."""
    learnt(cast)
    session = open_session(cast.dev, make_thread(cast.dev))
    said = [event(f"turn {n} of the parser " * 20, f"e{n}") for n in range(turns)]
    append(cast.dev, session, *said, event("Never lose a comment.", "c1", kind="constraint", attested=True))
    return compiled(cast.dev, QUESTION, session_id=session, **more)


def shown(client: Client, cast: Cast, packet: str, rest: str = "") -> str:
    """The text of a packet's page, or of one of those around it."""
    answer = client.get(contexts_of(cast, f"{packet}/{rest}"))
    assert answer.status_code == 200
    return answer.content.decode()


def plain(page: str) -> str:
    """What a reader sees of a page, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def context_of(client: Client, cast: Cast, packet: str) -> Any:
    return client.get(contexts_of(cast, f"{packet}/")).context["page"]


def test_the_figures_are_those_of_the_answer(cast: Cast, client: Client) -> None:
    answer = worked(cast)
    budget = context_of(client, cast, answer["packet_id"]).budget
    told = answer["budget"]
    assert (budget.used, budget.input_cap, budget.window, budget.unused) == tuple(
        told[name] for name in ("used", "input_cap", "window", "unused")
    )
    assert {line.layer: (line.used, line.floor, line.cap) for line in budget.layers} == {
        row["layer"]: (row["used"], row["floor"], row["cap"]) for row in told["layers"]
    }


def test_the_sums_are_shown_and_hold(cast: Cast, client: Client) -> None:
    answer = worked(cast)
    budget = context_of(client, cast, answer["packet_id"]).budget
    assert (budget.adds_up, budget.sum_used) == (True, answer["budget"]["used"])
    assert budget.reserved + budget.input_cap + budget.unused == budget.window


def test_every_figure_of_the_layers_stands_in_the_table(cast: Cast, client: Client) -> None:
    answer = worked(cast)
    table = re.search(r'<table class="[^"]*layers">.*?</table>', shown(client, cast, answer["packet_id"]), re.DOTALL)
    assert table is not None
    figures = plain(table[0])
    assert all(f"{row['used']:,}" in figures and f"{row['cap']:,}" in figures for row in answer["budget"]["layers"])


def test_the_bar_holds_every_layer_that_used_something(cast: Cast, client: Client) -> None:
    answer = worked(cast)
    drawn = {part.fill for part in context_of(client, cast, answer["packet_id"]).budget.cap_bar}
    used = {row["layer"] for row in answer["budget"]["layers"] if row["used"]}
    assert drawn == used | {"free"}


def test_the_limit_that_held_is_marked(cast: Cast, client: Client) -> None:
    answer = worked(cast, budget={"max_input_tokens": 3000})
    limits = context_of(client, cast, answer["packet_id"]).budget.limits
    assert [(limit.origin.value, limit.tokens) for limit in limits if limit.holds] == [("request", 3000)]


def test_every_item_is_listed_with_its_tokens(cast: Cast, client: Client) -> None:
    answer = worked(cast)
    page = shown(client, cast, answer["packet_id"])
    refs = [item["ref"] for row in answer["budget"]["layers"] for item in row["items"]]
    assert refs
    assert [ref for ref in refs if f'title="{html.escape(ref)}"' not in page] == []


def test_what_was_left_out_says_why(cast: Cast, client: Client) -> None:
    answer = worked(cast, turns=60, budget={"max_input_tokens": 2000})
    dropped = layer(answer, "dialogue")["dropped"]
    page = plain(shown(client, cast, answer["packet_id"]))
    assert dropped
    assert "Its layer was full." in page or "No room was left under the input cap." in page


def test_the_prompt_is_the_answered_one(cast: Cast, client: Client) -> None:
    answer = worked(cast)
    prompt = context_of(client, cast, answer["packet_id"]).prompt
    sections = [*prompt.stable, *prompt.volatile]
    text = "".join(
        (f"{one.heading}\n" if one.heading else "") + "".join(f"{part.text}\n" for part in one.parts)
        for one in sections
    )
    assert text == answer["prompt"]["text"]


def test_the_stable_prefix_ends_at_a_line_of_its_own(cast: Cast, client: Client) -> None:
    answer = worked(cast)
    page = shown(client, cast, answer["packet_id"])
    before, _, after = page.partition('<p class="boundary">')
    assert answer["prompt"]["stable_prefix_hash"] in after.partition("</p>")[0]
    assert "Never lose a comment." in before
    assert "Never lose a comment." not in after.partition("how-the-thread")[0].partition('id="resolution"')[0]


@pytest.mark.parametrize(
    ("dialect", "messages"),
    [
        ("openai.chat", ["system", "user", "user"]),
        ("openai.responses", ["instructions", "user", "user"]),
        ("anthropic.messages", ["system", "user"]),
        ("text", ["user"]),
    ],
)
def test_messages_begin_where_the_dialect_has_them(
    cast: Cast, client: Client, dialect: str, messages: list[str]
) -> None:
    prompt = context_of(client, cast, worked(cast, format=dialect)["packet_id"]).prompt
    assert [one.message for one in [*prompt.stable, *prompt.volatile] if one.message] == messages


def test_a_long_section_shows_its_ends(cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packet_prompt, "MOST_PARTS", 4)
    prompt = context_of(client, cast, worked(cast, turns=12)["packet_id"]).prompt
    [dialogue] = [one for one in prompt.volatile if one.section == "dialogue"]
    assert (len(dialogue.parts), dialogue.hidden, len(dialogue.last_parts)) == (2, 8, 2)


def test_a_long_text_is_cut_and_says_so(cast: Cast, client: Client) -> None:
    answer = compiled(cast.dev, "汉字" * 3000)
    page = shown(client, cast, answer["packet_id"])
    assert "cut here for the page" in page
    assert page.count("汉字") < 1500


def test_a_refusal_says_first_what_did_not_fit(cast: Cast, client: Client) -> None:
    packet = starve(cast)
    page = shown(client, cast, packet)
    [short] = [one for one in context_of(client, cast, packet).shortfall if one.layer == "input"]
    panel = plain(page.partition('id="refusal"')[2].partition("</section>")[0])
    assert "Nothing was sent." in panel
    assert f"{short.needed:,} {short.available:,}" in panel
    assert page.index('id="refusal"') < page.index('id="budget"')


def test_a_refusal_shows_what_each_layer_needed(cast: Cast, client: Client) -> None:
    page = context_of(client, cast, starve(cast))
    needed = {line.layer: line.used for line in page.budget.layers}
    assert page.prompt is None
    assert all(needed[short.layer] == short.needed for short in page.shortfall)
    assert page.budget.over == sum(needed.values()) - 60


def test_a_packet_whose_content_is_gone_shows_its_structure(cast: Cast, client: Client) -> None:
    memory = learnt(cast)
    answer = compiled(cast.dev, QUESTION)
    with project_scope(cast.owner.acting):
        advance(memory, MemoryStatus.REVOKED, reason="test", now=at(10))
    page = plain(shown(client, cast, answer["packet_id"]))
    assert "is not shown" in page
    assert "users lost theirs" not in page
    assert f"{answer['budget']['used']:,}" in page


def test_a_thread_that_is_not_the_reader_s_is_no_candidate_to_see(cast: Cast, client: Client) -> None:
    make_thread(cast.personal, "secret diary of the parser garden", private=True)
    make_thread(cast.personal, "config parser comments")
    packet = compiled(cast.personal, "how does the config parser treat comments")["packet_id"]
    page, data = shown(client, cast, packet), shown(client, cast, packet, "json?download=1")
    assert "secret diary" not in page + data
    assert "not open to you" not in page  # that there are others is theirs to know


def test_the_resolution_names_rule_and_candidates(cast: Cast, client: Client) -> None:
    make_thread(cast.dev, "config parser")
    page = plain(shown(client, cast, compiled(cast.dev, QUESTION)["packet_id"]))
    assert "Its words fit this thread best." in page
    assert "chosen" in page


def test_the_retrieval_says_why_each_passage_was_found(cast: Cast, client: Client) -> None:
    page = plain(shown(client, cast, worked(cast)["packet_id"]))
    assert "The config parser must keep comments" in page
    assert re.search(r"shares “[^”]*parser[^”]*”", page)


def test_a_memory_of_the_packet_is_reported_from_its_page_and_the_packet_says_so(cast: Cast) -> None:
    maintainer, packet = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER)), worked(cast)["packet_id"]
    [way] = re.findall(r'href="([^"]+)[?]packet=' + packet + '#feedback"', shown(maintainer, cast, packet))
    form = maintainer.get(f"{way}?packet={packet}").context["feedback"]
    answer = maintainer.post(f"{way}say", {**form.initial, "note": "comments were given up"})
    memory = way.rstrip("/").rpartition("/")[2]
    assert answer["Location"] == contexts_of(cast, f"{packet}/#{memory}")
    page = plain(shown(maintainer, cast, packet))
    assert re.search(r"wrong said by .+ comments were given up", page)
    assert "The memory now: in use" in page
    again = maintainer.post(f"{way}say", {**form.initial, "note": "other words"}, follow=True).content.decode()
    assert ("You had said this before" in again, "other words" in again) == (True, False)


def test_a_viewer_reads_what_was_reported_and_is_offered_nothing(cast: Cast, client: Client) -> None:
    packet = worked(cast)["packet_id"]
    with project_scope(cast.owner.acting):
        memory = Memory.objects.get(status=MemoryStatus.ACTIVE)
        said = FeedbackWish(kind=FeedbackKind.OUTDATED, packet_id=uuid.UUID(packet[4:]))
        give_feedback(cast.owner.acting, memory, said)
    page = shown(client, cast, packet)
    assert ("outdated said by" in plain(page), "#feedback" in page) == (True, False)


@pytest.mark.parametrize("packet", ["pkt_" + "0" * 32, "x/y"])
def test_a_packet_that_did_not_carry_the_memory_bears_no_report(cast: Cast, packet: str) -> None:
    maintainer, memory = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER)), learnt(cast)
    path = f"{page_of(cast)}memories/{memory.public_id}/"
    assert maintainer.get(path, {"packet": packet}).context["feedback"].initial == {}
    answer = maintainer.post(f"{path}say", {"packet": packet, "kind": "wrong", "note": "typed with care"})
    form = answer.context["feedback"]
    assert (answer.status_code, len(form.non_field_errors()), form["packet"].value()) == (422, 1, "")
    assert "typed with care" in answer.content.decode()


def test_warnings_are_sentences(cast: Cast, client: Client) -> None:
    answer = compiled(cast.dev)
    page = plain(shown(client, cast, answer["packet_id"]))
    assert "There was no handoff for this session; the slot was skipped. no_handoff" in page


def test_an_outcome_is_shown(cast: Cast, client: Client) -> None:
    packet = compiled(cast.dev)["packet_id"]
    report = {"result": "shipped", "verification": "passed", "usage": {"input_tokens": 4321}}
    ok(cast.dev.client().post(f"/context/{packet}/outcome", report))
    page = plain(shown(client, cast, packet))
    assert ("shipped" in page, "4321" in page, "passed" in page) == (True, True, True)


def test_what_was_reported_of_old_in_endless_names_is_cut(cast: Cast, client: Client) -> None:
    packet = compiled(cast.dev)["packet_id"]
    ok(cast.dev.client().post(f"/context/{packet}/outcome", {"result": "shipped", "usage": {"input_tokens": 4321}}))
    with project_scope(cast.dev.acting):
        [row] = PacketOutcome.objects.all()
        home = {"project_id": row.project_id, "packet_id": row.packet_id, "actor_id": row.actor_id}
        endless = {f"{n} endless " * 900: n for n in range(90)}
        PacketOutcome.objects.create(usage=endless, created_at=timezone.now(), verification=row.verification, **home)
    page = plain(shown(client, cast, packet))
    assert 40 <= page.count("endless") < 40 * 24


def test_why_counts_the_parts_of_what_is_in_only_in_part(cast: Cast, client: Client) -> None:
    answer = worked(cast, turns=60, budget={"max_input_tokens": 2000})
    asked = client.get(contexts_of(cast, f"{answer['packet_id']}/why"), {"ref": answer["session"]["id"]})
    page = plain(asked.content.decode())
    assert re.search(r"Its parts: +in the packet \d+ \([\d,]+ tokens\) · left out \d+", page)


def test_why_gives_the_api_s_answer_in_words(cast: Cast, client: Client) -> None:
    answer = worked(cast, turns=60, budget={"max_input_tokens": 2000})
    packet, dialogue = answer["packet_id"], layer(answer, "dialogue")
    for ref, says in [
        (dialogue["items"][0]["ref"], "It was in the packet."),
        (dialogue["dropped"][0]["ref"], "It was considered and cut."),
        ("memory://mem_1", "It was never considered"),
        ("'<b>", "It was never considered"),
    ]:
        answered = client.get(contexts_of(cast, f"{packet}/why"), {"ref": ref})
        assert says in plain(answered.content.decode())


def test_a_layer_has_pages_of_its_own(cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = worked(cast, turns=7)
    for module in (packet_layers, packet_views):
        monkeypatch.setattr(module, "MOST_ITEMS", 3)
    refs = [item["ref"] for item in layer(answer, "dialogue")["items"]]
    assert "All items of this layer" in shown(client, cast, answer["packet_id"])
    pages = [shown(client, cast, answer["packet_id"], f"layers/dialogue?from={n}") for n in (0, 3, 6)]
    assert [[ref for ref in refs if f'title="{ref}"' in page] for page in pages] == [refs[:3], refs[3:6], refs[6:9]]


@pytest.mark.parametrize("rest", ["layers/nothing", "layers/policy/"])
def test_a_layer_that_is_none_is_not_there(cast: Cast, client: Client, rest: str) -> None:
    packet = compiled(cast.dev)["packet_id"]
    assert client.get(contexts_of(cast, f"{packet}/{rest}")).status_code == 404


def test_the_json_is_the_api_s_answer(cast: Cast, client: Client) -> None:
    answer = worked(cast)
    assert json.loads(shown(client, cast, answer["packet_id"], "json?download=1")) == answer


def test_the_json_of_a_refusal_says_what_was_decided(cast: Cast, client: Client) -> None:
    told = json.loads(shown(client, cast, starve(cast), "json?download=1"))
    assert (told["refused"], told["content"], bool(told["shortfall"])) == (True, None, True)


def test_json_that_is_too_long_is_only_downloaded(cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    packet = compiled(cast.dev)["packet_id"]
    monkeypatch.setattr(packet_views, "MOST_SHOWN", 10)
    assert "It is too long to be shown here." in shown(client, cast, packet, "json")


@pytest.mark.parametrize("rest", ["", "why", "json", "layers/input", "layers/dialogue?from=x"])
@pytest.mark.parametrize("language", [CHINESE, ENGLISH])
def test_every_page_is_there_in_both_languages(cast: Cast, viewer: User, rest: str, language: dict[str, str]) -> None:
    packet = compiled(cast.dev)["packet_id"]
    page = shown(signed_in(viewer, language), cast, packet, rest)
    assert page.count("<h1") == 1


@pytest.mark.parametrize("packet", ["pkt_x", "pkt_" + "0" * 32, "thr_" + "0" * 32])
def test_what_is_no_packet_is_not_there(cast: Cast, client: Client, packet: str) -> None:
    answers = [client.get(contexts_of(cast, f"{packet}/{rest}")) for rest in ("", "why", "json", "layers/input")]
    assert {answer.status_code for answer in answers} == {404}


def test_hostile_words_stay_words(cast: Cast, client: Client) -> None:
    words = "<script>alert(1)</script> \u202egpj.exe {{ 7|add:7 }}"
    session = open_session(cast.dev, make_thread(cast.dev, words))
    append(cast.dev, session, event(words))
    page = shown(client, cast, compiled(cast.dev, words, session_id=session)["packet_id"])
    assert ("<script>alert" in page, "\u202e" in page, "{{ 7|add:7 }}" in page) == (False, False, True)


def test_looking_writes_no_ledger_entry(cast: Cast, client: Client) -> None:
    packet = compiled(cast.dev)["packet_id"]
    before = ledger(cast)
    for rest in ("", "why?ref=x", "json", "layers/input"):
        shown(client, cast, packet, rest)
    assert ledger(cast) == before


def ledger(cast: Cast) -> int:
    with project_scope(cast.owner.acting, read_only=True):
        return AuditEvent.objects.count()


def test_the_number_of_statements_does_not_grow_with_the_items(cast: Cast, client: Client) -> None:
    small, large = (contexts_of(cast, f"{worked(cast, turns=n)['packet_id']}/") for n in (2, 40))
    statements(client, small)
    assert statements(client, small, but="BEGIN") == statements(client, large, but="BEGIN") <= 13


def test_a_large_packet_makes_a_bounded_page(cast: Cast, client: Client) -> None:
    learnt(cast)
    session = open_session(cast.dev, make_thread(cast.dev))
    for part in range(2):
        said = [
            event(f"{part}/{n} " + "the parser keeps its comments 保留注释 " * 60, f"e{part}-{n}") for n in range(200)
        ]
        append(cast.dev, session, *said)
    answer = compiled(cast.dev, session_id=session, budget={"profile": "gemini-pro@gemini-cli"})
    assert answer["budget"]["used"] > 100_000
    assert len(shown(client, cast, answer["packet_id"])) < 1_000_000


def test_the_list_leads_to_the_overview(cast: Cast, client: Client) -> None:
    assert f'href="{page_of(cast)}"' in shown(client, cast, compiled(cast.dev)["packet_id"])
