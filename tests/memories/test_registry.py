"""What a policy says of attributes, and what it does to what is learnt."""

import pytest

from governance.errors import Invalid
from governance.schemas import checked_body
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from memories.claims import DEFAULT
from memories.models import MemoryRead
from memories.policy import registry_of, standing_policy
from memories.vocabulary import Origin
from tests.api.asking import ok
from tests.cast import make_cast
from tests.memories.learning import Desk, claim, read

REVIEWERS = {"claim_attributes": {"reviewer": {"kind": "multi", "en": ["reviewer"], "zh": ["评审人"]}}}
INFERRED = {"origin": Origin.AGENT_INFERRED}


def two_reviewers(policy: dict[str, object]) -> list[str]:
    desk = Desk(make_cast("alpha", policy={"review_mode": "low_risk_auto"} | policy).dev)
    said = [("The reviewer of the tide parser is Ann.", "Ann"), ("The reviewer of the tide parser is Bo.", "Bo")]
    claims = [claim(name, subject="tide parser", attribute="reviewer") for _, name in said]
    return [desk.learn(text, claims=one, **INFERRED).outcome for (text, _), one in zip(said, claims, strict=True)]


def test_a_policy_lets_an_attribute_have_several_values(db: None) -> None:
    assert two_reviewers(REVIEWERS) == ["active", "active"]


def test_without_a_word_of_the_policy_two_values_are_a_conflict(db: None) -> None:
    assert two_reviewers({}) == ["active", "conflict"]


def test_a_policy_without_attributes_takes_what_is_shipped() -> None:
    assert registry_of({"claim_attributes": {}, "open_classes": []}) is DEFAULT


def test_the_same_words_are_read_once() -> None:
    assert registry_of(REVIEWERS) is registry_of(dict(REVIEWERS))


def test_a_kind_that_nobody_knows_is_refused_with_those_there_are() -> None:
    with pytest.raises(Invalid, match="single, multi, time_varying") as refusal:
        checked_body(ContractKind.POLICY, {"claim_attributes": {"reviewer": {"kind": "several"}}})
    assert refusal.value.faults[0].pointer == "/body/claim_attributes"


def test_a_policy_says_how_much_may_be_proposed(db: None) -> None:
    cast = make_cast("alpha", policy={"proposals_per_hour": 5})
    with project_scope(cast.dev.acting):
        assert standing_policy().proposals_an_hour == 5


def test_who_opens_a_memory_by_its_ref_is_in_its_access_log(db: None) -> None:
    cast = make_cast("alpha", policy={"review_mode": "low_risk_auto"})
    memory = read(cast.dev, Desk(cast.dev).learn("The tide gauge stands at pier four.").memory)
    ok(cast.dev.client().get(f"/evidence?ref={memory.ref}"))
    with project_scope(cast.dev.acting):
        assert list(MemoryRead.objects.values_list("memory_id", "through")) == [(memory.pk, "evidence")]
