"""Reported usage is kept, checked and learnt from; what was learnt is pinned in the packets made with it."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from governance.ids import new_id, parse_id
from governance.models import AuditEvent
from governance.scope import project_scope
from greywind_site.hunting.leaks.filters import sites
from greywind_site.hunting.leaks.removing import watched
from sessions.context.scripts import Script
from sessions.context.tokens import exact_counter
from sessions.models import ContextPacket, LearntFigures, PacketOutcome, UsageReport
from sessions.usage_fit import LEAST_USAGES, Usage
from sessions.vocabulary import Learning, UsageFate
from tests.api.asking import append, compiled, event, make_thread, ok, open_session, refused
from tests.cast import Cast, make_cast
from tests.sessions.test_usage_fit import HARNESS, prompts

NAME, EXACT = "claude-sonnet@claude-code", "gpt-5@codex"
CL100K = exact_counter("cl100k_base")
WORDS = (
    "把上下文预算的每一层写清楚，超出时拒绝并说明缺口。",
    "Keep every layer's floor, and say which limit holds.",
    "for layer in layers:\n    used[layer] += item.tokens",
)


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def packet(cast: Cast, number: int = 0, *, name: str = NAME, **more: Any) -> dict[str, Any]:
    return compiled(cast.dev, WORDS[number % 3] * (20 + 15 * number), budget={"profile": name}, **more)


def report(cast: Cast, answer: dict[str, Any], **usage: Any) -> str | None:
    told = usage or {"input_tokens": CL100K.count(answer["prompt"]["text"]) + HARNESS}
    done = ok(cast.dev.client().post(f"/context/{answer['packet_id']}/outcome", {"usage": told}))
    found: str | None = done["usage"]
    return found


def rows(cast: Cast) -> list[UsageReport]:
    with project_scope(cast.dev.acting, read_only=True):
        return list(UsageReport.objects.order_by("created_at"))


def taught(cast: Cast, said: Sequence[Usage] = (), *, name: str = NAME) -> LearntFigures:
    """What is learnt once the last report that is needed has come; those before it are rows."""
    report(cast, all_but_one(cast, said, name=name))
    with project_scope(cast.dev.acting, read_only=True):
        return LearntFigures.objects.get(slug=name)


def all_but_one(cast: Cast, said: Sequence[Usage] = (), *, name: str = NAME) -> dict[str, Any]:
    """A packet whose report would be the last that is needed; those before it are rows."""
    last = packet(cast, 1, name=name)
    with project_scope(cast.dev.acting):
        first = ContextPacket.objects.get(pk=parse_id("pkt", last["packet_id"], pointer=""))
        for one in said or prompts(LEAST_USAGES - 1):
            _reported(first, one)
    return last


def _reported(packet: ContextPacket, usage: Usage) -> None:
    """A copy of the packet, and what was reported for it an hour ago."""
    packet.pk = new_id()
    packet.save(force_insert=True)
    UsageReport.objects.create(
        project_id=packet.project_id,
        packet=packet,
        actor_id=packet.actor_id,
        slug=packet.receipt["profile"][0],
        encoding="o200k_base",
        fate=UsageFate.TAKEN,
        counted=usage.counted,
        mix=list(usage.mix),
        reported=usage.reported,
        created_at=timezone.now() - timedelta(hours=1),
    )


def test_a_report_is_kept_beside_what_was_counted_here(cast: Cast) -> None:
    answer = packet(cast)
    assert report(cast, answer) == UsageFate.TAKEN
    [row] = rows(cast)
    text = answer["prompt"]["text"]
    assert (row.slug, row.counted, row.reported) == (
        NAME,
        exact_counter("o200k_base").count(text),
        CL100K.count(text) + HARNESS,
    )
    assert sum(row.mix) == len(text)


def test_a_packet_is_reported_on_once(cast: Cast) -> None:
    answer = packet(cast)
    assert [report(cast, answer) for _ in range(2)] == ["taken", None]
    assert len(rows(cast)) == 1


def test_without_a_filter_no_project_learns_from_another_all_the_same(cast: Cast) -> None:
    """The database keeps the other project's reports away, of which one more would teach."""
    all_but_one(make_cast("beta"))
    own, reached = [site for site in sites() if site.module == "sessions.usages"], set[int]()
    for number, site in enumerate(own):
        with watched([site], reached.add, let_go=True):
            report(cast, packet(cast, number))
    with project_scope(cast.dev.acting, read_only=True):
        learnt = LearntFigures.objects.count()
    assert (reached, learnt) == ({site.number for site in own}, 0)


