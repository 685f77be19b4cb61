"""`manage.py test`: pytest, in this environment, on three processes unless told otherwise."""

from typing import Any, override

from django.core.management.base import BaseCommand

from greywind_site.quality import test


class Command(BaseCommand):
    """Replaces Django's command of this name; manage.py starts the same suite before Django is loaded."""

    help = "Run the test suite with pytest; further arguments are pytest's."
    requires_system_checks = []

    @override
    def run_from_argv(self, argv: list[str]) -> None:
        test(argv[2:])

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        test([])
