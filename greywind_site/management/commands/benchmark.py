"""`manage.py benchmark`: what a compile costs on this machine, as a ratio."""

import json
import sys
from contextlib import closing
from typing import Any, override

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from greywind_site.benchmark import BenchmarkFault, Report, Server, run
from greywind_site.embedded.running import address_of


class Command(BaseCommand):
    """Makes a thread on a running instance and measures POST /context against GET /readyz."""

    help = "Measure POST /context against GET /readyz on a running instance; it adds a thread of its own."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", help="address of the server; without it that of the `up` on the data folder")
        parser.add_argument("--key", help="an agent's key; without it that of the data folder's demo project")
        parser.add_argument("--events", type=int, default=1_000, help="events of the thread (default 1,000)")
        parser.add_argument("--rounds", type=int, default=9, help="blocks to measure (default 9)")
        parser.add_argument("--calls", type=int, default=300, help="calls of each kind in a block (default 300)")
        parser.add_argument("--json", action="store_true", help="print one JSON line instead of a table")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        sizes = {name: max(1, options[name]) for name in ("events", "rounds", "calls")}
        url = options["url"] or address_of(settings.GREYWIND.instance.folder)
        try:
            with closing(Server(url, options["key"] or demo_key())) as server:
                report = run(server, tell=self._tell, **sizes)
        except BenchmarkFault as fault:
            raise CommandError(str(fault)) from fault
        if options["json"]:
            self.stdout.write(json.dumps(report.as_json()))
        else:
            Console(file=sys.stdout).print(table(report))

    def _tell(self, text: str) -> None:
        self.stderr.write(text)


def demo_key() -> str:
    """Return the key of the demo project's agent, making the demo when it is missing."""
    from greywind_site.demo import ensure_demo

    key: str = ensure_demo(data_dir=settings.GREYWIND.instance.folder).agent_key
    return key


def table(report: Report) -> Table:
    """Return the report as a table."""
    title = f"{report.events} events, {report.rounds} blocks of {report.calls} calls a kind"
    shown = Table(title=title, caption=f"load average {report.load_before} before, {report.load_after} after")
    shown.add_column("call")
    for name in ("p50 ms", "ratio to the probe", "95 % interval"):
        shown.add_column(name, justify="right")
    for row in report.figures:
        bounds = f"{row.low:.2f} to {row.high:.2f}" if row.low is not None and row.high is not None else ""
        shown.add_row(row.name, f"{row.p50_ms:.2f}", f"{row.ratio:.2f}" if row.ratio else "", bounds)
    return shown
