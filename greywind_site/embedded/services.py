"""Data folder, PostgreSQL and Valkey, brought up together under the folder's lock."""

import os
from dataclasses import dataclass
from pathlib import Path

from greywind_site.embedded import postgres, valkey
from greywind_site.embedded.instance import Instance
from greywind_site.embedded.lock import FolderLock
from greywind_site.embedded.secrets import Secrets
from greywind_site.embedded.supervisor import Supervisor


@dataclass(frozen=True)
class Services:
    """What is needed to start the services of one data folder."""

    instance: Instance
    supervisor: Supervisor
    lock: FolderLock
    fast: bool = False

    def start_postgres(self) -> bool:
        """Start PostgreSQL and make what is missing in it; True when our database was made now."""
        stored = self.instance.prepare()
        postgres.ensure_cluster(self.instance, fast=self.fast)
        self.supervisor.start(postgres.server(self.instance, fast=self.fast, inherit=(self.lock.heirloom,)))
        self.supervisor.until(lambda: postgres.answers(self.instance), what="postgres", seconds=60)
        return postgres.ensure_databases(self.instance, stored)

    def start_valkey(self) -> None:
        """Start Valkey and wait until it answers."""
        stored: Secrets = self.instance.prepare()
        self.supervisor.start(valkey.server(self.instance, stored, inherit=(self.lock.heirloom,)))
        self.supervisor.until(lambda: valkey.answers(self.instance), what="valkey", seconds=30)


class FileSink:
    """Appends each line to a file that only its owner reads."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, line: str) -> None:
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as target:
            target.write(line + "\n")
