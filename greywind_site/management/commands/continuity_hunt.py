"""`manage.py continuity_hunt`: deeds of the living window, killed at every point, in a database of their own."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.hunting.continuity.hunt import hunt_continuity
from greywind_site.hunting.continuity.scenes import SCENES
from greywind_site.hunting.scratch import nobody_woken, scratch_database
from greywind_site.hunting.telling import quiet, told_of
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 1 when a kill left half a deed behind, or things ended otherwise than without it."""

    help = (
        "Kill each deed of the living window (closing, handing over, resuming, summarising, the sweeps) before every "
        "statement and commit, let two workers do it again, and hold the end against the undisturbed run."
    )
    example = "continuity_hunt --step 1"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--step", type=int, default=1, metavar="N", help="kill at every Nth point (every one)")
        parser.add_argument("--deeds", nargs="+", choices=SCENES, default=list(SCENES), help="only these deeds")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        with quiet(), scratch_database("continuity_hunt"), nobody_woken():
            report = hunt_continuity(options["deeds"], step=max(1, options["step"]), tell=self.stderr.write)
        return told_of(report)
