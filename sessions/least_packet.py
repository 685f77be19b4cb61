"""What no packet of a project can do without: the tokens of persona, role and policy before anything is said."""

from dataclasses import dataclass

from governance.models import Revision
from governance.vocabulary import ContractKind, Phase, RevisionState, Risk
from sessions.attempts import DEFAULT_PERSONA, DEFAULT_POLICY
from sessions.context.budget import Limit, build_budget
from sessions.context.compiler import compile_packet
from sessions.context.material import ContractFact, Eligibility, InputFact, Material, SessionFact, ThreadFact
from sessions.context.profile_form import parse_profile
from sessions.context.profiles import ModelProfile
from sessions.context.vocabulary import LimitOrigin
from sessions.facts import contract_fact
from sessions.models import BudgetProfile
from sessions.profiles import CONSERVATIVE
from threads.vocabulary import ThreadType

NOTHING_FITS = (Limit(LimitOrigin.PROJECT, 0),)


@dataclass(frozen=True, slots=True)
class Least:
    """The tokens that every packet of a role takes, by the most careful count."""

    role: str
    tokens: int


def least_tokens() -> Least | None:
    """Return the role of the open scope's project whose packets need most before a word is said, and how much.

    None where no role has a persona and a contract.
    """
    active = Revision.objects.filter(state=RevisionState.ACTIVE).select_related("contract")
    found = {(row.contract.kind, row.contract.slug): row for row in active}
    persona = found.get((ContractKind.PERSONA, DEFAULT_PERSONA))
    if persona is None:
        return None
    policy = found.get((ContractKind.POLICY, DEFAULT_POLICY))
    shared = (contract_fact(persona), contract_fact(policy) if policy else None)
    roles = [(slug, row) for (kind, slug), row in found.items() if kind == ContractKind.ROLE]
    profile = parse_profile(BudgetProfile.objects.newest().get(slug=CONSERVATIVE).body)
    needs = [Least(slug, _needed(_material(*shared, contract_fact(row)), profile)) for slug, row in roles]
    return max(needs, key=lambda least: (least.tokens, least.role), default=None)


def _needed(material: Material, profile: ModelProfile) -> int:
    """Compile where nothing fits: what is short then is what is required."""
    budget = build_budget(profile, phase=Phase.EXECUTE, risk=Risk.LOW, limits=NOTHING_FITS)
    compiled = compile_packet(material, budget, counter=profile.counter())
    return sum(layer.needed for layer in compiled.shortfalls)


def _material(persona: ContractFact, policy: ContractFact | None, role: ContractFact) -> Material:
    return Material(
        persona=persona,
        role=role,
        policy=policy,
        self_profile=None,
        vision=None,
        thread=ThreadFact(ref="thread://", thread_id="", title="", type=ThreadType.WORK.value),
        session=SessionFact(ref="session://", session_id="", state="active"),
        summary=None,
        handoff=None,
        user_input=InputFact(raw_text="?"),
        eligibility=Eligibility(),
        trace_id="",
        now="",
    )
