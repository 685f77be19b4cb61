"""The policy of a project in words, and the answers to questions about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.pages import Desk, project_page, show
from governance.policies import Decision, PolicyRules, judge_disclosure, judge_write
from governance.scope import project_scope
from greywind_site.console.policy_forms import NOT_THERE, ExplainForm, QuestionForm, WhatIfForm
from greywind_site.console.policy_reading import (
    Point,
    Question,
    Step,
    Subject,
    agents_of,
    answer,
    find_memory,
    offered_memories,
    policy_page,
)
from greywind_site.console.policy_words import POINTS, explained


@dataclass(frozen=True, slots=True)
class Said:
    """One step of an answer in the reader's words."""

    holds: bool
    words: str
    rule: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was asked of which memory, and each step; of one that is made up also its writing and its leaving."""

    question: Question
    subject: Subject
    steps: Sequence[Said]
    writing: tuple[Decision, str] | None = None
    leaving: tuple[Decision, str] | None = None

    @property
    def yes(self) -> bool:
        return all(step.holds for step in self.steps)


@project_page
@require_safe
def policies(request: HttpRequest, desk: Desk) -> HttpResponse:
    """The policy in force; `?ask=memory` explains, `?ask=case` tries a memory that is made up."""
    asked = request.GET.get("ask", "")
    with project_scope(desk.acting, read_only=True):
        page, agents, offered = policy_page(), agents_of(), offered_memories()
        explain = ExplainForm(request.GET if asked == "memory" else None, agents=agents, auto_id="why_%s")
        try_out = WhatIfForm(request.GET if asked == "case" else None, agents=agents, auto_id="case_%s")
        found = _answered(desk, explain, try_out, page.rules)
    above = [(reverse("project", args=[desk.seat.public_id]), desk.seat.project_name)]
    shown: dict[str, Any] = {"page": page, "agents": agents, "offered": offered, "above": above}
    shown |= {"explain": explain, "try_out": try_out, "answer": found, "asked": asked}
    status = 422 if explain.errors or try_out.errors else 200
    return show(request, desk, "console/policies.html", section="roles", status=status, **shown)


def _answered(desk: Desk, explain: ExplainForm, try_out: WhatIfForm, rules: PolicyRules) -> Answer | None:
    if explain.is_valid():
        subject = find_memory(desk.acting, explain.cleaned_data["memory"])
        if subject is None:
            explain.add_error("memory", str(NOT_THERE))
            return None
        return _answer(explain, subject, rules)
    if not try_out.is_valid():
        return None
    writing, leaving = judge_write(try_out.writing(), rules), judge_disclosure(try_out.leaving(), rules)
    more = {"writing": (writing, explained(writing)), "leaving": (leaving, explained(leaving))}
    return _answer(try_out, try_out.subject(desk.acting), rules, **more)


def _answer(form: QuestionForm, subject: Subject, rules: PolicyRules, **more: tuple[Decision, str]) -> Answer:
    question = form.question()
    steps = [_said(step, question) for step in answer(question, subject, rules)]
    return Answer(question=question, subject=subject, steps=steps, **more)


def _said(step: Step, question: Question) -> Said:
    if step.decision is not None:
        return Said(step.holds, explained(step.decision), step.rule)
    named = {"role": question.role or "—"}
    return Said(step.holds, str(POINTS[step.point or Point.AGENT_OFF]) % named)
