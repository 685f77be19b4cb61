"""Schemas of the contracts: what a persona, role, policy, self profile or budget profile may say."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    Strict,
    StringConstraints,
    ValidationError,
    model_serializer,
)
from pydantic_core import ErrorDetails

from governance.errors import FieldFault, Invalid
from governance.gauges import check_above
from governance.input import NAME_SHOWN, OptionalText, Text, Texts, storable
from governance.policy_rules import VisionEditors
from governance.vocabulary import ContractKind, Proposable, ProposalKind, Risk, Sensitivity

MOST_BYTES = 64 * 1024  # of a body as JSON: a contract stands in every packet, so it is short
MOST_FAULTS = 50
MOST_NAME = 64  # characters of a contract's name

type Line = Annotated[
    str, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True), AfterValidator(storable)
]
type Lines = Annotated[list[Line], Field(max_length=200)]
type Prose = Annotated[str, StringConstraints(max_length=8000), AfterValidator(storable)]
type Words = Annotated[
    list[Annotated[str, StringConstraints(max_length=64), AfterValidator(storable)]], Field(max_length=100)
]
# Figures as they are said: "32000" and true are no numbers, though either could be read as one.
type Whole = Annotated[int, Strict()]
type Figure = Annotated[float, Strict()]
type Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Voice(_Body):
    style: Prose = ""
    language: Words = []


class IdentityCore(_Body):
    """The part of an identity that only an owner may change."""

    roles: Lines = []
    constitution: Lines = []
    hard_boundaries: Lines = []
    voice: Voice = Voice()


class PersonaBody(_Body):
    name: Line
    role: Prose = ""
    speaking_style: Prose = ""
    behavior_rules: Lines = []
    relationship_to_user: Prose = ""
    stable_preferences: Lines = []
    identity_core: IdentityCore = IdentityCore()


class RoleBody(_Body):
    slug: Slug
    duties: Lines
    permissions: Lines = []
    collaboration_rules: Lines = []
    hard_boundaries: Lines = []
    max_input_tokens: Annotated[Whole, Field(gt=0)] | None = None


class InjectionRule(_Body):
    """The highest sensitivity and the lowest knowledge status that may enter at a phase and risk; "*" is any."""

    phase: str = "*"
    risk: str = "*"
    highest_sensitivity: Sensitivity = Sensitivity.WORK
    lowest_knowledge_status: str = "inferred"


class ClaimAttribute(_Body):
    """An attribute that the project speaks of: of how many values it has one at a time, and which words name it."""

    kind: Slug = "single"
    subject: Slug = "thing"
    value: Slug = "text"
    en: Words = []
    zh: Words = []


class PolicyBody(_Body):
    rules: Lines = []
    risk_threshold: str = "medium"
    approval_required_for: list[str] = []
    source_weights: dict[str, Figure] = {}
    sensitivity_rules: dict[str, str] = {}
    injection_rules: list[InjectionRule] = []
    retention: dict[str, Whole] = {}
    review_mode: str = "human"
    budget_floors: dict[str, Figure] = {}
    two_deciders_for: Annotated[list[Risk], Field(max_length=3)] = []
    # On top of the attributes and open classes ("my colleague" is no one person) that are known anywhere.
    claim_attributes: Annotated[dict[Slug, ClaimAttribute], Field(max_length=100)] = {}
    open_classes: Words = []
    # None, here and below: what the project ships with.
    proposals_per_hour: Annotated[Whole, Field(gt=0)] | None = None  # of one agent
    memories_per_place: Annotated[Whole, Field(gt=0)] | None = None  # in use in one scope at once
    memory_tokens_per_place: Annotated[Whole, Field(gt=0)] | None = None
    recurring_from: Annotated[Whole, Field(gt=1)] | None = None  # sessions or days that make an account a rule
    vision_editors: VisionEditors | None = None  # who writes a vision directly; everybody else proposes it


class Communication(_Body):
    tone: Prose = ""
    length: Prose = ""


class Workflow(_Body):
    default_planning: Prose = ""
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


class BudgetProfileBody(_Body):
    """A budget profile, by its outer form; the compiler's own reader says what is wrong inside."""

    name: Annotated[str, StringConstraints(max_length=MOST_NAME)]
    model_window: Whole
    harness_window: Whole
    encoding: str
    method: str
    factor: Figure = 1
    reserves: dict[str, Whole]
    groups: dict[str, Figure]
    layers: dict[str, Any]
    item_caps: dict[str, Whole]
    counts: dict[str, Any]
    thresholds: dict[str, Figure]
    phases: dict[str, Any] = {}
    risks: dict[str, Any] = {}
    overheads: dict[str, Whole] = {}
    reads: Annotated[Whole, Field(ge=0)] | None = None  # what a session may read by refs in all

    @model_serializer(mode="wrap")
    def _said(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave `reads` out where nothing is said: a text of before it could be said stays the same text."""
        body: dict[str, Any] = dump(self)
        return body if self.reads is not None else {name: part for name, part in body.items() if name != "reads"}


class ConsentBody(_Body):
    """Who agreed that a text is shared, when, and the keyed hash of that text."""

    by: str = ""
    at: str = ""
    text: str = ""


class MemoryBody(_Body):
    """A private memory as everybody would read it. What stands from `origin` on is its offerer's to say."""

    content: Annotated[str, StringConstraints(min_length=1, max_length=20_000), AfterValidator(storable)]
    type: Slug
    kind: Slug
    sensitivity: Sensitivity = Sensitivity.WORK
    origin: Slug = "agent_inferred"
    rank: Slug = "untrusted_external"
    knowledge: Slug = "open"
    named: Prose = ""
    consent: ConsentBody = ConsentBody()


class SensitivityBody(_Body):
    """That a shared memory counts as less sensitive: which one, in the version that was read, and from what to what."""

    memory: Slug
    version: Annotated[int, Field(ge=1)]
    before: Sensitivity
    after: Sensitivity


class VisionBody(_Body):
    """What is wanted of a thread: which one, the version of its vision that this changes (0: it has none), and what
    the next one says.
    """

    thread: Slug
    version: Annotated[int, Strict(), Field(ge=0)]
    origin_goal: Text
    done_when: Texts = []
    non_goals: Texts = []
    user_priorities: Texts = []
    quality_bar: OptionalText = ""


SCHEMAS: dict[Proposable, type[_Body]] = {
    ContractKind.PERSONA: PersonaBody,
    ContractKind.ROLE: RoleBody,
    ContractKind.POLICY: PolicyBody,
    ContractKind.SELF_PROFILE: SelfProfileBody,
    ContractKind.BUDGET_PROFILE: BudgetProfileBody,
    ProposalKind.MEMORY: MemoryBody,
    ProposalKind.SENSITIVITY: SensitivityBody,
    ProposalKind.VISION: VisionBody,
}
# What says which matter a text is about and what it changes there: no writer of the next version chooses it.
PLACED: Mapping[Proposable, tuple[str, ...]] = {ProposalKind.VISION: ("thread", "version")}


def fields_of(kind: Proposable) -> list[str]:
    """Return the names of a body's top fields, in the order in which they are written."""
    return list(SCHEMAS[kind].model_fields)


def checked_body(kind: Proposable, body: Any) -> dict[str, Any]:
    """Return a body in the form of its schema, with every default filled in.

    Raises Invalid that names each field which breaks the schema (invalid_body, or what an app above finds wrong), and
    Invalid (body_too_large) over 64 KB.
    """
    try:
        checked = SCHEMAS[kind].model_validate(body).model_dump(mode="json")
        size = len(_canonical(checked).encode())
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)[:MOST_FAULTS]
        faults = tuple(_fault(fault) for fault in found)
        raise Invalid.of(faults, code="invalid_body") from error
    except UnicodeEncodeError as error:
        raise Invalid.at("/body", "holds half of a surrogate pair; send valid Unicode", code="invalid_body") from error
    if size > MOST_BYTES:
        message = f"it holds {size} bytes as JSON, and what is proposed may hold {MOST_BYTES}; shorten it"
        raise Invalid.at("/body", message, code="body_too_large")
    check_above(kind, checked)
    return checked


