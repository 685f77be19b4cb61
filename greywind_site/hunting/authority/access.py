"""Reading and writing rows: every audience, read and written by everybody, with roles and scopes of all kinds."""

import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.db import transaction

from governance.actors import Acting
from governance.ids import new_id
from governance.scope import project_scope
from governance.visibility import Placement, may_read
from governance.vocabulary import Audience
from greywind_site.hunting.authority.oracle import Place, Someone, reads, writes
from greywind_site.hunting.authority.people import ABROAD, HOME, Person
from greywind_site.hunting.authority.sql import CHANGE, PLACE, READ, enter, taken
from greywind_site.hunting.authority.tally import ACCESS, AuthorityReport, Cell
from threads.models import Thread

AT_RANDOM = 0.9  # which share of the cases comes as it comes
DRAWN = 300  # cases that are looked through for one that nobody met
ROLE_SETS = ((), ("dev",), ("reviewer",), ("dev", "reviewer"))
PRIVATE = ("o1", "m1", "viewer", "a-o1", "a-m1", "a-none")
MAKE = (
    "INSERT INTO threads_thread SELECT (jsonb_populate_record(t, jsonb_build_object('id', %s::text, 'project_id',"
    " %s::text, 'audience', %s::text, 'audience_role', %s::text, 'owner_id', %s::text, 'created_by_id', %s::text))).*"
    " FROM threads_thread t LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Rows of every audience, by where they lie."""

    people: Mapping[str, Person]
    rows: Mapping[Place, uuid.UUID]


def fill(people: Mapping[str, Person]) -> Shelf:
    """Make a row for each audience there is."""
    places = [Place(HOME, "project"), Place(HOME, "role", role="dev"), Place(HOME, "role", role="reviewer")]
    places += [Place(HOME, "private", owner=name) for name in PRIVATE]
    places += [Place(ABROAD, "project"), Place(ABROAD, "private", owner="stranger")]
    return Shelf(people, {place: _row(people, place) for place in places})


def _row(people: Mapping[str, Person], place: Place) -> uuid.UUID:
    maker = people[place.owner or ("stranger" if place.project == ABROAD else "o1")].acting
    with project_scope(replace(maker, roles=(place.role,) if place.role else maker.roles)) as scope:
        owner = people[place.owner].acting.actor_id if place.owner else None
        reach = {"audience": Audience(place.audience), "audience_role": place.role, "owner_id": owner}
        made = Thread.objects.create(
            project_id=scope.acting.project_id, title="hunted", created_by_id=scope.acting.actor_id, **reach
        )
    return made.pk


def hunt_access(shelf: Shelf, report: AuthorityReport, dice: random.Random, *, cases: int) -> None:
    """Try that many random reads and writes, half of them where the oracle allows it; the last ones in unmet cells."""
    with transaction.atomic():
        for n in range(cases):
            _try(shelf, report, dice, on_purpose=n >= cases * AT_RANDOM)
        transaction.set_rollback(True)


def _try(shelf: Shelf, report: AuthorityReport, dice: random.Random, *, on_purpose: bool) -> None:
    wished = dice.random() < 0.5
    unmet = {cell for cell in report.unmet if cell[0] == "access"} if on_purpose else set()
    for _ in range(DRAWN if unmet else 12):
        who, action = _somebody(shelf, dice), dice.choice(ACCESS)
        here, there = dice.choice(list(shelf.rows)), dice.choice(list(shelf.rows))
        places = _places(action, here, there)
        someone = who.someone if who else None
        if _cell(action, someone, places[-1]) in unmet if unmet else writes(someone, *places) == wished:
            break
    someone, acting = (who.someone, who.acting) if who else (None, None)
    enter(acting)
    report.note(
        f"{action} by {someone} at {places}",
        sql=_by_sql(shelf, action, acting, places),
        told=acting is not None and all(may_read(acting, _placement(shelf, place)) for place in places),
        expected=reads(someone, here) if action == "read" else writes(someone, *places),
        cells={_cell(action, someone, places[-1])},
    )


def _places(action: str, here: Place, there: Place) -> tuple[Place, ...]:
    return (here, replace(there, project=here.project)) if action == "move" and _fits(here, there) else (here,)


def _fits(here: Place, there: Place) -> bool:
    """A row moves within its project, whose people alone may own it."""
    return here.project == there.project


def _somebody(shelf: Shelf, dice: random.Random) -> Person | None:
    """Return one of the people, or nobody, in roles that a request might come with."""
    if dice.random() < 0.03:
        return None
    person, roles = dice.choice(list(shelf.people.values())), dice.choice(ROLE_SETS)
    return Person(replace(person.acting, roles=roles), replace(person.someone, roles=roles))


def _by_sql(shelf: Shelf, action: str, acting: Acting | None, places: tuple[Place, ...]) -> bool:
    row, target = shelf.rows[places[0]], places[-1]
    owner = shelf.people[target.owner].acting.actor_id if target.owner else None
    match action:
        case "read":
            return taken((READ, [row]))
        case "write":
            return taken((CHANGE, [row]))
        case "move":
            return taken((PLACE, [target.audience, target.role, owner, row]))
    maker = acting.actor_id if acting else new_id()
    project = shelf.people["stranger" if target.project == ABROAD else "o1"].acting.project_id
    placed = [new_id(), project, target.audience, target.role, owner, maker]
    return taken((MAKE, [str(value) if value else None for value in placed]))


def _placement(shelf: Shelf, place: Place) -> Placement:
    project = shelf.people["stranger" if place.project == ABROAD else "o1"].acting.project_id
    owner = shelf.people[place.owner].acting.actor_id if place.owner else None
    return Placement(project_id=project, audience=Audience(place.audience), audience_role=place.role, owner_id=owner)


def _cell(action: str, who: Someone | None, place: Place) -> Cell:
    if who is None:
        return "access", action, "nobody", "no scope"
    standing = "stranger" if who.project == ABROAD else who.level or who.kind
    if place.project != who.project:
        return "access", action, standing, "elsewhere"
    held = "role held" if place.role in who.roles else "role not held"
    own = "own" if place.owner == who.name else "another's"
    return "access", action, standing, {"project": "project", "role": held, "private": own}[place.audience]
