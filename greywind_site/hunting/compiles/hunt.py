"""Many compiles, each from a seed of its own, and what was wrong with them."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from greywind_site.hunting.compiles.cases import Case, Drawer
from greywind_site.hunting.compiles.judge import Judge, contents_of
from greywind_site.hunting.compiles.reading import ROLE_PARTS, canonical, read_slots, slots_of
from sessions.context.assembler import assemble, packet_hash
from sessions.context.compiler import Compiled, compile_packet
from sessions.context.vocabulary import Dialect

MOST_TOLD = 50
AGAIN_EVERY = 10  # compiles, one is done twice: the same bytes must come of it


@dataclass(kw_only=True)
class CompileReport:
    """What was tried. `wrong` names the case (its seed and number make it again) and what is wrong with it."""

    seed: int
    cases: int = 0
    refused: int = 0
    tight: int = 0
    steps: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.wrong

    def note(self, number: int, compiled: Compiled, faults: Iterator[str]) -> None:
        """Count one case."""
        self.cases += 1
        self.refused += compiled.packet is None
        self.tight += compiled.pressure is not None and compiled.pressure.tight
        for section in compiled.sections:
            self.steps.update(item.step.value for item in section.items)
        for layer in compiled.layers:
            self.left_out.update(row["reason"] for row in layer.dropped)
        self.wrong += [f"case {number} of seed {self.seed}: {fault}" for fault in faults]

    def as_json(self) -> Mapping[str, Any]:
        """Return the report as plain JSON values."""
        return {
            "ok": self.ok,
            "seed": self.seed,
            "cases": self.cases,
            "refused": self.refused,
            "tight": self.tight,
            "steps": dict(sorted(self.steps.items())),
            "left_out": dict(sorted(self.left_out.items())),
            "wrong": len(self.wrong),
            "first_wrong": self.wrong[:MOST_TOLD],
        }


def hunt_compiles(cases: int, *, seed: int) -> CompileReport:
    """Compile at random within random budgets, and judge each packet or refusal."""
    drawn = (_case(seed, number) for number in range(cases))
    return _hunt(drawn, seed=seed, faults=lambda case, compiled: Judge(case, compiled).faults())


def hunt_prompts(cases: int, *, seed: int) -> CompileReport:
    """Compile hostile texts in every slot, and read each prompt back to the slots that it was made of."""
    drawn = (_case(seed, number, hostile=True, ample=number % 2 == 0) for number in range(cases))
    return _hunt(drawn, seed=seed, faults=misread)


def _case(seed: int, number: int, **nature: bool) -> Case:
    return Drawer(random.Random(f"{seed}/{number}"), **nature).case()  # noqa: S311 - dice, no secret


def _hunt(cases: Iterable[Case], *, seed: int, faults: Callable[[Case, Compiled], Iterator[str]]) -> CompileReport:
    report = CompileReport(seed=seed)
    for number, case in enumerate(cases):
        compiled = _compiled(case)
        report.note(number, compiled, faults(case, compiled))
        if number % AGAIN_EVERY == 0 and _digest(compiled) != _digest(_compiled(case)):
            report.wrong.append(f"case {number} of seed {seed}: compiled twice, it is not the same")
    return report


def _compiled(case: Case) -> Compiled:
    return compile_packet(case.material, case.budget, counter=case.profile.counter())


def _digest(compiled: Compiled) -> str:
    if compiled.packet is None:
        return repr(compiled.shortfalls)
    sent = [message for dialect in Dialect for message in assemble(compiled, dialect).sent]
    return packet_hash(compiled.packet, sent) + repr(compiled.layers)


def misread(case: Case, compiled: Compiled) -> Iterator[str]:
    """Say what reads otherwise in the prompt of a compile than in its packet, and whether a rule was added or moved."""
    if compiled.packet is None:
        return
    # Nearly always one text: each dialect says the same in its own shape.
    for text in dict.fromkeys("".join(contents_of(assemble(compiled, dialect))) for dialect in Dialect):
        yield from _misread_in(text, case, compiled.packet)


def _misread_in(text: str, case: Case, packet: Mapping[str, Any]) -> Iterator[str]:
    read, slots = read_slots(text), slots_of(packet)
    yield from (f"{header!r} is no part that a packet has" for header in read.strange)
    for name in sorted(read.slots.keys() | slots.keys()):
        if read.slots.get(name) != slots.get(name):
            yield f"{name} reads {read.slots.get(name)!r}, and it is {slots.get(name)!r}"
    for part in ROLE_PARTS:
        approved = [canonical(line) for line in case.material.role.body.get(part.replace(" ", "_"), ())]
        if read.slots.get(part, []) != approved:
            yield f"the role's {part} read {read.slots.get(part)!r}, and {approved!r} was approved"
