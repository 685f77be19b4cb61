"""Time: what was held true at a moment, what fades, and what a policy lets lapse."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from governance.ids import parse_id
from governance.scope import project_scope
from memories.as_of import about, held_at, held_on
from memories.claims import DEFAULT, Registry
from memories.consolidation import consolidate_due
from memories.keeping import with_use
from memories.models import Consolidation, Feedback, Injection, Memory
from memories.outdated import without_outdated
from memories.retiring import archive, restore
from memories.sameness import ends_by_itself, tells_the_same, undated
from memories.usefulness import Use, importance_now, usefulness
from memories.vocabulary import MemoryType, Origin, WriteAction, WriteMode
from memories.writes import admit
from tests.api.asking import ok
from tests.cast import Cast, make_cast
from tests.memories.learning import Desk, auto_cast, read, stated
from threads.lexemes import terms

NOW = datetime(2026, 3, 4, 9, tzinfo=UTC)


@pytest.fixture
def cast(db: None) -> Cast:
    return auto_cast()


def held(cast: Cast, moment: datetime) -> list[tuple[str, int]]:
    with project_scope(cast.dev.acting):
        return [(one.head, one.version_then) for one in held_at(moment).order_by("created_at")]


@pytest.mark.parametrize("mode", [WriteMode.APPEND, WriteMode.MERGE])
def test_before_a_correction_the_old_was_held_true(cast: Cast, mode: WriteMode) -> None:
    old = stated(cast.owner, "Port: 80", write_mode=mode).memory
    between = timezone.now()
    stated(cast.owner, "Port: 90", action=WriteAction.UPDATE, target_id=old.pk)
    assert held(cast, between) == [("Port: 80", 1)]
    assert [text for text, _ in held(cast, timezone.now())] == ["Port: 90"]


def test_before_it_was_learnt_nothing_was_held(cast: Cast) -> None:
    before = timezone.now()
    stated(cast.owner, "Port: 80")
    assert held(cast, before) == []


def test_what_lay_in_the_archive_was_not_held_meanwhile(cast: Cast) -> None:
    memory = stated(cast.owner, "Port: 80").memory
    start = timezone.now()
    with project_scope(cast.owner.acting):
        archive(cast.owner.acting, memory, reason="old", now=start + timedelta(days=1))
        restore(cast.owner.acting, memory, reason="after all", now=start + timedelta(days=3))
    assert [len(held(cast, start + timedelta(days=days))) for days in (0, 2, 4)] == [1, 0, 1]


def test_the_api_lists_what_was_held_then(cast: Cast) -> None:
    old = stated(cast.owner, "端口：80").memory
    between = timezone.now()
    stated(cast.owner, "端口：90", action=WriteAction.UPDATE, target_id=old.pk)
    told = cast.dev.client().get(f"/memories?as_of={between.isoformat().replace('+00:00', 'Z')}").json()
    assert [(one["excerpt"], one["status"]) for one in told["results"]] == [("端口：80", "archived")]


def at_noon(month: int) -> datetime:
    return datetime(2026, month, 15, 12, tzinfo=UTC)


def told(cast: Cast, question: str, **when: datetime) -> list[str]:
    asked = {"q": question} | {name: at.isoformat().replace("+00:00", "Z") for name, at in when.items()}
    return [one["content"] for one in cast.dev.client().get(f"/memories/search?{urlencode(asked)}").json()["results"]]


def moved(cast: Cast) -> None:
    """A quota that was one thing from February on, and another from April on; both learnt later."""
    first: dict[str, Any] = {"observed_at": at_noon(2), "valid_to": at_noon(4)}
    stated(cast.owner, "The export quota of the gauge is 40 rows", **first)
    stated(cast.owner, "The export quota of the gauge is 70 rows", valid_from=at_noon(4))


def test_what_held_in_a_month_is_found_by_its_validity(cast: Cast) -> None:
    moved(cast)
    asked = [told(cast, "export quota of the gauge", valid_at=at_noon(month)) for month in (1, 3, 6)]
    assert [[text[-7:] for text in found] for found in asked] == [[], ["40 rows"], ["70 rows"]]


def test_what_was_corrected_never_held(cast: Cast) -> None:
    old = stated(cast.owner, "端口：80", observed_at=at_noon(2)).memory
    stated(cast.owner, "端口：90", action=WriteAction.UPDATE, target_id=old.pk, observed_at=at_noon(3))
    with project_scope(cast.dev.acting):
        held = [one.head for one in held_on(at_noon(2) + timedelta(days=1))]
    assert held == []


def test_a_search_as_of_a_moment_finds_what_was_in_use_then(cast: Cast) -> None:
    old = stated(cast.owner, "灯塔的端口是 80").memory
    between = timezone.now()
    stated(cast.owner, "灯塔的端口是 90", action=WriteAction.UPDATE, target_id=old.pk)
    assert (told(cast, "灯塔端口", as_of=between), told(cast, "天气如何", as_of=between)) == (["灯塔的端口是 80"], [])


def test_a_question_without_words_finds_nothing_of_the_past(cast: Cast) -> None:
    stated(cast.owner, "Port: 80")
    with project_scope(cast.dev.acting):
        assert about(held_at(timezone.now()), "?!", most=5) == []


def test_two_ways_of_asking_for_the_past_are_not_mixed(cast: Cast) -> None:
    answer = cast.dev.client().get("/memories?as_of=2026-03-01T00:00:00Z&valid_at=2026-03-01T00:00:00Z")
    assert answer.json()["errors"][0]["pointer"] == "?valid_at"


def test_a_moment_that_is_none_is_told_so(cast: Cast) -> None:
    assert cast.dev.client().get("/memories?as_of=yesterday").status_code == 422


def test_what_is_left_of_its_importance_is_shown_beside_what_was_given(cast: Cast) -> None:
    memory = stated(cast.owner, "Port: 80", importance=0.8).memory
    with project_scope(cast.owner.acting):
        Memory.objects.filter(pk=memory.pk).update(observed_at=timezone.now() - timedelta(days=180))
    told = cast.dev.client().get(f"/memories/{memory.public_id}").json()
    assert (told["importance"], told["importance_now"]) == (0.8, 0.4)


def test_importance_halves_and_a_confirmation_restores_it() -> None:
    use = Use(type=MemoryType.EPISODE, importance=0.8, confirmed_at=NOW)
    assert [importance_now(use, now=NOW + timedelta(days=days)) for days in (0, 30, 60)] == [0.8, 0.4, 0.2]


def test_use_and_praise_make_it_worth_more_and_blame_less() -> None:
    def worth(**said: int) -> float:
        return usefulness(Use(type=MemoryType.SEMANTIC, importance=0.5, confirmed_at=NOW, **said), now=NOW)

    assert worth(blame=1) < worth() < worth(uses=1) < worth(uses=7) < worth(uses=7, praise=1)
    assert worth() < worth(cited=1) < worth(praise=1) < worth(cited=99) < worth(praise=2)


def test_being_carried_by_packets_confirms_nothing(cast: Cast) -> None:
    memory = stated(cast.owner, "Port: 80").memory
    with project_scope(cast.owner.acting):
        Injection.objects.create(memory=memory, packet_id=memory.pk, at=timezone.now(), project_id=cast.project.pk)
    consolidate_due(count=len, now=timezone.now())
    assert read(cast.owner, memory).last_confirmed_at is None


def test_another_policy_ends_what_it_does_not_keep(db: None) -> None:
    cast = make_cast(policy={"review_mode": "low_risk_auto", "retention": {"semantic": 2}})
    memory, now = Desk(cast.dev).learn("Oslo has a harbour.").memory, timezone.now()
    consolidate_due(count=len, now=now)
    with project_scope(cast.owner.acting):  # as it would stand had it come under a policy that keeps it for ever
        Memory.objects.update(expires_at=None)
        Consolidation.objects.update(policy="another")
    consolidate_due(count=len, now=now + timedelta(days=3))
    assert read(cast.dev, memory).archived_for == "expired"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("On 3 March the deploy failed.", "On 9 March the deploy failed.", True),
        ("3月3日预发部署失败：令牌过期", "3 月 9 日预发部署失败：令牌过期", True),
        ("Yesterday the deploy failed: exit code 3", "2026-03-09 14:00 the deploy failed: exit code 3", True),
        ("On 3 March the deploy failed: exit code 3", "On 9 March the deploy failed: exit code 4", False),
        ("On 3 March the staging deploy failed.", "On 9 March the production deploy failed.", False),
        ("3月3日用户要求周报用中文写", "3月9日用户要求周报用英文写", False),
    ],
)
def test_accounts_are_the_same_when_only_their_days_differ(one: str, other: str, same: bool) -> None:
    assert tells_the_same(one, other, at=NOW) is same


def test_days_and_hours_are_left_out_and_numbers_stay() -> None:
    assert undated("2026-03-09 14:00 deploy failed, exit code 3") == "deploy failed exit code 3"


def test_what_has_no_claim_does_not_end_by_itself() -> None:
    assert ends_by_itself("Oslo has a harbour.", [], said_at=NOW) is None


REVIEWERS = DEFAULT.extended({"attributes": {"reviewer": {"kind": "multi", "en": ["reviewer"]}}})


@dataclass
class Passage:
    text: str
    memory_id: object | None
    as_of: datetime | None
    knowledge_status: str = "confirmed"


@pytest.mark.parametrize(("registry", "left"), [(DEFAULT, 1), (REVIEWERS, 2)])
def test_what_corrects_a_passage_depends_on_the_attributes_of_the_policy(registry: Registry, left: int) -> None:
    told = Passage("The reviewer of the gate is Mia", None, NOW)
    known = Passage("The reviewer of the gate is Noor", 1, NOW + timedelta(days=2))
    found = [(one, frozenset(terms(one.text))) for one in (told, known)]
    assert len(without_outdated(found, registry=registry)) == left


@pytest.mark.parametrize("back", [restore, None], ids=["restored", "admitted"])
def test_what_happened_on_another_day_contradicts_nothing(cast: Cast, back: Any) -> None:
    happened: dict[str, Any] = {"type": MemoryType.EPISODE, "origin": Origin.TOOL_OUTPUT}
    desk = Desk(cast.dev)
    one = desk.learn("The release went out on 3 March 2026", **happened).memory
    other = desk.learn("The release went out on 5 March 2026", **happened).memory
    acting, now = cast.owner.acting, timezone.now()
    with project_scope(acting):
        outcomes = [admit(acting, Memory.objects.get(pk=row.pk), reason="so", now=now).outcome for row in (one, other)]
        if back:
            archive(acting, one, reason="rarely used", now=now)
            back(acting, one, reason="after all", now=now)
    assert (outcomes, read(cast.dev, one).status) == (["active", "active"], "active")


def test_what_the_outcome_of_a_packet_cites_is_found_useful_once(cast: Cast) -> None:
    memory = Desk(cast.dev).learn("The tide gauge counts from pier four.").memory
    api = cast.dev.client()
    packet = ok(api.post("/context", {"user_input": {"raw_text": "from which pier does the tide gauge count?"}}))
    carried = {"project_id": cast.project.pk, "packet_id": parse_id("pkt", packet["packet_id"], pointer="")}
    with project_scope(cast.dev.acting):
        Injection.objects.get_or_create(memory=memory, **carried, defaults={"at": timezone.now()})
    cited = {"usage": {}, "cited_refs": [memory.ref, f"memory://mem_{'0' * 32}@1", "https://example.org"]}
    for _ in range(2):
        ok(api.post(f"/context/{packet['packet_id']}/outcome", cited))
    with project_scope(cast.dev.acting):
        said = list(Feedback.objects.values_list("kind", "memory_id", "actor_id"))
        use = with_use(Memory.objects.filter(pk=memory.pk), now=timezone.now()).get()
    assert said == [("useful", memory.pk, cast.dev.actor.pk)]
    assert (use.praise, use.cited) == (0, 1)
