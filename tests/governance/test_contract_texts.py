"""Contracts as files: what comes in is what goes out, and nothing is followed or guessed."""

from itertools import pairwise
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.contract_texts import from_markdown, from_yaml, to_markdown
from governance.errors import Invalid
from governance.models import Contract, Revision
from governance.schemas import body_hash, checked_body
from governance.vocabulary import ContractKind
from tests.cast import PERSONA, POLICY

ROLE = {
    "slug": "dev",
    "duties": ["按约定做出来", "verify it\nand say how"],
    "permissions": ["merge"],
    "hard_boundaries": ["# not a heading", "- not a bullet"],
    "max_input_tokens": 4000,
}
RULES = {
    "rules": ["简短"],
    "injection_rules": [{"phase": "plan", "highest_sensitivity": "public"}],
    "retention": {"a": 3},
}
PROFILE = {"self_id": "me", "identity_core": {"voice": {"style": "calm", "language": ["zh-CN"]}}}
BODIES: list[tuple[ContractKind, Any]] = [
    (ContractKind.PERSONA, PERSONA | {"relationship_to_user": "a peer\n\n# and a friend\n- of a kind"}),
    (ContractKind.ROLE, ROLE),
    (ContractKind.POLICY, RULES),
    (ContractKind.POLICY, POLICY),
    (ContractKind.SELF_PROFILE, PROFILE),
]


def exported(kind: ContractKind, body: Any) -> str:
    checked = checked_body(kind, body)
    contract = Contract(kind=kind, slug="dev")
    return to_markdown(Revision(contract=contract, number=7, body=checked, body_hash=body_hash(checked)))


@pytest.mark.parametrize(("kind", "body"), BODIES)
def test_an_exported_revision_reads_back_as_itself(kind: ContractKind, body: Any) -> None:
    assert from_markdown(exported(kind, body), kind) == checked_body(kind, body)


LINE = st.text(alphabet="确认ab# -*`\\@:1\n", min_size=1, max_size=24).map(str.strip).filter(bool)


@given(st.lists(LINE, max_size=4), LINE)
@settings(max_examples=300, deadline=None)
def test_any_text_survives_the_round_trip(lines: list[str], prose: str) -> None:
    body = {"name": "x", "speaking_style": prose, "behavior_rules": lines}
    assert from_markdown(exported(ContractKind.PERSONA, body), ContractKind.PERSONA) == checked_body(
        ContractKind.PERSONA, body
    )


def test_the_header_says_which_revision_it_is() -> None:
    header = exported(ContractKind.ROLE, ROLE).split("\n")[0]
    assert "kind=role slug=dev revision=7 hash=sha256:" in header


@pytest.mark.parametrize(("kind", "body"), BODIES)
def test_yaml_holds_a_body(kind: ContractKind, body: Any) -> None:
    assert from_yaml(yaml.safe_dump(body, allow_unicode=True), kind) == checked_body(kind, body)


AGENTS = """# Working here

Run the tests before you push.

## Style
- short sentences
* 不缩写
@docs/rules.md
"""


def test_a_file_for_agents_becomes_lines_of_behaviour() -> None:
    body = from_markdown(AGENTS, ContractKind.PERSONA, name="灰风")
    assert body["behavior_rules"] == [
        "Working here: Run the tests before you push.",
        "Style: short sentences",
        "Style: 不缩写",
        "Style: @docs/rules.md",
    ]


def test_a_file_for_agents_becomes_duties_of_a_role() -> None:
    body = from_markdown(AGENTS, ContractKind.ROLE, name="dev")
    assert (body["slug"], len(body["duties"])) == ("dev", 4)


def refused(text: str, kind: ContractKind, *, yaml_: bool = False) -> Invalid:
    with pytest.raises(Invalid) as caught:
        (from_yaml if yaml_ else from_markdown)(text, kind)
    return caught.value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: [", "not_yaml"),
        ("- a", "not_yaml"),
        ("just words", "not_yaml"),
        ("", "not_yaml"),
        ("!!python/object/apply:os.system ['true']", "not_yaml"),
        ("x: " + "[" * 40 + "]" * 40, "not_yaml"),
        ("wat: 1\nslug: dev", "unknown_key"),
        ("slug: dev\nduties: 7", "invalid_body"),
        ("a: " + "x" * 70_000, "body_too_large"),
        ("slug: dev\nduties: [2026-01-01]", "invalid_body"),
    ],
)
def test_yaml_that_is_no_contract_is_refused(text: str, code: str) -> None:
    assert refused(text, ContractKind.ROLE, yaml_=True).code == code


def test_yaml_that_unfolds_for_ever_is_refused() -> None:
    levels = [f"{name}: &{name} [{', '.join(['*' + before] * 9)}]" for before, name in pairwise("abcdefghi")]
    bomb = "\n".join(["a: &a [x]", *levels])
    assert refused(bomb, ContractKind.ROLE, yaml_=True).code == "not_yaml"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no_markdown"),
        ("# duties\n- a\n\n# wat\n- b\n", "unknown_key"),
        ("# slug\ndev\n\n# duties\n```yaml\n[\n```\n", "not_yaml"),
    ],
)
def test_markdown_that_is_no_contract_is_refused(text: str, code: str) -> None:
    assert refused(text, ContractKind.ROLE).code == code


def test_unknown_keys_are_all_named() -> None:
    faults = refused("wat: 1\nwhy: 2\nslug: dev", ContractKind.ROLE, yaml_=True).faults
    assert [fault.pointer for fault in faults] == ["/text#wat", "/text#why"]
