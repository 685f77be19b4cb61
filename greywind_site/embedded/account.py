"""The operating system account that runs PostgreSQL and Valkey: ours, or `nobody` when we are root."""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from greywind_site.embedded.faults import EmbeddedFault

DROPPED_TO = "nobody"


@dataclass(frozen=True)
class Account:
    """Who runs the services; `switches` says that it is not the invoking account."""

    name: str
    uid: int
    gid: int
    switches: bool

    def popen_arguments(self) -> dict[str, Any]:
        """Keyword arguments for subprocess that start a program as this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switches else {}

    def reaches(self, path: Path) -> bool:
        """True when this account may enter the path and every folder above it."""
        if not self.switches:
            return os.access(path, os.X_OK)
        absolute = path.resolve()
        return all(self._enters(step) for step in (absolute, *absolute.parents))

    def refuse_unreachable(self, folder: Path) -> None:
        """Raise with the remedy when the folder lies below one that this account cannot enter."""
        if self.reaches(folder):
            return
        closed = next(step for step in reversed((folder, *folder.parents)) if not self._enters(step))
        raise EmbeddedFault(
            f"PostgreSQL does not run as root, so it runs as '{self.name}', and that account cannot enter {closed}. "
            "Name a reachable data folder with --data (for instance --data /var/lib/greywind), open the folder with "
            f"chmod o+x {closed}, or start as an ordinary user."
        )

    def _enters(self, folder: Path) -> bool:
        status = folder.stat()
        if status.st_uid == self.uid:
            return bool(status.st_mode & 0o100)
        if status.st_gid == self.gid:
            return bool(status.st_mode & 0o010)
        return bool(status.st_mode & 0o001)


def service_account() -> Account:
    """The account for the services; raises EmbeddedFault when the system does not know it."""
    uid = os.geteuid()
    try:
        entry = pwd.getpwnam(DROPPED_TO) if uid == 0 else pwd.getpwuid(uid)
    except KeyError as cause:
        who = f"the account '{DROPPED_TO}'" if uid == 0 else f"the user id {uid}"
        raise EmbeddedFault(
            f"{who} has no entry in the system's user database, and PostgreSQL refuses to run without one. "
            "Add the account, or use an outside database with DATABASE_URL and DATABASE_OWNER_URL."
        ) from cause
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, switches=uid == 0)
