import json
import re

import psycopg
import pytest
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from psycopg_pool import PoolTimeout

from greywind_site.middleware import DatabaseAvailabilityMiddleware, TraceMiddleware, retry_after

TRACE = re.compile(r"trc_[0-9a-f]{32}")


def caused_by(cause: Exception) -> OperationalError:
    error = OperationalError("wrapped")
    error.__cause__ = cause
    return error


def pass_through(request: HttpRequest) -> HttpResponse:
    """Both middlewares around a view that answers with the request's own ids."""
    view = lambda inner: HttpResponse(inner.META["greywind.request_id"])  # noqa: E731 - a view in one line
    return TraceMiddleware(DatabaseAvailabilityMiddleware(view))(request)


def test_every_answer_carries_a_trace(rf: RequestFactory) -> None:
    assert TRACE.fullmatch(pass_through(rf.get("/"))["X-Trace-ID"])


def test_a_good_request_id_is_echoed(rf: RequestFactory) -> None:
    assert pass_through(rf.get("/", headers={"X-Request-ID": "job-7.a:1"}))["X-Request-ID"] == "job-7.a:1"


@pytest.mark.parametrize("sent", ["", "x" * 65, "a b", "a\r\nSet-Cookie: b", "号"])
def test_a_bad_request_id_is_replaced(rf: RequestFactory, sent: str) -> None:
    request = rf.get("/")
    request.META["HTTP_X_REQUEST_ID"] = sent
    assert TRACE.fullmatch(pass_through(request)["X-Request-ID"])


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (caused_by(PoolTimeout("no connection")), 1),
        (caused_by(psycopg.OperationalError("refused")), 5),
        (caused_by(psycopg.errors.AdminShutdown("going")), 5),
        (caused_by(psycopg.errors.TooManyConnections("full")), 5),
        (InterfaceError("closed"), 5),
        (caused_by(psycopg.errors.DeadlockDetected("gave way")), 5),
        (caused_by(psycopg.errors.QueryCanceled("ours to handle")), None),
        (ValueError("a mistake"), None),
    ],
)
def test_only_what_another_try_can_mend_is_passing(error: Exception, seconds: int | None) -> None:
    assert retry_after(error) == seconds


def test_a_pool_time_out_is_a_503_problem(rf: RequestFactory) -> None:
    request = rf.get("/")
    pass_through(request)
    answer = DatabaseAvailabilityMiddleware(pass_through).process_exception(request, caused_by(PoolTimeout("none")))
    assert answer is not None
    assert (answer.status_code, answer["Retry-After"], answer["Content-Type"]) == (503, "1", "application/problem+json")
    assert json.loads(answer.content)["code"] == "unavailable"


def test_a_body_over_the_cap_is_refused_before_it_is_read(rf: RequestFactory) -> None:
    request = rf.post("/", data=b"", content_type="application/json")
    request.META["CONTENT_LENGTH"] = str(13 * 1024 * 1024)
    assert pass_through(request).status_code == 413


def test_a_page_is_found_without_the_slash_at_its_end(client: Client) -> None:
    found = client.get("/p/prj_x/contexts?profile=a")
    assert (found.status_code, found["Location"]) == (301, "/p/prj_x/contexts/?profile=a")


def test_a_call_of_the_api_has_one_spelling(client: Client) -> None:
    assert client.post("/api/v1/context/", {}, content_type="application/json").status_code == 404
