"""`manage.py pool_hunt`: requests over few connections, with accidents, in a database of their own."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.hunting.pool import hunt_pool
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.seeds import add_seed_option, seed_of
from greywind_site.operating.command import LoneCommand, Told, lines


class Command(LoneCommand):
    """Exit code 1 when anything was read, written or left behind that was not the reader's own."""

    help = "Hunt for a read of another's rows over a small pool, with exceptions, cancels and kills in mid-transaction."
    example = "pool_hunt --requests 50000 --pool 2"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--requests", type=int, default=50_000, help="requests to send (default 50,000)")
        parser.add_argument("--pool", type=int, default=2, help="connections for all of them (default 2)")
        add_seed_option(parser)

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        seed = seed_of(options)
        sizes = {name: max(1, options[name]) for name in ("requests", "pool")}
        with scratch_database("pool_hunt"):
            report = hunt_pool(sizes["requests"], pool=sizes["pool"], seed=seed)
        facts = report.as_json()
        shown = {name: value for name, value in facts.items() if name not in ("wrong", "unexpected")}
        return Told(facts=facts, shown=lines(shown, then=[*report.wrong[:20], *report.unexpected[:20]]), ok=report.ok)
