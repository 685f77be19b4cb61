"""A proposal as somebody looks at it: its texts, what they rest on, who may decide, and the hash of what was seen."""

import hashlib
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from governance.actors import Acting
from governance.eligibility import Bar, Case, approvals_needed, bar
from governance.errors import Forbidden, Invalid, NotThere
from governance.ids import parse_id
from governance.models import Actor, Comment, Decision, Membership, Proposal, ProposalText, Revision
from governance.people import level_of
from governance.undertakings import Ground, ground_of
from governance.vocabulary import (
    ActorKind,
    ContractKind,
    DecisionVerb,
    MembershipLevel,
    ProposalState,
    RevisionState,
    Risk,
    rank,
)

APPROVING = (DecisionVerb.APPROVE, DecisionVerb.EDIT_AND_APPROVE)
DEFAULT_POLICY = "default"
POLICY = (ContractKind.POLICY, DEFAULT_POLICY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A proposal at one moment. `base` is the revision that its text changes, `active` the one that holds now; `ground`
    says the same of what becomes no revision.

    `seen_hash` binds a decision to the text, its base and the policy in force. `approvals` are those of this text.
    `texts` are all versions, newest first, and `decisions` all that was decided, oldest first.
    """

    proposal: Proposal
    text: ProposalText
    base: Revision | None
    active: Revision | None
    ground: Ground | None
    policy_revision_id: uuid.UUID | None
    seen_hash: str
    case: Case
    approvals: int
    texts: Sequence[ProposalText]
    decisions: Sequence[Decision]

    @property
    def moved(self) -> bool:
        """Whether something else holds by now than what the text changes."""
        if self.ground is not None:
            return self.ground.moved
        return (self.active.pk if self.active else None) != self.text.base_id

    @property
    def before(self) -> Mapping[str, Any] | None:
        """What the text changes, as a body; None for something new."""
        return _body(self.base, self.ground.then if self.ground else None)

    @property
    def standing(self) -> Mapping[str, Any] | None:
        """What holds now, as a body; None where nothing does."""
        return _body(self.active, self.ground.now if self.ground else None)

    @property
    def shut(self) -> str:
        """The code of why nothing can be approved of it now, '' elsewhere."""
        return self.ground.shut if self.ground else ""

    @property
    def needed(self) -> int:
        return approvals_needed(self.case)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why somebody may not decide, as a code and in words."""

    code: str
    message: str


def find_proposal(text: str, *, pointer: str) -> Proposal:
    """Return the open scope's proposal with this public id; raises NotThere."""
    try:
        wanted = parse_id(Proposal.PREFIX, text, pointer=pointer)
    except Invalid as error:
        raise NotThere.there(pointer) from error
    found = Proposal.objects.select_related("proposer__owned_by", "contract").filter(pk=wanted).first()
    if found is None:
        raise NotThere.there(pointer)
    return found


def sight(proposal: Proposal, *, version: int | None = None) -> Sight:
    """Return the proposal as it stands now; `version` looks at an older text. Raises NotThere for an unknown one."""
    texts, decisions = texts_of(proposal), decisions_of(proposal)
    wanted = proposal.version if version is None else version
    text = next((each for each in texts if each.version == wanted), None)
    if text is None:
        raise NotThere.there("/version")
    policy, active = _in_force(proposal)
    case = case_of(proposal, texts, text, policy)
    return _seen(proposal, text, policy=policy, active=active, case=case, texts=texts, decisions=decisions)


def sights_of(proposals: Sequence[Proposal]) -> list[Sight]:
    """Return each proposal as `sight` does: in six statements for all of them, beside what each kind looks up."""
    texts: dict[uuid.UUID, list[ProposalText]] = defaultdict(list)
    decisions: dict[uuid.UUID, list[Decision]] = defaultdict(list)
    for text in _texts(proposal__in=proposals):
        texts[text.proposal_id].append(text)
    for decision in _decisions(proposal__in=proposals):
        decisions[decision.proposal_id].append(decision)
    active = _active_among({(each.kind, each.slug) for each in proposals})
    policy = active.get(POLICY)
    reach = {level: frozenset(deciders(level)) for level in (MembershipLevel.MAINTAINER, MembershipLevel.OWNER)}
    found = []
    for each in proposals:
        mine = texts[each.pk]
        level = MembershipLevel(mine[0].level)
        case = case_of(each, mine, mine[0], policy, reach=reach[level])
        own = active.get((each.kind, each.slug))
        found.append(
            _seen(each, mine[0], policy=policy, active=own, case=case, texts=mine, decisions=decisions[each.pk])
        )
    return found


def _seen(
    proposal: Proposal,
    text: ProposalText,
    *,
    policy: Revision | None,
    active: Revision | None,
    case: Case,
    texts: Sequence[ProposalText],
    decisions: Sequence[Decision],
) -> Sight:
    seen = seen_hash(text, policy)
    said = [each for each in decisions if each.version == text.version and each.verb in APPROVING]
    return Sight(
        proposal=proposal,
        text=text,
        base=text.base,
        active=active,
        ground=ground_of(proposal.kind, text.body),
        policy_revision_id=policy.pk if policy else None,
        seen_hash=seen,
        case=case,
        approvals=len([each for each in said if each.seen_hash == seen]),
        texts=texts,
        decisions=decisions,
    )


def before_of(text: ProposalText) -> Mapping[str, Any] | None:
    """Return the body that a text changes; None for something new."""
    ground = None if text.base else ground_of(text.proposal.kind, text.body)
    return _body(text.base, ground.then if ground else None)


def _body(revision: Revision | None, looked_up: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return revision.body if revision else looked_up


def text_of(proposal: Proposal, version: int) -> ProposalText:
    """Return one version of a proposal's text; raises NotThere."""
    texts = ProposalText.objects.filter(proposal=proposal, version=version).select_related("base", "author", "proposal")
    found = texts.first()
    if found is None:
        raise NotThere.there("/version")
    return found


def texts_of(proposal: Proposal) -> list[ProposalText]:
    """Return every version, newest first."""
    return _texts(proposal=proposal)


def decisions_of(proposal: Proposal) -> list[Decision]:
    """Return what was decided, oldest first."""
    return _decisions(proposal=proposal)


def _texts(**of: Any) -> list[ProposalText]:
    return list(ProposalText.objects.filter(**of).select_related("author", "base").order_by("-version"))


def _decisions(**of: Any) -> list[Decision]:
    return list(Decision.objects.filter(**of).select_related("decider").order_by("created_at", "id"))


def comments_of(proposal: Proposal) -> list[Comment]:
    """Return what was said about it, oldest first."""
    return list(Comment.objects.filter(proposal=proposal).select_related("author").order_by("created_at", "id"))


def seen_hash(text: ProposalText, policy: Revision | None) -> str:
    """Return the hash of what a reviewer has before them: the base, the text and the policy in force."""
    parts = [text.base.body_hash if text.base else "-", text.body_hash, str(policy.pk) if policy else "-"]
    return "sha256:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _in_force(proposal: Proposal) -> tuple[Revision | None, Revision | None]:
    """The active policy, and the active revision of the proposal's own contract, in one round trip."""
    own = (proposal.kind, proposal.slug)
    active = _active_among({own})
    return active.get(POLICY), active.get(own)


def _active_among(named: Set[tuple[str, str]]) -> dict[tuple[str, str], Revision]:
    """Return the active revisions of these contracts, by kind and slug, and that of the policy."""
    any_of = Q()
    for kind, slug in {*named, POLICY}:
        any_of |= Q(contract__kind=kind, contract__slug=slug)
    rows = Revision.objects.filter(any_of, state=RevisionState.ACTIVE).select_related("contract")
    return {(row.contract.kind, row.contract.slug): row for row in rows}


def case_of(
    proposal: Proposal,
    texts: Sequence[ProposalText],
    text: ProposalText,
    policy: Revision | None,
    *,
    reach: Set[uuid.UUID] | None = None,
) -> Case:
    """Return who wrote the text and who may decide it, as plain values; `reach` are those of its level, where known."""
    level = MembershipLevel(text.level)
    asked = policy.body.get("two_deciders_for", []) if policy else []
    return Case(
        level=level,
        risk=Risk(text.risk),
        authors=_authors([proposal.proposer, *(each.author for each in texts)]),
        deciders=frozenset(deciders(level)) if reach is None else reach,
        two=text.risk in asked,
    )


def deciders(level: MembershipLevel) -> set[uuid.UUID]:
    """Return the active humans of the open scope's project whose level reaches."""
    reaching = [each for each in MembershipLevel if rank(each) >= rank(level)]
    humans = Membership.objects.filter(level__in=reaching, actor__kind=ActorKind.HUMAN, actor__active=True)
    return set(humans.filter(actor__user__is_active=True).values_list("actor_id", flat=True))


def _authors(writers: Iterable[Actor]) -> frozenset[uuid.UUID]:
    """The humans behind those who wrote: themselves, or whoever owns the agent."""
    humans = {each.pk if each.kind == ActorKind.HUMAN else each.owned_by_id for each in writers}
    return frozenset(human for human in humans if human is not None)


def check_may_decide(acting: Acting, case: Case) -> None:
    """Raise Forbidden (not_a_decider, level_too_low, own_proposal) unless the actor may decide the case."""
    barred = bar(case, acting.actor_id, level_of(acting))
    if barred is not None:
        refused = _told(barred, case)
        raise Forbidden(refused.message, code=refused.code, extra={"needed": case.level})


def why_not(acting: Acting, seen: Sight) -> Refused | None:
    """Return why the actor may not decide what they see now, or None when they may."""
    return why_not_at(acting, seen, level_of(acting))


def why_not_at(acting: Acting, seen: Sight, level: MembershipLevel | None) -> Refused | None:
    """Return what `why_not` does for an actor whose level is known."""
    state = ProposalState(seen.proposal.state)
    if state != ProposalState.OPEN:
        return Refused("not_open", f"the proposal is {state}; only an open one is decided")
    if any(each.version == seen.proposal.version and each.decider_id == acting.actor_id for each in seen.decisions):
        return Refused("already_decided", "you have decided this version; another decider is needed")
    barred = bar(seen.case, acting.actor_id, level)
    return _told(barred, seen.case) if barred else None


def can_decide(acting: Acting, seen: Sight) -> bool:
    """Return whether the actor may decide what they see now."""
    return why_not(acting, seen) is None


def _told(barred: Bar, case: Case) -> Refused:
    words = {
        Bar.NOT_A_DECIDER: "only a human member decides; an agent proposes",
        Bar.LEVEL_TOO_LOW: f"this change is decided by an active {case.level}"
        + ("" if case.level == MembershipLevel.OWNER else " or owner"),
        Bar.OWN_PROPOSAL: f"at {case.risk} risk nobody decides what they, or an agent of theirs, wrote; ask another"
        f" {case.level}",
    }
    return Refused(barred, words[barred])
