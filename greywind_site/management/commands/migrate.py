"""`manage.py migrate`, as the owner unless told otherwise: the application role can create nothing."""

from typing import override

from django.conf import settings
from django.core.management.base import CommandParser
from django.core.management.commands.migrate import Command as DjangoMigrate


class Command(DjangoMigrate):
    """Django's command with another default database."""

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        if "owner" in settings.DATABASES:
            parser.set_defaults(database="owner")
