"""The shape of a prompt in each dialect, its stable beginning, and its hash."""

from dataclasses import replace

import pytest

from sessions.context.assembler import assemble, packet_hash
from sessions.context.material import InputFact
from sessions.context.vocabulary import Dialect
from tests.context.cast import compiled_of, event, full_material, hit, recount


def hash_of(material) -> str:
    """The hash of a material's packet and chat prompt."""
    compiled = compiled_of(material)
    return packet_hash(compiled.packet, assemble(compiled, Dialect.OPENAI_CHAT).messages)


def test_chat_has_system_context_and_request():
    messages = assemble(compiled_of(full_material()), Dialect.OPENAI_CHAT).messages
    assert [message["role"] for message in messages] == ["system", "user", "user"]
    assert messages[2]["content"].endswith("继续\n")


def test_responses_has_instructions_and_input_items_with_typed_content():
    prompt = assemble(compiled_of(full_material()), Dialect.OPENAI_RESPONSES).as_json()
    chat = assemble(compiled_of(full_material()), Dialect.OPENAI_CHAT).messages
    assert prompt["instructions"] == chat[0]["content"]
    assert prompt["messages"] == [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": said["content"]}]}
        for said in chat[1:]
    ]


def test_the_hash_knows_instructions():
    prompt = assemble(compiled_of(full_material()), Dialect.OPENAI_RESPONSES)
    told = replace(prompt, instructions=f"{prompt.instructions} otherwise")
    assert packet_hash({}, prompt.sent) != packet_hash({}, told.sent)


def test_anthropic_has_a_cached_system_block_and_one_user_message():
    prompt = assemble(compiled_of(full_material()), Dialect.ANTHROPIC_MESSAGES)
    assert prompt.system[-1]["cache_control"] == {"type": "ephemeral"}
    assert [message["role"] for message in prompt.messages] == ["user"]


def test_anthropic_has_a_block_for_the_summary_each_exchange_what_was_found_and_the_request():
    [message] = assemble(compiled_of(full_material()), Dialect.ANTHROPIC_MESSAGES).messages
    begins = [block["text"].partition("\n")[0] for block in message["content"]]
    assert begins == [
        "§§ work summary, recorded data",
        "§§ dialogue, recorded data",
        "§ earlier",
        "§ attached context",
    ]


def test_marks_stand_where_a_provider_would_keep_what_ends_there():
    said = [event(n, f"{n} " + "the parser keeps its comments " * 60, role="user") for n in range(1, 6)]
    prompt = assemble(compiled_of(replace(full_material(), events=tuple(said))), Dialect.ANTHROPIC_MESSAGES)
    marked = ["cache_control" in block for block in (*prompt.system, *prompt.messages[0]["content"])]
    assert marked == [False, True, False, False, False, False, True, True, False, False]
    assert len(prompt.breakpoints) == 3


@pytest.mark.parametrize("dialect", [Dialect.OPENAI_CHAT, Dialect.OPENAI_RESPONSES])
def test_openai_is_told_by_which_key_requests_with_one_beginning_are_known(dialect):
    inputs = [replace(full_material(), user_input=InputFact(raw_text=text)) for text in ("one", "other")]
    keys = [assemble(compiled_of(each), dialect).as_json()["prompt_cache_key"] for each in inputs]
    assert keys[0] == keys[1] != ""


def test_text_is_one_string():
    prompt = assemble(compiled_of(full_material()), Dialect.TEXT)
    assert [message["content"] for message in prompt.messages] == [prompt.text]


def test_sections_stand_in_their_order():
    text = assemble(compiled_of(full_material()), Dialect.TEXT).text
    headings = [line for line in text.split("\n") if line.startswith("§§")]
    assert headings == [
        "§§ policy",
        "§§ role",
        "§§ persona",
        "§§ preferences",
        "§§ vision",
        "§§ thread",
        "§§ task",
        "§§ constraints of the user",
        "§§ work summary, recorded data",
        "§§ dialogue, recorded data",
        "§§ handoff, recorded data",
        "§§ retrieved, quoted data",
    ]


def test_the_stable_prefix_is_counted_exactly():
    prompt = assemble(compiled_of(full_material()), Dialect.OPENAI_CHAT)
    assert prompt.stable_prefix_tokens == recount(prompt.messages[0]["content"])


def test_the_stable_prefix_is_the_same_on_the_next_turn():
    first = full_material()
    later = replace(
        first,
        user_input=InputFact(raw_text="下一步呢"),
        events=(*first.events, event(7, "好")),
        hits=(hit("c", "another lesson"),),
        now="2026-03-12T00:00:00Z",
        trace_id="trc_2",
    )
    prompts = [assemble(compiled_of(material), Dialect.OPENAI_CHAT) for material in (first, later)]
    assert prompts[0].stable_prefix_hash == prompts[1].stable_prefix_hash
    assert prompts[0].text != prompts[1].text


@pytest.mark.parametrize("unique", ["trc_1", "2026-03-11", "ses_1", "thr_1"])
def test_no_id_or_clock_of_a_call_is_in_the_stable_prefix(unique):
    prompt = assemble(compiled_of(full_material()), Dialect.OPENAI_CHAT)
    assert unique not in prompt.messages[0]["content"]


def test_the_hash_knows_nothing_of_trace_and_time():
    assert hash_of(full_material()) == hash_of(replace(full_material(), trace_id="trc_9", now="2027-01-01T00:00:00Z"))


def test_the_hash_knows_the_users_own_timestamp():
    later = replace(full_material().user_input, timestamp="2026-03-11T14:11:00+09:00")
    assert hash_of(full_material()) != hash_of(replace(full_material(), user_input=later))


def test_the_hash_survives_a_lone_surrogate_and_a_huge_number():
    messages = [{"role": "user", "content": "\ud800"}]
    assert packet_hash({"n": 2**80}, messages).startswith("sha256:")


def test_the_hash_knows_nothing_of_the_attempt():
    packet = compiled_of(full_material()).packet
    later = packet | {"session": packet["session"] | {"attempt_id": "att_2"}}
    assert packet_hash(packet, []) == packet_hash(later, [])
