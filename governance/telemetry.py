"""Spans for whoever runs this, in the names of OpenTelemetry's GenAI conventions: all of them stand here.

Only where the operator's environment brings a tracer provider is anything made; else a span costs one look. Values are
ids, counts, hashes and words of vocabularies. A text with any other letter in it is withheld, and so is what an
exception says: both could quote somebody.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import wraps

from opentelemetry import trace
from opentelemetry.trace import ProxyTracerProvider, Span

NAME, VERSION = "greywind", "1"
CONVENTIONS = "opentelemetry-semantic-conventions-genai/0.1.0"  # in development: names may move with it
PLAIN = re.compile(r"[a-z0-9_.:@/-]{1,128}")  # ids, hashes, slugs, words of vocabularies
WITHHELD = "withheld"

type Value = str | int | float | bool


class Operation(StrEnum):
    """What a span is of. Those that the conventions name are called as there."""

    CONTEXT = "greywind.context"
    RESOLVE = "greywind.resolve_thread"
    OPEN = "greywind.open_session"
    EMBED = "embeddings"
    GATHER = "retrieval"
    COMPILE = "greywind.compile"
    RECORD = "greywind.record_packet"


class Attribute(StrEnum):
    """What a span says. `gen_ai.*` are the conventions' own, `greywind.*` are ours."""

    CONVENTIONS = "greywind.conventions"
    OPERATION = "gen_ai.operation.name"
    MODEL = "gen_ai.request.model"
    CONVERSATION = "gen_ai.conversation.id"
    AGENT = "gen_ai.agent.id"
    RECORDS = "gen_ai.memory.record.count"
    INPUT_TOKENS = "gen_ai.usage.input_tokens"
    OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
    ERROR = "error.type"
    PACKET = "greywind.packet.id"
    PROFILE = "greywind.budget.profile"
    CAP = "greywind.budget.cap"
    USED = "greywind.budget.used"
    METHOD = "greywind.token.method"
    PHASE = "greywind.compile.phase"
    RESULT = "greywind.compile.result"
    DROPPED = "greywind.compile.dropped"


def safe(value: Value) -> Value:
    """Return a value as it may leave the process: a text that is no id, hash or word of ours is withheld."""
    return value if not isinstance(value, str) or PLAIN.fullmatch(value) else WITHHELD


def traced[**P, R](operation: Operation) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let each call of a function be a span of this operation."""

    def around(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def run(*args: P.args, **named: P.kwargs) -> R:
            if not exported():
                return function(*args, **named)
            with _span(operation):
                return function(*args, **named)

        return run

    return around


def exported() -> bool:
    """Whether somebody has set up where spans go."""
    return not isinstance(trace.get_tracer_provider(), ProxyTracerProvider)


def note(**values: Value | None) -> None:
    """Add to the span that is open, by names of Attribute; a None adds nothing, and without a span nothing does."""
    span = trace.get_current_span()
    if span.is_recording():
        for name, value in values.items():
            if value is not None:
                span.set_attribute(Attribute[name.upper()].value, safe(value))


@contextmanager
def _span(operation: Operation) -> Iterator[Span]:
    tracer = trace.get_tracer(NAME, VERSION, attributes={Attribute.CONVENTIONS.value: CONVENTIONS})
    told = {Attribute.OPERATION.value: operation.value}
    # An exception's words quote data: only its kind is told.
    opened = tracer.start_as_current_span(
        operation.value, attributes=told, record_exception=False, set_status_on_exception=False
    )
    with opened as span:
        try:
            yield span
        except Exception as fault:
            span.set_attribute(Attribute.ERROR.value, type(fault).__name__)
            raise
