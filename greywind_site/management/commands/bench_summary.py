"""`manage.py bench_summary`: the product's own summary engine over recorded sessions."""

from pathlib import Path
from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.benching.summary_telling import tell_summaries
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 0 whatever the figures are; 2 for a file that is not of the form."""

    help = (
        "Summarise recorded sessions with the deterministic writer and its validators, and print which labelled "
        "statements each version keeps, which it loses, and which it still states though they were taken back. A "
        "version is written where the recording has a summary by its provider, and at its end, each from the one "
        "before and from what was said since. A statement counts as kept when one line has all its terms, stands in "
        "the section where such a statement belongs, and cites its event. SESSIONS holds one entry a line, also "
        'compressed: {"session", "seq", "role", "kind", "text"}; MUST_KEEP one statement a line: {"id", "session", '
        '"seq", "type", "terms", "superseded_by_seq"}. No database is needed.'
    )
    example = "bench_summary sessions.jsonl.gz must_keep.jsonl --tokens 500"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("sessions", type=Path, metavar="SESSIONS", help="entries, JSON lines, .gz or not")
        parser.add_argument("must_keep", type=Path, metavar="MUST_KEEP", help="labelled statements, JSON lines")
        parser.add_argument("--tokens", type=int, default=500, metavar="N", help="most that a version holds (500)")
        parser.add_argument("--packet", type=int, default=4_000, metavar="N", help="size of the packet (4000)")
        parser.add_argument("--every", type=int, metavar="N", help="write a version after every N entries as well")
        parser.add_argument("--lines", action="store_true", help="show what each version says")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        return tell_summaries(
            options["sessions"],
            options["must_keep"],
            tokens=options["tokens"],
            packet=options["packet"],
            every=options["every"],
            lines=options["lines"],
        )
