"""The story of `manage.py up`: every part in its order, one line each, then watching until asked to stop."""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from signal import SIGQUIT

from greywind_site.config import Config
from greywind_site.embedded.catalogues import compile_catalogues
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import APP, CHECKOUT
from greywind_site.embedded.kept_errors import KeepingErrors
from greywind_site.embedded.lock import FolderLock, holder, try_lock
from greywind_site.embedded.port import refuse_taken_port
from greywind_site.embedded.processes import Program, to_stderr
from greywind_site.embedded.running import announced
from greywind_site.embedded.services import Services
from greywind_site.embedded.supervisor import Stopped, Supervisor
from greywind_site.mcp.address import PATH as MCP_PATH

HOST = "127.0.0.1"
# Several web processes would each import everything for one person's machine; threads carry the waiting.
WEB_THREADS = 8
COMMAND_SECONDS = 60.0
CELERY_APP = "greywind_site.celery"


@dataclass(frozen=True)
class Options:
    """What the person asked for."""

    port: int
    demo: bool
    as_json: bool


@dataclass(frozen=True)
class Address:
    """What `up` prints; the names are a contract. Demo fields are None without the demo."""

    url: str
    project_id: str | None
    agent_key: str | None
    console_user: str | None
    console_password: str | None
    data_dir: str
    database_url: str


def bring_up(config: Config, options: Options, *, check_role: Callable[[], None]) -> None:
    """Start everything, print the address, and watch until a stop signal. Raises EmbeddedFault when a part fails
    that is not started again, or fails too often.
    """
    lock = _lock(config)
    sink = KeepingErrors(config.instance.folder)
    with Supervisor(sink=sink) as supervisor, supervisor.obeying_signals():
        start = Start(config, options, supervisor, lock)
        try:
            start.services()
            start.database(check_role)
            credentials = start.demo()
            start.processes()
        except Stopped:
            return
        address = start.address(credentials)
        with announced(config.instance.folder, url=address.url, port=options.port, processes=supervisor.pids()) as tell:
            _print(address, as_json=options.as_json)
            supervisor.watch(changed=lambda: tell(supervisor.pids(), supervisor.restarts.counts))
    lock.release()


class Start:
    """The steps of one start."""

    def __init__(self, config: Config, options: Options, supervisor: Supervisor, lock: FolderLock) -> None:
        self.config, self.options, self.supervisor, self.lock = config, options, supervisor, lock

    def services(self) -> None:
        """Port, PostgreSQL and Valkey."""
        refuse_taken_port(HOST, self.options.port)
        services = Services(self.config.instance, self.supervisor, self.lock)
        if self.config.embedded:
            with _step("PostgreSQL"):
                services.start_postgres()
        if self.config.celery_broker_url is None:
            with _step("Valkey"):
                services.start_valkey()

    def database(self, check_role: Callable[[], None]) -> None:
        """Migrations by the owner, then a look at what the application role may do."""
        if self.config.owner_database() is not None:
            with _step("migrations"):
                self._manage("migrate", "--database", "owner", "--verbosity", "0")
        with _step("database role"):
            check_role()
        with _step("message catalogues"):
            compile_catalogues()

    def demo(self) -> Mapping[str, str]:
        """The demo project's credentials, the same on every start; empty without the demo."""
        if not self.options.demo:
            return {}
        if find_spec("greywind_site.demo") is None:
            to_stderr("this checkout has no demo project; starting without one")
            return {}
        with _step("demo project"):
            told: dict[str, str] = json.loads(self._manage("seed_demo")[-1])
            return told

    def processes(self) -> None:
        """Worker, beat, MCP and web; returns when /readyz says 200 and /mcp answers."""
        with _step("worker"):
            self._start("worker", worker_command())
        with _step("beat"):
            self._start("beat", beat_command(self.config.instance.folder))
        with _step("web"):
            self._start("mcp", [sys.executable, "-m", "greywind_site.mcp"])
            self._start("web", web_command(self.options.port))
            self.supervisor.until(self._is_ready, what="web", seconds=60, pace=0.25)
        with _step("mcp"):
            self.supervisor.until(self._mcp_answers, what="mcp", seconds=60, pace=0.25)

    def address(self, credentials: Mapping[str, str]) -> Address:
        """What is printed at the end."""
        url = self.config.database_url
        database = url.get_secret_value() if url else self.config.instance.database_url(APP)
        names = ("project_id", "agent_key", "console_user", "console_password")
        return Address(
            url=f"http://{HOST}:{self.options.port}",
            data_dir=str(self.config.instance.folder),
            database_url=database,
            **{name: credentials.get(name) for name in names},
        )

    def _start(self, name: str, command: list[str]) -> None:
        """Start a part that keeps nothing itself; PostgreSQL and Valkey do, and are never started again."""
        self.supervisor.start(replace(self._program(name, command), again=True))

    def _manage(self, *words: str) -> list[str]:
        return self.supervisor.run(self._program(words[0], [sys.executable, str(CHECKOUT / "manage.py"), *words]))

    def _program(self, name: str, command: list[str]) -> Program:
        environment = os.environ | {
            "GREYWIND_SUPERVISED": "1",
            "GREYWIND_DATA": str(self.config.instance.folder),
            "DJANGO_SETTINGS_MODULE": "greywind_site.settings",
            "PYTHONUNBUFFERED": "1",
        }
        # SIGQUIT: without us nobody waits for a polite end, and every task may be cut at any line.
        orphaned = SIGQUIT if name == "worker" else None
        heirloom = (self.lock.heirloom,)
        return Program(name, command, orphaned=orphaned, environment=environment, folder=CHECKOUT, inherit=heirloom)

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self.options.port}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _mcp_answers(self) -> bool:
        asked = urllib.request.Request(f"http://{HOST}:{self.options.port}{MCP_PATH}", method="POST")
        try:
            with urllib.request.urlopen(asked, timeout=5) as answer:
                return bool(answer.status == 200)
        except urllib.error.HTTPError as error:
            # It asks for a key: the door is open.
            return error.code == HTTPStatus.UNAUTHORIZED
        except (urllib.error.URLError, OSError):
            return False


