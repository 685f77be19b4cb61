"""`manage.py lint`: every check of the code, all failures reported."""

import sys
from typing import Any, override

from django.core.management.base import BaseCommand

from greywind_site.quality import lint


class Command(BaseCommand):
    """Listed by `help`; manage.py runs the same checks before Django is loaded."""

    help = "Run every check of the code and report all failures."
    requires_system_checks = []

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(lint())
