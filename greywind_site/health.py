"""Is the process alive, and can it do its work now? Each part is asked anew on every call."""

from collections.abc import Callable
from functools import cache

import structlog
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from greywind_site.celery import app as celery_app
from sessions.context.tokens import FILES, load_encoding

log = structlog.get_logger("greywind.health")
PROBE_TEXT = "ready 就绪"


class NotReady(Exception):
    """A part does not do its work; the message is fit for the outside and quotes no data."""


@never_cache
@require_safe
def healthz(_request: HttpRequest) -> JsonResponse:
    """200 while the process can answer at all; asks nothing else, so that a slow database restarts nobody."""
    return JsonResponse({"status": "alive"})


@never_cache
@require_safe
def readyz(_request: HttpRequest) -> JsonResponse:
    """200 when every part answers, else 503; `parts` says "ok" or what is wrong with each."""
    parts = {name: _ask(name, check) for name, check in PARTS.items()}
    ready = all(said == "ok" for said in parts.values())
    return JsonResponse({"status": "ready" if ready else "not_ready", "parts": parts}, status=200 if ready else 503)


def _ask(name: str, check: Callable[[], None]) -> str:
    try:
        check()
    except NotReady as fault:
        return str(fault)
    except Exception as fault:  # any failure of a part is the answer, and it is logged
        log.warning("not_ready", part=name, exc_info=fault)
        return f"does not answer ({type(fault).__name__})"
    return "ok"


def check_database() -> None:
    """The application role gets an answer."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()


def check_migrations() -> None:
    """Every migration that this code ships is applied."""
    missing = missing_migrations()
    if missing:
        raise NotReady(f"{len(missing)} migrations are not applied; run manage.py migrate")


def missing_migrations() -> frozenset[tuple[str, str]]:
    """Return app and name of each shipped migration that is not applied."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('public.django_migrations') IS NOT NULL")
        if not cursor.fetchone()[0]:
            return _shipped_migrations()  # the very first start was cut short
        cursor.execute("SELECT app, name FROM django_migrations")
        return _shipped_migrations() - frozenset(cursor.fetchall())


def check_broker() -> None:
    """The broker answers a ping."""
    with celery_app.pool.acquire(block=True, timeout=2) as link:
        link.default_channel.client.ping()


def check_vocabularies() -> None:
    """The shipped token vocabularies load and count."""
    for encoding in FILES:
        if not load_encoding(encoding).encode_ordinary(PROBE_TEXT):
            raise NotReady(f"the vocabulary {encoding} counts nothing")


@cache
def _shipped_migrations() -> frozenset[tuple[str, str]]:
    """The files cannot change under a running process, so they are listed once."""
    return frozenset(MigrationLoader(None).disk_migrations or {})


PARTS: dict[str, Callable[[], None]] = {
    "database": check_database,
    "migrations": check_migrations,
    "broker": check_broker,
    "vocabularies": check_vocabularies,
}
