"""Celery's entries into what operators do."""

from celery import shared_task
from django.utils import timezone

from greywind_site.operating.ledgers import anchor_new_entries
from memories.consolidation import consolidate_due
from sessions.context.tokens import STORED_ENCODING, exact_counter


@shared_task(name="site.anchor_ledgers", ignore_result=True)
def anchor_ledgers() -> int:
    """Append the heads of all ledgers, signed, to the configured file."""
    return anchor_new_entries()


@shared_task(name="site.consolidate_memories", ignore_result=True)
def consolidate_memories() -> int:
    """Put in order what is new to memory in every project."""
    return consolidate_due(count=exact_counter(STORED_ENCODING).count, now=timezone.now()).total()
