"""What each budget profile of a project says: the approved text where there is one, else the shipped one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from governance.models import Revision
from governance.vocabulary import ContractKind, RevisionState
from sessions.context.profile_form import parse_profile
from sessions.context.profiles import ModelProfile, ProfileFault
from sessions.models import BudgetProfile


@dataclass(frozen=True, slots=True)
class Text:
    """A profile's text as it holds; `revision` is the approved one's number, None for what ships."""

    slug: str
    body: Mapping[str, Any]
    profile: ModelProfile
    version: int
    revision: int | None


def in_force(*kinds: ContractKind) -> QuerySet[Revision]:
    """Return the active revisions of contracts of these kinds, in the open scope, in one statement."""
    active = Revision.objects.filter(contract__kind__in=kinds, state=RevisionState.ACTIVE)
    return active.select_related("contract")


def texts_of(shipped: Iterable[BudgetProfile], approved: Iterable[Revision]) -> dict[str, Text]:
    """Return what holds by name: the approved text where there is one that can be read, else the shipped one."""
    found: dict[str, Text] = {}
    for row in shipped:
        found[row.slug] = Text(row.slug, row.body, parse_profile(row.body), row.version, None)
    for revision in approved:
        if revision.contract.kind != ContractKind.BUDGET_PROFILE:
            continue
        slug = revision.contract.slug
        try:
            found[slug] = Text(slug, revision.body, parse_profile(revision.body), revision.number, revision.number)
        except ProfileFault:
            continue  # a compile goes by the shipped one as well, and warns
    return found
