"""`manage.py outage_hunt`: a broker that forgets and stops under load, in a database and with processes of its own."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.hunting.outage.hunt import Hunt, Sizes
from greywind_site.hunting.outage.site import site_of
from greywind_site.hunting.outage.trades import take_on_hunted
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.telling import quiet, told_of
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 1 when something that was asked for was lost, done twice or late, or what failed is not shown."""

    help = (
        "Ask for work while some of it hangs and fails, let the broker forget everything and stop, kill the worker and "
        "whoever asks before anybody is woken, and see that everything is done once when the broker is back."
    )
    example = "outage_hunt --rate 10 --seconds 20 --outage 60"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--rate", type=float, default=10, help="wishes a second (10)")
        parser.add_argument("--seconds", type=float, default=20, help="length of the load before and beside (20)")
        parser.add_argument("--outage", type=float, default=60, help="seconds for which the broker is away (60)")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        sizes = Sizes(**{name: max(0.1, options[name]) for name in ("rate", "seconds", "outage")})
        take_on_hunted()
        with quiet(), scratch_database("outage_hunt") as database, site_of(database) as site:
            report = Hunt(site, sizes, self.stderr.write).run()
        return told_of(report)