@pytest.mark.parametrize("tokens", [1, 10**15])
def test_a_count_that_cannot_be_is_kept_and_teaches_nothing(cast: Cast, tokens: int) -> None:
    assert report(cast, packet(cast), input_tokens=tokens) == UsageFate.IMPLAUSIBLE


def test_a_report_without_a_count_is_none(cast: Cast) -> None:
    assert report(cast, packet(cast), output_tokens=12) is None


def test_a_report_of_which_nothing_is_known_is_refused_with_the_names_that_are(cast: Cast) -> None:
    answer = packet(cast)
    path = f"/context/{answer['packet_id']}/outcome"
    problem = refused(cast.dev.client().post(path, {"usage": {"input": -1, "foo": 2}}), 422, "usage_unusable")
    [fault] = problem["errors"]
    assert (fault["pointer"], "prompt_tokens, " in fault["message"]) == ("/usage", True)
    with project_scope(cast.dev.acting, read_only=True):
        assert not PacketOutcome.objects.exists()


@pytest.mark.parametrize("value", [-1, "900", True, None, 1.5, {}])
def test_a_known_name_without_a_count_is_the_field_that_is_refused(cast: Cast, value: Any) -> None:
    path = f"/context/{packet(cast)['packet_id']}/outcome"
    problem = refused(cast.dev.client().post(path, {"usage": {"input_tokens": value, "foo": 2}}), 422, "usage_unusable")
    assert [fault["pointer"] for fault in problem["errors"]] == ["/usage/input_tokens"]


def test_names_that_were_not_understood_are_told(cast: Cast) -> None:
    path = f"/context/{packet(cast)['packet_id']}/outcome"
    told = ok(cast.dev.client().post(path, {"usage": {"output_tokens": 12, "foo": 2, "input_tokens": "many"}}))
    assert (told["usage"], told["usage_not_understood"]) == (None, ["foo", "input_tokens"])


def test_what_only_its_owner_may_read_teaches_nobody(cast: Cast) -> None:
    thread = make_thread(cast.dev, private=True)
    assert report(cast, packet(cast, thread_id=thread)) is None


def test_enough_reports_teach_and_the_next_packet_goes_by_it(cast: Cast) -> None:
    learnt = taught(cast)
    assert (learnt.state, learnt.version, learnt.usages) == (Learning.LEARNT, 1, LEAST_USAGES)
    budget = packet(cast)["budget"]
    assert (budget["method"], budget["learnt"], budget["reserve_origins"]["harness"]) == (
        "provider",
        learnt.public_id,
        "learnt",
    )
    assert abs(budget["reserves"]["harness"] - HARNESS) < 600


def test_a_packet_keeps_the_figures_that_it_was_made_with(cast: Cast) -> None:
    shipped, _ = packet(cast, 1), taught(cast)
    learnt = packet(cast, 2)
    with project_scope(cast.dev.acting):
        row = LearntFigures.objects.get()
        row.pk, row.version, row.figures = None, 2, row.figures | {"harness": 30_000}
        row.save(force_insert=True)
    for answer in (shipped, learnt):
        assert ok(cast.dev.client().get(f"/context/{answer['packet_id']}")) == answer


def test_what_was_learnt_stands_in_the_ledger(cast: Cast) -> None:
    learnt = taught(cast)
    with project_scope(cast.dev.acting, read_only=True):
        entry = AuditEvent.objects.get(verb="profile.learn")
    told = json.loads(entry.detail)
    assert (entry.target, told["usages"], told["state"]) == (learnt.public_id, LEAST_USAGES, "learnt")


def test_another_project_is_taught_nothing(cast: Cast) -> None:
    taught(cast)
    assert packet(make_cast("beta"))["budget"]["learnt"] is None


def test_an_exact_profile_learns_its_harness_alone(cast: Cast) -> None:
    said = [Usage(1_000 + 90 * n, (0,) * len(Script), 1_000 + 90 * n + HARNESS) for n in range(LEAST_USAGES - 1)]
    taught(cast, said, name=EXACT)
    budget = packet(cast, name=EXACT)["budget"]
    assert (budget["method"], budget["reserves"]["harness"]) == ("exact", HARNESS)


def test_one_more_report_makes_no_new_version(cast: Cast) -> None:
    taught(cast)
    report(cast, packet(cast, 2))
    with project_scope(cast.dev.acting, read_only=True):
        assert LearntFigures.objects.count() == 1


@pytest.mark.parametrize("text", WORDS)
def test_stored_counts_are_the_vocabularys_own(cast: Cast, text: str) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, event(text * 9))
    used = compiled(cast.dev, text, session_id=session)
    assert used["budget"]["used"] == exact_counter("o200k_base").count(used["prompt"]["text"])
