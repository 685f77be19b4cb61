"""`manage.py seed_demo`: the demo project, and how to get into it."""

import json
from dataclasses import asdict
from typing import Any, override

from django.conf import settings
from django.core.management.base import BaseCommand

from greywind_site.demo import ensure_demo


class Command(BaseCommand):
    """Makes what is missing of the demo and prints its credentials; a second run changes nothing."""

    help = "Make the demo project if it is missing and print its credentials as one JSON line."

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        credentials = ensure_demo(data_dir=settings.GREYWIND.instance.folder)
        self.stdout.write(json.dumps(asdict(credentials)))
