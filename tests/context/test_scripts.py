"""What a text is written in adds up over its parts, and every character counts once."""

import pytest
from hypothesis import given

from sessions.context.scripts import Script, mix_of
from tests.context.dice import TEXTS

SAID = [
    ("AB", Script.CAPITALS),
    ("ab", Script.LETTERS),
    ("42", Script.DIGITS),
    ("{;", Script.PUNCTUATION),
    ("  ", Script.SPACES),
    ("\n\t", Script.BREAKS),
    ("记忆", Script.HAN),
    ("，。", Script.MARKS),
    ("éж", Script.OTHER),
    ("🙂한", Script.OTHER),
]


@pytest.mark.parametrize(("text", "script"), SAID)
def test_a_character_is_counted_with_its_script(text: str, script: Script) -> None:
    assert dict(zip(Script, mix_of(text), strict=True)) == dict.fromkeys(Script, 0) | {script: 2}


@given(text=TEXTS)
def test_every_character_counts_once(text: str) -> None:
    assert sum(mix_of(text)) == len(text)


@given(left=TEXTS, right=TEXTS)
def test_parts_add_up(left: str, right: str) -> None:
    parts = zip(mix_of(left), mix_of(right), strict=True)
    assert mix_of(left + right) == tuple(one + other for one, other in parts)
