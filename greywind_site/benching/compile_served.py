"""The site as it is served, by the same server as `up` starts, on the database that this process points at."""

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from django.conf import settings
from django.db import connections
from psycopg.conninfo import make_conninfo

from greywind_site.benching.calls import BenchmarkFault, Server
from greywind_site.config import SECRETS
from greywind_site.embedded import valkey
from greywind_site.embedded.instance import CHECKOUT
from greywind_site.embedded.processes import Program
from greywind_site.embedded.supervisor import Supervisor
from greywind_site.embedded.up import HOST, web_command

READY_SECONDS = 60


@contextmanager
def served() -> Iterator[str]:
    """Serve within the block, in a process of its own, and give the address. Raises EmbeddedFault if it cannot start.

    Its log goes nowhere, but it is written: that is part of what an answer costs.
    """
    with Supervisor(sink=_nowhere) as supervisor:
        _start_broker(supervisor)
        port = _free_port()
        supervisor.start(Program("web", web_command(port), environment=_environment(), folder=CHECKOUT))
        url = f"http://{HOST}:{port}"
        supervisor.until(lambda: _is_ready(url), what="web", seconds=READY_SECONDS, pace=0.1)
        yield url


def _start_broker(supervisor: Supervisor) -> None:
    """Start the embedded broker where nobody runs it: the probe asks it too."""
    config = settings.GREYWIND
    if config.celery_broker_url is None and not valkey.answers(config.instance):
        supervisor.start(valkey.server(config.instance, config.instance.prepare()))
        supervisor.until(lambda: valkey.answers(config.instance), what="valkey", seconds=30)


def _environment() -> Mapping[str, str]:
    config = settings.GREYWIND
    here = config.app_database() | {"dbname": str(connections["default"].settings_dict["NAME"])}
    told = {f"GREYWIND_{name.upper()}": getattr(config, name).get_secret_value() for name in SECRETS}
    without = {name: value for name, value in os.environ.items() if name != "DATABASE_OWNER_URL"}
    more = {"DATABASE_URL": make_conninfo(**here), "CELERY_BROKER_URL": config.broker(), "GREYWIND_SUPERVISED": "1"}
    return without | told | more | {"DJANGO_SETTINGS_MODULE": "greywind_site.settings"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _is_ready(url: str) -> bool:
    with closing(Server(url, "")) as server:
        try:
            server.ready()
        except BenchmarkFault:
            return False
    return True


def _nowhere(_line: str) -> None:
    """Forget a line of the log."""
