"""`manage.py migrate`, as the owner unless told otherwise: the application role can create nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, override

from django.conf import settings
from django.core.management.base import CommandParser
from django.core.management.commands import migrate
from django.db.migrations.executor import MigrationExecutor

from greywind_site.migrating import Executor


class Command(migrate.Command):
    """Django's command with another default database, and an executor that renders less."""

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        if "owner" in settings.DATABASES:
            parser.set_defaults(database="owner")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        with _executed_by(Executor):
            super().handle(*args, **options)


@contextmanager
def _executed_by(executor: type[MigrationExecutor]) -> Iterator[None]:
    """Let Django's command use that executor within the block: it asks nobody but its own module for one."""
    names = vars(migrate)
    before = names["MigrationExecutor"]
    names["MigrationExecutor"] = executor
    try:
        yield
    finally:
        names["MigrationExecutor"] = before
