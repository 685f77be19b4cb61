"""The hunt itself: scenes one after the other, attempts of everybody in each, and the count of what was met."""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice

from django.db import transaction

from greywind_site.hunting.authority.access import fill, hunt_access
from greywind_site.hunting.authority.legs import Attempt, by_code, by_sql, by_verb, expected
from greywind_site.hunting.authority.oracle import DECIDING, Matter, deciders
from greywind_site.hunting.authority.people import ABROAD, Person, settle
from greywind_site.hunting.authority.scenes import CHANGES, Scene, scenes
from greywind_site.hunting.authority.staging import OWNERS, Staged, ask_for_two, given_in, matter_of, staged
from greywind_site.hunting.authority.tally import ACTIONS, DECISIONS, RISKS, AuthorityReport, Cell

OF_A_SCENE = 24  # attempts: a scene costs as much as a dozen of them
BATCH = 60  # scenes of one transaction
AT_RANDOM = 0.8  # which share of the cases comes as it comes; after it, what was not met yet is drawn on purpose
DRAWN = 1000  # scenes that are looked through for that at once
ALSO_BY_VERB = 0.05  # of the decisions that the explaining code judged, how many the verb itself is asked for as well
DECIDING_ACCESS = 0.4  # which share of the cases is of reads and writes


def hunt_authority(cases: int, *, seed: int) -> AuthorityReport:
    """Try that many cases against the present database, and report. It makes its own two projects and leaves them."""
    dice, report, people = random.Random(seed), AuthorityReport(seed=seed), settle()  # noqa: S311 - repeatable dice
    shelf = fill(people)
    hunt_access(shelf, report, dice, cases=round(cases * DECIDING_ACCESS))
    coming = scenes(dice)
    while report.cases < cases:
        on_purpose = report.unmet if report.cases >= cases * AT_RANDOM else set()
        batch = _towards(people, coming, on_purpose) if on_purpose else list(islice(coming, BATCH))
        # Scenes of one policy share a transaction, in which it is put in force once.
        batch.sort(key=lambda scene: scene.two)
        for two, some in groupby(batch, key=lambda scene: scene.two):
            with transaction.atomic():
                if two:
                    ask_for_two(people)
                _play(people, list(some), report, dice=dice, most=cases)
                transaction.set_rollback(True)
    return report


def _towards(people: Mapping[str, Person], coming: Iterator[Scene], unmet: set[Cell]) -> list[Scene]:
    """Draw on, and return scenes in which some of these cells would be met; whatever comes, where none is found."""
    left, found = {cell for cell in unmet if cell[0] != "access"}, []
    for scene in islice(coming, DRAWN):
        if not any(_is_near(scene, cell) for cell in left):
            continue
        matter = matter_of(people, scene, approved=frozenset(given_in(people, scene)))
        there = {cell for each in _attempts(people, scene, matter) for cell in _cells(scene, matter, each)}
        if not left.isdisjoint(there):
            found.append(scene)
            left -= there
        if not left or len(found) == BATCH:
            break
    return found or list(islice(coming, BATCH))


def _is_near(scene: Scene, cell: Cell) -> bool:
    """Say whether a cell may be met in a scene, by what is seen of it at once: looking closer takes long."""
    match cell:
        case ("decide", _, level, risk, *_):
            return scene.state == "open" and scene.weight == (risk, level)
        case ("state", _, state):
            return scene.state == state
        case ("conclude", approvals, _):
            return scene.two == (approvals == "two")
    return cell[0] == "bound"


def _play(
    people: Mapping[str, Person], some: Sequence[Scene], report: AuthorityReport, *, dice: random.Random, most: int
) -> None:
    for scene in some:
        if report.cases >= most:
            return
        with staged(people, scene) as stage:
            for attempt in _chosen(people, stage, dice, met=report.met):
                _note(stage, attempt, report, dice=dice)


