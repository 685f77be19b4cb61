"""What the tests of thread and task pages keep doing."""

import re
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from governance.models import AuditEvent
from governance.scope import project_scope
from tests.api.asking import api_of, make_thread, ok
from tests.cast import Cast
from tests.site.console_cast import page_of

CONTROL = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SELECT set_config")


def at(cast: Cast, *parts: str) -> str:
    """Address of a page below the project's: the last part is without a slash where it names a form."""
    return page_of(cast) + "/".join(parts)


def thread_at(cast: Cast, thread: str, form: str = "") -> str:
    """Address of a thread's page, or of one of its forms."""
    return at(cast, "threads", thread, form)


def task_at(cast: Cast, task: str, form: str = "") -> str:
    """Address of a task's page, or of one of its buttons."""
    return at(cast, "tasks", task, form)


def make_task(cast: Cast, thread: str, title: str = "lexer", **more: Any) -> str:
    """Make a task over the API and return its id."""
    return str(ok(api_of(cast.dev).post("/tasks", {"thread_id": thread, "title": title, **more}))["id"])


def task_now(cast: Cast, task: str) -> dict[str, Any]:
    """Return a task as the API shows it."""
    return ok(api_of(cast.dev).get(f"/tasks/{task}"))


def thread_now(cast: Cast, thread: str) -> dict[str, Any]:
    """Return a thread as the API shows it."""
    return ok(api_of(cast.dev).get(f"/threads/{thread}"))


def walk(cast: Cast, task: str, *states: str) -> None:
    """Move a task along its states over the API."""
    for state in states:
        ok(api_of(cast.dev).call("PATCH", f"/tasks/{task}", {"state": state}, If_Match="*"))


def ended(cast: Cast, thread: str, state: str) -> list[str]:
    """Let a thread be merged into another one, or divided into two; returns those."""
    path, reason = f"/threads/{thread}/{'merge' if state == 'merged' else 'split'}", {"reason": "told to"}
    if state == "merged":
        body = {"into_thread_id": make_thread(cast.dev, "another one")}
    else:
        body = {"parts": [{"title": name, "task_ids": [make_task(cast, thread, name)]} for name in ("one", "two")]}
    done: dict[str, Any] = ok(api_of(cast.dev).post(path, reason | body, If_Match="*"))
    return list(done["successors"])


def shown(client: Client, path: str) -> str:
    """Return a page that must be there."""
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return str(answer.content.decode())


def queries(client: Client, path: str) -> int:
    """Queries of a page, without transaction control and without finding the account by its cookie."""
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    own = [q["sql"].lstrip() for q in captured.captured_queries if "django_session" not in q["sql"]]
    return len([sql for sql in own if not sql.startswith(CONTROL)])


def next_page(client: Client, answer: Any) -> str:
    """Return the page that a form leads to; it must have done its work."""
    assert answer.status_code == 303, answer.content.decode()
    return shown(client, answer["Location"])


def told(page: str) -> str:
    """Return the sentence with which a page begins after a form."""
    found = re.search(r'class="alert told[^>]*>(.*?)</div>', page, re.DOTALL)
    assert found is not None, "nothing was told"
    return found[1].strip()


def ledger(cast: Cast, verb: str) -> list[AuditEvent]:
    """Return the project's ledger entries of one verb, oldest first."""
    with project_scope(cast.owner.acting, read_only=True):
        return list(AuditEvent.objects.filter(verb=verb).order_by("seq"))
