"""`manage.py replay_hunt`: packets compiled once more after many later writes and an erasure."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.hunting.replays.hunt import hunt_replays
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.seeds import add_seed_option, seed_of
from greywind_site.hunting.telling import quiet, told_of
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 1 when a packet came out otherwise and no part of it is really gone, or was shown although one is."""

    help = "Hunt for a packet that comes out otherwise than it was answered, after many later writes and an erasure."
    example = "replay_hunt --packets 1000 --writes 10000"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--packets", type=int, default=1_000, help="packets to compile first (default 1,000)")
        parser.add_argument("--writes", type=int, default=10_000, help="writes after them (default 10,000)")
        add_seed_option(parser)

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        sizes = {name: max(1, options[name]) for name in ("packets", "writes")}
        with quiet(), scratch_database("replay_hunt"):
            report = hunt_replays(sizes["packets"], writes=sizes["writes"], seed=seed_of(options))
        return told_of(report)
