"""The passwords and keys of one data folder, made once and kept in a file that only its owner reads."""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from greywind_site.embedded.faults import EmbeddedFault


def _token() -> str:
    # Hex needs no escaping in any URL; Celery's transport does not decode %-escapes.
    return secrets.token_hex(24)


@dataclass(frozen=True)
class Secrets:
    """Random values, 192 bits each unless it says more; a field added later is filled in on the next start."""

    superuser_password: str = field(default_factory=_token)
    owner_password: str = field(default_factory=_token)
    app_password: str = field(default_factory=_token)
    valkey_password: str = field(default_factory=_token)
    secret_key: str = field(default_factory=_token)
    key_pepper: str = field(default_factory=_token)
    audit_pepper: str = field(default_factory=_token)
    # 256 bits: an Ed25519 private key.
    anchor_key: str = field(default_factory=lambda: secrets.token_hex(32))


def read_secrets(path: Path) -> Secrets | None:
    """The stored secrets, or None when the folder was never prepared. A file that others may read is refused."""
    stored = read_stored(path)
    return _from_stored(stored) if stored else None


def ensure_secrets(path: Path) -> Secrets:
    """The stored secrets, completed and written when some or all are missing."""
    with changing(path) as stored:
        found = _from_stored(stored)
        stored.update(asdict(found))
    return found


@contextmanager
def changing(path: Path) -> Iterator[dict[str, object]]:
    """The stored values to be changed by one process at a time; written back when they differ."""
    with path.with_suffix(".lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        before = read_stored(path)
        after = dict(before)
        yield after
        if after != before:
            write_stored(path, after)


def read_stored(path: Path) -> dict[str, object]:
    """Everything in the file, including what the demo keeps there; empty when there is no file."""
    try:
        with path.open(encoding="utf-8") as source:
            _refuse_open_file(path, source.fileno())
            stored = json.load(source)
    except FileNotFoundError:
        return {}
    except (PermissionError, ValueError) as cause:
        raise EmbeddedFault(
            f"{path} cannot be read ({cause}). Run as its owner, or restore it from a backup."
        ) from cause
    if not isinstance(stored, dict):
        raise EmbeddedFault(f"{path} does not hold a JSON object. Restore it from a backup.")
    return stored


def write_stored(path: Path, stored: dict[str, object]) -> None:
    """Replace the file in one step, mode 600, so that a kill leaves the old or the new one."""
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as target:
        json.dump(stored, target, indent=2)
        target.flush()
        os.fsync(target.fileno())
    fresh.replace(path)


def _from_stored(stored: dict[str, object]) -> Secrets:
    known = {item.name for item in fields(Secrets)}
    return Secrets(**{name: value for name, value in stored.items() if name in known and isinstance(value, str)})


def _refuse_open_file(path: Path, descriptor: int) -> None:
    if os.fstat(descriptor).st_mode & 0o077:
        raise EmbeddedFault(f"{path} may be read by other accounts. Close it: chmod 600 {path}")
