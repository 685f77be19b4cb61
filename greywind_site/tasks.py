"""Celery's entries into what operators do."""

from celery import shared_task

from greywind_site.operating.ledgers import anchor_new_entries


@shared_task(name="site.anchor_ledgers", ignore_result=True)
def anchor_ledgers() -> int:
    """Append the heads of all ledgers, signed, to the configured file."""
    return anchor_new_entries()
