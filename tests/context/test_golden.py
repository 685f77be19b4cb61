"""Whole prompts and packets as files, so that a change of form is read by a person before it is accepted."""

import json
from pathlib import Path

import pytest

from sessions.context.assembler import assemble
from sessions.context.vocabulary import Dialect
from tests.context.cast import bare_material, compiled_of, full_material

GOLDEN = Path(__file__).parent / "golden"
CASES = {
    "full": (full_material(), None),
    "tight": (full_material(), 420),
    "bare": (bare_material(), None),
}


def written(name: str) -> str:
    """The prompt, the packet and the account of a case, as one readable text."""
    material, tokens = CASES[name]
    compiled = compiled_of(material, tokens)
    account = {
        "used": compiled.used,
        "layers": {
            row.layer.value: {"used": row.used, "cap": row.cap, "dropped": {d["ref"]: d["reason"] for d in row.dropped}}
            for row in compiled.layers
            if row.used or row.dropped
        },
        "warnings": [warning["code"] for warning in compiled.warnings],
    }
    packet = json.dumps({"packet": compiled.packet, "account": account}, ensure_ascii=False, indent=1)
    return assemble(compiled, Dialect.TEXT).text + "\n" + packet + "\n"


@pytest.mark.parametrize("name", CASES)
def test_a_compile_is_as_written(name):
    assert written(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
