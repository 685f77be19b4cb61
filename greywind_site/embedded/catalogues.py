"""Compiles message catalogues, so that no gettext tools are needed."""

from pathlib import Path

import polib

from greywind_site.embedded.instance import CHECKOUT


def compile_catalogues(root: Path = CHECKOUT / "locale") -> int:
    """Compile every catalogue that is newer than its compiled form; returns how many were."""
    stale = stale_catalogues(root)
    for source in stale:
        polib.pofile(str(source)).save_as_mofile(str(source.with_suffix(".mo")))
    return len(stale)


def stale_catalogues(root: Path = CHECKOUT / "locale") -> list[Path]:
    """Return every catalogue that is newer than its compiled form."""
    return [source for source in sorted(root.rglob("*.po")) if _is_stale(source)]


def _is_stale(source: Path) -> bool:
    compiled = source.with_suffix(".mo")
    return not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime
