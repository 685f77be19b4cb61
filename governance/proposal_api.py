"""HTTP: asking for a change of a contract, and seeing what became of it. Nothing here decides: a human does."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import Field, Strict

from governance.actors import Acting
from governance.errors import FieldFault, Invalid
from governance.ids import parse_id
from governance.input import LARGEST_COUNT, Id, Input, Json, OptionalText
from governance.models import Proposal, ProposalText
from governance.proposal_reading import decisions_of, find_proposal, sight
from governance.proposal_texts import NAMED_BY
from governance.proposals import ProposalWish, propose, withdraw
from governance.replays import once
from governance.scope import project_scope
from governance.undertakings import undertaking_of
from governance.vocabulary import KeyScope, ProposalKind, ProposalState, Risk
from governance.web import acting_of, answer, listed, newest_first

router = Router(tags=["proposals"])
HELD = "It is held: a human of this project decides it in the console, and no key can."
SENT_BACK = "It was sent back: its decisions say what to change, and it is decided once its next version is written."


class ProposalIn(Input):
    kind: ProposalKind
    """What is to be changed."""
    slug: Annotated[OptionalText, Field(max_length=64)] = ""
    """The name of the contract, such as dev or claude-sonnet@claude-code."""
    body: Json
    """The whole contract as it is to be, not the difference."""
    title: Annotated[OptionalText, Field(max_length=300)] = ""
    """What it is about, in a line."""
    rationale: Annotated[OptionalText, Field(max_length=8000)] = ""
    """Why."""
    base: Annotated[int, Strict(), Field(ge=0, le=LARGEST_COUNT)] | None = None
    """The number of the revision that it changes; left out, the one in force."""
    risk: Risk = Risk.LOW
    """It can raise the risk that follows from the change."""
    subject: Id | None = None
    """The human of a new self profile (act_…)."""


class WithdrawIn(Input):
    reason: Annotated[OptionalText, Field(max_length=500)] = ""


@router.post("/proposals", operation_id="propose_contract")
def post_proposal(request: HttpRequest, body: ProposalIn) -> HttpResponse:
    """Propose a persona, role, policy, self profile or budget profile, or a change of one. A human decides it.

    The body is the whole contract as it is to be, not a part of it. `slug` says which one: a role's `slug` and a budget
    profile's `name` need not stand in the body again, and may not differ there. `base` is the number of the revision
    that you changed; without it, the active one. Of the kind `memory` the body is
    {"memory_id": "mem_…", "reason": "…"} for a private memory of your own: the answer is 202, and nobody but your human
    sees it until they agree. Of the kind `vision` it is {"thread": "thr_…", "version": 2, "origin_goal": "…", …}, with
    the version that you read (0: there was none) and a `reason` where you have one; the answer is 202 as well. These
    kinds, and `sensitivity`, take nothing beside the body.
    """
    acting = acting_of(request, KeyScope.PROPOSAL_CREATE)

    def act() -> HttpResponse:
        with project_scope(acting):
            return _proposed(acting, body)

    return once(request, acting, act)


@router.get("/proposals", operation_id="list_proposals")
def get_proposals(
    request: HttpRequest, state: ProposalState | None = None, cursor: str | None = None, limit: int | None = None
) -> HttpResponse:
    """List what this key's agent proposed, newest first, and where each stands."""
    acting = acting_of(request, KeyScope.PROPOSAL_CREATE)
    with project_scope(acting, read_only=True):
        mine = Proposal.objects.filter(proposer_id=acting.actor_id)
        chosen = mine if state is None else mine.filter(state=state)
        page = newest_first(chosen, cursor=cursor, limit=limit)
        texts = _texts_of(page.rows)
        return answer(listed(page, lambda row: _brief(row, texts[row.pk])))


@router.get("/proposals/{proposal_id}", operation_id="get_proposal")
def get_proposal(request: HttpRequest, proposal_id: str) -> HttpResponse:
    """Show a proposal: what it asks for, where it stands, and what was decided."""
    acting = acting_of(request, KeyScope.PROPOSAL_CREATE)
    with project_scope(acting, read_only=True):
        proposal = find_proposal(proposal_id, pointer="{proposal_id}")
        return answer(_shown(proposal), version=proposal.version)


