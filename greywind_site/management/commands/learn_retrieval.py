"""`manage.py learn_retrieval`: the weights of the ranking, learnt from questions with known evidence."""

from pathlib import Path
from typing import Any, override

from django.core.management.base import CommandParser
from django.utils import timezone

from greywind_site.benching.retrieval_telling import tell_learnt
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 0 when the file is written; 2 for a folder that is not of the form."""

    help = (
        "Learn the weights of the ranking, and when to abstain, from sets in the form of bench_retrieval (a folder's "
        "observations.jsonl is a set of its own), once for every choice of the served models. Prints what is reached "
        "on threads that were left out, and writes the file that the search reads."
    )
    example = "learn_retrieval FOLDER FOLDER --out weights.json"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="the folders of the sets")
        parser.add_argument("--out", type=Path, help="write here instead of the project's own weights")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        today = timezone.localdate()
        return tell_learnt(options["folders"], self.stderr.write, out=options["out"], today=today)
