"""Writes a problem document (RFC 9457) as a response."""

from typing import Any

import orjson
from django.http import HttpResponse

from governance.errors import Problem

CONTENT_TYPE = "application/problem+json"


def problem_response(problem: Problem, *, retry_after: int | None = None) -> HttpResponse:
    """The response for one problem; `retry_after` is in whole seconds and sets the header as well."""
    document: dict[str, Any] = {
        "type": f"urn:greywind:problem:{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
        "trace_id": problem.trace_id,
        "errors": [{"pointer": f.pointer, "code": f.code, "message": f.message} for f in problem.faults],
        **problem.extra,
    }
    if retry_after is not None:
        document["retry_after"] = retry_after
    response = HttpResponse(orjson.dumps(document), status=problem.status, content_type=CONTENT_TYPE)
    response["Content-Language"] = "en"
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response
