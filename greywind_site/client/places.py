"""Where the client keeps things on this machine: one settings file, one folder for what it remembers."""

import os
from collections.abc import Mapping
from pathlib import Path

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


def config_file(environ: Mapping[str, str] = os.environ) -> Path:
    """The file that holds the profiles, with their keys."""
    return _base(environ, "XDG_CONFIG_HOME", ".config") / "greywind" / "config.json"


def state_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of queues, and of what is needed to undo a change of somebody's configuration."""
    return _base(environ, "XDG_STATE_HOME", ".local/state") / "greywind"


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner enters, with its parents, and return it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    return path


def write_whole(path: Path, content: bytes, *, mode: int = PRIVATE_FILE) -> None:
    """Replace a file in one step: a reader, or a crash, meets the old content or the new, never a part."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode), "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _base(environ: Mapping[str, str], variable: str, fallback: str) -> Path:
    told = environ.get(variable, "")
    # The convention says that a relative path is to be ignored.
    return Path(told) if told.startswith("/") else Path(environ.get("HOME") or Path.home()) / fallback
