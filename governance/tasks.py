"""Celery's entries into the sweeps."""

from celery import shared_task
from django.utils import timezone

from governance.proposal_desk import sweep_expired


@shared_task(name="governance.sweep_proposals", ignore_result=True)
def sweep_expired_proposals() -> int:
    """Close the proposals that nobody decided in time."""
    return sweep_expired(now=timezone.now())
