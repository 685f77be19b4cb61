"""The OpenAPI document: fresh, whole, and naming every refusal."""

import json
from typing import Any

import pytest
from django.test import Client

from greywind_site.api import api
from greywind_site.documents import FOLDER
from tests.api.world import CALLS

SCHEMA: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema()))
OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, calls in SCHEMA["paths"].items()
    for method, operation in calls.items()
}


def test_the_committed_document_is_the_served_one() -> None:
    served = Client().get("/api/v1/openapi.json").json()
    assert json.loads((FOLDER / "openapi.json").read_text()) == served


def test_every_route_is_in_the_document() -> None:
    routes = [
        (method, path)
        for bound in api._get_bound_routers()
        for path, view in bound.path_operations.items()
        for operation in view.operations
        for method in operation.methods
    ]
    assert len(OPERATIONS) == len(routes)


def test_every_call_is_tested_against_bad_input() -> None:
    assert set(OPERATIONS) == set(CALLS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_call_says_what_it_does_and_needs_a_key(name: str) -> None:
    _, _, operation = OPERATIONS[name]
    assert operation["summary"]
    assert operation["description"]
    assert operation["security"] == [{"KeyAuth": []}]


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_call_says_how_it_is_refused(name: str) -> None:
    responses = OPERATIONS[name][2]["responses"]
    refusals = [responses[code] for code in ("401", "403", "404", "422", "503", "default")]
    schemas = [refusal["content"]["application/problem+json"]["schema"]["$ref"] for refusal in refusals]
    assert set(schemas) == {"#/components/schemas/Problem"}


@pytest.mark.parametrize("name", [name for name, (_, _, operation) in OPERATIONS.items() if "requestBody" in operation])
def test_an_unknown_field_is_documented_as_an_error(name: str) -> None:
    schema = OPERATIONS[name][2]["requestBody"]["content"]["application/json"]["schema"]
    body = SCHEMA["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    assert body["additionalProperties"] is False


def test_the_document_names_no_server() -> None:
    assert SCHEMA["servers"] == []


@pytest.mark.parametrize(
    "name", ["ContextIn", "HaveIn", "OutcomeIn", "EventIn", "MemoryIn", "ProposalIn", "ThreadIn", "TaskIn"]
)
def test_each_field_of_the_main_calls_says_what_it_means(name: str) -> None:
    fields = SCHEMA["components"]["schemas"][name]["properties"]
    assert [field for field, told in fields.items() if not told.get("description")] == []
