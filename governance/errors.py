"""What a caller is told when something is refused: one family of exceptions with stable codes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One fault of the input: where it is (JSON pointer), which rule it breaks, and what to do.

    `rule` and `bounds` name the schema's own rule and its figures, for those who say it in another language.
    """

    pointer: str
    code: str
    message: str
    rule: str = field(default="", compare=False)
    bounds: Mapping[str, Any] = field(default_factory=dict, compare=False)


class Refusal(Exception):
    """A request that is refused for a reason its caller can act on.

    `detail` is one sentence that names the field and the remedy; `extra` holds further members
    of the problem document (for example `shortfall` or `candidates`).
    """

    status = 422
    code = "refused"
    title = "The request was refused"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        faults: tuple[FieldFault, ...] = (),
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.faults = faults
        self.extra: Mapping[str, Any] = extra or {}

    @classmethod
    def at(cls, pointer: str, message: str, *, code: str | None = None, extra: Mapping[str, Any] | None = None) -> Self:
        """Return the refusal for a single field: `/body/field`, `?query`, `{path}` or the name of a header."""
        named = code or cls.code
        fault = FieldFault(pointer, named, message)
        return cls(f"{pointer}: {message}", code=named, faults=(fault,), extra=extra)

    @classmethod
    def of(cls, faults: tuple[FieldFault, ...], *, code: str | None = None) -> Self:
        """Return the refusal for several fields, at least one; its sentence is the first one's."""
        return cls(f"{faults[0].pointer}: {faults[0].message}.", code=code, faults=faults)

    def problem(self, trace_id: str) -> "Problem":
        """Return the refusal as a problem document of one request."""
        return Problem(self.status, self.code, self.title, self.detail, trace_id, self.faults, self.extra)


class Invalid(Refusal):
    """The input breaks a rule of its own form."""

    status = 422
    code = "invalid"
    title = "The input is not valid"


class Malformed(Refusal):
    status = 400
    code = "malformed"
    title = "The request could not be read"


class Unauthenticated(Refusal):
    status = 401
    code = "unauthenticated"
    title = "A valid key is needed"

    @classmethod
    def without_key(cls) -> Self:
        """Return the refusal of a request whose key does not count, in one sentence for every cause."""
        causes = "none came, or it is unknown, lapsed or revoked, or its agent is off"
        return cls.at(
            "Authorization", f"send a valid key as `Bearer gw_…`: {causes}; an owner of the project sees which"
        )


class Forbidden(Refusal):
    status = 403
    code = "forbidden"
    title = "The key or actor may not do this"


class StepUpNeeded(Forbidden):
    """Allowed, but only right after showing once more who one is."""

    code = "step_up_needed"
    title = "Confirm that it is you"


class NotThere(Refusal):
    """Not there, or not yours: both read the same."""

    status = 404
    code = "not_found"
    title = "There is no such thing here"

    def __init__(self, detail: str = "No such resource in this project.", **options: Any) -> None:
        super().__init__(detail, **options)

    @classmethod
    def there(cls, pointer: str) -> Self:
        """Return the refusal for the field that names what is not there."""
        return cls.at(pointer, "there is no such thing in this project")


class Clash(Refusal):
    """The present state does not allow it."""

    status = 409
    code = "conflict"
    title = "The present state does not allow this"


class Gone(Refusal):
    status = 410
    code = "gone"
    title = "The content is no longer available"


class PreconditionFailed(Refusal):
    status = 412
    code = "version_moved"
    title = "The resource has moved on"


class PreconditionRequired(Refusal):
    status = 428
    code = "if_match_required"
    title = "Say which version you saw"


class TooMany(Refusal):
    """More than one may do in a while; `extra` says after how many seconds there is room again."""

    status = 429
    code = "too_many"
    title = "Too many requests of this kind"


class TooLarge(Refusal):
    status = 413
    code = "too_large"
    title = "The body is too large"


class UnsupportedMedia(Refusal):
    status = 415
    code = "unsupported_media_type"
    title = "The body is not JSON"


class Unavailable(Refusal):
    status = 503
    code = "unavailable"
    title = "Try again shortly"


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Must content of one layer that did not fit: tokens needed and tokens that were available."""

    layer: str
    needed: int
    available: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A refusal ready to be written as application/problem+json (RFC 9457)."""

    status: int
    code: str
    title: str
    detail: str
    trace_id: str
    faults: tuple[FieldFault, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
