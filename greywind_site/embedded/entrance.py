"""What every command passes before Django is loaded: the data folder, and PostgreSQL when nobody runs it yet."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from greywind_site.config import ConfigError, data_folder
from greywind_site.embedded import postgres
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import Instance
from greywind_site.embedded.lock import FolderLock, holder, try_lock
from greywind_site.embedded.processes import to_stderr
from greywind_site.embedded.running import running
from greywind_site.embedded.services import FileSink, Services
from greywind_site.embedded.supervisor import Stopped, Supervisor
from greywind_site.quality import lint, test

# These need no database, or bring up their own. `up` only needs its folder and secrets before settings load.
WITHOUT_DATABASE = frozenset(
    {
        "help",
        "version",
        "test",
        "lint",
        "makemigrations",
        "makemessages",
        "compilemessages",
        "bench_summary",
        "compile_hunt",
    }
)
# With one of these a command only says how it is used, on a machine where nothing was started yet as well.
ASKS_HOW = frozenset({"-h", "--help"})
# These are asked what the state of migrations is, or change it themselves.
ABOUT_MIGRATIONS = frozenset({"migrate", "showmigrations", "sqlmigrate", "dbshell"})
# These tell how things are, and leave them as they are.
LOOKS_ONLY = frozenset({"status", "doctor"})
PATIENCE_SECONDS = 120.0
INTERRUPTED = 130


def run(argv: list[str]) -> None:
    """Run one management command; faults that the person can put right end with a sentence and exit code 2."""
    try:
        argv = take_data_option(argv)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "greywind_site.settings")
        command = argv[1] if len(argv) > 1 else "help"
        # Before Django is loaded: a tree that does not import must still be told what is wrong with it.
        if command == "lint":
            sys.exit(lint())
        if command == "test":
            test(argv[2:])
        with services_for("help" if ASKS_HOW & set(argv[2:]) else command):
            from django.core.management import execute_from_command_line

            execute_from_command_line(argv)
    except (EmbeddedFault, ConfigError) as fault:
        to_stderr(f"greywind: {fault}")
        sys.exit(2)
    except (KeyboardInterrupt, Stopped):
        sys.exit(INTERRUPTED)


def take_data_option(argv: list[str]) -> list[str]:
    """Strip `--data DIR` or `--data=DIR` and pass it on as GREYWIND_DATA, to us and to every child."""
    rest, words = [], iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if name != "--data":
            rest.append(word)
            continue
        folder = value if equals else next(words, "")
        if not folder:
            raise EmbeddedFault("--data needs a folder: --data DIR")
        os.environ["GREYWIND_DATA"] = str(Path(folder).expanduser().resolve())
    return rest


@contextmanager
def services_for(command: str) -> Iterator[None]:
    """Around one command: the database that it will use is there."""
    outside = os.environ.get("DATABASE_URL") or os.environ.get("GREYWIND_SUPERVISED")
    if outside or command in WITHOUT_DATABASE or command.startswith("-"):
        yield
        return
    instance = Instance(data_folder(os.environ))
    os.environ["GREYWIND_DATA"] = str(instance.folder)
    if command in LOOKS_ONLY and not instance.secrets_file.exists():
        raise EmbeddedFault(f"nothing was started in {instance.folder} yet; start it with: python3 manage.py up")
    instance.prepare()
    if command == "up":
        yield
        return
    with joined(instance, command=command):
        yield


@contextmanager
def joined(instance: Instance, *, command: str) -> Iterator[None]:
    """Use the PostgreSQL of a running `up`, else run one for the block's lifetime."""
    lock = _lock_or_running(instance, command=command)
    if lock is None:
        yield
        return
    with Supervisor(sink=FileSink(instance.folder / "services.log")) as supervisor:
        Services(instance, supervisor, lock).start_postgres()
        if command not in ABOUT_MIGRATIONS | LOOKS_ONLY:
            _migrate()
        yield


def _lock_or_running(instance: Instance, *, command: str) -> FolderLock | None:
    """The folder's lock, or None once a running `up` answers. Waits for other commands to end."""
    deadline, told = time.monotonic() + PATIENCE_SECONDS, False
    while time.monotonic() < deadline:
        lock = try_lock(instance.folder, command=command)
        if lock is not None:
            return lock
        other = holder(instance.folder)
        # `up` migrates and makes the demo before it is ready: until then most commands would find half of it.
        if other and other.command == "up" and _is_enough(instance, command):
            return None
        if other and not told:
            to_stderr(f"waiting for process {other.pid} ({other.command}), which uses {instance.folder}")
            told = True
        time.sleep(0.1)
    who = f"process {other.pid} ({other.command})" if other else "another process"
    raise EmbeddedFault(f"{who} holds {instance.folder} and did not get ready or end; stop it and try again")


def _is_enough(instance: Instance, command: str) -> bool:
    return running(instance.folder) is not None or (command in LOOKS_ONLY and postgres.answers(instance))


def _migrate() -> None:
    """Apply what an earlier start left undone, or an older checkout did not have; nothing when all is applied."""
    import django
    from django.core.management import call_command
    from django.db import connections
    from django.db.migrations.executor import MigrationExecutor

    django.setup()
    executor = MigrationExecutor(connections["owner"])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", database="owner", verbosity=0)
