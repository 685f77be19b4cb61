"""Types of what comes in: bounded, storable, and refused by field name where it is not."""

import math
import re
from datetime import UTC, datetime
from typing import Annotated, Any

from django.conf import settings
from ninja import Schema
from pydantic import (
    AfterValidator,
    AwareDatetime,
    ConfigDict,
    Field,
    Strict,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

MAX_JSON_DEPTH = 32  # a hand-written context is never deeper; Postgres gives up at about 20,000
MAX_JSON_BYTES = 256 * 1024
LARGEST_NUMBER = 2**63 - 1  # beyond it readers of JSON begin to disagree; a longer one is sent as text
LARGEST_COUNT = 2**31 - 1
TIMESTAMP = "expected an RFC 3339 timestamp as text and with its zone, such as 2026-11-30T08:00:00Z"
NUMBER = re.compile(r"\s*[-+]?[0-9.]+\s*")
NAME_SHOWN = 64  # characters of an unknown field's name that are told back: enough to find it, not enough to flood


class Input(Schema):
    """A request body. Unknown fields are errors: a misspelt one must not pass for an absent one.

    What stands under a field is its description in the contract.
    """

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


def storable(text: str) -> str:
    """Return the text when PostgreSQL can hold it and it is within the size limit; raise what pydantic reports."""
    if "\x00" in text:
        raise PydanticCustomError("nul_character", "holds a NUL character (U+0000); remove it")
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError as error:
        raise PydanticCustomError("lone_surrogate", "holds half of a surrogate pair; send valid Unicode") from error
    limit = settings.GREYWIND.max_text_bytes
    if size > limit:
        raise PydanticCustomError(
            "text_too_large",
            "holds {size} bytes, the limit is {limit}; store it as an artifact or send less",
            {"size": size, "limit": limit},
        )
    return text


def storable_json(value: Any) -> Any:
    """Return a free-form JSON value when it is shallow, finite, storable and small enough."""
    _walk(value, depth=0, budget=[MAX_JSON_BYTES])
    return value


def _walk(value: Any, *, depth: int, budget: list[int]) -> None:
    if depth > MAX_JSON_DEPTH:
        raise PydanticCustomError("too_deep", "is nested deeper than {limit} levels", {"limit": MAX_JSON_DEPTH})
    match value:
        case str():
            storable(value)
            budget[0] -= len(value)
        case float() if not math.isfinite(value):
            raise PydanticCustomError("not_finite", "holds a number that JSON cannot carry")
        case int() | float() if abs(value) > LARGEST_NUMBER:
            raise PydanticCustomError("number_too_large", "holds a number beyond 64 bits; send it as text")
        case dict():
            for key, inner in value.items():
                _walk(key, depth=depth + 1, budget=budget)
                _walk(inner, depth=depth + 1, budget=budget)
        case list():
            for inner in value:
                _walk(inner, depth=depth + 1, budget=budget)
        case _:
            budget[0] -= 8
    if budget[0] < 0:
        raise PydanticCustomError("json_too_large", "holds more than {limit} characters", {"limit": MAX_JSON_BYTES})


def _spoken(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    # A bare number would be read as seconds since 1970, which nobody means.
    if not isinstance(value, str | datetime) or (isinstance(value, str) and NUMBER.fullmatch(value)):
        raise PydanticCustomError("timestamp_type", TIMESTAMP)
    try:
        return read(value)
    except ValidationError as error:
        raise PydanticCustomError("timestamp_form", TIMESTAMP) from error


def _in_range(value: datetime) -> datetime:
    """Refuse what leaves the calendar once it is moved to UTC: the database would store what nobody can read back."""
    try:
        value.astimezone(UTC)
    except OverflowError as error:
        raise PydanticCustomError("timestamp_range", "lies outside the years 1 to 9999 in UTC") from error
    return value


type Text = Annotated[str, StringConstraints(min_length=1), AfterValidator(storable)]
type OptionalText = Annotated[str, AfterValidator(storable)]
type Title = Annotated[str, StringConstraints(min_length=1, max_length=300), AfterValidator(storable)]
type Word = Annotated[str, StringConstraints(min_length=1, max_length=64), AfterValidator(storable)]
type Ref = Annotated[str, StringConstraints(min_length=1, max_length=300), AfterValidator(storable)]
# Together they stand in one index entry, which holds 2,700 bytes.
type Channel = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(storable)]
type Page = Annotated[str, StringConstraints(max_length=400), AfterValidator(storable)]
type ClientId = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(storable)]
type Texts = Annotated[list[Text], Field(max_length=200)]
type Words = Annotated[list[Word], Field(max_length=100)]
type Json = Annotated[dict[str, Any], AfterValidator(storable_json)]
type Moment = Annotated[AwareDatetime, WrapValidator(_spoken), AfterValidator(_in_range)]
type Count = Annotated[int, Strict(), Field(ge=1, le=LARGEST_COUNT)]
type Flag = Annotated[bool, Strict()]
type Id = Annotated[str, StringConstraints(min_length=1, max_length=80)]
