"""`manage.py audit_export`: one project's ledger as a file, with everything that checks it."""

from pathlib import Path
from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.operating.command import LoneCommand, Told, add_project_option
from greywind_site.operating.ledgers import tell_export


class Command(LoneCommand):
    """No private text is in a ledger: ids, counts and keyed hashes."""

    help = "Write a project's ledger as JSON lines, for governance/verify_ledger.py and for whoever keeps it."
    example = "audit_export --project prj_… --out ledger.jsonl"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_project_option(parser)
        parser.add_argument("--out", type=Path, metavar="FILE", required=True, help="file to write; replaced if there")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        return tell_export(options)
