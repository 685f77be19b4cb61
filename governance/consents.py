"""Consent to share what was private: given by a human for one text, and carried by every version of the proposal."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import connection

from governance.actors import Acting
from governance.audit import fingerprint
from governance.errors import Forbidden
from governance.models import InboxItem, Proposal, ProposalText
from governance.scope import record
from governance.vocabulary import ActorKind, InboxKind

# What only the offerer says, and no reviewer changes: where it comes from, and to what they agreed.
OFFERERS_OWN = ("origin", "rank", "knowledge", "named", "consent")


def without_consent(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what everybody reads of a body: that of an offered memory without consent and source, any other whole."""
    return {name: value for name, value in body.items() if "consent" not in body or name not in OFFERERS_OWN}


def consent_of(acting: Acting, content: str, *, now: datetime) -> dict[str, str]:
    """Return the consent of the human who acts to share a text, with the keyed hash of that text."""
    return {"by": acting.public_id, "at": now.isoformat(), "text": fingerprint(content)}


def agreed(
    acting: Acting, proposal: Proposal, body: Mapping[str, Any], *, before: ProposalText | None, now: datetime
) -> dict[str, Any]:
    """Return a memory's body with the consent that it rests on.

    The first version carries its writer's, to exactly that text. Whoever writes the next one changes neither consent
    nor source; the offerer's own next text is agreed to by being written. Raises Forbidden (consent_missing).
    """
    if before is None:
        given = body["consent"]
        if acting.kind is not ActorKind.HUMAN or (given["by"], given["text"]) != (
            acting.public_id,
            fingerprint(body["content"]),
        ):
            message = "what is private is proposed by the human who agrees to share it; offer it in the console"
            raise Forbidden(message, code="consent_missing")
        return dict(body)
    kept = {**body, **{name: before.body[name] for name in OFFERERS_OWN}}
    if acting.actor_id == proposal.proposer_id and body["content"] != before.body["content"]:
        kept["consent"] = consent_of(acting, body["content"], now=now)
    return kept


def take_back(proposal: Proposal) -> None:
    """Take the words out of a withdrawn offer, in the open scope: consent has ended, so nobody reads them any more."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT forget_offered(%s)", [proposal.pk])
    InboxItem.objects.filter(kind=InboxKind.PROPOSAL, ref=proposal.ref).update(title="")
    record("memory.consent_withdrawn", proposal.public_id)
