"""`manage.py channel_hunt`: a personal agent in channels that others read along, in a database of their own."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.hunting.channels import hunt_channels
from greywind_site.hunting.scratch import nobody_woken, scratch_database
from greywind_site.hunting.seeds import add_seed_option, seed_of
from greywind_site.hunting.telling import told_of
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 1 when something private was in a packet that others read, or missing where the agent is alone."""

    help = "Hunt for something private in packets that go to a group channel, and miss it in the private one."
    example = "channel_hunt --packets 1000"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--packets", type=int, default=1_000, help="packets to ask for (default 1,000)")
        add_seed_option(parser)

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        with scratch_database("channel_hunt"), nobody_woken():
            report = hunt_channels(max(1, options["packets"]), seed=seed_of(options))
        return told_of(report)
