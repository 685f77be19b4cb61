"""The product's worker in the database of a hunt: `celery --app greywind_site.hunting.outage.worker worker`."""

from typing import Any

from celery import signals

from greywind_site.celery import app

__all__ = ["app"]


def enter(**_: Any) -> None:
    """Take on the jobs of the hunt, once everything else is ready."""
    import django

    django.setup()
    from greywind_site.hunting.outage.trades import enter_hunted_database, take_on_hunted

    enter_hunted_database()
    take_on_hunted()


signals.worker_init.connect(enter, weak=False)
