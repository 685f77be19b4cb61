"""The compiled context for a session that begins, in a length that the harness shows to the model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from greywind_site.client.hooks.opening import Turned, provider
from greywind_site.client.hooks.window import Notes
from greywind_site.client.wire import Answer, Wire

# Claude Code passes at most 10,000 characters on: it puts a longer text into a file and shows the model a preview.
LONGEST_SHOWN = 9_600
FIRST_TOKENS, MOST_TOKENS = 2_400, 8_000
MOST_TRIES = 3
PROFILES = ("claude-opus@claude-code", "claude-sonnet@claude-code")
READ_ON = (
    "This context is longer than the harness shows at once: read the whole file that it names before anything else."
)


@dataclass(frozen=True)
class Occasion:
    """Why the harness asks, for which model, and which packet its window still shows ("" for none)."""

    source: str
    model: str
    shows: str = ""


def context_text(wire: Wire, notes: Notes, occasion: Occasion) -> str:
    """Return the context of the session for the model, or raise Turned or NoAnswer; its packet is noted.

    The budget shrinks until the text is short enough. Where what is required is longer than that, it comes whole,
    with a first line that says so.
    """
    tokens, least = notes.context_tokens or FIRST_TOKENS, 0
    for _ in range(MOST_TRIES):
        answer = _ask(wire, notes, occasion, tokens=tokens)
        needed = _needed(answer, tokens)
        if needed:
            tokens = least = needed
            continue
        if not answer.ok:
            raise Turned(answer)
        text, notes.packet = _text(answer.body), str(answer.body["packet_id"] or "")
        if len(text) <= LONGEST_SHOWN:
            notes.context_tokens = _next_budget(tokens, len(text))
            return text
        if least:
            return f"{READ_ON}\n{text}"
        tokens = max(int(tokens * LONGEST_SHOWN / len(text) * 0.95), 1)
    if not answer.ok:
        raise Turned(answer)
    return f"{READ_ON}\n{text}"


def _ask(wire: Wire, notes: Notes, occasion: Occasion, *, tokens: int) -> Answer:
    profile = next((name for name in PROFILES if name.split("@")[0] in occasion.model), PROFILES[-1])
    have = {"packet_id": occasion.shows, "transcript": True} if occasion.shows else {}
    return wire.call(
        "POST",
        "/context",
        {
            "session_id": notes.session,
            "provider_session": provider(notes),
            "user_input": {"raw_text": f"session {occasion.source}", "input_type": "system"},
            "have": have,
            "budget": {"profile": profile, "max_input_tokens": tokens},
        },
    )


def _needed(answer: Answer, tokens: int) -> int:
    """Return the budget that a refusal for want of room asks for, 0 for any other answer."""
    if answer.code != "required_content_exceeds_budget":
        return 0
    shortfall = answer.body.get("shortfall") or []
    lacking = sum(entry.get("needed", 0) - entry.get("available", 0) for entry in shortfall)
    return tokens + max(int(lacking * 1.5), 500)


def _text(body: Mapping[str, Any]) -> str:
    # The last message is the request, and nobody has asked for anything yet.
    return "".join(message["content"] for message in body["prompt"]["messages"][:-1]).strip()


def _next_budget(tokens: int, length: int) -> int:
    """Return the budget for the next start: more where the text had room to grow, as Chinese text has."""
    return min(max(int(tokens * LONGEST_SHOWN / max(length, 1) * 0.9), tokens), MOST_TOKENS)
