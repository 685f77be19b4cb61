import json
import logging
import sys

import psycopg
import pytest

from greywind_site.logs import json_formatter

CANARY = "银行卡 6222 canary"


def record(name: str, message: str, *args: object, exc_info: object = None) -> logging.LogRecord:
    return logging.LogRecord(name, logging.ERROR, __file__, 1, message, args, exc_info)  # type: ignore[arg-type]  # any form


def raised(error: Exception) -> object:
    try:
        raise error
    except type(error):
        return sys.exc_info()


def test_a_foreign_line_becomes_json() -> None:
    assert json.loads(json_formatter().format(record("library", "said %s", "this")))["event"] == "said this"


def test_chinese_stays_readable() -> None:
    assert "灰风" in json_formatter().format(record("library", "灰风"))


@pytest.mark.parametrize("error", [ValueError(CANARY), psycopg.errors.UniqueViolation(CANARY)])
def test_an_exception_is_named_but_not_quoted(error: Exception) -> None:
    line = json_formatter().format(record("library", "failed", exc_info=raised(error)))
    assert type(error).__name__ in line
    assert CANARY not in line


def test_a_cause_is_named_but_not_quoted() -> None:
    try:
        raise RuntimeError(CANARY) from ValueError(CANARY)
    except RuntimeError:
        line = json_formatter().format(record("library", "failed", exc_info=sys.exc_info()))
    assert [found["type"] for found in json.loads(line)["exception"]] == [
        "builtins.RuntimeError",
        "builtins.ValueError",
    ]
    assert CANARY not in line


def test_a_task_result_is_not_quoted() -> None:
    said = {"id": "1", "name": "sweep", "return_value": CANARY}
    line = json_formatter().format(record("celery.app.trace", "Task %(name)s returned %(return_value)s", said))
    assert json.loads(line)["task"] == "sweep"
    assert CANARY not in line
