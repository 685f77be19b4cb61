"""Fixtures for every room: the database as the application role, and a browser where there is one."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import TransactionTestCase, override_settings
from hypothesis import settings

from tests.cast import keep_casts
from tests.databases import Kept, cloned_database
from tests.services import reachable_folder

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_BROWSER = "NO CHROMIUM FOUND: browser tests did not run; install the package chromium"

# How long an example takes says how busy the machine is, and nothing of the code.
settings.register_profile("greywind", deadline=None)
settings.load_profile("greywind")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with what takes seconds, so that at the end no process waits for another one's long test.

    The order within is left as it was drawn.
    """
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session")
def worker_name(request: pytest.FixtureRequest) -> str:
    """`gw0`, `gw1` … under pytest-xdist, else `main`."""
    told = getattr(request.config, "workerinput", None)
    return str(told["workerid"]) if told else "main"


@pytest.fixture(scope="session", autouse=True)
def quick_passwords(django_test_environment: None) -> Iterator[None]:
    """Hash passwords in microseconds: at full strength they were a fifth of the suite's time."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: pytest.FixtureRequest, worker_name: str
) -> Iterator[None]:
    """A migrated copy for this process. Django's own way would need a role that may create databases."""
    with django_db_blocker.unblock(), cloned_database(worker_name) as database:
        shipped = Kept(database)
        keep_casts(database)
        shipped.restore()
        with pytest.MonkeyPatch.context() as patch:
            # Django's flush runs as the application role, which may truncate nothing.
            patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _self: shipped.restore())
            yield


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that the account of the embedded services can enter; pytest's own are closed to it."""
    folder = reachable_folder()
    yield folder
    shutil.rmtree(folder)


def find_chromium() -> Path | None:
    """The installed Chromium, or None."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    return Path(found) if found else None


@pytest.fixture(scope="session")
def chromium() -> Path:
    """Path of an installed Chromium; skips, and the summary says so in a line of its own, where there is none."""
    found = find_chromium()
    if found is None:
        pytest.skip(NO_BROWSER)
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say aloud that browser tests were left out."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any(NO_BROWSER in str(report.longrepr) for report in skipped):
        terminalreporter.write_sep("!", NO_BROWSER, yellow=True, bold=True)
