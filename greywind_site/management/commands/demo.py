"""`manage.py demo`: the demo project."""

from typing import override

from greywind_site.operating.command import Acts, OperatorCommand, act
from greywind_site.operating.demo import WHAT, reset_demo, show_demo


class Command(OperatorCommand):
    """The demo is a project like any other, whose id, key and login stay the same when it is made anew."""

    help = "Show how one gets into the demo, or make it anew."

    @override
    def add_acts(self, acts: Acts) -> None:
        what = "Show the demo's project, key and login; the demo is made where it is missing."
        act(acts, "show", show_demo, help=what, example="demo show")
        reset = act(acts, "reset", reset_demo, help=WHAT, example="demo reset --yes")
        reset.add_argument("--yes", action="store_true", help="do not ask")
