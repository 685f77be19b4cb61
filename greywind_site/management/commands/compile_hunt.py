"""`manage.py compile_hunt`: random and hostile compiles, each judged by rules of their own; no database is touched."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.hunting.compiles.hunt import hunt_compiles, hunt_prompts
from greywind_site.hunting.seeds import add_seed_option, seed_of
from greywind_site.hunting.telling import told_of
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 1 when a packet was over its budget, lost something without a word, or reads back as another."""

    help = "Hunt for a compile that is over its budget, drops what is must, or leaves out what would have fitted."
    example = "compile_hunt --cases 100000"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--cases", type=int, default=5_000, help="compiles to judge (default 5,000)")
        parser.add_argument(
            "--fuzz", action="store_true", help="read prompts full of hostile texts back to their slots"
        )
        add_seed_option(parser)

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        hunt = hunt_prompts if options["fuzz"] else hunt_compiles
        report = hunt(max(1, options["cases"]), seed=seed_of(options))
        return told_of(report, faults="first_wrong")
