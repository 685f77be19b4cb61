"""`manage.py bench_estimates`: how well reported usage teaches the counts of a vocabulary that nobody publishes."""

from pathlib import Path
from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.benching.estimate_telling import tell_estimates
from greywind_site.benching.estimate_texts import PROVIDERS
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 1 where an error is above 3 % in the mean, or a count too low beyond the margin; 2 for a bad folder."""

    help = (
        "Compile packets of Chinese, English, code and mixed texts as an agent does, report what another vocabulary "
        "counts for each of them, and print by how much packets of other texts are then estimated wrong, beside the "
        "shipped factor's error. A folder holds corpus.jsonl, an object with a text on each line; code is this "
        "project's own. Exact counts are compared with the vocabulary itself as well. The database is made for it and "
        "dropped afterwards."
    )
    example = "bench_estimates FOLDER FOLDER\n  python3 manage.py bench_estimates FOLDER --provider cl100k --json"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folders", nargs="*", type=Path, help="folders with corpus.jsonl, Chinese and English")
        parser.add_argument("--usages", type=int, default=200, help="reports that are learnt from (200)")
        parser.add_argument("--unseen", type=int, default=40, help="packets of each kind that are checked (40)")
        parser.add_argument("--provider", action="append", default=[], choices=PROVIDERS, help="only this one")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        sizes = {"usages": options["usages"], "unseen": options["unseen"]}
        return tell_estimates(options["folders"], self.stderr.write, only=options["provider"], **sizes)
