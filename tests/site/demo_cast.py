"""One seeding of the demo for all tests of a module; each test that writes is rolled back to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import transaction
from pytest_django import DjangoDbBlocker

from greywind_site.demo import DemoCredentials, ensure_demo


@contextmanager
def seeded(blocker: DjangoDbBlocker, folder: Path) -> Iterator[DemoCredentials]:
    """Seed the demo in a transaction that is undone at the end."""
    with blocker.unblock(), transaction.atomic():
        yield ensure_demo(data_dir=folder)
        transaction.set_rollback(True)
