"""Schemas of the contracts, and their immutable revisions."""

import hashlib
import json
from datetime import datetime
from typing import Annotated, Any

from django.db.models import Max
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from governance.errors import FieldFault, Invalid
from governance.models import Actor, Contract, Revision
from governance.scope import record
from governance.vocabulary import ContractKind, RevisionState, Sensitivity

type Line = Annotated[str, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True)]
type Lines = Annotated[list[Line], Field(max_length=200)]
type Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Voice(_Body):
    style: str = ""
    language: list[str] = []


class IdentityCore(_Body):
    """The part of an identity that only an owner may change."""

    roles: Lines = []
    constitution: Lines = []
    hard_boundaries: Lines = []
    voice: Voice = Voice()


class PersonaBody(_Body):
    name: Line
    role: str = ""
    speaking_style: str = ""
    behavior_rules: Lines = []
    relationship_to_user: str = ""
    stable_preferences: Lines = []
    identity_core: IdentityCore = IdentityCore()


class RoleBody(_Body):
    slug: Slug
    duties: Lines
    permissions: Lines = []
    collaboration_rules: Lines = []
    hard_boundaries: Lines = []
    max_input_tokens: Annotated[int, Field(gt=0)] | None = None


class InjectionRule(_Body):
    """The highest sensitivity and the lowest knowledge status that may enter at a phase and risk; "*" is any."""

    phase: str = "*"
    risk: str = "*"
    highest_sensitivity: Sensitivity = Sensitivity.WORK
    lowest_knowledge_status: str = "inferred"


class PolicyBody(_Body):
    rules: Lines = []
    risk_threshold: str = "medium"
    approval_required_for: list[str] = []
    source_weights: dict[str, float] = {}
    sensitivity_rules: dict[str, str] = {}
    injection_rules: list[InjectionRule] = []
    retention: dict[str, int] = {}
    review_mode: str = "human"
    budget_floors: dict[str, float] = {}


class Communication(_Body):
    tone: str = ""
    length: str = ""


class Workflow(_Body):
    default_planning: str = ""
    evidence_required: bool = True


class PreferenceModel(_Body):
    communication: Communication = Communication()
    workflow: Workflow = Workflow()


class SelfProfileBody(_Body):
    self_id: str
    version: int = 1
    identity_core: IdentityCore = IdentityCore()
    preference_model: PreferenceModel = PreferenceModel()
    governance_policy: dict[str, Any] = {}


SCHEMAS: dict[ContractKind, type[_Body]] = {
    ContractKind.PERSONA: PersonaBody,
    ContractKind.ROLE: RoleBody,
    ContractKind.POLICY: PolicyBody,
    ContractKind.SELF_PROFILE: SelfProfileBody,
}


def checked_body(kind: ContractKind, body: Any) -> dict[str, Any]:
    """Return a body in the form of its schema, with every default filled in.

    Raises Invalid that names each field which breaks the schema.
    """
    try:
        return SCHEMAS[kind].model_validate(body).model_dump(mode="json")
    except ValidationError as error:
        faults = tuple(
            FieldFault("/body/" + "/".join(map(str, fault["loc"])), "invalid_body", fault["msg"])
            for fault in error.errors()
        )
        raise Invalid(f"The {kind} does not follow its schema: {faults[0].pointer}.", faults=faults) from error


def body_hash(body: dict[str, Any]) -> str:
    """Return the sha256 of a body's canonical JSON, as `sha256:<hex>`."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def install(
    kind: ContractKind,
    slug: str,
    body: Any,
    *,
    by: Actor,
    reason: str,
    now: datetime,
    subject: Actor | None = None,
) -> Revision:
    """Make `body` the active revision of a contract, on the decision of `by`, inside the open scope.

    `subject` is the human whom a self profile is about; it is kept from the contract's first revision on. The former
    active revision is superseded. Raises Invalid when the body breaks its schema.
    """
    checked = checked_body(kind, body)
    about = {"subject": subject}
    contract, _ = Contract.objects.get_or_create(project_id=by.project_id, kind=kind, slug=slug, defaults=about)
    Contract.objects.select_for_update().get(pk=contract.pk)
    active = Revision.objects.filter(contract=contract, state=RevisionState.ACTIVE).first()
    newest = Revision.objects.filter(contract=contract).aggregate(top=Max("number"))["top"] or 0
    if active is not None:
        Revision.objects.filter(pk=active.pk).update(state=RevisionState.SUPERSEDED)
    revision = Revision.objects.create(
        project_id=by.project_id,
        contract=contract,
        number=newest + 1,
        state=RevisionState.ACTIVE,
        body=checked,
        body_hash=body_hash(checked),
        base=active,
        proposed_by=by,
        decided_by=by,
        decided_at=now,
        reason=reason,
    )
    detail = {"contract": contract.public_id, "number": revision.number}
    record("contract.install", revision.public_id, reason=reason, after=revision.body_hash, detail=detail)
    return revision
