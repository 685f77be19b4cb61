"""The folder that a harness works in, and the channel that ties it to a thread."""

import hashlib
from pathlib import Path

HARNESS = "claude-code"


def root_of(cwd: str) -> str:
    """Return the top of the repository that holds `cwd`, or `cwd` itself where there is none."""
    start = Path(cwd or ".").resolve()
    # A file in the case of a worktree, which is a folder of work in its own right.
    found = next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), start)
    return str(found)


def channel_of(root: str, installation: str) -> str:
    """Return the channel of a folder: the path under a hash, so that no private name leaves the machine by it.

    `installation` keeps two machines apart that have the same path, as containers do.
    """
    digest = hashlib.sha256(f"{installation}\n{root}".encode("utf-8", "surrogateescape")).hexdigest()
    return f"{HARNESS}:{digest[:24]}"


def title_of(root: str) -> str:
    """Return the title of a folder's thread."""
    name = Path(root).name or root
    return name.encode("utf-8", "replace").decode("utf-8")[:300]