def _fault(found: ErrorDetails) -> FieldFault:
    bounds = found.get("ctx", {})
    return FieldFault(_pointer(found["loc"]), "invalid_body", found["msg"], rule=found["type"], bounds=bounds)


def _pointer(location: tuple[int | str, ...]) -> str:
    # An unknown field is named by its sender, so its name may hold anything.
    parts = [str(part).replace("~", "~0").replace("/", "~1")[:NAME_SHOWN] for part in location]
    return "/".join(["/body", *parts]).encode("utf-8", "replace").decode()


def check_fields(body: Mapping[str, Any], known: Iterable[str]) -> None:
    """Raise Invalid (invalid_body) that names each field of a body beside the known ones, and those."""
    taken = tuple(known)
    unknown = sorted(set(body).difference(taken))[:MOST_FAULTS]
    if unknown:
        message = f"this body knows no such field; it takes {', '.join(taken)}"
        faults = tuple(FieldFault(_pointer((name,)), "invalid_body", message) for name in unknown)
        raise Invalid.of(faults, code="invalid_body")


def checked_slug(kind: Proposable, text: str) -> str:
    """Return the slug; raises Invalid (slug_invalid) unless it is 1 to 64 of a-z, 0-9, _ and -, a letter first.

    A budget profile is called model@harness, so its slug may hold @ and dots as well, and begin with any of them.
    """
    profile = kind == ContractKind.BUDGET_PROFILE
    if re.fullmatch(r"[a-z0-9_.@-]{1,64}" if profile else r"[a-z][a-z0-9_-]{0,63}", text) is None:
        more = ", . and @" if profile else ", beginning with a letter"
        message = f"expected 1 to {MOST_NAME} of a-z, 0-9, _, -{more}"
        raise Invalid.at("/slug", message, code="slug_invalid")
    return text


def body_hash(body: Mapping[str, Any]) -> str:
    """Return the sha256 of a body's canonical JSON, as `sha256:<hex>`."""
    return "sha256:" + hashlib.sha256(_canonical(body).encode()).hexdigest()


def _canonical(body: Mapping[str, Any]) -> str:
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
