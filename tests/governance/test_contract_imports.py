"""A file that was written for agents, taken as a contract: what was understood, and what was left out and named."""

import pytest

from governance.contract_imports import FileForm, form_of, imported, slug_in
from governance.errors import Invalid
from governance.vocabulary import ContractKind

AGENTS = "# Build\n\n- run the tests first\n- 不要直接推送\n\n## Style\n\nShort sentences.\n\n@docs/more.md\n"
FIELDS = "# duties\n\n- review every change\n\n# Mood\n\ncheerful\n"


def test_a_file_for_agents_becomes_lines_under_their_headings() -> None:
    taken = imported(AGENTS, ContractKind.ROLE, name="dev")
    assert taken.body["duties"][:2] == ["Build: run the tests first", "Build: 不要直接推送"]
    first = taken.pieces[0]
    assert (first.heading, first.field, first.lines) == ("Build", "duties", 2)


def test_includes_are_named_and_kept_as_words() -> None:
    taken = imported(AGENTS, ContractKind.PERSONA, name="灰风")
    assert taken.includes == ["@docs/more.md"]
    assert "@docs/more.md" in "\n".join(taken.body["behavior_rules"])


def test_what_is_no_field_is_left_out_and_named() -> None:
    taken = imported(f"before all\n\n{FIELDS}", ContractKind.ROLE, name="reviewer")
    assert taken.body["duties"] == ["review every change"]
    assert [(piece.heading, piece.words) for piece in taken.left] == [("", "before all"), ("Mood", "cheerful")]


def test_yaml_is_told_from_markdown() -> None:
    assert (form_of("name: 灰风\n"), form_of(AGENTS)) == (FileForm.YAML, FileForm.MARKDOWN)


def test_an_unknown_key_of_yaml_is_left_out_and_named() -> None:
    taken = imported("name: x\nmood: gay\n", ContractKind.PERSONA)
    assert (taken.form, taken.body["name"], [piece.heading for piece in taken.left]) == (FileForm.YAML, "x", ["mood"])


def test_the_header_of_an_export_names_the_contract() -> None:
    header = "<!-- greywind kind=role slug=scribe revision=3 hash=sha256:0 -->\n\n# duties\n\n- write\n"
    assert (slug_in(header, ContractKind.ROLE), slug_in(header, ContractKind.PERSONA)) == ("scribe", "")


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        ("name: [", ContractKind.PERSONA, "not_yaml"),
        ("duties: 7\n", ContractKind.ROLE, "invalid_body"),
        ("just words\n", ContractKind.BUDGET_PROFILE, "no_markdown"),
        ("x" * 70_000, ContractKind.PERSONA, "body_too_large"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, kind: ContractKind, code: str) -> None:
    with pytest.raises(Invalid) as refusal:
        imported(text, kind, name="dev")
    assert refusal.value.code == code
