"""Files with one JSON object a line, as the sets to measure on have it."""

import gzip
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from greywind_site.operating.command import USAGE, Refused


def lines_of(path: Path) -> Sequence[str]:
    """Return the lines of a file, gzipped where its name ends so; raises Refused where it cannot be read as text.

    Only a line feed ends a line: a JSON text may hold what Unicode calls the end of one.
    """
    try:
        with _opened(path) as file:
            return [line.removesuffix("\n") for line in file]
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as fault:
        raise Refused(f"{path} cannot be read: {fault}", returncode=USAGE) from fault


def _opened(path: Path) -> TextIO:
    return gzip.open(path, "rt", encoding="utf-8-sig") if path.suffix == ".gz" else path.open(encoding="utf-8-sig")


def json_of(line: str, *, path: Path, number: int) -> Any:
    """Return what a line holds; raises Refused that names the file and the line where it is no JSON."""
    try:
        return json.loads(line)
    except ValueError as fault:
        raise Refused(f"{path}, line {number}: no JSON ({fault})", returncode=USAGE) from fault
