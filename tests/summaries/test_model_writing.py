"""A model's version: published where it passes, told its faults once, replaced where it gives nothing."""

import json
from typing import Any

import pytest
from django.utils import timezone

from governance.scope import project_scope
from greywind_site.summary_settings import SummaryModel
from sessions.models import Session
from sessions.summaries.model_writing import longest_asking, summarise_with_model
from sessions.summaries.wires import WriterFault
from sessions.summaries.writing import Outcome
from tests.cast import Cast
from tests.memories.learning import Desk, auto_cast

DEMAND = "Never overwrite the raw readings [2]"
GOAL = "build the tide gauge importer [1]"


class Scripted:
    """Answers what it was given, one after the other, and keeps what it was asked."""

    def __init__(self, *answers: str | None) -> None:
        self.answers, self.asked = list(answers), list[str]()

    def answer(self, _instructions: str, question: str) -> str:
        self.asked.append(question)
        said = self.answers.pop(0)
        if said is None:
            raise WriterFault("nobody is there")
        return said


@pytest.fixture
def desk(transactional_db: None) -> Desk:
    cast: Cast = auto_cast()
    desk = Desk(cast.dev)
    desk.said("Please build the tide gauge importer.")
    desk.said("Never overwrite the raw readings.")
    return desk


def written(desk: Desk, model: Scripted) -> Outcome:
    acting = desk.member.acting
    with project_scope(acting, read_only=True):
        session = Session.objects.get(pk=desk.session.pk)
    return summarise_with_model(acting, session, model, trigger="asked", now=timezone.now())


def test_what_passes_is_published(desk: Desk) -> None:
    told = json.dumps({"constraints": [DEMAND]})
    outcome = written(desk, Scripted(f"Here it is:\n```json\n{told}\n```"))
    assert outcome.summary is not None
    assert outcome.summary.sections == {"constraints": [DEMAND]}


def test_a_refused_answer_is_told_its_faults_once(desk: Desk) -> None:
    model = Scripted(json.dumps({"goals": [GOAL]}), json.dumps({"goals": [GOAL], "constraints": [DEMAND]}))
    outcome = written(desk, model)
    assert outcome.summary is not None
    assert outcome.summary.sections["goals"] == [GOAL]
    assert "carry it over as it was said" in model.asked[1]


@pytest.mark.parametrize("answer", [None, "I would rather not.", '{"constraints": "one text"}'])
def test_where_it_gives_nothing_the_rules_write(desk: Desk, answer: str | None) -> None:
    outcome = written(desk, Scripted(answer))
    assert outcome.summary is not None
    assert outcome.summary.sections["constraints"] == [DEMAND]


def test_a_job_waits_for_an_answer_and_its_repair(settings: Any) -> None:
    model = SummaryModel(url="https://models.example.org/v1", model="writer", seconds=90)
    settings.GREYWIND = settings.GREYWIND.model_copy(update={"summary_model": model})
    assert longest_asking() == 180
