"""A remembered answer is forgotten when its time is over: whosever it is, in steps, never before a day has passed."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from governance import replays
from governance.ids import new_id
from governance.models import ApiKey, AuditEvent, StoredAnswer
from governance.replays import forget_old_answers
from governance.scope import project_scope
from tests.cast import Cast, Member, make_cast
from tests.governance.rawsql import app_link


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def answered(by: Member, *days_ago: float) -> None:
    with project_scope(by.acting):
        key = ApiKey.objects.get(actor=by.actor)
        for days in days_ago:
            at = timezone.now() - timedelta(days=days)
            name = f"{by.actor.name} {days}"
            values = {"project_id": by.acting.project_id, "api_key": key, "idempotency_key": name, "body": "{}"}
            StoredAnswer.objects.create(pk=new_id(), created_at=at, fingerprint="f", status=200, **values)


def kept(by: Member) -> int:
    with project_scope(by.acting):
        return StoredAnswer.objects.count()


def test_what_is_older_than_the_setting_goes_and_what_is_younger_stays(cast: Cast) -> None:
    answered(cast.dev, settings.GREYWIND.replay_days + 0.1, settings.GREYWIND.replay_days - 0.1)
    assert (forget_old_answers(), kept(cast.dev)) == (1, 1)


def test_everybodys_are_forgotten_and_each_is_told_in_the_ledger(cast: Cast) -> None:
    others = make_cast("beta")
    for one in (cast.dev, cast.personal, others.dev):
        answered(one, 9, 8)
    assert forget_old_answers() == 6
    with project_scope(cast.owner.acting):
        told = AuditEvent.objects.filter(verb="answer.forget").values_list("target", "detail")
        assert sorted(told) == sorted((one.actor.public_id, '{"answers":2}') for one in (cast.dev, cast.personal))


def test_a_sweep_goes_in_steps_and_the_next_one_goes_on(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "BATCH", 2)
    monkeypatch.setattr(replays, "MOST_STEPS", 2)
    answered(cast.dev, 13, 12, 11, 10, 9)
    assert [forget_old_answers() for _ in range(3)] == [4, 1, 0]


def test_the_database_names_none_that_is_younger_than_a_day(cast: Cast) -> None:
    answered(cast.dev, 0.9, 1.1)
    with app_link() as link:
        [(_, _, ids)] = link.execute("SELECT * FROM old_answers('1 second', 10)").fetchall()
    assert len(ids) == 1
