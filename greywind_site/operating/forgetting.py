"""`manage.py erase`: a person, or one memory with what was made of it, taken out for good."""

import sys
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.utils import timezone
from rich.console import Group, RenderableType

from governance.errors import Clash, NotThere
from governance.ids import parse_id, public_id
from governance.projects import acting_for_owner
from governance.scope import project_scope
from greywind_site.erasing.holdings import STAYS
from greywind_site.erasing.person import Erased, erase_memory, erase_person, preview, preview_memory
from greywind_site.erasing.resting import Damaged
from greywind_site.operating.command import Told, lines, new_trace, owner_of, table
from memories.models import Memory

WHAT = "It is taken out of the database and cannot be brought back; what stays is listed by --dry-run."

UNSEARCHED = "Not everything could be searched: these compressed parts of transcripts are damaged and do not open."
FIRST = "If a backup holds them whole, bring them back before you erase: afterwards nobody knows what to look for."
EMPTIED = "emptied, for words that had to go stood in them; those of others in the same part go as well"
WITHHELD = "withheld: they may repeat words that had to go, so they are never shown again, even once they are whole"


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
    broken = [each for one in found for each in one.damaged]
    shown = Group(
        head,
        table("what", "kind", "rows", rows=rows),
        *_unsearched(broken, dry=dry),
        lines({}, then=["What stays:", *STAYS]),
    )
    return Told(facts=facts | {"account": account}, shown=shown, ok=dry or not broken)


def _memory(options: dict[str, Any]) -> Told:
    acting = owner_of(options)
    with project_scope(acting, read_only=True):
        found = Memory.objects.filter(pk=parse_id("mem", options["memory"], pointer="--memory")).first()
    if found is None:
        raise NotThere.at("--memory", "this project has no such memory that its owner may read")
    if dry := bool(options["dry_run"]):
        gone = preview_memory(found)
    else:
        gone = erase_memory(found, reason=options["reason"], now=timezone.now(), trace_id=new_trace())
    facts = {"memory": found.public_id, "dry_run": dry, **_counted(gone), "stays": STAYS}
    cells = [("erased", kind, n) for kind, n in gone.rows.items()]
    head = lines({"memory": found.public_id, "changed": not dry})
    shown = Group(head, table("what", "kind", "rows", rows=cells), *_unsearched(gone.damaged, dry=dry))
    return Told(facts=facts, shown=shown, ok=dry or not gone.damaged)


def _unsearched(damaged: Sequence[Damaged], *, dry: bool) -> list[RenderableType]:
    """Return what is said of transcripts that could not be searched; nothing where all of them opened."""
    if not damaged:
        return []
    rows = [(each.session, f"{each.first} to {each.last}", EMPTIED if each.emptied else WITHHELD) for each in damaged]
    told = [UNSEARCHED, FIRST] if dry else [UNSEARCHED]
    return [lines({}, then=told), table("session", "entries", "what becomes of them", rows=rows)]


def _project(named: str | None) -> uuid.UUID | None:
    return acting_for_owner(named).project_id if named else None


def _facts(one: Erased) -> dict[str, Any]:
    named = {"project": public_id("prj", one.project_id), "actor": one.actor}
    return named | _counted(one) | {"stays": dict(one.stays)}


def _counted(one: Erased) -> dict[str, Any]:
    return {"rows": dict(one.rows), "damaged": [asdict(each) for each in one.damaged]}


def _agreed() -> bool:
    """Ask on standard error: standard output belongs to the answer. Without a person there, the answer is no."""
    sys.stderr.write(f"{WHAT}\nGo on? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.isatty() and sys.stdin.readline().strip().lower() in {"y", "yes", "是"}
