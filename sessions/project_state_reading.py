"""What the page of a project's state shows, as plain values."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.utils.dateparse import parse_datetime

from governance.actors import Acting
from governance.invisible import made_visible
from governance.models import Revision
from governance.places import page_of_ref
from governance.vocabulary import ContractKind, RevisionState, RolePermission
from sessions.context.material import StandFact
from sessions.context.project_items import PARTS, says_something, shown_of
from sessions.context.summary_lines import JOINT
from sessions.fallen import fallen_in, stands_without
from sessions.project_state import MOST_THREADS, facts_of, stands_of
from sessions.summary_reading import Cited
from sessions.thread_lines import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLine:
    """Something that blocks, is open or was decided, and the pages of what it rests on."""

    words: Words
    mark: str
    times: int
    cited: Sequence[Cited]


@dataclass(frozen=True, slots=True, kw_only=True)
class StandLine:
    """How a thread stands as one session has it. `parts` are those with lines, each by its name."""

    role: str
    session_id: str
    summary_id: str
    over: bool
    behind: bool
    stale_since: datetime | None
    stale_because: Sequence[str]
    parts: Sequence[tuple[str, Sequence[StateLine]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadStand:
    """A thread with its stands: what is worked on, and what is over and was decided."""

    id: str
    title: Words
    topics: Sequence[str]
    stands: Sequence[StandLine]

    @property
    def going_on(self) -> Sequence[StandLine]:
        return [stand for stand in self.stands if not stand.over]

    @property
    def over(self) -> Sequence[StandLine]:
        return [stand for stand in self.stands if stand.over]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatePage:
    """The threads, how many lines there are of each part, the topics that several share, and which roles are told."""

    threads: Sequence[ThreadStand]
    counts: Mapping[str, int]
    topic: str
    topics: Sequence[tuple[str, int]]
    told: Sequence[str]
    most: int = MOST_THREADS


def state_page(acting: Acting, project: str, *, topic: str) -> StatePage:
    """Return where the project stands for whoever reads in the open scope; `topic` is a tag, or "" for every thread."""
    facts = _facts(acting)
    shared = Counter(tag for tags in {fact.thread_id: _topics(fact) for fact in facts}.values() for tag in set(tags))
    threads = _threads(project, [fact for fact in facts if not topic or topic in _topics(fact)])
    lines = [part for thread in threads for stand in thread.stands for part in stand.parts]
    return StatePage(
        threads=threads,
        counts={name: sum(len(said) for part, said in lines if part == name) for name in PARTS},
        topic=topic,
        topics=sorted((tag, times) for tag, times in shared.items() if times > 1 or tag == topic),
        told=_told_roles(),
    )


def _facts(acting: Acting) -> Sequence[StandFact]:
    stands = stands_of(acting.project_id, roles=tuple(acting.roles), owner=acting.actor_id)
    facts = [fact for fact in facts_of(stands) or () if says_something(fact)]
    fallen = fallen_in(None, None, *(fact.summary for fact in facts))
    return stands_without(tuple(facts), fallen) or ()


def _topics(fact: StandFact) -> list[str]:
    """The thread's tags as they are shown, which is how an address names them."""
    return [made_visible(tag) for tag in fact.topics]


def _threads(project: str, facts: Sequence[StandFact]) -> list[ThreadStand]:
    """The threads in the order in which each first stands; what is over of one stands with the rest of it."""
    first = {fact.thread_id: n for n, fact in reversed(list(enumerate(facts)))}
    together = sorted(facts, key=lambda fact: first[fact.thread_id])
    return [_thread(project, list(group)) for _, group in groupby(together, key=lambda fact: fact.thread_id)]


def _thread(project: str, facts: Sequence[StandFact]) -> ThreadStand:
    return ThreadStand(
        id=facts[0].thread_id,
        title=Words.of(facts[0].thread_title),
        topics=_topics(facts[0]),
        stands=[_stand(project, fact) for fact in facts],
    )


def _stand(project: str, fact: StandFact) -> StandLine:
    shown = shown_of(fact)
    since = fact.summary.stale_since
    return StandLine(
        role=made_visible(fact.role),
        session_id=fact.session_id,
        summary_id=fact.summary.ref.removeprefix("summary://").partition("@")[0],
        over=fact.over,
        behind=fact.behind,
        stale_since=parse_datetime(since) if since else None,
        stale_because=fact.summary.stale_because,
        parts=[(part, list(_lines(project, fact, shown[part]))) for part in PARTS if shown[part]],
    )


def _lines(project: str, fact: StandFact, said: Sequence[Mapping[str, Any]]) -> Iterator[StateLine]:
    """Yield each thing that was said; a line of a summary holds what was said in one go."""
    place = f"event://{fact.session_id}/"
    for one in said:
        cited = [
            Cited(name=made_visible(ref.removeprefix(place)), href=page_of_ref(project, ref)) for ref in one["refs"]
        ]
        for piece in one["text"].split(JOINT):
            yield StateLine(words=Words.of(piece), mark=one["mark"] or "", times=one["times"], cited=cited)


def _told_roles() -> list[str]:
    told = Revision.objects.filter(
        contract__kind=ContractKind.ROLE,
        state=RevisionState.ACTIVE,
        body__permissions__contains=[RolePermission.PROJECT_STATE.value],
    )
    return sorted(told.values_list("contract__slug", flat=True))
