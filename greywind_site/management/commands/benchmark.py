"""`manage.py benchmark`: what a whole POST /context costs on this machine, as ratios."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.benching.compile import tell_compile
from greywind_site.benching.compile_kinds import Sizes
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 1 where the machine did not hold still or a plan changed meanwhile; whatever the ratios are, else 0."""

    help = (
        "Serve projects of generated texts and measure a whole POST /context over HTTP: beside the server's own probe,"
        " beside the same statements asked by the bare driver, and in a session of a hundred events beside one of a"
        " hundred thousand; count the pages that each touches and the bytes that each tokenises. Calls are made in"
        " blocks of random order; each ratio is the median of the blocks' ratios, with a bootstrap interval, and meets"
        " its goal where the whole interval does. It makes a database of its own and drops it; nothing of yours is read"
        " or changed."
    )
    example = "benchmark\n  python3 manage.py benchmark --events 5000 --blocks 3 --calls 50 --json"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        sizes = Sizes()
        parser.add_argument("--events", type=int, default=sizes.events, help="of the long session (%(default)s)")
        parser.add_argument("--short", type=int, default=sizes.short, help="of the short ones (%(default)s)")
        parser.add_argument("--memories", type=int, default=sizes.memories, help="of each project (%(default)s)")
        parser.add_argument("--blocks", type=int, default=sizes.blocks, help="to measure (%(default)s)")
        parser.add_argument("--calls", type=int, default=sizes.calls, help="of each kind in a block (%(default)s)")
        parser.add_argument("--warm-up", type=int, default=sizes.warm_up, help="calls of each kind (%(default)s)")
        parser.add_argument("--turns", type=int, default=sizes.turns, help="whose tokens are weighed (%(default)s)")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        sizes = Sizes(**{name: max(1, options[name]) for name in Sizes.__slots__})
        return tell_compile(sizes, self.stderr.write)
