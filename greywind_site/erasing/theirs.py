"""The rows that were found to be somebody's, and what of them a ref or a span may name."""

import re
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model, QuerySet

from governance.models import Actor, Proposal
from greywind_site.operating.erasing import OWNER
from memories.models import Conflict, Memory
from sessions.evidence import EVENT
from sessions.models import Artifact, Event, Handoff, Session, WorkSummary
from threads.models import Thread

ID = re.compile(r"\b([a-z]{3})_([0-9a-f]{32})\b")
BY_ID: tuple[type[Model], ...] = (Memory, Conflict, Proposal, Handoff, WorkSummary, Artifact, Thread, Session, Event)
NAMED_BY_REF = {"art": Artifact, "hnd": Handoff, "sum": WorkSummary, "mem": Memory}


@dataclass(slots=True)
class Theirs:
    """The rows of one project that hold what one person said or what was made of it, by model.

    Without a person they are what one memory says, and what was made of that. `looked_for` are the texts of theirs that
    were looked for in all others' rows, `damaged` the compressed segments that did not open meanwhile.
    """

    project_id: uuid.UUID
    person: Actor | None = None
    rows: dict[type[Model], set[uuid.UUID]] = field(default_factory=lambda: defaultdict(set))
    looked_for: set[str] = field(default_factory=set)
    damaged: set[uuid.UUID] = field(default_factory=set)

    def all(self, model: type[Model]) -> QuerySet[Any]:
        """Return all rows of the project, whoever may read them."""
        manager = model._default_manager  # noqa: SLF001 - Django documents it
        return manager.using(OWNER).filter(project_id=self.project_id)

    def of(self, model: type[Model]) -> QuerySet[Any]:
        """Return those that were found."""
        return self.all(model).filter(pk__in=self.rows[model])

    def add(self, model: type[Model], found: Iterable[uuid.UUID]) -> None:
        """Count rows as theirs."""
        self.rows[model].update(found)

    def where(self, model: type[Model], **lookups: Any) -> None:
        """Count those rows of the project as theirs for which the lookups hold."""
        self.add(model, self.all(model).filter(**lookups).values_list("pk", flat=True))

    @property
    def total(self) -> int:
        return sum(map(len, self.rows.values()))


def refs_of(theirs: Theirs) -> frozenset[tuple[str, uuid.UUID]]:
    """Return what refs may name, as prefix and id."""
    return frozenset((str(model.PREFIX), pk) for model in BY_ID for pk in theirs.rows[model])  # type: ignore[attr-defined]  # each is a ProjectRow


def spans_of(theirs: Theirs) -> dict[uuid.UUID, set[int]]:
    """Return the numbers of the entries that are theirs, by session."""
    spans = defaultdict(set)
    for session, seq in theirs.of(Event).values_list("session_id", "seq"):
        spans[session].add(seq)
    return spans


def table_of(model: type[Model]) -> str:
    """Return the name of a model's table."""
    return model._meta.db_table  # noqa: SLF001 - Django documents it


def counts_of(theirs: Theirs) -> dict[str, int]:
    """Return how many rows of each kind there are, most first."""
    found = {
        table_of(model).partition("_")[2].removeprefix("sessions_"): len(ids)
        for model, ids in theirs.rows.items()
        if ids
    }
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def ids_in(text: str) -> set[tuple[str, uuid.UUID]]:
    """Return the ids that a text names, as prefix and id."""
    return {(found[1], uuid.UUID(found[2])) for found in ID.finditer(text)}


def names_any(ref: str, theirs: Theirs, spans: Mapping[uuid.UUID, set[int]]) -> bool:
    """Return whether a ref opens something of theirs. `spans` are the numbers of their entries, by session."""
    if form := EVENT.fullmatch(ref):
        seqs = spans.get(uuid.UUID(form.group(1).removeprefix("ses_")), set())
        first = int(form.group(2))
        return any(first <= seq <= int(form.group(3) or first) for seq in seqs)
    named = ID.search(ref)
    kind = NAMED_BY_REF.get(named[1]) if named else None
    return named is not None and kind is not None and uuid.UUID(named[2]) in theirs.rows[kind]
