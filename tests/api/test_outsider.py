"""Not yours is not there: a stranger hears of a row what it would hear of a random id, and its owner is served."""

import json
import re
from collections.abc import Mapping
from itertools import count
from typing import Any

import pytest
from django.utils import timezone

from governance.ids import parse_id
from governance.models import AuditEvent
from governance.scope import project_scope
from greywind_site.api import api
from memories.models import Passage
from sessions.models import ContextPacket
from tests.api.endpoints import CALLS, OF_THE_PROJECT, Call, filled, ids_of, owned_by, random_like
from tests.cast import Member
from tests.factories import World, make_thread, seed
from tests.stage import Stage, stage

__all__ = ["stage"]  # the fixture of this module

NAMING = [call for call in CALLS if call.asks]
LISTING = [call for call in CALLS if not call.asks]
TRACE = re.compile(rb"trc_[0-9a-f]{32}")
# A proposal is kept as a refused one, under an id and at a moment of its own.
MADE = re.compile(rb"mem_[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")


def heard(response: Any, ids: Mapping[str, str]) -> tuple[int, bytes, list[tuple[str, str]]]:
    """Return everything of an answer, with trace ids and the ids that were sent masked."""
    body, headers = response.content, repr(sorted(response.headers.items())).encode()
    for value in ids.values():
        body, headers = body.replace(value.encode(), b"ID"), headers.replace(value.encode(), b"ID")
    return response.status_code, MADE.sub(b"MADE", TRACE.sub(b"TRACE", body)), TRACE.sub(b"TRACE", headers)


def is_refused(answer: tuple[int, bytes, Any]) -> bool:
    """Return whether nothing was there for the caller: a 404 or 422, or a proposal refused for what it cites."""
    return answer[0] in (404, 422) or (answer[0] == 201 and b'"evidence_unresolvable"' in answer[1])


def compared(call: Call, caller: Member, *, own: World, victim: World) -> tuple[Any, Any]:
    """Return what a caller hears of a victim's rows, and of random ids."""
    theirs = ids_of(victim) | owned_by(own)
    random = random_like(theirs, call.asks)
    answers = [call.send(caller.client(), ids) for ids in (theirs, random)]
    named = [{name: ids[name] for name in call.asks} for ids in (theirs, random)]
    return heard(answers[0], named[0]), heard(answers[1], named[1])


def test_every_endpoint_stands_in_the_table(stage: Stage) -> None:
    documented = {
        (operation["operationId"], method.upper(), path.removeprefix("/api/v1"))
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method, operation in methods.items()
    }
    called = {(call.operation, call.method) for call in [*CALLS, *OF_THE_PROJECT]}
    assert {entry[:2] for entry in documented} == called
    assert {entry[0] for entry in documented if "{" in entry[2]} <= {
        call.operation for call in [*NAMING, *OF_THE_PROJECT]
    }


@pytest.mark.parametrize("call", [*NAMING, *OF_THE_PROJECT], ids=str)
def test_an_outsider_hears_of_a_row_what_it_hears_of_a_random_id(stage: Stage, call: Call) -> None:
    foreign, random = compared(call, stage.beta.dev, own=stage.theirs, victim=stage.ours)
    assert foreign == random
    assert is_refused(foreign)


@pytest.mark.parametrize("call", NAMING, ids=str)
def test_a_colleague_hears_of_a_private_row_what_it_hears_of_a_random_id(stage: Stage, call: Call) -> None:
    foreign, random = compared(call, stage.alpha.dev, own=stage.ours, victim=stage.secret)
    assert foreign == random
    assert is_refused(foreign)


def served(call: Call, world: World) -> Any:
    ids = ids_of(world) | owned_by(world)
    response = call.send(world.maker.client(), ids)
    assert 200 <= response.status_code < 300, response.content
    assert filled(call.shows, ids) in response.content.decode()
    return response


@pytest.fixture
def ours(stage: Stage, request: pytest.FixtureRequest) -> World:
    """The project's rows; fresh ones where the call uses them up."""
    call: Call = request.getfixturevalue("call")
    # In letters alone: two worlds that differ in a number would dispute each other.
    fresh = "".join("bcdfghjklm"[int(digit)] for digit in str(id(call)))
    return seed(stage.alpha, canary=f"xqfresh{fresh}x") if call.fresh else stage.ours


