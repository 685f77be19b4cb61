"""`manage.py erase`: a person, or one memory with what was made of it, taken out for good."""

import sys
import uuid
from typing import Any

from django.utils import timezone
from rich.console import Group

from governance.errors import Clash, NotThere
from governance.ids import parse_id, public_id
from governance.projects import acting_for_owner
from governance.scope import project_scope
from greywind_site.erasing.holdings import STAYS
from greywind_site.erasing.person import Erased, erase_memory, erase_person, preview, preview_memory
from greywind_site.operating.command import Told, lines, new_trace, owner_of, table
from memories.models import Memory

WHAT = "It is taken out of the database and cannot be brought back; what stays is listed by --dry-run."


def forget(options: dict[str, Any]) -> Told:
    """Erase what was named, or say what erasing it would take away."""
    if not (options["dry_run"] or options["yes"] or _agreed()):
        raise Clash("nothing was changed; say --yes to go on without being asked", code="not_agreed")
    return _person(options) if options["person"] else _memory(options)


def _person(options: dict[str, Any]) -> Told:
    name, dry = options["person"], options["dry_run"]
    chosen = _project(options["project"])
    if dry:
        found = preview(name, project_id=chosen)
    else:
        asked = {"reason": options["reason"], "now": timezone.now(), "trace_id": new_trace()}
        found = erase_person(name, project_id=chosen, **asked)
    facts = {"person": name, "dry_run": dry, "projects": [_facts(one) for one in found], "stays": STAYS}
    account = "stays, for its other projects" if chosen else "closed, with a name that says nothing"
    rows = [("erased", kind, n) for one in found for kind, n in one.rows.items()]
    rows += [("stays", kind, n) for one in found for kind, n in one.stays.items()]
    head = lines({"projects": len(found), "account": account, "changed": not dry})
    shown = Group(head, table("what", "kind", "rows", rows=rows), lines({}, then=["What stays:", *STAYS]))
    return Told(facts=facts | {"account": account}, shown=shown)


def _memory(options: dict[str, Any]) -> Told:
    acting = owner_of(options)
    with project_scope(acting, read_only=True):
        found = Memory.objects.filter(pk=parse_id("mem", options["memory"], pointer="--memory")).first()
    if found is None:
        raise NotThere.at("--memory", "this project has no such memory that its owner may read")
    if options["dry_run"]:
        rows = preview_memory(found)
    else:
        rows = erase_memory(found, reason=options["reason"], now=timezone.now(), trace_id=new_trace())
    facts = {"memory": found.public_id, "dry_run": options["dry_run"], "rows": dict(rows), "stays": STAYS}
    cells = [("erased", kind, n) for kind, n in rows.items()]
    head = lines({"memory": found.public_id, "changed": not options["dry_run"]})
    return Told(facts=facts, shown=Group(head, table("what", "kind", "rows", rows=cells)))


def _project(named: str | None) -> uuid.UUID | None:
    return acting_for_owner(named).project_id if named else None


def _facts(one: Erased) -> dict[str, Any]:
    named = {"project": public_id("prj", one.project_id), "actor": one.actor}
    return named | {"rows": dict(one.rows), "stays": dict(one.stays)}


def _agreed() -> bool:
    """Ask on standard error: standard output belongs to the answer. Without a person there, the answer is no."""
    sys.stderr.write(f"{WHAT}\nGo on? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.isatty() and sys.stdin.readline().strip().lower() in {"y", "yes", "是"}
