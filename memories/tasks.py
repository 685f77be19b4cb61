"""Celery's entries into what memory does later."""

import structlog
from celery import shared_task

from memories.embeddings.working import ask_for_lacking, embed_due, one_at_a_time
from memories.renewing import renew_due


@shared_task(name="memories.embed_passages", ignore_result=True)
def embed_passages() -> int:
    """Embed the passages that wait for it."""
    trace = structlog.contextvars.get_contextvars().get("trace_id") or ""
    return sum(done.total() for done in one_at_a_time.run(lambda: embed_due(trace_id=trace)))


@shared_task(name="memories.ask_for_lacking_vectors", ignore_result=True)
def ask_for_lacking_vectors() -> int:
    """Ask for the vectors that passages lack, and make them."""
    return ask_for_lacking() and embed_passages()


@shared_task(name="memories.keep_search_index", ignore_result=True)
def keep_search_index() -> int:
    """Count the passages, and make the terms anew of those whose rules are not today's."""
    trace = structlog.contextvars.get_contextvars().get("trace_id") or ""
    return renew_due(trace_id=trace)
