"""A version of the original intent as a page sets it beside what somebody wrote."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import CharField, OuterRef, Value
from django.db.models.functions import Cast, Concat, JSONObject, Replace
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from governance.ids import public_id
from governance.invisible import made_visible
from governance.models import Proposal
from governance.proposals import EDITABLE
from governance.vocabulary import ProposalKind, ProposalState
from threads.forms import as_lines
from threads.models import Thread, Vision
from threads.vocabulary import VisionSource


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionNow:
    """What the newest version says, part by part, and whose it is."""

    version: int
    source: VisionSource
    author: str
    at: datetime
    parts: Sequence[tuple[Promise, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditWaiting:
    """An edit of a vision that nobody has decided yet."""

    proposal: str
    proposer: str
    at: datetime
    state: ProposalState


def waiting_edits() -> ArraySubquery:
    """Return the edits of a vision that nobody has decided yet, for an annotation of threads; `edits_in` reads them."""
    hexadecimal = Replace(Cast(OuterRef("pk"), CharField()), Value("-"), Value(""))
    slug = Concat(Value(f"{Thread.PREFIX}_"), hexadecimal, output_field=CharField())
    rows = Proposal.objects.filter(kind=ProposalKind.VISION, slug=slug, state__in=EDITABLE)
    edit = JSONObject(id="id", proposer="proposer__name", at="created_at", state="state")
    return ArraySubquery(rows.order_by("created_at", "id").values_list(edit))


def edits_in(found: Sequence[Mapping[str, str]]) -> list[EditWaiting]:
    """Return the edits that wait, oldest first, fit to be shown."""
    return [
        EditWaiting(
            proposal=public_id(Proposal.PREFIX, uuid.UUID(row["id"])),
            proposer=made_visible(row["proposer"]),
            at=datetime.fromisoformat(row["at"]),
            state=ProposalState(row["state"]),
        )
        for row in found
    ]


def vision_now(vision: Vision) -> VisionNow:
    """Return a version fit to be shown; its author has been read with it."""
    said = [
        (gettext_lazy("Goal"), vision.origin_goal),
        (gettext_lazy("Done when"), as_lines(vision.done_when)),
        (gettext_lazy("Non-goals"), as_lines(vision.non_goals)),
        (gettext_lazy("Priorities"), as_lines(vision.user_priorities)),
        (gettext_lazy("Quality bar"), vision.quality_bar),
    ]
    return VisionNow(
        version=vision.version,
        source=VisionSource(vision.source),
        author=made_visible(vision.author.name),
        at=vision.created_at,
        parts=[(label, made_visible(text)) for label, text in said],
    )