@router.post("/proposals/{proposal_id}/withdraw", operation_id="withdraw_proposal")
def post_withdraw(request: HttpRequest, proposal_id: str, body: WithdrawIn) -> HttpResponse:
    """Take back a proposal of this key's agent that nobody has decided yet."""
    acting = acting_of(request, KeyScope.PROPOSAL_CREATE)

    def act() -> HttpResponse:
        with project_scope(acting):
            proposal = find_proposal(proposal_id, pointer="{proposal_id}")
            withdraw(acting, proposal, reason=body.reason, now=timezone.now())
            return answer(_shown(proposal), version=proposal.version)

    return once(request, acting, act)


def standing(proposal: Proposal) -> str:
    """Return where a proposal stands, in a sentence for whoever asked for it."""
    if proposal.state == ProposalState.CHANGES_REQUESTED:
        return SENT_BACK
    return HELD if proposal.closed_at is None else f"It is {proposal.state}."


def _proposed(acting: Acting, body: ProposalIn) -> HttpResponse:
    undertaking = undertaking_of(body.kind)
    if undertaking is not None:
        _check_alone(body)
        return answer(undertaking.ask(acting, body.body, timezone.now()), status=202)
    proposal = propose(acting, _wish(body), now=timezone.now())
    return answer(_shown(proposal), status=201, version=proposal.version)


def _check_alone(body: ProposalIn) -> None:
    """Raise Invalid that names each field beside a body that says everything itself: nobody would read it."""
    beside = body.model_dump(exclude={"kind", "body"}, exclude_defaults=True)
    if not beside:
        return
    message = f"the kind {body.kind} takes nothing beside its body; leave this out, and say why in /body/reason"
    raise Invalid.of(tuple(FieldFault(f"/{name}", "extra_forbidden", message) for name in beside))


def _wish(body: ProposalIn) -> ProposalWish:
    subject = parse_id("act", body.subject, pointer="/subject") if body.subject else None
    told = body.model_dump(exclude={"subject"})
    if (named := NAMED_BY.get(body.kind)) and body.slug:
        told["body"] = {named: body.slug} | body.body
    return ProposalWish(**told, subject=subject)


def _texts_of(rows: list[Proposal]) -> dict[Any, ProposalText]:
    texts = ProposalText.objects.filter(proposal__in=rows).order_by("version").select_related("base")
    return {text.proposal_id: text for text in texts}


def _brief(proposal: Proposal, text: ProposalText) -> dict[str, Any]:
    return {
        "id": proposal.public_id,
        "ref": proposal.ref,
        "kind": proposal.kind,
        "slug": proposal.slug,
        "title": text.title,
        "state": proposal.state,
        "version": proposal.version,
        "base": _base(proposal, text),
        "risk": text.risk,
        "decided_by_level": text.level,
        "held": proposal.closed_at is None,
        "created_at": proposal.created_at,
        "expires_at": proposal.expires_at,
        "closed_at": proposal.closed_at,
    }


def _base(proposal: Proposal, text: ProposalText) -> int | None:
    """Return the number of what it changes: of a contract's revision, or of a vision's version; None for neither."""
    number: int | None = text.base.number if text.base else None
    return int(text.body["version"]) if proposal.kind == ProposalKind.VISION else number


def _shown(proposal: Proposal) -> dict[str, Any]:
    seen = sight(proposal)
    text = seen.text
    decided = [
        {
            "verb": row.verb,
            "version": row.version,
            "reason_code": row.reason_code,
            "text": row.text,
            "at": row.created_at,
        }
        for row in decisions_of(proposal)
    ]
    return _brief(proposal, text) | {
        "body": text.body,
        "body_hash": text.body_hash,
        "rationale": text.rationale,
        "tokens": {"before": text.tokens_before, "after": text.tokens_after, "encoding": "o200k_base"},
        "base_moved": seen.moved,
        "decisions": decided,
        "message": standing(proposal),
    }