@pytest.mark.parametrize("call", [*CALLS, *OF_THE_PROJECT], ids=str)
def test_the_owner_of_a_row_is_served_and_what_it_did_is_recorded(stage: Stage, ours: World, call: Call) -> None:
    response = served(call, ours)
    with project_scope(ours.maker.acting):
        recorded = AuditEvent.objects.filter(trace=response["X-Trace-ID"]).exists()
    assert recorded == call.records


@pytest.mark.parametrize("call", [call for call in NAMING if not call.fresh], ids=str)
def test_the_owner_of_a_private_row_is_served(stage: Stage, call: Call) -> None:
    served(call, stage.secret)


@pytest.mark.parametrize("call", LISTING, ids=str)
def test_a_list_for_an_outsider_holds_no_foreign_canary(stage: Stage, call: Call) -> None:
    response = call.send(stage.beta.dev.client(), ids_of(stage.theirs) | owned_by(stage.theirs))
    assert 200 <= response.status_code < 300
    assert not re.search(rb"xq(?!betax)\w+x", response.content)


@pytest.mark.parametrize("call", LISTING, ids=str)
def test_a_list_for_a_colleague_holds_no_private_canary(stage: Stage, call: Call) -> None:
    response = call.send(stage.alpha.dev.client(), ids_of(stage.ours) | owned_by(stage.ours))
    assert 200 <= response.status_code < 300
    assert stage.secret.canary.encode() not in response.content


@pytest.mark.parametrize("word", ["xqalphax", "xqsecretx", "tide tables begin noon"])
@pytest.mark.parametrize("who", ["outsider", "colleague"])
def test_a_search_for_what_one_may_not_read_finds_nothing_of_it(stage: Stage, who: str, word: str) -> None:
    caller, hidden = {
        "outsider": (stage.beta.dev, ("xqalphax", "xqsecretx")),
        "colleague": (stage.alpha.dev, ("xqsecretx",)),
    }[who]
    body = caller.client().get(f"/memories/search?q={word.replace(' ', '+')}").json()
    assert [hit for hit in body["results"] for canary in hidden if canary in str(hit)] == []


NUMBERS = count()  # a channel is tied to one thread only
TEXTS = ["what of xqsecretx and its tide tables?", "继续", "when do the tide tables begin?"]


def shared_packet(stage: Stage, text: str) -> str:
    """Let the personal agent, who holds private memories about it, compile on a thread of the project."""
    thread, _ = make_thread(stage.alpha.dev, canary=f"shared-{next(NUMBERS)}", now=timezone.now())
    asked = {"thread_id": thread.public_id, "user_input": {"raw_text": text}}
    answer = stage.alpha.personal.client().post("/context", asked)
    assert answer.status_code == 200, answer.content
    return answer.json()["packet_id"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_packet_on_a_shared_thread_carries_nothing_private(stage: Stage, text: str) -> None:
    shown = stage.alpha.dev.client().get(f"/context/{shared_packet(stage, text)}")
    said = shown.content.decode().replace(text, "")
    hidden = [stage.secret.canary, stage.secret.memory.public_id, stage.secret.session.public_id]
    assert (shown.status_code, [word for word in hidden if word in said]) == (200, [])


@pytest.mark.parametrize("text", TEXTS)
def test_a_shared_packet_is_stored_without_a_trace_of_what_is_private(stage: Stage, text: str) -> None:
    packet = shared_packet(stage, text)
    with project_scope(stage.alpha.dev.acting):
        row = ContextPacket.objects.get(pk=parse_id("pkt", packet, pointer=""))
    stored = json.dumps([row.receipt, row.decisions], ensure_ascii=False).replace(text, "")
    hidden = [stage.secret.canary, stage.secret.memory.public_id, stage.secret.session.public_id]
    assert [word for word in hidden if word in stored] == []


@pytest.mark.parametrize("text", TEXTS)
def test_a_shared_packet_counts_nothing_private(stage: Stage, text: str) -> None:
    packet = shared_packet(stage, text)
    counted = stage.alpha.dev.client().get(f"/context/{packet}").json()["retrieval"]
    with project_scope(stage.alpha.dev.acting):
        readable = Passage.objects.filter(live=True).count()
    assert counted["considered"] <= readable


def test_a_packet_on_a_private_thread_carries_its_owners_memory(stage: Stage) -> None:
    """The twin of the three above: the same question, where its owner alone reads along."""
    asked = {"thread_id": stage.secret.thread.public_id, "user_input": {"raw_text": TEXTS[0]}}
    answer = stage.alpha.personal.client().post("/context", asked)
    assert stage.secret.memory.public_id in json.dumps(answer.json()["budget"])
