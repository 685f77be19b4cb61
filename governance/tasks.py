"""Celery's entries into the sweeps."""

from celery import shared_task
from django.utils import timezone

from governance.proposal_desk import sweep_expired
from governance.replays import forget_old_answers
from governance.waking import OneAtATime
from governance.working import Shift, Tally

shift = Shift()
turn: OneAtATime[Tally] = OneAtATime()


@shared_task(name="governance.sweep_proposals", ignore_result=True)
def sweep_expired_proposals() -> int:
    """Close the proposals that nobody decided in time."""
    return sweep_expired(now=timezone.now())


@shared_task(name="governance.forget_old_answers", ignore_result=True)
def forget_answers() -> int:
    """Forget what requests were answered longer ago than their keys are good for."""
    return forget_old_answers()


@shared_task(name="governance.do_jobs", ignore_result=True)
def do_jobs() -> int:
    """Do the work that waits as rows."""
    return sum(tally.total() for tally in turn.run(shift.work))
