"""What a line of the inbox tells of the matter behind it: which decisions are lacking, and what it rests on."""

from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    Func,
    IntegerField,
    OuterRef,
    QuerySet,
    UUIDField,
    Value,
    When,
)
from django.db.models.expressions import Subquery
from django.db.models.functions import Cast, Coalesce, JSONObject, Substr

from governance.models import Decision
from governance.proposal_reading import APPROVING
from governance.vocabulary import InboxKind
from memories.models import ConflictSide, MemoryEvidence
from memories.models.conflict import UNSETTLED

type Rows = QuerySet[Any]

HEX = 32  # digits of an id in a ref
OF_PROPOSAL, OF_MEMORY, OF_CONFLICT = "proposal://prp_", "memory://mem_", "conflict://cfl_"


class ApprovalsNeeded(Func):
    """How many approvals a text needs, by the database's own rule, which the verb's is held equal to by a test."""

    function = "greywind_approvals_needed"
    output_field = IntegerField()


class SeenHash(Func):
    """The hash that a decision on a text has to carry now."""

    function = "greywind_seen_hash"
    output_field = CharField()


def named_in_ref(kind: InboxKind, prefix: str) -> Case:
    """Return the id of the matter that a row's ref names, null for another kind of matter."""
    fits = When(
        kind=kind,
        ref__regex=f"^{prefix}[0-9a-f]{{{HEX}}}",
        then=Cast(Substr("ref", len(prefix) + 1, HEX), UUIDField()),
    )
    return Case(fits, default=None, output_field=UUIDField())


def about_proposal(texts: Rows) -> Rows:
    """Return what a line tells of a proposal, as JSON, of the text in `texts` that is its own."""
    bound = texts.annotate(
        needed=ApprovalsNeeded("project_id", "proposal_id", "level", "risk"),
        bound_to=SeenHash("project_id", "proposal_id", "version"),
    )
    given = Decision.objects.filter(
        proposal=OuterRef("proposal"), version=OuterRef("version"), verb__in=APPROVING, seen_hash=OuterRef("bound_to")
    )
    told: Rows = bound.annotate(given=_counted(given, by="proposal")).values(
        told=JSONObject(
            kind="proposal__kind",
            slug="proposal__slug",
            state="proposal__state",
            proposer="proposal__proposer__name",
            human="proposal__proposer__owned_by__name",
            level="level",
            needed="needed",
            given="given",
            rationale="rationale",
            reverts="proposal__reverts_id",
        )
    )
    return told


def evidence_of_matter() -> Case:
    """Return how much evidence stands behind a row's memory, or behind the sides of its conflict, null elsewhere."""
    of_memory = MemoryEvidence.objects.filter(memory=OuterRef("memory_pk"))
    sides = ConflictSide.objects.filter(conflict=OuterRef(OuterRef("conflict_pk"))).values("memory")
    of_sides = MemoryEvidence.objects.filter(memory__in=sides)
    return Case(
        When(memory_pk__isnull=False, then=_counted(of_memory, by="project_id")),
        When(conflict_pk__isnull=False, then=_counted(of_sides, by="project_id")),
        default=None,
        output_field=IntegerField(),
    )


def decided_in_a_conflict() -> Exists:
    """Return whether a row's memory is a side of an unsettled conflict: it is decided there, and only there."""
    unsettled = [str(state) for state in UNSETTLED]
    return Exists(ConflictSide.objects.filter(memory=OuterRef("memory_pk"), conflict__state__in=unsettled))


def _counted(rows: Rows, *, by: str) -> Coalesce:
    number = rows.order_by().values(by).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(number, output_field=IntegerField()), Value(0))


NO_MATTER = Value(None, output_field=UUIDField())
