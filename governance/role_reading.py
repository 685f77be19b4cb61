"""Contracts and their revisions as pages show them, read in the open scope."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlencode

from django.db.models import F

from governance.change_reading import ChangeLine, change_lines, readable
from governance.contracts import revisions_of
from governance.errors import NotThere
from governance.gauges import tokens_of
from governance.holders import OF_ALL
from governance.invisible import made_visible
from governance.languages import language_of
from governance.models import Actor, ProposalText, Revision
from governance.proposals import EDITABLE
from governance.schemas import fields_of
from governance.vocabulary import (
    NO_CONTRACT,
    ActorKind,
    Audience,
    ContractKind,
    ProposalState,
    RevisionState,
    rank,
)

MOST_UNDER_WAY = 50
# The field of the playground that names a contract of a kind; a policy is the one of all.
NAMED_AS = {ContractKind.ROLE: "role", ContractKind.POLICY: None, ContractKind.BUDGET_PROFILE: "profile"}


@dataclass(frozen=True, slots=True)
class ContractLine:
    """One contract with what holds of it. `tokens` is None where nobody counted; `agents` hold it as a role."""

    active: Revision
    tokens: int | None
    agents: Sequence[str]

    @property
    def private(self) -> bool:
        return Audience(self.active.contract.audience) is Audience.PRIVATE


@dataclass(frozen=True, slots=True)
class ContractGroup:
    """The contracts of one kind."""

    kind: ContractKind
    lines: Sequence[ContractLine]


@dataclass(frozen=True, slots=True)
class BodyField:
    """One field of a revision, as text."""

    name: str
    text: str

    @property
    def language(self) -> str:
        return language_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionPage:
    """One revision, its place in the chain, and how it differs from the one it is compared with."""

    revision: Revision
    chain: Sequence[Revision]
    other: Revision | None

    @property
    def kind(self) -> ContractKind:
        return ContractKind(self.revision.contract.kind)

    @property
    def state(self) -> RevisionState:
        return RevisionState(self.revision.state)

    @property
    def active(self) -> bool:
        return self.state is RevisionState.ACTIVE

    @property
    def trial(self) -> str:
        """What the address of the playground says for it to try this revision; '' where compiles go by no such one."""
        contract = self.revision.contract
        if self.kind not in NAMED_AS or (self.kind is ContractKind.POLICY and contract.slug != OF_ALL):
            return ""
        name = NAMED_AS[self.kind]
        named = {name: contract.slug} if name else {}
        return urlencode({**named, f"{self.kind}_revision": self.revision.public_id})

    @property
    def reason(self) -> str:
        return made_visible(self.revision.reason)

    @property
    def fields(self) -> list[BodyField]:
        body = self.revision.body
        return [BodyField(name, readable(body[name])) for name in fields_of(self.kind) if name in body]

    @property
    def changes(self) -> list[ChangeLine]:
        """What led from the other one to this one."""
        return change_lines(self.other.body, self.revision.body) if self.other else []


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A proposal that has not ended: a draft, one that waits, or one that was sent back."""

    id: str
    title: str
    state: ProposalState
    kind: ContractKind
    slug: str
    proposer: str

    @property
    def language(self) -> str:
        return language_of(self.title)


def under_way() -> list[UnderWay]:
    """Return the proposals of the open scope's project that have not ended, newest first, at most MOST_UNDER_WAY."""
    rows = ProposalText.objects.filter(version=F("proposal__version"), proposal__state__in=EDITABLE)
    rows = rows.exclude(proposal__kind__in=NO_CONTRACT)
    rows = rows.select_related("proposal__proposer").order_by("-proposal__created_at", "-proposal_id")
    return [
        UnderWay(
            row.proposal.public_id,
            made_visible(row.title),
            ProposalState(row.proposal.state),
            ContractKind(row.proposal.kind),
            row.proposal.slug,
            made_visible(row.proposal.proposer.name),
        )
        for row in rows[:MOST_UNDER_WAY]
    ]


def contract_groups() -> list[ContractGroup]:
    """Return what holds in the open scope's project, by kind and name."""
    rows = Revision.objects.filter(state=RevisionState.ACTIVE)
    found = list(rows.select_related("contract", "decided_by", "proposal").order_by("contract__slug"))
    agents = _agents_by_role()
    found.sort(key=lambda row: rank(ContractKind(row.contract.kind)))
    return [
        ContractGroup(
            ContractKind(kind),
            [
                ContractLine(row, tokens_of(row.body), agents.get(row.contract.slug, ()) if kind == "role" else ())
                for row in rows
            ],
        )
        for kind, rows in groupby(found, key=lambda row: row.contract.kind)
    ]


def find_revision(kind: str, slug: str, number: str) -> Revision:
    """Return a revision that holds or held, by its place in an address; raises NotThere."""
    if not (number.isascii() and number.isdigit() and len(number) < 7):
        raise NotThere.there("{number}")
    kept = Revision.objects.exclude(state=RevisionState.DRAFT).select_related("contract", "proposed_by", "decided_by")
    found = kept.filter(contract__kind=kind, contract__slug=slug, number=int(number)).first()
    if found is None:
        raise NotThere.there("{number}")
    return found


def revision_page(kind: str, slug: str, number: str, *, compared: str = "") -> RevisionPage:
    """Return a revision with its chain; `compared` is another one's number. Raises NotThere for either."""
    revision = find_revision(kind, slug, number)
    chain = revisions_of(revision.contract)
    other = None
    if compared:
        other = find_revision(kind, slug, compared)
    return RevisionPage(revision=revision, chain=chain, other=other)


def _agents_by_role() -> Mapping[str, list[str]]:
    holding: dict[str, list[str]] = {}
    agents = Actor.objects.filter(kind=ActorKind.AGENT, active=True).order_by("name")
    for name, roles in agents.values_list("name", "roles"):
        for role in roles:
            holding.setdefault(role, []).append(name)
    return holding
