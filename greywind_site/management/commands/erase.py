"""`manage.py erase`: a person, or one memory, taken out for good."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.operating.command import LoneCommand, Told, add_project_option
from greywind_site.operating.forgetting import forget


class Command(LoneCommand):
    """Needs the owner role: whoever erases has to reach what nobody else may read or change."""

    help = "Erase what a person said and all that was made of it, or one memory; the ledger says that it was done."
    example = 'erase --person bo --reason "asked to be forgotten" --dry-run'

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        whom = parser.add_mutually_exclusive_group(required=True)
        whom.add_argument("--person", metavar="USER", help="name of the account")
        whom.add_argument("--memory", metavar="MEM", help="id of a memory (mem_…)")
        parser.add_argument("--reason", required=True, help="why; it stands in the ledger, so name nobody in it")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be erased and what stays")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        add_project_option(parser, meaning="of a person, only what is in this project (prj_…); the account stays then")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        return forget(options)
