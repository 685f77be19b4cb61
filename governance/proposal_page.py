"""A proposal's page, read in one snapshot: what it would change, who said what, and what the reader may do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise

from governance.actors import Acting
from governance.change_reading import ChangeLine, Way, changes_of, ways
from governance.citations import Citation, citations, refs_in
from governance.eligibility import bar
from governance.holders import agents_under
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.models import Actor, Proposal, ProposalText, Revision
from governance.proposal_discussion import Said, said_of
from governance.proposal_reading import (
    APPROVING,
    Refused,
    Sight,
    comments_of,
    find_proposal,
    sight,
    why_not,
)
from governance.proposal_texts import worded
from governance.proposal_words import SHUT, WITHDRAWN_OFFER, barred_words
from governance.proposals import EDITABLE
from governance.refusal_words import told
from governance.undertakings import undertaking_of
from governance.vocabulary import (
    MembershipLevel,
    ProposalKind,
    ProposalState,
    Risk,
)


@dataclass(frozen=True, slots=True)
class Consent:
    """When a human agreed to share a text, and whose memory it may be called, '' where nobody's."""

    at: datetime
    named: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalPage:
    """What the page of one proposal shows. `barred` says why the reader may not decide; None when they may.

    `able` are the names of those who may, where the reader may not. `own`: they, or an agent of theirs, proposed it;
    `wrote`: a text of it is theirs. `agents` hold what changes.
    `made` is the revision that it became; of what becomes none, `shared` is the id of its memory, or of its thread.
    """

    seen: Sight
    barred: Refused | None
    able: Sequence[str]
    own: bool
    wrote: bool
    human: str
    texts: Sequence[ProposalText]
    said: Sequence[Said]
    made: Revision | None
    shared: str
    agents: Sequence[str]
    cited: Sequence[Citation]

    @property
    def proposal(self) -> Proposal:
        return self.seen.proposal

    @property
    def text(self) -> ProposalText:
        return self.seen.text

    @property
    def kind(self) -> ProposalKind:
        return ProposalKind(self.proposal.kind)

    @property
    def is_memory(self) -> bool:
        """Whether it offers a private memory, and changes no contract."""
        return self.kind is ProposalKind.MEMORY

    @property
    def lowers(self) -> bool:
        """Whether it lets a memory count as less sensitive, and changes no contract."""
        return self.kind is ProposalKind.SENSITIVITY

    @property
    def is_vision(self) -> bool:
        """Whether it changes what is wanted of a thread."""
        return self.kind is ProposalKind.VISION

    @property
    def revises(self) -> int | None:
        """The version of a vision that it changes, 0 where there is none; None for what is no vision."""
        return self.text.body["version"] if self.is_vision else None

    @property
    def blocked(self) -> Promise | str:
        """Why it cannot be approved as things stand, in the reader's language; '' elsewhere."""
        return told(self.seen.shut, "") if self.editable and self.seen.shut else ""

    @property
    def consent(self) -> Consent | None:
        """Who agreed that the memory is shared, and when; None for a contract."""
        given = self.text.body["consent"] if self.is_memory else None
        return Consent(datetime.fromisoformat(given["at"]), self.text.body["named"]) if given else None

    @property
    def state(self) -> ProposalState:
        return ProposalState(self.proposal.state)

    @property
    def risk(self) -> Risk:
        return Risk(self.text.risk)

    @property
    def level(self) -> MembershipLevel:
        return MembershipLevel(self.text.level)

    @property
    def title(self) -> Promise | str:
        return made_visible(self.text.title) or WITHDRAWN_OFFER

    @property
    def rationale(self) -> str:
        return made_visible(self.text.rationale)

    @property
    def language(self) -> str:
        return language_of(self.text.title)

    @property
    def newest(self) -> bool:
        """Whether this is the present text, not an earlier version."""
        return self.text.version == self.proposal.version

    @property
    def open(self) -> bool:
        return self.state == ProposalState.OPEN

    @property
    def editable(self) -> bool:
        return self.proposal.state in EDITABLE

    @property
    def moved(self) -> bool:
        """Whether another revision holds than the one it changes, while it still waits."""
        return self.editable and self.seen.moved

    @property
    def why_not(self) -> Promise | str:
        """Why the reader may not decide, in their language; '' when they may."""
        return barred_words(self.barred.code, level=self.level, by_agent=not self.wrote) if self.barred else ""

    @property
    def shut(self) -> Promise | str:
        """Why nobody may decide for now, where that is worth saying beside the buttons; '' elsewhere."""
        return SHUT.get(self.state, "")

    @property
    def lapsed(self) -> int:
        """How many approvals were given to what stood here before, and no longer count."""
        given = [one for one in self.seen.decisions if one.verb in APPROVING]
        return len(given) - self.seen.approvals if self.open and self.newest else 0

    @property
    def changes(self) -> list[ChangeLine]:
        """What it would change: of an offered memory what everybody would read, without the consent beside it."""
        found = changes_of(self.seen)
        return sorted(found, key=lambda line: line.path != "content") if self.is_memory else found

    @property
    def ways(self) -> list[Way]:
        """The three texts where its base moved; nothing where it did not."""
        texts = (self.seen.before, self.seen.standing, self.text.body)
        return ways(*(worded(self.kind, text or {}) for text in texts)) if self.moved else []


def proposal_page(acting: Acting, proposal_id: str, *, version: int | None = None) -> ProposalPage:
    """Read a proposal in the open scope; `version` looks at an earlier text. Raises NotThere."""
    proposal = find_proposal(proposal_id, pointer="{proposal_id}")
    seen = sight(proposal, version=version)
    owner = proposal.proposer.owned_by
    barred = why_not(acting, seen)
    return ProposalPage(
        seen=seen,
        barred=barred,
        able=_able(seen, acting) if barred and proposal.state == ProposalState.OPEN else (),
        own=acting.actor_id in {proposal.proposer_id, proposal.proposer.owned_by_id},
        wrote=acting.actor_id in {proposal.proposer_id, *(text.author_id for text in seen.texts)},
        human=owner.name if owner else "",
        texts=seen.texts,
        said=said_of(seen.decisions, comments_of(proposal)),
        made=Revision.objects.filter(proposal=proposal).first(),
        shared=_shared(proposal),
        agents=[made_visible(name) for name in agents_under(proposal)],
        cited=citations(_cited(proposal, seen.text), acting),
    )


def _cited(proposal: Proposal, text: ProposalText) -> list[str]:
    """Return what a text rests on: the revision that it goes back to or the memory it is about, and what its reasons
    name.
    """
    back = [f"revision://{public_id('rev', proposal.reverts_id)}"] if proposal.reverts_id else []
    if proposal.kind == ProposalKind.SENSITIVITY:
        back.append(f"memory://{text.body['memory']}@{text.body['version']}")
    return [*back, *refs_in(text.rationale)]


def _able(seen: Sight, acting: Acting) -> list[str]:
    """Return the names of those who may decide in the reader's place, the author too where nobody else may."""
    case = seen.case
    able = {one for one in case.deciders if bar(case, one, case.level) is None}
    said = {one.decider_id for one in seen.decisions if one.version == seen.proposal.version}
    others = able - said - {acting.actor_id}
    return list(Actor.objects.filter(pk__in=others).order_by("name").values_list("name", flat=True))


def _shared(proposal: Proposal) -> str:
    undertaking = undertaking_of(proposal.kind) if proposal.state == ProposalState.APPROVED else None
    return undertaking.made(proposal) if undertaking else ""
