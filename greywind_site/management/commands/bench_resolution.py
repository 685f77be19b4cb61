"""`manage.py bench_resolution`: the product's own resolver on real talk."""

from pathlib import Path
from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.benching.resolution_learning import tell_leads
from greywind_site.benching.resolution_telling import tell_resolution
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 0 whatever the figures are; 2 for a set that is not of the form."""

    help = (
        "Fill a thread for each one of the given sets by the verbs that fill any, all but its last session, and ask "
        "where the first three user turns of that session belong, without a binding. A set is a folder with a "
        'corpus.jsonl, one turn a line: {"thread", "session", "ts", "speaker", "text"}. Where nobody is called '
        '"user", who speaks first in a session is its user, and a row of the speaker "dialogue" holds a turn after '
        '"用户：" and its answer after "助手：". All sets share one project; threads are filled a minute apart and '
        "asked an hour after the last. It makes a database of its own and drops it; nothing of yours is read or "
        "changed."
    )
    example = "bench_resolution sets/locomo sets/memdaily-zh --out resolved.jsonl"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("sets", type=Path, nargs="+", metavar="DIR", help="a folder with a corpus.jsonl")
        parser.add_argument("--back", type=int, default=0, metavar="N", help="hold back N sessions more, and ask that")
        parser.add_argument("--out", type=Path, metavar="FILE", help="write one JSON line an answer; replaced if there")
        parser.add_argument(
            "--learn",
            action="store_true",
            help="instead, say how talk is best weighed, and how far ahead a thread's must be so that at most 5 %% of "
            "any set go wrong and at most 20 %% find another thread while their own is put away, learnt from the eight "
            "sessions before each thread's last; the figures are of threads left out of the learning",
        )
        parser.add_argument("--explain", metavar="THREAD", help="show what was asked of one thread, and why")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        if options["learn"]:
            return tell_leads(options["sets"], self.stderr.write)
        return tell_resolution(
            options["sets"],
            self.stderr.write,
            back=options["back"],
            out=options["out"],
            explain=options["explain"],
        )
