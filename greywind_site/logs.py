"""JSON logs with the request's ids. Exceptions are logged by type and place, never by message: messages quote data."""

import logging
import traceback
from types import TracebackType
from typing import Any, override

import structlog
from structlog.typing import EventDict, Processor

type ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None]
DEEPEST_CHAIN = 5
# Celery's own lines quote a task's result and its exception's text.
QUOTING_LOGGERS = frozenset({"celery.app.trace"})


def logging_configuration(*, level: str) -> dict[str, Any]:
    """The dictionary for Django's LOGGING; also makes structlog write through the standard library."""
    _configure_structlog()
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": json_formatter}},
        "filters": {"with_exception": {"()": WithException}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Their own handlers would print every line twice.
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": level, "propagate": True},
            # Without an exception it only repeats the status that our request line carries.
            "django.request": {"handlers": [], "filters": ["with_exception"], "propagate": True},
            # Its line of each request quotes the query, and so what somebody looks for.
            "httpx2": {"handlers": [], "level": "WARNING", "propagate": True},
            # A line of its own for each message of the protocol, about a session that there is not.
            "mcp": {"handlers": [], "level": "WARNING", "propagate": True},
        },
    }


class WithException(logging.Filter):
    """Lets records pass that carry an exception."""

    @override
    def filter(self, record: logging.LogRecord) -> bool:
        return record.exc_info is not None


def json_formatter() -> structlog.stdlib.ProcessorFormatter:
    """Formatter that gives records of every library the same form as ours."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*_shared(), without_quotes],
        pass_foreign_args=True,  # without_quotes reads a task's name from them and drops them
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            exception_without_message,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )


def exception_without_message(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Replace exc_info by the chain of types and the frames, which hold no data."""
    info = event.pop("exc_info", None)
    event.pop("stack", None)
    error = info[1] if isinstance(info, tuple) else info
    if isinstance(error, BaseException):
        event["exception"] = describe_exception(error)
    return event


def describe_exception(error: BaseException) -> list[dict[str, Any]]:
    """For the error and its causes: type, SQLSTATE and constraint where it has them, and the frames."""
    described: list[dict[str, Any]] = []
    current: BaseException | None = error
    while current is not None and len(described) < DEEPEST_CHAIN:
        described.append(_describe_one(current))
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return described


def without_quotes(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Replace the text of loggers that quote data by the name and id of the task they speak of."""
    arguments = event.pop("positional_args", None)
    if event.get("logger") in QUOTING_LOGGERS:
        said = arguments if isinstance(arguments, dict) else {}
        event["event"] = "task"
        event.update(task=said.get("name"), task_id=said.get("id"))
    return event


def _describe_one(error: BaseException) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)
    described: dict[str, Any] = {
        "type": f"{type(error).__module__}.{type(error).__qualname__}",
        "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
    diagnosis = getattr(error, "diag", None)
    if diagnosis is not None:
        described |= {"sqlstate": getattr(error, "sqlstate", None), "constraint": diagnosis.constraint_name}
    return described


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _configure_structlog() -> None:
    structlog.configure(
        processors=[*_shared(), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
