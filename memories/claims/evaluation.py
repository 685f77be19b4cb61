"""How well pairs of statements are told apart, over a file of labelled pairs."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memories.claims.reading import read
from memories.claims.registry import DEFAULT, Registry
from memories.claims.relating import relate
from memories.claims.shapes import Statement
from memories.claims.vocabulary import Relation

LABELS = ("duplicate", "conflict", "same_subject_other_attribute", "same_attribute_other_subject")
# Any fixed Wednesday: both statements of a pair are observed at the same time.
OBSERVED = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
CONTRADICTIONS = {Relation.CONFLICT, Relation.UPDATE}

Judge = Callable[[str, str], Relation]


@dataclass(slots=True)
class Tally:
    """Counts over one choice of rows."""

    table: Counter[tuple[str, str]] = field(default_factory=Counter)

    def count(self, label: str, relations: Iterable[Relation]) -> int:
        return sum(self.table[label, relation] for relation in relations)

    def total(self, relations: Iterable[Relation]) -> int:
        return sum(self.count(label, relations) for label in LABELS)

    def of(self, label: str) -> int:
        return sum(n for (kind, _), n in self.table.items() if kind == label)

    def figures(self) -> dict[str, float | int | None]:
        """Precision and recall of conflicts, duplicates that were recognised, and wrong merges."""
        hits, said = self.count("conflict", CONTRADICTIONS), self.total(CONTRADICTIONS)
        same = self.count("duplicate", [Relation.DUPLICATE])
        return {
            "pairs": self.table.total(),
            "conflict_precision": _share(hits, said),
            "conflict_recall": _share(hits, self.of("conflict")),
            "duplicate_recall": _share(same, self.of("duplicate")),
            "wrong_merges": self.total([Relation.DUPLICATE]) - same,
        }


@dataclass(slots=True)
class Report:
    """Everything that a run over labelled pairs shows.

    `against_registry` lists ids whose label calls two statements on an open class ("my colleague") a conflict;
    `wrong` lists the other rows that were judged otherwise than labelled.
    """

    everything: Tally = field(default_factory=Tally)
    named_subjects: Tally = field(default_factory=Tally)
    against_registry: list[str] = field(default_factory=list)
    wrong: list[dict[str, str]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Plain values: the confusion table (label → relation → count), figures, and the two lists."""
        table = {label: {r.value: self.everything.table[label, r] for r in Relation} for label in LABELS}
        return {
            "table": table,
            "all": self.everything.figures(),
            "without_open_classes": self.named_subjects.figures(),
            "against_registry": self.against_registry,
            "wrong": self.wrong,
        }


def evaluate_pairs(
    rows: Iterable[Mapping[str, Any]], *, judge: Judge | None = None, registry: Registry = DEFAULT
) -> Report:
    """Judge every row {id, old, new, label} and count. `judge` stands in for `relate`, say the whole write path."""
    report = Report()
    for row in rows:
        relation = judge(row["old"], row["new"]) if judge else _related(row["old"], row["new"], registry)
        label, is_open = row["label"], names_open_class(row, registry)
        report.everything.table[label, relation] += 1
        if not is_open:
            report.named_subjects.table[label, relation] += 1
        if is_open and label == "conflict":
            report.against_registry.append(row["id"])
        elif not _agrees(label, relation):
            report.wrong.append({"id": row["id"], "label": label, "judged": relation.value})
    return report


def names_open_class(row: Mapping[str, Any], registry: Registry = DEFAULT) -> bool:
    """Whether either statement speaks of somebody that nobody can tell from others of the kind."""
    return any(reading.of_kind("open") for key in ("old", "new") for reading in read(row[key], registry))


def _related(old: str, new: str, registry: Registry) -> Relation:
    first, second = (Statement(text=text, observed_at=OBSERVED) for text in (old, new))
    return relate(first, second, registry=registry).relation


def _agrees(label: str, relation: Relation) -> bool:
    if label == "duplicate":
        return relation is Relation.DUPLICATE
    return relation in CONTRADICTIONS if label == "conflict" else relation in {Relation.DISTINCT, Relation.ADDS}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
