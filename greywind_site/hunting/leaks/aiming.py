"""What a request is aimed at: ids, refs and words of the asker's own, of others', random ones and broken ones."""

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from django.apps import apps

from governance.ids import new_id, public_id
from governance.refs import knows
from greywind_site.hunting.leaks.ground import Ground
from greywind_site.hunting.leaks.marks import MARK, place_of
from greywind_site.hunting.leaks.people import Principal

# What parameters are called where that is not the name of the model.
ALIASES = {
    "packet": "contextpacket",
    "agent": "actor",
    "key": "apikey",
    "subject": "actor",
    "on_behalf_of": "actor",
    "target": "memory",
    "scope": "thread",
    "into_thread": "thread",
    "depends_on": "task",
    "summary": "worksummary",
    "hearer": "session",
    "claim": "memory",
    "winner": "memory",
    "item": "inboxitem",
}
BROKEN = ("", "x", "thr_", "prj_" + "g" * 32, "../../etc", "%00", "null", "-1", "0" * 40)


class How(StrEnum):
    """Whose things a request names."""

    OWN = "own"
    FOREIGN = "foreign"
    RANDOM = "random"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Noun:
    """What an id names: the prefix of its public form, and the table of its rows."""

    prefix: str
    table: str


def nouns() -> dict[str, Noun]:
    """Return the nouns by the names that parameters give them."""
    named = {
        str(model._meta.model_name): Noun(prefix, model._meta.db_table)  # noqa: SLF001 - Django documents it
        for model in apps.get_models()
        if isinstance(prefix := getattr(model, "PREFIX", None), str)
    }
    return named | {alias: named[model] for alias, model in ALIASES.items() if model in named}


@dataclass(slots=True)
class Aim:
    """Chooses for one principal what to name, with dice that are seeded: the same seed asks the same."""

    who: Principal
    ground: Ground
    dice: random.Random
    known: dict[tuple[str, bool], list[uuid.UUID]] = field(default_factory=dict)
    words: dict[bool, list[str]] = field(default_factory=dict)
    cursors: Sequence[str] = ()

    def rows(self, table: str, *, own: bool) -> list[uuid.UUID]:
        """Return the ids of a table's rows that the principal may read, or may not."""
        key = (table, own)
        if key not in self.known:
            rows = self.ground.rows.get(table, [])
            self.known[key] = [pk for pk, place in rows if self.who.may_read(place) == own]
        return self.known[key]

    def id_of(self, noun: Noun, how: How) -> str:
        """Return a public id."""
        if how is How.BROKEN:
            return self.dice.choice(BROKEN)
        rows = [] if how is How.RANDOM else self.rows(noun.table, own=how is How.OWN)
        return public_id(noun.prefix, self.dice.choice(rows) if rows else new_id())

    def word(self, how: How) -> str:
        """Return a word to search by: one of somebody's marks, or one that stands everywhere."""
        if how is How.BROKEN:
            return self.dice.choice(["\u0000", "x" * 3000, "%", "'", "\\", "灰"])
        if how is How.RANDOM or self.dice.random() < 0.3:
            return self.dice.choice(["harbour lights", "lights", "继续", "office", "a"])
        own = how is How.OWN
        if own not in self.words:
            self.words[own] = [
                mark for mark in self.ground.marks if MARK.fullmatch(mark) and self.who.may_read(place_of(mark)) == own
            ]
        return self.dice.choice(self.words[own] or ["lights"])

    def ref(self, how: How) -> str:
        """Return a ref of any scheme."""
        scheme = self.dice.choice([scheme for scheme in REFS if knows(f"{scheme}://x")])
        model, tail = REFS[scheme]
        return f"{scheme}://{self.id_of(nouns()[model], how)}{self.dice.choice(tail)}"

    def cursor(self, how: How) -> str:
        """Return the cursor of a page that somebody was given, or what is none."""
        return self.dice.choice([*self.cursors, "AAAA"]) if how is not How.BROKEN else self.dice.choice(BROKEN)


REFS = {
    "event": ("session", ["/1", "/1-3", "/2"]),
    "artifact": ("artifact", ["", "#t=0,200", "#l=0,5"]),
    "memory": ("memory", ["", "@1"]),
    "handoff": ("handoff", ["", "#summary"]),
    "summary": ("worksummary", ["", "#goals", "@1"]),
    "revision": ("revision", ["#name", "#duties", ""]),
    "proposal": ("proposal", [""]),
    "packet": ("contextpacket", [""]),
    "task": ("task", ["", "#next_steps", "@1"]),
    "thread": ("thread", ["", "@1", "#ready_tasks", "#title"]),
    "vision": ("thread", ["", "#done_when", "@1#origin_goal"]),
    "session": ("session", ["", "#resume_point"]),
}
