"""Celery's entries into the sweeps."""

from celery import shared_task

from threads.sweeping import sweep_provisional


@shared_task(name="threads.sweep_provisional", ignore_result=True)
def sweep_provisional_threads() -> int:
    """Archive provisional threads that stayed empty."""
    return sweep_provisional()
