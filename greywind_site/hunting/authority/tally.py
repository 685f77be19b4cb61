"""What the hunt counts: cases, how many were allowed, which cells were met, and where the three did not agree."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import Any

DECISIONS = ("approve", "reject", "request_changes", "edit_and_approve")
ACTIONS = (*DECISIONS, "withdraw", "comment", "edit", "open", "conclude")
STATES = ("draft", "open", "approved", "rejected", "changes_requested", "withdrawn", "expired")
LEVELS, RISKS = ("maintainer", "owner"), ("low", "medium", "high")
RELATIONS = ("no part", "wrote", "own agent wrote")
BOUNDS = ("seen", "older", "forged", "moved", "again")
ACCESS = ("read", "write", "make", "move")
PLACES = ("project", "role held", "role not held", "own", "another's", "elsewhere")

type Cell = tuple[str, ...]


def wanted_cells() -> set[Cell]:
    """Return every cell that can be: who decides what, actions by state, what decisions refer to, who reads what."""
    cells: set[Cell] = {("state", *pair) for pair in product(ACTIONS, STATES)}
    # Whoever has decided may not edit and approve what they decided: that is another text, and so another case.
    cells |= {("bound", *pair) for pair in product(DECISIONS, BOUNDS)} - {("bound", "edit_and_approve", "again")}
    cells |= {("conclude", *pair) for pair in product(("one", "two"), ("0", "1", "2"))}
    cells |= {
        ("decide", *standing) for cell in product(DECISIONS, LEVELS, RISKS, RELATIONS) for standing in _standings(cell)
    }
    home = product(ACCESS, ("owner", "maintainer", "viewer", "agent"), PLACES)
    abroad = product(ACCESS, ("stranger",), ("project", "own", "elsewhere"))
    return (
        cells
        | {("access", *cell) for cell in (*home, *abroad)}
        | {("access", each, "nobody", "no scope") for each in ACCESS}
    )


def _standings(cell: Cell) -> list[Cell]:
    """Return the cell with each standing that somebody of its relation can have, and whether they are alone in it."""
    level, relation = cell[1], cell[3]
    able = ["owner"] if level == "owner" else ["owner", "maintainer"]
    found = [(*cell, each, crowd) for each in able for crowd in ("alone", "others")]
    # Whoever is off comes through no door, so that only their row can be tried, and no text of theirs.
    off = () if cell[0] == "edit_and_approve" else ("off",)
    found += [(*cell, each, "others") for each in ("maintainer", *off) if each not in able]
    reading = {"no part": ("viewer", "agent", "stranger"), "wrote": ("agent",), "own agent wrote": ()}[relation]
    return found + [(*cell, each, "others") for each in reading]


@dataclass(kw_only=True)
class AuthorityReport:
    """What was tried. `wrong` names each case in which SQL, the explaining code and the oracle do not agree."""

    seed: int
    cases: int = 0
    allowed: int = 0
    by_verb: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    met: set[Cell] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    @property
    def unmet(self) -> set[Cell]:
        """The cells that no case met."""
        return wanted_cells() - self.met

    @property
    def missed(self) -> list[str]:
        """The same, to be told."""
        return sorted(" / ".join(cell) for cell in self.unmet)

    @property
    def share(self) -> float:
        """Which share of the cases was allowed."""
        return self.allowed / self.cases if self.cases else 0.0

    def note(self, case: str, *, sql: Any, told: Any, expected: Any, cells: set[Cell]) -> None:
        """Count one case. An answer is None or False where it is refused; else True, or the word on self-approval."""
        self.cases += 1
        self.allowed += expected not in (None, False) or (expected is False and case.startswith(DECISIONS))
        self.actions[case.split(maxsplit=1)[0]] += 1
        self.met |= cells
        if not sql == told == expected:
            self.wrong.append(f"{case}: sql {sql}, code {told}, oracle {expected}")

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        known = wanted_cells()
        facts = {"seed": self.seed, "cases": self.cases, "allowed": self.allowed, "share": round(self.share, 3)}
        cells = {"cells": len(known), "cells_met": len(known & self.met), "missed": self.missed}
        return {
            "ok": self.ok,
            **facts,
            "by_verb": self.by_verb,
            "actions": dict(self.actions),
            **cells,
            "wrong": self.wrong,
        }

    @property
    def ok(self) -> bool:
        return not self.wrong
