"""`manage.py audit_anchor`: take the heads of the ledgers outside."""

from pathlib import Path
from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.operating.command import LoneCommand, Told
from greywind_site.operating.ledgers import tell_anchors


class Command(LoneCommand):
    """Keep the file where nobody who can write the database can write. A broken chain is not signed: exit code 1."""

    help = "Sign the head of every project's ledger, one JSON line each, and append it to a file."
    example = "audit_anchor --out /mnt/elsewhere/anchors.jsonl"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--out", type=Path, metavar="FILE", help="append to this file; without it print the lines")
        shown = "print the key that checks the signatures, and sign nothing"
        parser.add_argument("--public-key", action="store_true", dest="show_key", help=shown)

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        return tell_anchors(options)