def _note(stage: Staged, attempt: Attempt, report: AuthorityReport, *, dice: random.Random) -> None:
    wanted, told = expected(stage, attempt), by_code(stage, attempt)
    if attempt.action in DECIDING and dice.random() < ALSO_BY_VERB:
        report.by_verb += 1
        done = by_verb(stage, attempt)
        told = told if done == told else f"{told}, and the verb {done}"  # type: ignore[assignment]  # a fault, to be told
    case = f"{attempt.action} by {attempt.who.someone.name}, bound to {attempt.bound}, in {stage.scene}"
    report.note(
        case,
        sql=by_sql(stage, attempt),
        told=told,
        expected=wanted,
        cells=set(_cells(stage.scene, stage.matter, attempt)),
    )


def _chosen(people: Mapping[str, Person], stage: Staged, dice: random.Random, *, met: set[Cell]) -> list[Attempt]:
    """Return attempts at what is staged, those of cells not yet `met` first; half of them ones that the oracle allows,
    where there are so many.
    """
    every = list(_attempts(people, stage.scene, stage.matter))
    dice.shuffle(every)
    every.sort(key=lambda each: met.issuperset(_cells(stage.scene, stage.matter, each)))
    allowed = [each for each in every if _is_yes(each, expected(stage, each))][: OF_A_SCENE // 2]
    refused = [each for each in every if each not in allowed]
    return [*allowed, *refused[: OF_A_SCENE - len(allowed)]]


def _is_yes(attempt: Attempt, answer: bool | None) -> bool:
    return answer is not None if attempt.action in DECISIONS else bool(answer)


def _attempts(people: Mapping[str, Person], scene: Scene, matter: Matter) -> Iterator[Attempt]:
    for who in people.values():
        for action in ACTIONS:
            if _makes_sense(scene, matter, Attempt(action, who)):
                yield Attempt(action, who)
                if action in DECISIONS and scene.state == "open":
                    yield from (Attempt(action, who, bound) for bound in ("older", "forged"))


def _makes_sense(scene: Scene, matter: Matter, attempt: Attempt) -> bool:
    """Whoever is not there comes through no door but that of a decision; other texts are other cases. So is a policy
    that leaves its decisions to humans where no owner is: it is refused as a text, whoever writes it.
    """
    action, someone = attempt.action, attempt.who.someone
    if "edit" in action and scene.change == "retention" and not scene.present & set(OWNERS):
        return False
    here = someone.kind == "agent" or someone.project == ABROAD or someone.name in scene.present
    if action == "edit_and_approve":
        raised = RISKS.index(scene.asked) > RISKS.index(CHANGES[scene.change].risk)
        return here and not raised and someone.name not in matter.decided
    return here or action in DECIDING


def _cells(scene: Scene, matter: Matter, attempt: Attempt) -> Iterator[Cell]:
    action = attempt.action
    yield "state", action, scene.state
    if action == "conclude":
        yield "conclude", "two" if scene.two else "one", str(len(matter.approved))
    if action not in DECISIONS or scene.state != "open":
        return
    again = attempt.who.someone.name in matter.decided
    yield "bound", action, "moved" if scene.moved else "again" if again else attempt.bound
    if attempt.bound == "seen" and not scene.moved and not again:
        relation, standing = _relation(matter, attempt), _standing(scene, matter, attempt)
        yield "decide", action, matter.level, matter.risk, relation, *standing


def _relation(matter: Matter, attempt: Attempt) -> str:
    name, writers = attempt.who.someone.name, matter.writers
    if any(writer.name == name for writer in writers):
        return "wrote"
    return "own agent wrote" if any(writer.behind == name for writer in writers) else "no part"


def _standing(scene: Scene, matter: Matter, attempt: Attempt) -> tuple[str, str]:
    someone = attempt.who.someone
    alone = "alone" if deciders(matter) == {someone.name} else "others"
    if someone.project == ABROAD:
        return "stranger", alone
    if someone.kind == "human" and someone.name not in scene.present:
        return "off", alone
    return someone.level or someone.kind, alone
