"""The Celery app. The broker only wakes workers: what must be done stands as rows in the database."""

import os
import time
from threading import Thread
from typing import Any

import structlog
from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "greywind_site.settings")

from django.conf import settings

TRACE_HEADER = "greywind_trace_id"
# A worker is woken by whoever asks for work. Between two rounds it finds by itself what nobody heard, what was asked
# for while the broker was away, and what a dead worker held; with nothing due a round is one cheap question.
ROUND_SECONDS = 10.0
log = structlog.get_logger("greywind.jobs")
ANCHOR_FILE = settings.GREYWIND.anchor_file

app = Celery("greywind_site")
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    broker_transport_options={"visibility_timeout": 3600, "socket_timeout": 10, "socket_connect_timeout": 5},
    broker_connection_retry_on_startup=True,
    timezone="UTC",
    enable_utc=True,
    # A worker may be killed at any line: a message is done when its task is.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    beat_schedule={
        # Rarely due and cheap: a provisional thread is swept a day after it was made.
        "sweep-provisional-threads": {"task": "threads.sweep_provisional", "schedule": 600.0},
        # A proposal waits for weeks, so an hour more is nothing.
        "sweep-expired-proposals": {"task": "governance.sweep_proposals", "schedule": 3600.0},
        # Kept for days, so an hour more is nothing.
        "forget-old-answers": {"task": "governance.forget_old_answers", "schedule": 3600.0},
        # A process that dies in the middle of a turn says nothing; its lease is ten minutes.
        "sweep-crashed-attempts": {"task": "sessions.sweep_crashed", "schedule": 60.0, "options": {"expires": 60}},
        "sweep-quiet-sessions": {"task": "sessions.sweep_quiet", "schedule": 300.0},
        # Left for a day or a month, so an hour more is nothing.
        "sweep-stuck-sessions": {"task": "sessions.sweep_stuck", "schedule": 3600.0},
        # Closed for weeks, so an hour more is nothing.
        "sweep-sealed-transcripts": {"task": "sessions.sweep_sealed", "schedule": 3600.0},
        # After an upgrade there may be many, a hundred at a time; afterwards there is none.
        "hear-back-sessions": {"task": "sessions.hear_back", "schedule": 600.0},
        # What is new waits in rows that are marked so; with nothing new it is one cheap question.
        "consolidate-memories": {"task": "site.consolidate_memories", "schedule": 300.0},
        # A worker is woken by whoever stores a passage; this finds what was stored while nobody heard it.
        "embed-passages": {"task": "memories.embed_passages", "schedule": 10.0, "options": {"expires": 10}},
        # A model or version that is new, or vectors that were lost: a look at every passage, so not often.
        "ask-for-lacking-vectors": {"task": "memories.ask_for_lacking_vectors", "schedule": 600.0},
        # One look at an index; a search of a large scope weighs rare words by the figures of the last count.
        "keep-search-index": {"task": "memories.keep_search_index", "schedule": 300.0},
        **({"anchor-ledgers": {"task": "site.anchor_ledgers", "schedule": 86_400.0}} if ANCHOR_FILE else {}),
    },
)
app.autodiscover_tasks()


def keep_our_logging(**_: Any) -> None:
    """Being connected is enough: Celery then leaves the logging of settings alone."""


def send_trace(headers: dict[str, Any], **_: Any) -> None:
    """The task's log lines and ledger rows carry the trace of the request that asked for it."""
    trace = structlog.contextvars.get_contextvars().get("trace_id")
    if trace:
        headers[TRACE_HEADER] = trace


def bind_trace(task_id: str, task: Any, **_: Any) -> None:
    """Start the task's log context from the header, or from its own id."""
    structlog.contextvars.clear_contextvars()
    trace = (task.request.headers or {}).get(TRACE_HEADER) or getattr(task.request, TRACE_HEADER, None)
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id, trace_id=trace)


def patrol(**_: Any) -> None:
    """Look after what waits as rows for as long as this worker lives, whether its broker is there or not."""
    Thread(target=_walk_rounds, name="patrol", daemon=True).start()


def _walk_rounds() -> None:
    while True:
        time.sleep(ROUND_SECONDS)
        walk_round()


def walk_round() -> None:
    """Do what is due, and say in the log where that failed: whatever one round meets, the next one comes."""
    from django.db import connection

    from governance.tasks import do_jobs

    try:
        do_jobs()
    except Exception as fault:  # noqa: BLE001 - nobody would start the thread anew
        log.warning("round_left_out", cause=type(fault).__name__)
    finally:
        connection.close()


def refuse_unfit_role(**_: Any) -> None:
    """A worker does not start with a role that could pass row-level security."""
    from django.db import connection

    from greywind_site.checks import refuse_over_privileged

    try:
        refuse_over_privileged(connection)
    finally:
        connection.close()


signals.setup_logging.connect(keep_our_logging, weak=False)
signals.before_task_publish.connect(send_trace, weak=False)
signals.task_prerun.connect(bind_trace, weak=False)
signals.worker_init.connect(refuse_unfit_role, weak=False)
signals.worker_init.connect(patrol, weak=False)
