"""`manage.py bench_consolidation`: what one more version of a work summary costs, by the length of the past."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.benching.consolidation import bench_consolidation
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.telling import quiet
from greywind_site.operating.command import LoneCommand, Told, table


class Command(LoneCommand):
    """Exit code 0 whatever the figures are."""

    help = (
        "Fill a session for each past, summarise it, and then work new entries into each summary in turn: the median "
        "of seven rounds. It makes a database of its own and drops it; nothing of yours is read or changed."
    )
    example = "bench_consolidation --past 1000 100000 --new 100"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--past", type=int, nargs="+", default=[1_000, 100_000], metavar="N", help="entries before")
        parser.add_argument("--new", type=int, default=100, metavar="N", help="entries of each round (100)")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        with scratch_database("bench_consolidation"), quiet():
            costs = bench_consolidation(options["past"], new=options["new"], tell=self.stderr.write)
        rows = [(one.old, one.rows, one.statements, one.milliseconds) for one in costs]
        ratio = round(costs[-1].milliseconds / costs[0].milliseconds, 3)
        facts = {"new": options["new"], "costs": [dict(zip(HEADS, row, strict=True)) for row in rows], "ratio": ratio}
        return Told(facts=facts, shown=table(*HEADS, rows=rows, title=f"last by first: {ratio}"))


HEADS = ("past", "rows read", "statements", "milliseconds")
