"""Whether compressed transcripts still open to what was stored."""

import random
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import batched

from django.db import DEFAULT_DB_ALIAS

from governance.actors import Acting
from governance.ids import new_id
from governance.scope import project_scope
from governance.vocabulary import ActorKind
from greywind_site.operating.erasing import OWNER, has_owner
from sessions.models import ColdSegment
from sessions.models.segment import SegmentDamaged

MOST_OPENED = 1_000  # of one look, of each place that is looked into; chosen anew each time
AT_ONCE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """How many segments there are, how many of them were opened, and what is wrong with the first that did not open."""

    there: int = 0
    opened: int = 0
    fault: str = ""


def open_segments(projects: Iterable[uuid.UUID]) -> Opened:
    """Open segments of every project by the owner role; without it, those that each project's readers share."""
    if has_owner():
        return _opened(OWNER)
    found = [_opened_in(project) for project in projects]
    faults = [one.fault for one in found if one.fault]
    return Opened(there=sum(o.there for o in found), opened=sum(o.opened for o in found), fault="; ".join(faults))


def _opened_in(project_id: uuid.UUID) -> Opened:
    reader = Acting(project_id=project_id, actor_id=new_id(), kind=ActorKind.SYSTEM)
    with project_scope(reader, read_only=True):
        return _opened(DEFAULT_DB_ALIAS)


def _opened(using: str) -> Opened:
    segments = ColdSegment.objects.using(using)
    ids = list(segments.values_list("pk", flat=True))
    chosen = random.sample(ids, min(len(ids), MOST_OPENED))
    try:
        for some in batched(chosen, AT_ONCE):
            for segment in segments.filter(pk__in=some):
                segment.texts()
    except SegmentDamaged as fault:
        return Opened(there=len(ids), fault=fault.detail)
    return Opened(there=len(ids), opened=len(chosen))
