"""`manage.py leak_hunt`: does anybody hear what is not for them?"""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.hunting.leaks.telling import FILTERS, POLICIES, tell_hunt
from greywind_site.hunting.seeds import add_seed_option
from greywind_site.operating.command import LoneCommand, Told

FEWEST_PROJECTS, MOST_PROJECTS = 3, 16


class Command(LoneCommand):
    """Exit code 1 when a word of another's was heard, ids could be told apart, or somebody did not hear their own."""

    help = (
        "Mark every text of every row of several projects, in a database that is made for it and dropped afterwards, "
        "send random requests as everybody, and look for marks in what comes back. --sabotage takes the walls away "
        "one after another: the database's policies, where the hunt must notice each, or the application's own "
        "filters, where nothing may be heard all the same."
    )
    example = "leak_hunt --requests 100000 --seed 7\n  python3 manage.py leak_hunt --requests 4000 --sabotage policies"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--requests", type=int, default=100_000, help="requests to send (default 100,000)")
        add_seed_option(parser)
        parser.add_argument("--projects", type=int, default=8, help="projects, and as many humans (default 8)")
        walls = "take each of these away in turn and hunt again; --requests is the hunt before it"
        parser.add_argument("--sabotage", choices=[POLICIES, FILTERS], help=walls)

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        projects = min(MOST_PROJECTS, max(FEWEST_PROJECTS, options["projects"]))
        sizes = {"requests": max(1, options["requests"]), "projects": projects}
        return tell_hunt({**options, **sizes}, self.stderr.write)
