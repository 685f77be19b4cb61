"""Files with one JSON object a line, as the sets to measure on have it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from greywind_site.operating.command import USAGE, Refused


def lines_of(path: Path) -> Sequence[str]:
    """Return the lines of a file; raises Refused where it cannot be read as text."""
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise Refused(f"{path} cannot be read: {fault}", returncode=USAGE) from fault


def json_of(line: str, *, path: Path, number: int) -> Any:
    """Return what a line holds; raises Refused that names the file and the line where it is no JSON."""
    try:
        return json.loads(line)
    except ValueError as fault:
        raise Refused(f"{path}, line {number}: no JSON ({fault})", returncode=USAGE) from fault
