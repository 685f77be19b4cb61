"""Each deed killed before each of its words to the database, then done again by two workers at once, twice each.

In the end everything stands as if nothing had happened; between the kill and the next try either nothing of the deed
stands or all of it, and the work summary in force is never a part of one.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from governance.audit import verify_chain
from governance.scope import project_scope
from greywind_site.hunting.continuity.dying import Came, Stuck, alone, counted, killed_before, together
from greywind_site.hunting.continuity.scenes import SCENES, Scene, work
from greywind_site.hunting.continuity.told import Standing, coverage_faults, standing
from greywind_site.hunting.continuity.world import Place, World, leases_lapse, make_world
from greywind_site.hunting.telling import Tell

WORKERS, DELIVERIES = 2, 2


@dataclass(kw_only=True)
class ContinuityReport:
    """What was killed: `words` that each deed says to the database, and at how many of them it was killed.

    `redone` counts by deed the kills after which nothing of it stood, so that it was done anew. `wrong` names each
    kill after which something stood that should not.
    """

    words: dict[str, int] = field(default_factory=dict)
    kills: dict[str, int] = field(default_factory=dict)
    redone: dict[str, int] = field(default_factory=dict)
    deliveries: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.wrong

    @property
    def killed(self) -> int:
        return sum(self.kills.values())

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {"ok": self.ok, **asdict(self), "killed": self.killed}


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How things stand before a deed, right after it, and when everything that it asked for is done."""

    before: Standing
    after: Standing
    end: Standing
    words: int


class Hunt:
    """The trials of one run, each in a project of its own in the present database."""

    def __init__(self, *, step: int, tell: Tell) -> None:
        self.step, self.tell, self.made, self.report = step, tell, 0, ContinuityReport()

    def deed(self, name: str) -> None:
        """Kill one deed at every `step`th of its words, and once when all is done and nobody has heard of it."""
        scene = SCENES[name]
        course = self._undisturbed(scene)
        words = sorted({*range(0, course.words, self.step), course.words})
        redone = sum(self._killed(name, word, course) for word in words)
        self.report.words[name], self.report.kills[name] = course.words, len(words)
        self.report.redone[name] = redone
        self.tell(f"{name}: killed at {len(words)} of {course.words + 1} points")

    def _staged(self, scene: Scene) -> tuple[World, Place, Standing]:
        self.made += 1
        number = self.made

        def stage() -> tuple[World, Place, Standing]:
            world = make_world(number)
            place = scene.stage(world)
            return world, place, standing(world, place)

        return alone(stage)

    def _undisturbed(self, scene: Scene) -> Course:
        world, place, before = self._staged(scene)
        done: Came[Any] = counted(lambda: scene.deed(world, place))
        after = alone(lambda: standing(world, place))
        alone(lambda: work(world, place))
        return Course(before=before, after=after, end=alone(lambda: standing(world, place)), words=done.said)

    def _killed(self, name: str, word: int, course: Course) -> bool:
        """Kill the deed before that word and let two workers do it again; returns whether it had to be done anew."""
        scene = SCENES[name]
        world, place, before = self._staged(scene)
        self._expect(before == course.before, name, word, "the stage is another one")
        self._expect(killed_before(word, lambda: scene.deed(world, place)).killed, name, word, "nobody died")
        left = alone(lambda: standing(world, place))
        self._look(left, course, name, word)
        leases_lapse()
        try:
            together([lambda: _again(scene, world, place)] * WORKERS)
        except Stuck as fault:
            self._expect(False, name, word, f"it could not be done again: {str(fault).strip().splitlines()[-1][:300]}")
        self.report.deliveries += WORKERS * DELIVERIES
        end, faults = alone(lambda: (standing(world, place), _faults(world, place)))
        self._expect(end == course.end, name, word, f"it ended otherwise: {difference(end, course.end)}")
        self._expect(not faults, name, word, "; ".join(faults))
        return _still(left) == _still(course.before)

    def _look(self, left: Standing, course: Course, name: str, word: int) -> None:
        whole = _still(left) in (_still(course.before), _still(course.after))
        self._expect(whole, name, word, f"half of it stood: {difference(left, course.after)}")
        known, versions = _versions(course.end), _versions(left)
        self._expect(versions == known[: len(versions)], name, word, "a summary stood that is none")
        self._expect(len(versions) >= len(_versions(course.before)), name, word, "a summary was lost")

    def _expect(self, holds: bool, name: str, word: int, otherwise: str) -> None:
        if not holds:
            self.report.wrong.append(f"{name}, killed before word {word}: {otherwise}")


def hunt_continuity(names: Sequence[str], *, step: int, tell: Tell) -> ContinuityReport:
    """Kill each of the named deeds at every `step`th point, in the present database, and report.

    It makes a project for each kill and leaves it: the database should be one to be thrown away. Needs the owner role,
    which lets leases lapse.
    """
    # Done once here, what is imported and read at first use is there in each process that is forked.
    scene, world = SCENES[names[0]], make_world(0)
    _again(scene, world, scene.stage(world))
    hunt = Hunt(step=step, tell=tell)
    for name in names:
        hunt.deed(name)
    return hunt.report


def difference(found: Standing, wanted: Standing) -> str:
    """Return where two differ first, by the names of the parts, and what stands there."""
    for name, value in wanted.items():
        if found.get(name) != value:
            if isinstance(value, dict):
                return f"{name}/{difference(found[name], value)}"
            if isinstance(value, list) and len(value) == len(found[name]):
                pairs = enumerate(zip(found[name], value, strict=True))
                return f"{name}/{difference(*({str(n): pair[k] for n, pair in pairs} for k in (0, 1)))}"
            return f"{name}: {str(found.get(name))[:300]}, not {str(value)[:300]}"
    return f"{sorted(set(found) - set(wanted))} are more"


def _again(scene: Scene, world: World, place: Place) -> int:
    """What one of two workers does: the deed, delivered twice, and everything that it asks for."""
    for _ in range(DELIVERIES):
        scene.deed(world, place)
    return work(world, place)


def _faults(world: World, place: Place) -> list[str]:
    with project_scope(world.owner, read_only=True):
        fault = verify_chain().fault
    return [*coverage_faults(world, place), *([f"the ledger is not what was written: {fault}"] if fault else [])]


def _still(standing: Standing) -> Standing:
    """Return what a deed itself changes: a job is held and let go beside it."""
    return {name: value for name, value in standing.items() if name != "jobs"}


def _versions(standing: Standing) -> list[Any]:
    return [version for window in standing["sessions"] for version in window["summaries"]]
