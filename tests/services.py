"""pytest plugin: PostgreSQL and Valkey for the tests, started before Django reads its settings.

An outside database (DATABASE_URL and DATABASE_OWNER_URL) is used instead where it is given; it needs the
template database gw_template, as greywind_site/embedded/roles.sql describes.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from greywind_site.embedded.account import service_account
from greywind_site.embedded.catalogues import compile_catalogues
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import Instance
from greywind_site.embedded.lock import try_lock
from greywind_site.embedded.services import FileSink, Services
from greywind_site.embedded.supervisor import Supervisor

RUNNING = pytest.StashKey[ExitStack]()
# Each process of the suite holds few connections, so that many of them fit into one server.
TEST_SETTINGS = {
    "GREYWIND_POOL_MIN": "0",
    "GREYWIND_POOL_MAX": "6",
    # A real model costs seconds and tens of megabytes in each process; those few tests that mean one name it.
    "GREYWIND_EMBEDDINGS__MODELS": '["hashed-terms"]',
    "GREYWIND_EMBEDDINGS__WAKE": "false",
}


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """A wrapper runs before every plain implementation, and so before pytest-django loads the settings."""
    if not os.environ.get("GREYWIND_TEST_SERVICES"):  # set for the processes of pytest-xdist
        early_config.stash[RUNNING] = _start()
    yield


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what this process started."""
    running = config.stash.get(RUNNING, None)
    if running is not None:
        running.close()
        os.environ.pop("GREYWIND_TEST_SERVICES", None)


def _start() -> ExitStack:
    stack = ExitStack()
    compile_catalogues()
    os.environ.update({name: os.environ.get(name, value) for name, value in TEST_SETTINGS.items()})
    if not os.environ.get("DATABASE_URL"):
        _start_embedded(stack)
    os.environ["GREYWIND_TEST_SERVICES"] = "1"
    return stack


def _start_embedded(stack: ExitStack) -> None:
    folder = reachable_folder()
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    instance = Instance(folder)
    instance.prepare()
    os.environ["GREYWIND_DATA"] = str(folder)
    lock = try_lock(folder, command="test")
    if lock is None:
        raise EmbeddedFault(f"{folder} was just made and is already held")
    stack.callback(lock.release)
    supervisor = stack.enter_context(Supervisor(sink=FileSink(folder / "services.log")))
    services = Services(instance, supervisor, lock, fast=True)
    services.start_postgres()
    services.start_valkey()


def reachable_folder() -> Path:
    """A fresh folder that the account of the services can enter."""
    account = service_account()
    places = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]  # noqa: S108 - mkdtemp picks the name
    place = next((place for place in places if place.is_dir() and account.reaches(place)), places[0])
    folder = Path(tempfile.mkdtemp(prefix="greywind-test-", dir=place))
    folder.chmod(0o711 if account.switches else 0o700)
    return folder
