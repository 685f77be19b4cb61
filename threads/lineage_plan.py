"""Whether two threads may become one, one may become several, or either be undone: plain values in, obstacles out."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from threads.vocabulary import Obstacle, ThreadState, ThreadType

type Reach = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A session as a plan sees it, ids as the outside sees them. `live` says that its work is not over."""

    id: str
    role: str
    task: str | None = None
    live: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A handoff to a session by name that is the latest for it, so that the session's next packet carries it."""

    id: str
    giver: str
    taker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A thread as a plan sees it. `reach` is its audience, the role and the owner of it."""

    id: str
    state: ThreadState = ThreadState.OPEN
    type: ThreadType = ThreadType.WORK
    reach: Reach = ("project", None, None)
    vision: bool = True
    windows: Sequence[Window] = ()
    tasks: Sequence[str] = ()
    errands: Sequence[Errand] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one new thread of a split is to take along: sessions, tasks, and with a task its sessions."""

    windows: frozenset[str] = frozenset()
    tasks: frozenset[str] = frozenset()

    def of(self, line: Line) -> frozenset[str]:
        """Return the sessions that go along."""
        return self.windows | {one.id for one in line.windows if one.task in self.tasks}


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """What an undoing takes back from `line`, and what has happened to it since.

    `whole` says that `home` took no more work, and opens again by it. `gone` are things that are no longer there to be
    taken back, `begun` what began in the new thread of a split, `said` memories that their thread says again by now,
    `later` threads that became part of `line` since, the latest first.
    """

    line: Line
    home: Line
    whole: bool = True
    windows: frozenset[str] = frozenset()
    gone: Sequence[str] = ()
    begun: Sequence[str] = ()
    said: Sequence[str] = ()
    vision_edited: bool = False
    later: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Hindrance:
    """One thing that stands against it, and what it is about: public ids, perhaps none."""

    why: Obstacle
    about: tuple[str, ...] = ()


def against_merge(source: Line, into: Line) -> list[Hindrance]:
    """Return all that stands against `source` becoming part of `into`; an empty list lets it."""
    if source.id == into.id:
        return [Hindrance(Obstacle.SAME_THREAD, (source.id,))]
    return list(_against_merge(source, into))


def against_split(line: Line, shares: Sequence[Share]) -> list[Hindrance]:
    """Return all that stands against the shares of a thread becoming threads of their own."""
    return list(_against_split(line, shares))


def against_undoing(back: Return) -> list[Hindrance]:
    """Return all that stands against taking work back to where it came from."""
    return list(_against_undoing(back))


def divides_whole(line: Line, shares: Sequence[Share]) -> bool:
    """Return whether nothing of a thread is left behind, so that it takes no more work itself."""
    taken = {window for share in shares for window in share.of(line)}
    return taken >= {one.id for one in line.windows} and _tasks_of(shares) >= set(line.tasks)


def _against_merge(source: Line, into: Line) -> Iterator[Hindrance]:
    yield from _closed(source, into)
    if source.reach != into.reach:
        yield Hindrance(Obstacle.AUDIENCE, (source.id, into.id))
    if (source.type is ThreadType.SMALL_TALK) != (into.type is ThreadType.SMALL_TALK):
        yield Hindrance(Obstacle.SMALL_TALK, (source.id, into.id))
    if source.vision and not into.vision:
        yield Hindrance(Obstacle.NO_VISION, (into.id,))
    yield from _two_windows(source.windows, into.windows)


def _against_split(line: Line, shares: Sequence[Share]) -> Iterator[Hindrance]:
    yield from _closed(line)
    if not shares or any(not share.of(line) and not share.tasks for share in shares):
        yield Hindrance(Obstacle.NOTHING_CHOSEN)
    if len(shares) == 1 and divides_whole(line, shares):
        yield Hindrance(Obstacle.NOTHING_LEFT, (line.id,))
    taken = Counter(one for share in shares for one in (*share.of(line), *share.tasks))
    if twice := tuple(sorted(one for one, times in taken.items() if times > 1)):
        yield Hindrance(Obstacle.CHOSEN_TWICE, twice)
    for share in shares:
        yield from _left_by_task(line, share)
        yield from _cut(line.errands, share.of(line))


def _against_undoing(back: Return) -> Iterator[Hindrance]:
    yield from _closed(back.line, *([] if back.whole else [back.home]))
    if back.later:  # what it would put back is what was there before them: their undoing comes first
        yield Hindrance(Obstacle.MERGED_SINCE, (back.later[0], back.line.id))
        return
    if back.gone:
        yield Hindrance(Obstacle.MOVED_ON, tuple(back.gone))
    if back.begun:
        yield Hindrance(Obstacle.BEGUN_SINCE, tuple(back.begun))
    if back.vision_edited:
        yield Hindrance(Obstacle.VISION_EDITED, (back.line.id,))
    if back.said:
        yield Hindrance(Obstacle.SAID_AGAIN, tuple(back.said))
    returning = [one for one in back.line.windows if one.id in back.windows]
    yield from _two_windows(returning, back.home.windows)
    yield from _cut(back.line.errands, back.windows)


def _closed(*lines: Line) -> Iterator[Hindrance]:
    for line in lines:
        if line.state is not ThreadState.OPEN:
            yield Hindrance(Obstacle.NOT_OPEN, (line.id,))


def _two_windows(coming: Iterable[Window], here: Iterable[Window]) -> Iterator[Hindrance]:
    """Yield the pairs of live sessions that could not both live in one thread: of one role, on one task or on none."""
    taken = {(one.role, one.task): one.id for one in here if one.live}
    for one in coming:
        if one.live and (one.role, one.task) in taken:
            yield Hindrance(Obstacle.TWO_WINDOWS, (one.id, taken[one.role, one.task]))


def _left_by_task(line: Line, share: Share) -> Iterator[Hindrance]:
    for one in line.windows:
        if one.id in share.windows and one.task is not None and one.task not in share.tasks:
            yield Hindrance(Obstacle.TASK_STAYS, (one.id, one.task))


def _cut(errands: Iterable[Errand], leaving: Collection[str]) -> Iterator[Hindrance]:
    for one in errands:
        if (one.giver in leaving) != (one.taker in leaving):
            yield Hindrance(Obstacle.HANDOFF_CUT, (one.id, one.giver, one.taker))


def _tasks_of(shares: Iterable[Share]) -> Set[str]:
    return {task for share in shares for task in share.tasks}
