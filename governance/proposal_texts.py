"""The texts of a proposal: checked against their schema, their cost and their base, weighed, and kept as versions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from governance.actors import Acting
from governance.consents import agreed, without_consent
from governance.eligibility import touch
from governance.errors import Invalid
from governance.gauges import tokens_of
from governance.input import storable
from governance.models import Proposal, ProposalText, Revision
from governance.policy_checks import check_policy
from governance.schemas import PLACED, body_hash, checked_body
from governance.undertakings import ground_of
from governance.vocabulary import Proposable, ProposalKind, Risk, rank

LONGEST_TITLE, LONGEST_TEXT = 300, 8000
# The field of a body that repeats what the proposal is filed under.
NAMED_BY: Mapping[Proposable, str] = {
    ProposalKind.ROLE: "slug",
    ProposalKind.BUDGET_PROFILE: "name",
    ProposalKind.SENSITIVITY: "memory",
    ProposalKind.VISION: "thread",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWish:
    """A new version of a proposal's text; title and rationale stay as they are where they are None."""

    body: Any
    title: str | None = None
    rationale: str | None = None
    risk: Risk = Risk.LOW


def worded(kind: Proposable, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what its writers word of a body: without what it is about, and without what only its offerer says."""
    placed = PLACED.get(kind, ())
    return {name: value for name, value in without_consent(body).items() if name not in placed}


def write_text(
    acting: Acting,
    proposal: Proposal,
    wish: TextWish,
    *,
    base: Revision | None,
    now: datetime,
    before: ProposalText | None = None,
) -> ProposalText:
    """Check a text against its schema, its cost and its base, weigh it, and store it as the next version."""
    kind = ProposalKind(proposal.kind)
    body = checked_body(kind, wish.body)
    named = NAMED_BY.get(kind)
    if named and body[named] != proposal.slug:
        raise Invalid.at(f"/body/{named}", f"must be {proposal.slug}, what it is about", code="invalid_body")
    if kind == ProposalKind.POLICY:
        check_policy(body)
    if kind == ProposalKind.MEMORY:
        body = agreed(acting, proposal, body, before=before, now=now)
    ground = ground_of(kind, body)
    changed = base.body if base else ground.then if ground else None
    touched = touch(kind, changed, body)
    if changed is not None and not touched.fields:
        raise Invalid.at("/body", "what it changes says this already", code="nothing_changed")
    title = checked_text(wish.title or "", "/title", most=LONGEST_TITLE)
    if not title:
        raise Invalid.at("/title", "say in a line what changes", code="title_missing")
    rationale = checked_text(wish.rationale or "", "/rationale")
    if before is not None and (before.body, before.title, before.rationale, before.base_id) == (
        body,
        title,
        rationale,
        base.pk if base else None,
    ):
        raise Invalid.at("/body", f"version {before.version} says this already", code="nothing_changed")
    made = ProposalText.objects.create(
        project_id=acting.project_id,
        created_at=now,
        proposal=proposal,
        version=proposal.version + 1,
        base=base,
        body=body,
        body_hash=body_hash(body),
        title=title,
        rationale=rationale,
        risk=max(touched.risk, wish.risk, key=rank),
        level=touched.level,
        author_id=acting.actor_id,
        tokens_before=tokens_of(changed) if changed else 0,
        tokens_after=_checked_cost(kind, body),
    )
    proposal.version = made.version  # the database moved it with the text
    return made


def _checked_cost(kind: Proposable, body: Mapping[str, Any]) -> int | None:
    needed, allowed = tokens_of(without_consent(body)), settings.GREYWIND.role_contract_cap
    if kind == ProposalKind.ROLE and needed is not None and needed > allowed:
        message = f"the role contract needs {needed} tokens and may have {allowed}; shorten it"
        raise Invalid.at("/body", message, code="contract_too_long", extra={"needed": needed, "allowed": allowed})
    return needed


def checked_text(text: str, pointer: str, *, most: int = LONGEST_TEXT) -> str:
    """Return a text without white space around it; raises Invalid when it is too long or cannot be stored."""
    trimmed = text.strip()
    if len(trimmed) > most:
        raise Invalid.at(pointer, f"it has {len(trimmed)} characters and may have {most}", code="too_long")
    try:
        return storable(trimmed)
    except ValueError as error:  # what pydantic reports as a fault of its field
        raise Invalid.at(pointer, str(error), code="not_storable") from error
