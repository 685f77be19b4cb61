"""A broker, a worker and a beat of a hunt's own, beside the database that it hunts in."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from redis import Redis

from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import CHECKOUT, Instance
from greywind_site.embedded.lock import try_lock
from greywind_site.embedded.processes import Child, Program
from greywind_site.embedded.services import FileSink, Services
from greywind_site.embedded.supervisor import Supervisor
from greywind_site.embedded.up import beat_command, worker_command
from greywind_site.hunting.outage.trades import DATABASE
from greywind_site.hunting.outage.wishes import Plan

LOG = "hunt.log"


class Site:
    """The processes around one database. Its broker is nobody else's, and may be stopped at will."""

    def __init__(self, services: Services, database: str) -> None:
        self.services, self.supervisor, self.instance = services, services.supervisor, services.instance
        self.database = database
        self.start_broker()
        self.start_worker()
        self._start("beat", beat_command(self.instance.folder))

    def start_broker(self) -> None:
        """Start the broker, with whatever it had kept."""
        self.services.start_valkey()
        self.broker = self.supervisor.children[-1]

    def start_worker(self) -> None:
        """Start a worker, which may take a few seconds until it listens."""
        self.worker = self._start("worker", worker_command("greywind_site.hunting.outage.worker"))

    def flush(self) -> None:
        """Let the broker forget every message and every binding."""
        stored = self.instance.prepare()
        with Redis(unix_socket_path=str(self.instance.valkey_socket), password=stored.valkey_password) as link:
            link.flushall()

    def kill(self, child: Child) -> None:
        """End a process as a power cut would."""
        self.supervisor.children.remove(child)
        child.process.kill()
        child.process.wait()
        child.drain()

    def caller(self, plan: Plan) -> Child:
        """Start a process that asks for work; what it tells is in its lines."""
        command = [sys.executable, "-m", "greywind_site.hunting.outage.caller", json.dumps(asdict(plan))]
        return Child(self._program(plan.name, command), sink=self.supervisor.sink, capture=True)

    def _start(self, name: str, command: list[str]) -> Child:
        return self.supervisor.start(self._program(name, command))

    def _program(self, name: str, command: list[str]) -> Program:
        told = {"CELERY_BROKER_URL": self.instance.broker_url(), DATABASE: self.database}
        told |= {"DJANGO_SETTINGS_MODULE": "greywind_site.settings", "GREYWIND_LOG_LEVEL": "ERROR"}
        return Program(name, command, environment=os.environ | told, folder=CHECKOUT)


@contextmanager
def site_of(database: str) -> Iterator[Site]:
    """Run a broker, a worker and a beat for that database, and stop them at the end of the block."""
    folder = Path(tempfile.gettempdir()) / f"greywind-outage-{os.getpid()}"
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        instance = Instance(folder)
        instance.prepare()
        lock = try_lock(folder, command="outage_hunt")
        if lock is None:
            raise EmbeddedFault(f"{folder} is in use; end what uses it")
        stack.callback(lock.release)
        supervisor = stack.enter_context(Supervisor(sink=FileSink(folder / LOG)))
        yield Site(Services(instance, supervisor, lock, fast=True), database)
