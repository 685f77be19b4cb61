"""`manage.py write_docs`: the documents that are made from the code."""

from typing import Any, override

from django.core.management.base import BaseCommand, CommandError, CommandParser

from greywind_site.documents import documents, stale


class Command(BaseCommand):
    """Writes docs/configuration.md and docs/states.md, or says which of them are stale."""

    help = "Write the documents that are made from the code; --check only says which are stale."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing; fail when a document is stale")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        late = stale()
        if options["check"] and late:
            raise CommandError(f"stale: {', '.join(path.name for path in late)}; run `python3 manage.py write_docs`")
        for path in [] if options["check"] else late:
            path.write_text(documents()[path])
        self.stdout.write(f"{len(documents())} documents, {len(late)} were stale")
