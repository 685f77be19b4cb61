"""One data folder: where its parts lie, who runs them and how they are reached."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from greywind_site.embedded.account import Account, service_account
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.secrets import Secrets, ensure_secrets, read_secrets

DATABASE = "greywind"
SUPERUSER, OWNER, APP = "postgres", "gw_owner", "gw_app"
# The kernel refuses socket paths of 108 bytes; PostgreSQL adds up to 18 for its name and lock.
LONGEST_SOCKET_FOLDER = 80
CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Instance:
    """Paths and addresses below one data folder. Reading attributes touches no disk."""

    folder: Path

    @property
    def secrets_file(self) -> Path:
        return self.folder / "secrets.json"

    @property
    def postgres_folder(self) -> Path:
        return self.folder / "postgres"

    @property
    def valkey_folder(self) -> Path:
        return self.folder / "valkey"

    @property
    def socket_folder(self) -> Path:
        """Below the data folder, or a short folder named by its hash when that path would be too long."""
        inside = self.folder / "run"
        if len(os.fsencode(inside)) <= LONGEST_SOCKET_FOLDER:
            return inside
        name = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:12]
        return Path("/tmp") / f"greywind-{os.geteuid()}-{name}"  # noqa: S108 - owner and mode are checked before use

    @property
    def valkey_socket(self) -> Path:
        return self.socket_folder / "valkey.sock"

    @property
    def mcp_socket(self) -> Path:
        return self.socket_folder / "mcp.sock"

    def prepare(self) -> Secrets:
        """Make the folder, its parts and its secrets, each with the owner and mode that it needs."""
        account = service_account()
        account.refuse_unreachable(_nearest_existing(self.folder))
        _make_folder(self.folder, owner=None, mode=0o711 if account.switches else 0o700)
        account.refuse_unreachable(self.folder)
        for part in (self.postgres_folder, self.valkey_folder, self.socket_folder):
            _make_folder(part, owner=account, mode=0o700)
        return ensure_secrets(self.secrets_file)

    def secrets(self) -> Secrets | None:
        """The stored secrets, or None when nothing was started in this folder yet."""
        return read_secrets(self.secrets_file)

    def database_url(self, role: str, *, database: str = DATABASE) -> str:
        """libpq address over the socket for one of the three login roles."""
        host = quote(str(self.socket_folder), safe="")
        return f"postgresql://{role}:{self._password(role)}@/{database}?host={host}"

    def broker_url(self) -> str:
        """Celery's address of the embedded Valkey."""
        stored = self.secrets()
        return f"redis+socket://:{stored.valkey_password if stored else ''}@{self.valkey_socket}"

    def _password(self, role: str) -> str:
        stored = self.secrets()
        if stored is None:
            return ""
        return {SUPERUSER: stored.superuser_password, OWNER: stored.owner_password, APP: stored.app_password}[role]


def default_folder() -> Path:
    """The folder that a checkout uses when nobody names another."""
    return CHECKOUT / ".greywind"


def _nearest_existing(path: Path) -> Path:
    return next(step for step in (path, *path.parents) if step.exists())


def _make_folder(path: Path, *, owner: Account | None, mode: int) -> None:
    try:
        path.mkdir(mode=mode, parents=owner is None, exist_ok=True)
        if owner is not None and owner.switches:
            os.chown(path, owner.uid, owner.gid)
        path.chmod(mode)
    except OSError as cause:
        remedy = "Name another folder with --data, or run as the account that owns it."
        raise EmbeddedFault(f"{path} cannot be used: {cause.strerror}. {remedy}") from cause
