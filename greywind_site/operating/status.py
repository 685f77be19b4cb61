"""`manage.py status`: what runs, where it is reached, and how much there is."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from rich.console import Group
from rich.text import Text

from greywind_site.embedded.lock import holder
from greywind_site.embedded.running import Running
from greywind_site.operating.command import Told, lines
from greywind_site.operating.facts import (
    counts,
    database_facts,
    errors_kept,
    last_consolidation,
    running_here,
    vectors,
    version,
    web_says,
    worker_facts,
)
from greywind_site.operating.vectors import in_words


def tell_status() -> Told:
    """Gather everything that answers; what does not is said to be unknown."""
    found = running_here()
    facts = {
        "running": found is not None,
        "url": found.url if found else None,
        "pid": found.pid if found else None,
        "version": version(),
        "data": str(settings.GREYWIND.instance.folder),
        "parts": web_says(found.url) if found else None,
        "processes": {name: found.part_runs(name) for name in found.processes} if found else {},
        "restarts": found.restarts if found else {},
        "database": database_facts(),
        **worker_facts(),
        "counts": counts(),
        "consolidated_at": last_consolidation(),
        "vectors": vectors(),
        "errors": errors_kept(),
    }
    return Told(facts=facts, shown=_shown(facts, found))


def _shown(facts: Mapping[str, Any], found: Running | None) -> Group:
    database, missing = facts["database"], facts["database"]["migrations_missing"]
    size = database["bytes"]
    rows = {
        "greywind": f"{facts['version']}, {_where(facts, found)}",
        "data": facts["data"],
        "processes": _processes(facts),
        "web": _parts(facts["parts"]) if found else None,
        "database": f"PostgreSQL {database['server'] or '?'}, {'?' if size is None else f'{size / 2**20:.0f} MiB'}",
        "migrations": {None: "unknown", 0: "all applied"}.get(missing, f"{missing} missing: manage.py migrate"),
        "worker": _worker(facts),
        **facts["counts"],
        "vectors": "unknown" if facts["vectors"] is None else in_words(facts["vectors"]),
        "memories": f"put in order at {at}" if (at := facts["consolidated_at"]) else "not yet put in order",
    }
    errors = [Text(line) for line in facts["errors"]] or [Text("none kept")]
    return Group(lines(rows), Text("last errors:"), *errors)


def _where(facts: Mapping[str, Any], found: Running | None) -> str:
    if found is not None:
        return f"running at {found.url} (process {found.pid})"
    holds = holder(settings.GREYWIND.instance.folder)
    if holds is not None and holds.command == "up" and facts["broker"]:
        return f"starting (process {holds.pid})"
    if not settings.GREYWIND.embedded:
        return "not started by `up` here; the database is an outside one"
    return "not running; start it with: python3 manage.py up"


def _processes(facts: Mapping[str, Any]) -> str | None:
    again = {name: f" (restarts: {times})" for name, times in facts["restarts"].items()}
    told = (f"{name} {'up' if up else 'GONE'}{again.get(name, '')}" for name, up in facts["processes"].items())
    return ", ".join(told) or None


def _parts(parts: Mapping[str, str] | None) -> str:
    if parts is None:
        return "does not answer"
    faults = [f"{name}: {said}" for name, said in parts.items() if said != "ok"]
    return "; ".join(faults) or "ready"


def _worker(facts: Mapping[str, Any]) -> str:
    if not facts["broker"]:
        return "the broker does not answer"
    return f"{', '.join(facts['workers']) or 'none answers'}; {facts['waiting']} tasks wait"
