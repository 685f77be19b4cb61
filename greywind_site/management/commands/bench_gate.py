"""`manage.py bench_gate`: labelled texts through the product's own gates and write path."""

from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.benching.telling import BENCHES, tell_bench
from greywind_site.operating.command import LoneCommand, Told

FORMS = """what a file holds, one JSON object on a line:
  pairs        {"id", "old", "new", "label"}: duplicate, conflict, same_subject_other_attribute or
               same_attribute_other_subject. One human's agent learns the old statement, another's proposes the new
               one; figures stand with and without subjects that name nobody in particular ("my colleague").
  sensitivity  {"id", "text", "label"}: secret, personal, weak or none; "entities" lists what a personal text holds.
  injection    {"id", "text", "label"}: injection or benign. Each text is proposed as the output of a tool, as one
               that a verification bears out, and as a user's own words.
"lang" (en or zh) is told from the characters where it is missing; a field that nothing reads is named and left out."""


class Command(LoneCommand):
    """Exit code 0 whatever the figures are; 2 for a file that is not of the form."""

    help = (
        "Propose every text of a file as an agent would, with an event as evidence, in a project whose policy lets low "
        "risk through, and print a confusion table with its figures. It makes a database of its own and drops it; "
        "nothing of yours is read or changed, and no `up` need run: without one, the data folder's PostgreSQL is "
        "started for as long as this takes."
    )
    example = "bench_gate pairs pairs.jsonl\n  python3 manage.py bench_gate injection injection.jsonl --json"

    @override
    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **options)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = f"{FORMS}\n\n{parser.epilog}"
        return parser

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("kind", choices=list(BENCHES), help="what the file holds")
        parser.add_argument("file", type=Path, help="the file: JSON lines")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        return tell_bench(options["kind"], options["file"], self.stderr.write)
