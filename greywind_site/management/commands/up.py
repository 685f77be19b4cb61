"""`manage.py up`: everything on one machine."""

from typing import Any, override

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from greywind_site.checks import OverPrivileged, refuse_over_privileged
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import default_folder
from greywind_site.embedded.up import Options, bring_up


class Command(BaseCommand):
    """Starts PostgreSQL, Valkey, migrations, demo, worker, beat and web; runs until Ctrl-C."""

    help = "Start everything on this machine and print the address, the login and an agent key."
    requires_system_checks = []

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        # Named here for the help alone: the entrance has taken it from the words by now.
        parser.add_argument(
            "--data",
            metavar="DIR",
            help=f"data folder, of every command (default GREYWIND_DATA, else {default_folder()})",
        )
        parser.add_argument("--port", type=int, default=8000, help="port of API and console (default 8000)")
        parser.add_argument("--no-demo", action="store_true", help="do not make the demo project")
        parser.add_argument("--json", action="store_true", help="print one JSON line instead of text")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        if options["data"] is not None:
            raise CommandError("write --data in full: --data DIR")
        wanted = Options(port=options["port"], demo=not options["no_demo"], as_json=options["json"])
        bring_up(settings.GREYWIND, wanted, check_role=check_role)


def check_role() -> None:
    """Raise EmbeddedFault when the application role may do too much; leaves no connection open."""
    try:
        refuse_over_privileged(connection)
    except OverPrivileged as fault:
        raise EmbeddedFault(str(fault)) from fault
    finally:
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's wrapper only; we have no other
