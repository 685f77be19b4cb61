"""What is wrong with a field is said in the reader's language, and never in the schema's own English."""

import re
from typing import Any

import pytest
from django.utils import translation

from governance.errors import Invalid
from governance.fault_words import OTHER, why_of
from governance.schemas import checked_body
from governance.vocabulary import ContractKind

HAN = re.compile(r"[\u4e00-\u9fff]")
FAULTY = [
    (ContractKind.PERSONA, {}),
    (ContractKind.PERSONA, {"name": 7}),
    (ContractKind.PERSONA, {"name": ""}),
    (ContractKind.PERSONA, {"name": "x" * 5000}),
    (ContractKind.PERSONA, {"name": "x", "behavior_rules": "one"}),
    (ContractKind.PERSONA, {"name": "x", "behavior_rules": ["y"] * 201}),
    (ContractKind.PERSONA, {"name": "x", "identity_core": "y"}),
    (ContractKind.PERSONA, {"name": "x", "mood": "y"}),
    (ContractKind.PERSONA, {"name": "x\x00"}),
    (ContractKind.ROLE, {"slug": "Dev!", "duties": []}),
    (ContractKind.ROLE, {"slug": "dev", "duties": [], "max_input_tokens": 0}),
    (ContractKind.ROLE, {"slug": "dev", "duties": [], "max_input_tokens": "many"}),
    (ContractKind.POLICY, {"two_deciders_for": ["grave"]}),
    (ContractKind.POLICY, {"source_weights": {"a": "b"}}),
    (ContractKind.POLICY, {"source_weights": 3}),
    (ContractKind.SELF_PROFILE, {"self_id": "x", "preference_model": {"workflow": {"evidence_required": "perhaps"}}}),
]


@pytest.mark.parametrize(("kind", "body"), FAULTY)
def test_each_rule_has_words_of_its_own_in_chinese(kind: ContractKind, body: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refusal:
        checked_body(kind, body)
    with translation.override("zh-hans"):
        said, other = why_of(refusal.value.faults[0]), str(OTHER)
    assert (HAN.search(said) is not None, "%" in said, said == other) == (True, False, False)
