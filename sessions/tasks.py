"""Celery's entries into the sweeps."""

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from sessions.cooling_due import sweep_sealed
from sessions.hearing_back import hear_back
from sessions.sweeping import sweep_crashed, sweep_quiet, sweep_stuck


@shared_task(name="sessions.sweep_crashed", ignore_result=True)
def sweep_crashed_attempts() -> int:
    """End the attempts that died in the middle of a turn."""
    return sweep_crashed(now=timezone.now())


@shared_task(name="sessions.sweep_quiet", ignore_result=True)
def sweep_quiet_sessions() -> int:
    """Let quiet sessions be idle."""
    return sweep_quiet(now=timezone.now())


@shared_task(name="sessions.sweep_stuck", ignore_result=True)
def sweep_stuck_sessions() -> int:
    """Close the sessions that nobody comes back to."""
    return sweep_stuck(now=timezone.now())


@shared_task(name="sessions.hear_back", ignore_result=True)
def hear_back_sessions() -> int:
    """Hear what users said where no talk is kept of it."""
    return hear_back()


@shared_task(name="sessions.sweep_sealed", ignore_result=True)
def sweep_sealed_transcripts() -> int:
    """Ask for old transcripts to be compressed."""
    return sweep_sealed(after_days=settings.GREYWIND.cold_after_days)
