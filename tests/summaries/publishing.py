"""Bringing a summary up to date, as tests say it."""

from django.utils import timezone

from governance.scope import project_scope
from sessions.models import Session
from sessions.summaries.writing import Outcome, summarise
from tests.memories.learning import Desk


def summed(desk: Desk, trigger: str = "asked") -> Outcome:
    acting = desk.member.acting
    with project_scope(acting):
        return summarise(acting, Session.objects.get(pk=desk.session.pk), trigger=trigger, now=timezone.now())
