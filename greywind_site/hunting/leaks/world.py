"""The world of the hunt: who there is, what lies where, and who may read it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone
from psycopg import Connection

from governance.ids import new_id
from greywind_site.hunting.leaks import ground as grounds
from greywind_site.hunting.leaks.filling import fill
from greywind_site.hunting.leaks.ground import Ground
from greywind_site.hunting.leaks.marks import Mints, Place
from greywind_site.hunting.leaks.people import (
    PERSONAL,
    ROLES,
    Crew,
    Principal,
    make_crews,
    principals_of,
    private_place,
    role_place,
)
from greywind_site.hunting.leaks.planting import (
    bed_of,
    compile_beside,
    compile_in,
    plant,
    plant_answers,
)
from greywind_site.hunting.leaks.proposing import plant_proposals
from greywind_site.hunting.scratch import owner_link


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything that a hunt needs to know.

    `spoken` are the marks that verbs stored; the rest was put into rows afterwards, so that no text is without one.
    `filled` names the tables that needed rows, `left` the columns of text that carry no mark of their own.
    """

    crews: Sequence[Crew]
    principals: Sequence[Principal]
    ground: Ground
    spoken: frozenset[str]
    filled: Sequence[str]
    left: Sequence[str]

    def survey(self) -> Ground:
        """Look at all rows anew."""
        with owner_link() as link:
            return grounds.survey(link, self.crews)


def make_world(projects: int) -> World:
    """Make the projects, their people and a row of every table at every kind of place; the rows stay committed."""
    now, mints = timezone.now(), Mints()
    crews = make_crews(projects, mints, now=now)
    filled: set[str] = set()
    with owner_link() as link:
        for crew in crews:
            _grow(crew, mints, link)
        spoken = frozenset(grounds.survey(link, crews).marks)
        for crew in crews:
            places = [Place(crew.number), role_place(crew, "dev"), private_place(crew, crew.agents["assistant"])]
            filled.update(fill(crew, places, mints=mints))
        left = grounds.paint(link, crews, mints=mints)
        principals = principals_of(crews)
        ground = grounds.survey(link, crews)
    return World(
        crews=crews, principals=principals, ground=ground, spoken=spoken, filled=sorted(filled), left=sorted(left)
    )


def _grow(crew: Crew, mints: Mints, link: Connection) -> None:
    now, dev = timezone.now(), crew.agents["dev"]
    shared = bed_of(crew, dev, Place(crew.number), mints=mints, now=now)
    session = plant(shared)
    plant_proposals(crew, session.thread, mints=mints, now=now)
    compile_in(shared, session, dev)
    for role in ROLES:
        holder = crew.agents[role]
        bed = bed_of(crew, holder, role_place(crew, role), mints=mints, now=now)
        since = new_id()
        grown = plant(bed)
        grounds.move(link, crew, bed.place, since=since)
        compile_in(bed, grown, holder)
    for name in PERSONAL:
        owner = crew.agents[name]
        bed = bed_of(crew, owner, private_place(crew, owner), mints=mints, now=now)
        compile_in(bed, plant(bed), owner)
        plant_answers(bed)
        compile_beside(session, owner, mints.of(Place(crew.number)), now=now)
    human = bed_of(crew, dev, private_place(crew, crew.owner), mints=mints, now=now)
    since = new_id()
    plant(human)
    grounds.move(link, crew, human.place, since=since)
