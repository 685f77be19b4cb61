"""Waking workers. What must be done stands in rows: a bell that nobody hears loses nothing."""

from collections.abc import Callable
from threading import Lock, Timer

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

GATHERING_SECONDS = 0.3  # what is asked for meanwhile is done by the same run
log = structlog.get_logger("greywind.waking")


class Bell:
    """Sends a task a moment after the first of many wishes, from a thread of its own: no request waits for a broker."""

    def __init__(self, task: str) -> None:
        self.task = task
        self._turn = Lock()
        self._waiting = False

    def ring(self) -> None:
        """Wake a worker once the open transaction is committed."""
        transaction.on_commit(self._wish)

    def _wish(self) -> None:
        with self._turn:
            if self._waiting:
                return
            self._waiting = True
        timer = Timer(GATHERING_SECONDS, self._send)
        timer.daemon = True
        timer.start()

    def _send(self) -> None:
        with self._turn:
            self._waiting = False
        try:
            current_app.send_task(self.task, expires=60, retry=False, ignore_result=True)
        except (KombuError, RedisError, OSError) as fault:
            log.warning("nobody_woken", task=self.task, cause=type(fault).__name__)


class OneAtATime[T]:
    """One run in this process: more would only share its processor. Who comes meanwhile asks for one more round."""

    def __init__(self) -> None:
        self._running, self._again = Lock(), False

    def run(self, work: Callable[[], T]) -> list[T]:
        """Run `work` now, and again for whoever asked meanwhile; returns what the rounds gave, none elsewhere."""
        rounds: list[T] = []
        self._again = True
        while self._again and self._running.acquire(blocking=False):
            try:
                self._again = False
                rounds.append(work())
            finally:
                self._running.release()
        return rounds
