"""Input tokens are read from every provider's words, and from nothing that is no count."""

from typing import Any

import pytest

from sessions.usage_reports import harness_tokens, input_tokens

SAID: list[tuple[dict[str, Any], int | None]] = [
    ({"prompt_tokens": 900, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 800}}, 900),
    ({"input_tokens": 900, "input_tokens_details": {"cached_tokens": 800}}, 900),
    ({"input_tokens": 30, "cache_creation_input_tokens": 70, "cache_read_input_tokens": 800}, 900),
    ({"promptTokenCount": 900, "cachedContentTokenCount": 100}, 900),
    ({"output_tokens": 900}, None),
    ({}, None),
    ({"input_tokens": 0}, None),
    ({"input_tokens": -900}, None),
    ({"input_tokens": True}, None),
    ({"input_tokens": "900"}, None),
    ({"input_tokens": 900.5}, None),
    ({"prompt_tokens": None, "input_tokens": 900}, None),
    ({"input_tokens": 10**30}, 2_000_000_000),
]


@pytest.mark.parametrize(("usage", "tokens"), SAID)
def test_input_tokens_are_read(usage: dict[str, Any], tokens: int | None) -> None:
    assert input_tokens(usage) == tokens


def test_a_harness_may_tell_its_own_part() -> None:
    assert (harness_tokens({"harness_tokens": 21_000}), harness_tokens({})) == (21_000, None)
