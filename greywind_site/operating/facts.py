"""What can be seen of an instance from outside its processes. Whatever does not answer is None, never a crash."""

import json
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

import structlog
from django.conf import settings
from django.db import Error, connection, connections
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from greywind_site.celery import app as celery_app
from greywind_site.embedded.instance import CHECKOUT
from greywind_site.embedded.kept_errors import recent_errors
from greywind_site.embedded.running import Running, running
from greywind_site.health import missing_migrations
from greywind_site.operating.erasing import OWNER, has_owner
from greywind_site.operating.vectors import vector_facts

log = structlog.get_logger("greywind.operating")
QUEUE = "celery"
PATIENCE_SECONDS = 2.0
COUNTS: Mapping[str, str] = {
    "projects": "governance_project",
    "threads": "threads_thread",
    "packets": "agent_sessions_contextpacket",
    "accounts": "governance_user",
}


def version() -> str:
    """Return the project's version, as pyproject.toml has it."""
    told = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(told["project"]["version"])


def running_here() -> Running | None:
    """Return the `up` that is ready on the data folder."""
    return running(settings.GREYWIND.instance.folder)


def web_says(url: str) -> Mapping[str, str] | None:
    """Return what /readyz says of each part, or None when nobody answers there."""
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:  # noqa: S310 - our own loopback address
            parts: Mapping[str, str] = json.load(answer)["parts"]
    except urllib.error.HTTPError as refusal:
        with refusal:
            return _parts(refusal.read())
    except (OSError, ValueError, KeyError):
        return None
    return parts


def database_facts() -> dict[str, Any]:
    """Return the server's version, the database's size in bytes, and how many migrations are not applied."""
    return {
        "server": _asked("server", lambda: _value("SHOW server_version")),
        "bytes": _asked("size", lambda: _value("SELECT pg_database_size(current_database())")),
        "migrations_missing": _asked("migrations", lambda: len(missing_migrations())),
    }


def counts() -> dict[str, int | None]:
    """Return how much there is in all projects together, by the owner role; None for what it cannot tell."""
    return {name: _asked(name, partial(_count, table)) for name, table in COUNTS.items()}


def last_consolidation() -> str | None:
    """Return when memories were put in order last in any project (ISO 8601), by the owner role; None: not yet, or it
    cannot tell.
    """
    return _asked("consolidation", _consolidated_at)


def vectors() -> dict[str, Any] | None:
    """Return by model how many vectors of passages are ready, waited for and given up; None where it cannot tell."""
    return _asked("vectors", vector_facts)


def worker_facts() -> dict[str, Any]:
    """Return whether the broker answers, how many tasks wait, and the workers that answer a ping."""
    waiting = _asked("queue", _waiting)
    answers = None if waiting is None else _asked("worker", lambda: celery_app.control.ping(timeout=PATIENCE_SECONDS))
    return {
        "broker": waiting is not None,
        "waiting": waiting,
        "workers": sorted(name for row in answers or [] for name in row),
    }


def errors_kept() -> list[str]:
    """Return the newest errors that `up` saw its parts log, oldest first. Log lines hold no content."""
    return recent_errors(settings.GREYWIND.instance.folder)


def _parts(body: bytes) -> Mapping[str, str] | None:
    try:
        parts: Mapping[str, str] = json.loads(body)["parts"]
    except (ValueError, KeyError):
        return None
    return parts


def _asked[T](what: str, question: Callable[[], T]) -> T | None:
    try:
        return question()
    except (Error, OSError, KombuError, RedisError) as fault:
        log.debug("not_told", what=what, cause=type(fault).__name__)
        return None


def _value(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def _count(table: str) -> int | None:
    if not has_owner():
        return None
    with connections[OWNER].cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")  # noqa: S608 - one of the literals above
        return int(cursor.fetchone()[0])


def _consolidated_at() -> str | None:
    if not has_owner():
        return None
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT max(ran_at) FROM memories_consolidation")
        at = cursor.fetchone()[0]
        return at.isoformat() if at else None


def _waiting() -> int:
    with closing(celery_app.connection_for_read(connect_timeout=PATIENCE_SECONDS)) as link:
        return int(link.default_channel.client.llen(QUEUE))
