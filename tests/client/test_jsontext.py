"""Edits of JSON as text leave every other byte alone."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from greywind_site.client.setup import jsontext

ODD = '{\n\t"b" : [1,2 , 3],\n\t"a":{"x":"é\\u00e9 }{"},\n\n\t"a2":null\n}'
any_machine = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # how fast it is, is no question
WORDS = st.text(max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(WORDS, VALUES, max_size=4)
LAYOUTS = st.sampled_from([{"indent": 2}, {"indent": "\t"}, {"indent": 4}, {}, {"separators": (",", ":")}])


@any_machine
@given(DOCUMENTS, LAYOUTS, WORDS, VALUES)
def test_a_member_more_is_all_that_changes(
    document: dict[str, Any], layout: dict[str, Any], name: str, value: Any
) -> None:
    document.pop(name, None)
    text = json.dumps(document, **layout)
    changed = jsontext.add(text, [], name, value)
    assert json.loads(changed) == document | {name: value}
    assert jsontext.remove(changed, [name]) == text


@any_machine
@given(st.lists(VALUES, max_size=4), LAYOUTS, VALUES)
def test_an_element_more_is_all_that_changes(elements: list[Any], layout: dict[str, Any], value: Any) -> None:
    text = json.dumps({"list": elements}, **layout)
    changed = jsontext.add(text, ["list"], None, value)
    assert json.loads(changed) == {"list": [*elements, value]}
    assert jsontext.remove(changed, ["list", len(elements)]) == text


def test_the_spacing_of_others_stays() -> None:
    changed = jsontext.add(ODD, [], "new", {"k": 1})
    assert changed == ODD[:-2] + ',\n\t"new": {\n\t\t"k": 1\n\t}\n}'


def test_windows_line_ends_stay() -> None:
    changed = jsontext.add('{\r\n  "a": 1\r\n}\r\n', [], "b", {"c": 2})
    assert changed == '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 2\r\n  }\r\n}\r\n'


def test_a_mark_of_byte_order_stays() -> None:
    assert jsontext.add("\ufeff{}", [], "a", 1) == '\ufeff{\n  "a": 1\n}'


def test_of_a_name_that_stands_twice_the_last_counts() -> None:
    assert jsontext.add('{"a": {}, "a": {"x": 1}}', ["a"], "y", 2) == '{"a": {}, "a": {"x": 1, "y": 2}}'


def test_what_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(KeyError):
        jsontext.remove("{}", ["a"])
