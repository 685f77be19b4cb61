from collections.abc import Callable

import pytest
from django.db import OperationalError
from django.test import Client

from greywind_site import health

PARTS = sorted(health.PARTS)


def broken() -> None:
    raise OperationalError("canary-of-private-text")


def test_alive_needs_no_database(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})


@pytest.mark.django_db
def test_ready_names_every_part(client: Client) -> None:
    assert client.get("/readyz").json() == {"status": "ready", "parts": dict.fromkeys(health.PARTS, "ok")}


@pytest.mark.django_db
@pytest.mark.parametrize("part", PARTS)
def test_a_failing_part_is_named(client: Client, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    monkeypatch.setitem(health.PARTS, part, broken)
    answer = client.get("/readyz")
    others = {name for name, said in answer.json()["parts"].items() if said == "ok"}
    assert (answer.status_code, others) == (503, set(PARTS) - {part})


@pytest.mark.django_db
def test_a_failing_part_quotes_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(health.PARTS, "database", broken)
    assert "canary" not in client.get("/readyz").content.decode()


@pytest.mark.django_db
def test_a_missing_migration_is_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped: Callable[[], frozenset[tuple[str, str]]] = health._shipped_migrations
    monkeypatch.setattr(health, "_shipped_migrations", lambda: shipped() | {("governance", "9999_later")})
    assert client.get("/readyz").json()["parts"]["migrations"].startswith("1 migrations are not applied")


@pytest.mark.django_db
def test_a_broker_that_is_away_is_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    away = health.celery_app.__class__("away", broker="redis+socket:///nowhere/valkey.sock")
    monkeypatch.setattr(health, "celery_app", away)
    assert client.get("/readyz").json()["parts"]["broker"] != "ok"


def test_only_reading_is_answered(client: Client) -> None:
    assert client.post("/readyz").status_code == 405
