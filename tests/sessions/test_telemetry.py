"""Spans and figures of a compile: the conventions' names, layer by layer, and no word of anybody's in them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.test import Client, override_settings
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, Tracer, TracerProvider
from pydantic import SecretStr

from governance import telemetry
from governance.meters import add, counter, exposition
from governance.telemetry import Operation, safe, traced
from tests.api.asking import append, compiled, event, make_thread, ok, open_session
from tests.api.test_context_again import learnt
from tests.cast import Cast, make_cast

CANARY = "Kanarienvogel 金丝雀"
TOKEN = "0123456789abcdef"


class Kept(NonRecordingSpan):
    """A span that keeps what it is told."""

    def __init__(self, name: str, attributes: Any) -> None:
        super().__init__(SpanContext(1, 1, is_remote=False))
        self.name, self.told = name, dict(attributes or {})

    def is_recording(self) -> bool:
        return True

    def set_attribute(self, key: str, value: Any) -> None:
        self.told[key] = value


class Keeper(TracerProvider, Tracer):
    """A provider whose spans are kept."""

    def __init__(self) -> None:
        self.spans: list[Kept] = []

    def get_tracer(self, *_: Any, **__: Any) -> Tracer:
        return self

    def start_span(self, name: str, *_: Any, attributes: Any = None, **__: Any) -> Span:
        self.spans.append(Kept(name, attributes))
        return self.spans[-1]

    @contextmanager
    def start_as_current_span(self, name: str, *_: Any, attributes: Any = None, **__: Any) -> Iterator[Span]:
        with trace.use_span(self.start_span(name, attributes=attributes), record_exception=False) as span:
            yield span


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Keeper:
    kept = Keeper()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", kept)
    return kept


def worked(cast: Cast) -> dict[str, Any]:
    """A compile in which every text holds the canary, and a report on it."""
    learnt(cast, f"{CANARY} is learnt of the parser")
    session = open_session(cast.dev, make_thread(cast.dev, f"{CANARY} thread"))
    append(cast.dev, session, event(f"{CANARY} was said"), event(f"{CANARY} no", "c", kind="constraint", attested=True))
    body = compiled(cast.dev, f"{CANARY} what was learnt of the parser", session_id=session)
    usage = {"input_tokens": 900, CANARY: 3}
    ok(cast.dev.client().post(f"/context/{body['packet_id']}/outcome", {"result": "done", "usage": usage}))
    return body


def test_every_step_of_a_compile_is_a_span(cast: Cast, keeper: Keeper) -> None:
    worked(cast)
    steps = [span.name for span in keeper.spans]
    assert (steps[0], steps[-1]) == (Operation.CONTEXT, Operation.RECORD)
    assert set(steps) >= {Operation.EMBED, Operation.RESOLVE, Operation.GATHER, Operation.COMPILE}


def test_the_span_of_a_compile_says_what_it_came_to(cast: Cast, keeper: Keeper) -> None:
    body = worked(cast)
    told = keeper.spans[0].told
    assert told["gen_ai.conversation.id"] == body["resolution"]["thread_id"]
    assert (told["greywind.budget.used"], told["greywind.packet.id"]) == (body["budget"]["used"], body["packet_id"])


def test_no_word_of_anybody_is_in_spans_or_figures(cast: Cast, keeper: Keeper) -> None:
    worked(cast)
    told = "\n".join([exposition().decode(), *(f"{span.name} {span.told}" for span in keeper.spans)])
    assert not re.search("kanarien|金丝雀", told, re.IGNORECASE)


def test_figures_are_told_layer_by_layer(cast: Cast) -> None:
    body = worked(cast)
    told = exposition().decode()
    layers = {row["layer"]: row["used"] for row in body["budget"]["layers"]}
    assert all(f'greywind_layer_tokens_total{{layer="{layer}"}}' in told for layer in layers)
    assert 'greywind_compiles_total{phase="execute",result="ok"}' in told
    assert 'greywind_reported_tokens_total{kind="input_tokens"}' in told


def test_without_a_provider_nothing_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "_span", None)
    assert traced(Operation.COMPILE)(lambda: "done")() == "done"


def test_a_failure_is_told_by_its_kind_alone(keeper: Keeper) -> None:
    @traced(Operation.COMPILE)
    def fail() -> None:
        raise ValueError(CANARY)

    with pytest.raises(ValueError, match=CANARY):
        fail()
    assert keeper.spans[0].told["error.type"] == "ValueError"
    assert CANARY not in str(keeper.spans[0].told)


@pytest.mark.parametrize("text", ["a word", "金丝雀", "A", "x" * 129, "line\nline", ""])
def test_a_text_with_other_letters_is_withheld(text: str) -> None:
    assert safe(text) == "withheld"


def test_a_label_that_could_be_words_is_withheld() -> None:
    add(counter("words_of_a_test_total", "about", ("said",)), 1, CANARY)
    assert 'words_of_a_test_total{said="withheld"} 1.0' in exposition().decode()


def test_a_name_is_counted_once() -> None:
    counter("twice_in_a_test_total", "about")
    with pytest.raises(ValueError, match="Duplicated"):
        counter("twice_in_a_test_total", "about")


@pytest.mark.parametrize(("token", "sent", "status"), [(None, "", 404), (TOKEN, "x", 404), (TOKEN, TOKEN, 200)])
def test_figures_are_read_with_the_token_alone(token: str | None, sent: str, status: int, settings: Any) -> None:
    set_to = settings.GREYWIND.model_copy(update={"metrics_token": SecretStr(token) if token else None})
    with override_settings(GREYWIND=set_to):
        answer = Client().get("/metrics", headers={"Authorization": f"Bearer {sent}"})
    assert (answer.status_code, "greywind_compiles_total" in answer.content.decode()) == (status, status == 200)
