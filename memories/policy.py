"""The policy that stands in the open scope, read for what is learnt."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db.models import QuerySet, Subquery

from governance.errors import Invalid
from governance.models import Revision
from governance.policies import PolicyRules
from governance.vocabulary import ContractKind, RevisionState
from memories.claims import DEFAULT, AttributeKind, Registry, SubjectKind, ValueType

# Of one place until a policy says otherwise: what nobody could look through is not known, it is kept.
MEMORIES, TOKENS = 500, 50_000
RECURRING = 3  # sessions or days from which the same account is more than chance
CLAIM_WORDS: Mapping[str, Sequence[str]] = {
    "kind": list(AttributeKind),
    "subject": list(SubjectKind),
    "value": list(ValueType),
}
PROPOSALS_AN_HOUR = 60  # of one agent, until a policy says otherwise: more than one a minute no human would read


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The rules of the active policy, and how many memories one agent may propose in an hour.

    `memories` and `tokens` bound what is in use in one place, `recurring` says from how many sessions or days on an
    account is taken for a rule, `revision` names the policy's revision or is '', `registry` is what is known of
    attributes here.
    """

    rules: PolicyRules
    proposals_an_hour: int
    memories: int = MEMORIES
    tokens: int = TOKENS
    recurring: int = RECURRING
    revision: str = ""
    registry: Registry = DEFAULT


def standing_policy() -> Standing:
    """Return the active policy of the open scope; a project without one has the careful defaults."""
    found = _active().values_list("pk", "body").first()
    body = found[1] if found else {}
    return Standing(
        rules=PolicyRules.of(body),
        proposals_an_hour=body.get("proposals_per_hour") or PROPOSALS_AN_HOUR,
        memories=body.get("memories_per_place") or MEMORIES,
        tokens=body.get("memory_tokens_per_place") or TOKENS,
        recurring=body.get("recurring_from") or RECURRING,
        revision=str(found[0]) if found else "",
        registry=registry_of(body),
    )


def policy_body() -> Subquery:
    """Return the body of the open scope's active policy, for an annotation; None where there is none."""
    return Subquery(_active().values("body")[:1])


def registry_of(body: Mapping[str, Any]) -> Registry:
    """Return the registry of attributes under a policy's body: what is known anywhere, and what the policy adds.

    Raises ValueError for a kind, value type or subject kind that nobody knows.
    """
    added = {"attributes": body.get("claim_attributes") or {}, "open_classes": body.get("open_classes") or []}
    return _extended(json.dumps(added, sort_keys=True)) if any(added.values()) else DEFAULT


def check_claim_words(body: Mapping[str, Any]) -> None:
    """Raise Invalid (unknown_word) for an attribute of a policy whose kind, subject or value type nobody knows."""
    try:
        registry_of(body)
    except ValueError as error:
        known = "; ".join(f"{name}: {', '.join(words)}" for name, words in CLAIM_WORDS.items())
        raise Invalid.at("/body/claim_attributes", f"{error}; there are {known}", code="unknown_word") from error


def _active() -> QuerySet[Revision]:
    return Revision.objects.filter(
        state=RevisionState.ACTIVE, contract__kind=ContractKind.POLICY, contract__slug="default"
    )


# The words of a registry are read into a table of their own, which takes a while: so each is made once.
@lru_cache(maxsize=8)
def _extended(said: str) -> Registry:
    return DEFAULT.extended(json.loads(said))
