"""`manage.py bench_scale`: does a search find the nearest, and as fast, however large the store is?"""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.benching.scale import Sizes, tell_scale
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 0 whatever the figures are."""

    help = (
        "Make a large store of generated passages and clustered vectors and a small one, and search them through the"
        " product's own statements: the share of the exact nearest that is found, and by which path, whatever happens"
        " to statistics, settings and rows; and how much longer it takes than in a small store, and than without"
        " isolation. It makes databases of its own and drops them; nothing of yours is read or changed."
    )
    example = "bench_scale\n  python3 manage.py bench_scale --passages 20000 --largest 10000 --questions 20 --json"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        sizes = Sizes()
        parser.add_argument("--passages", type=int, default=sizes.passages, help="of the large store (%(default)s)")
        parser.add_argument("--largest", type=int, default=sizes.largest, help="of its largest scope (%(default)s)")
        parser.add_argument("--small", type=int, default=sizes.small, help="of the small store (%(default)s)")
        parser.add_argument("--scope", type=int, default=sizes.scope, help="in which both are compared (%(default)s)")
        parser.add_argument("--questions", type=int, default=sizes.questions, help="asked each time (%(default)s)")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        sizes = Sizes(**{name: options[name] for name in Sizes.__slots__})
        return tell_scale(sizes, self.stderr.write)
