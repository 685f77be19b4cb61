"""What proposal:// opens: one version of a proposal, with why it was asked for and what it would say."""

import json
import re
from collections.abc import Sequence

from governance.actors import Acting
from governance.errors import NotThere
from governance.ids import parse_id
from governance.models import Proposal, ProposalText
from governance.refs import Resolved
from governance.vocabulary import ProposalKind

FORM = re.compile(r"proposal://(prp_[0-9a-f]{32})(?:@(\d{1,6}))?")


def open_proposal(ref: str, _acting: Acting) -> Resolved:
    """Return a version of a proposal as text, the newest where none is named. Raises NotThere."""
    form = FORM.fullmatch(ref)
    if form is None:
        raise NotThere
    texts = ProposalText.objects.filter(proposal_id=parse_id(Proposal.PREFIX, form.group(1), pointer="/ref"))
    if form.group(2):
        texts = texts.filter(version=int(form.group(2)))
    found = texts.select_related("proposal").order_by("-version").first()
    if found is None:
        raise NotThere
    body = json.dumps(found.body, ensure_ascii=False, indent=1, sort_keys=True)
    text = "\n\n".join(part for part in (found.title, found.rationale, body) if part)
    # An offered memory weighs what the private one did: being shared makes it no truer, and no less so.
    source = str(found.body.get("rank", "")) if found.proposal.kind == ProposalKind.MEMORY else ""
    return Resolved(ref=f"proposal://{form.group(1)}@{found.version}", text=text, source=source)


def find_proposals(wanted: Sequence[str], _acting: Acting) -> list[str]:
    """Return those of the refs whose version is there, in one statement."""
    forms = {ref: form for ref in wanted if (form := FORM.fullmatch(ref))}
    ids = {ref: parse_id(Proposal.PREFIX, form.group(1), pointer="/ref") for ref, form in forms.items()}
    there = set(ProposalText.objects.filter(proposal_id__in=ids.values()).values_list("proposal_id", "version"))
    named = {(proposal, None) for proposal, _ in there} | there
    return [ref for ref, form in forms.items() if (ids[ref], int(form.group(2)) if form.group(2) else None) in named]
