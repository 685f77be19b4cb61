"""Waking whoever makes vectors. What must be done stands in rows: a bell that nobody hears loses nothing."""

from threading import Lock, Timer

import structlog
from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

TASK = "memories.embed_passages"
GATHERING_SECONDS = 0.3  # what is written meanwhile is embedded together
log = structlog.get_logger("greywind.embeddings")


class _Bell:
    """Rings a moment after the first of many wishes, from a thread of its own: no request waits for the broker."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._waiting = False

    def wish(self) -> None:
        with self._turn:
            if self._waiting:
                return
            self._waiting = True
        timer = Timer(GATHERING_SECONDS, self.ring)
        timer.daemon = True
        timer.start()

    def ring(self) -> None:
        with self._turn:
            self._waiting = False
        try:
            current_app.send_task(TASK, expires=60, retry=False, ignore_result=True)
        except (KombuError, RedisError, OSError) as fault:
            log.warning("nobody_woken", task=TASK, cause=type(fault).__name__)


_bell = _Bell()


def ring() -> None:
    """Wake a worker once the open transaction is committed."""
    if settings.GREYWIND.embeddings.wake:
        transaction.on_commit(_bell.wish)
