"""What an attempt and an outcome say of themselves are known words, whoever writes them."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from governance.ids import new_id
from governance.scope import project_scope
from sessions.models import Attempt, PacketOutcome
from sessions.vocabulary import Loss, Recovery
from tests.stage import Stage, stage

__all__ = ["stage"]
pytestmark = pytest.mark.django_db
BAD = [
    (Attempt, {"recovery": "revived"}, "attempt_recovery_known"),
    (Attempt, {"missing": [Loss.EVENTS, "luck"]}, "attempt_missing_known"),
    (PacketOutcome, {"verification": ""}, "outcome_verification_known"),
]


@pytest.mark.parametrize(("model", "said", "name"), BAD, ids=[name for *_, name in BAD])
def test_an_unknown_word_is_refused_by_the_database(stage: Stage, model: Any, said: dict[str, Any], name: str) -> None:
    with project_scope(stage.alpha.dev.acting):
        row = model.objects.values().first()
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            model.objects.create(**row | {"id": new_id()} | said)


def test_every_known_word_is_taken_and_so_is_nothing_at_all(stage: Stage) -> None:
    with project_scope(stage.alpha.dev.acting):
        changed = [Attempt.objects.update(recovery=word, missing=list(Loss)) for word in ("", *Recovery)]
        changed.append(Attempt.objects.update(missing=[]))
    assert set(changed) != {0}
