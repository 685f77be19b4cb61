"""`manage.py verify_audit`: is every ledger what it was?"""

from pathlib import Path
from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.operating.command import LoneCommand, Told, add_project_option
from greywind_site.operating.ledgers import tell_verification


class Command(LoneCommand):
    """Names the first bad entry of each chain. Exit code 1 when there is one."""

    help = "Check the chain of every project's ledger, and name the first bad entry."
    example = "verify_audit --anchors /mnt/elsewhere/anchors.jsonl"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_project_option(parser, meaning="only this project (prj_… or its name)")
        parser.add_argument("--anchors", type=Path, metavar="FILE", help="signed heads, as `audit_anchor` writes them")
        key = "public key of the anchors, 64 hex digits; without it that of this deployment"
        parser.add_argument("--public-key", metavar="KEY", help=key)

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        return tell_verification(options)
