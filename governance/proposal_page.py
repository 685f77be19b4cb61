"""A proposal's page, read in one snapshot: what it would change, who said what, and what the reader may do."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise

from governance.actors import Acting
from governance.diffs import Change, FieldChange, Op, Span, ThreeWay, field_diff, three_way
from governance.invisible import made_visible
from governance.languages import language_of
from governance.models import Actor, Comment, Decision, Proposal, ProposalText, Revision
from governance.proposal_reading import (
    Refused,
    Sight,
    comments_of,
    find_proposal,
    sight,
    why_not,
)
from governance.proposals import EDITABLE
from governance.refusal_words import told
from governance.vocabulary import (
    ActorKind,
    ContractKind,
    DecisionReason,
    DecisionVerb,
    MembershipLevel,
    ProposalState,
    Risk,
)


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One field, or one line of a list, as it would be: runs that stay, come and go, to be read in order."""

    path: str
    kind: Change
    spans: Sequence[Span]

    @property
    def language(self) -> str:
        return language_of("".join(span.text for span in self.spans))


@dataclass(frozen=True, slots=True)
class Way:
    """A field in three texts: at the common base, as it holds now, and as it is asked for."""

    path: str
    base: str
    now: str
    asked: str
    clash: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One entry of the discussion: a comment, or a decision with its verb."""

    at: datetime
    who: str
    version: int
    text: str
    verb: DecisionVerb | None = None
    reason: DecisionReason | None = None
    self_approved: bool = False

    @property
    def language(self) -> str:
        return language_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalPage:
    """What the page of one proposal shows. `barred` says why the reader may not decide; None when they may."""

    seen: Sight
    barred: Refused | None
    own: bool
    human: str
    texts: Sequence[ProposalText]
    said: Sequence[Said]
    made: Revision | None
    holders: int

    @property
    def proposal(self) -> Proposal:
        return self.seen.proposal

    @property
    def text(self) -> ProposalText:
        return self.seen.text

    @property
    def kind(self) -> ContractKind:
        return ContractKind(self.proposal.kind)

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
    def title(self) -> str:
        return made_visible(self.text.title)

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
        return told(self.barred.code, self.barred.message) if self.barred else ""

    @property
    def changes(self) -> list[ChangeLine]:
        return change_lines(self.seen.base.body if self.seen.base else None, self.text.body)

    @property
    def ways(self) -> list[Way]:
        """The three texts where its base moved; nothing where it did not."""
        return ways(_body(self.seen.base), _body(self.seen.active), self.text.body) if self.moved else []


def proposal_page(acting: Acting, proposal_id: str, *, version: int | None = None) -> ProposalPage:
    """Read a proposal in the open scope; `version` looks at an earlier text. Raises NotThere."""
    proposal = find_proposal(proposal_id, pointer="{proposal_id}")
    seen = sight(proposal, version=version)
    owner = proposal.proposer.owned_by
    return ProposalPage(
        seen=seen,
        barred=why_not(acting, seen),
        own=acting.actor_id in {proposal.proposer_id, proposal.proposer.owned_by_id},
        human=owner.name if owner else "",
        texts=seen.texts,
        said=_said(seen.decisions, comments_of(proposal)),
        made=Revision.objects.filter(proposal=proposal).first(),
        holders=_holders(proposal),
    )


def change_lines(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[ChangeLine]:
    """Return what differs between two bodies, ready to be read."""
    return [ChangeLine(change.path, change.kind, _spans(change)) for change in field_diff(before, after)]


def ways(base: Mapping[str, Any], now: Mapping[str, Any], asked: Mapping[str, Any]) -> list[Way]:
    """Return the fields that differ among three bodies, ready to be read."""
    return [_way(way) for way in three_way(base, now, asked)]


def readable(value: Any) -> str:
    """Return a field's value as text: lines as lines, anything nested as JSON, a dash for nothing."""
    if value is None or value in ("", [], {}):
        return "—"
    if isinstance(value, str):
        return made_visible(value)
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return made_visible("\n".join(value))
    return made_visible(json.dumps(value, ensure_ascii=False, indent=1))


def _way(way: ThreeWay) -> Way:
    return Way(way.path, readable(way.base), readable(way.now), readable(way.asked), way.clash)


def _spans(change: FieldChange) -> list[Span]:
    if change.words is not None:
        return [Span(span.op, made_visible(span.text)) for span in change.words]
    gone = [] if change.kind is Change.ADDED else [Span(Op.DELETE, readable(change.before))]
    come = [] if change.kind is Change.REMOVED else [Span(Op.INSERT, readable(change.after))]
    return gone + come


def _said(decisions: Sequence[Decision], comments: Sequence[Comment]) -> list[Said]:
    spoken = [
        Said(at=one.created_at, who=one.author.name, version=one.version, text=made_visible(one.text))
        for one in comments
    ]
    decided = [
        Said(
            at=one.created_at,
            who=one.decider.name,
            version=one.version,
            text=made_visible(one.text),
            verb=DecisionVerb(one.verb),
            reason=DecisionReason(one.reason_code) if one.reason_code else None,
            self_approved=one.self_approved,
        )
        for one in decisions
    ]
    return sorted(spoken + decided, key=lambda one: one.at)


def _holders(proposal: Proposal) -> int:
    """Count the agents that a changed role reaches."""
    if proposal.kind != ContractKind.ROLE:
        return 0
    return Actor.objects.filter(kind=ActorKind.AGENT, active=True, roles__contains=[proposal.slug]).count()


def _body(revision: Revision | None) -> Mapping[str, Any]:
    return revision.body if revision else {}
