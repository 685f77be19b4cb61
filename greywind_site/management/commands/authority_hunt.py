"""`manage.py authority_hunt`: who may do what, by SQL, by the explaining code and by an oracle of its own."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.hunting.authority.hunt import hunt_authority
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.seeds import add_seed_option, seed_of
from greywind_site.operating.command import LoneCommand, Told, lines

LEAST_ALLOWED = 0.3
ENOUGH = 20_000  # cases from which on every cell is expected to be met


class Command(LoneCommand):
    """Exit code 1 when the three do not agree, too little was allowed, or a cell was not met."""

    help = "Try random actors, actions, objects and states, and compare what SQL, the code and an oracle say."
    example = "authority_hunt --cases 50000"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--cases", type=int, default=50_000, help="cases to try (default 50,000)")
        add_seed_option(parser)

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        seed = seed_of(options)
        with scratch_database("authority_hunt"):
            report = hunt_authority(max(1, options["cases"]), seed=seed)
        facts = report.as_json()
        whole = report.cases < ENOUGH or not report.missed
        shown = {name: value for name, value in facts.items() if name not in ("wrong", "missed")}
        then = [*report.wrong[:20], *(f"not met: {cell}" for cell in report.missed[:20])]
        return Told(
            facts=facts, shown=lines(shown, then=then), ok=report.ok and whole and report.share >= LEAST_ALLOWED
        )