def worker_command(app: str = CELERY_APP) -> list[str]:
    """A worker, for the Celery app that a module holds."""
    return [*_celery(app), "worker", "--pool", "threads", "--concurrency", "4", "--without-gossip", "--without-mingle"]


def beat_command(folder: Path) -> list[str]:
    """The beat, which keeps its schedule in a folder."""
    return [*_celery(CELERY_APP), "beat", "--schedule", str(folder / "beat-schedule"), "--pidfile="]


def _celery(app: str) -> list[str]:
    return [sys.executable, "-m", "celery", "--app", app, "--quiet"]


def web_command(port: int) -> list[str]:
    """The web server on a port of this machine."""
    web = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", HOST, "--port", str(port)]
    web += ["--workers", "1", "--blocking-threads", str(WEB_THREADS), "--no-ws", "--http", "1"]
    return [*web, "greywind_site.wsgi:application"]


def _lock(config: Config) -> FolderLock:
    """The folder's lock; waits for a command that is at work there, never for another `up`."""
    config.instance.prepare()
    folder, deadline, told = config.instance.folder, time.monotonic() + COMMAND_SECONDS, False
    while (lock := try_lock(folder, command="up")) is None:
        other = holder(folder)
        who = f"process {other.pid} ({other.command})" if other else "another process"
        if (other and other.command == "up") or time.monotonic() > deadline:
            remedy = "Stop it, or name another folder with --data and --port."
            raise EmbeddedFault(f"{who} already runs on {folder}. {remedy}")
        if not told:
            to_stderr(f"waiting for {who}, which uses {folder}")
            told = True
        time.sleep(0.1)
    return lock


@contextmanager
def _step(name: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    to_stderr(f"ready: {name} ({time.monotonic() - began:.1f} s)")


def _print(address: Address, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(address)), flush=True)
        return
    lines = [f"GreyWind runs at {address.url} (data in {address.data_dir}). Ctrl-C stops it."]
    if address.agent_key:
        lines += [f"  project    {address.project_id}", f"  agent key  {address.agent_key}"]
        lines += [f"  console    {address.console_user} / {address.console_password}"]
    lines += ["  your own   python3 manage.py project create NAME --owner USER"]
    print("\n".join(lines), flush=True)
