"""`manage.py verify_audit`, `audit_anchor` and `audit_export`: the ledger looked at and taken outside."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from django.conf import settings
from django.utils import timezone

from governance.anchors import (
    Anchor,
    Finding,
    anchor_line,
    anchor_projects,
    kept_anchors,
    ledger_of,
    public_key,
    verify_project,
)
from governance.audit import export_chain
from governance.ids import public_id
from governance.projects import acting_for_owner
from governance.verify_ledger import Unanswerable, Verdict
from greywind_site.embedded.secrets import ensure_secrets
from greywind_site.operating.command import FAILED, Refused, Told, lines
from greywind_site.operating.examining import project_ids

NO_KEY = "no key signs anchors here: set GREYWIND_ANCHOR_KEY (64 random hex digits), or start `up` once on this folder"


def tell_verification(options: dict[str, Any]) -> Told:
    """Check the chain of one project or of all, against anchors where a file of them is named."""
    anchors = _kept(options["anchors"], options["public_key"])
    chosen = [acting_for_owner(options["project"]).project_id] if options["project"] else project_ids()
    found = {public_id("prj", project): verify_project(project, anchors) for project in chosen}
    if not options["project"]:
        found |= {project: Verdict(0, 0, ("missing", 1)) for project in _gone(anchors, found)}
    facts = {
        "ok": not any(verdict.fault for verdict in found.values()),
        "anchors": str(options["anchors"]) if options["anchors"] else None,
        "projects": [verdict_facts(project, verdict) for project, verdict in found.items()],
    }
    shown = "\n".join(f"{project}  {verdict.told}" for project, verdict in found.items())
    return Told(facts=facts, shown=shown, ok=bool(facts["ok"]))


def tell_anchors(options: dict[str, Any]) -> Told:
    """Sign the present heads and append them to a file, or print them, or print the public key alone."""
    seed = anchor_seed()
    if options["show_key"]:
        return Told(facts={"public_key": public_key(seed)}, shown=public_key(seed))
    with _in_words():
        found = anchor_projects(project_ids(), file=options["out"], seed=seed, now=timezone.now())
    facts = {
        "ok": not any(finding.verdict.fault for finding in found),
        "out": str(options["out"]) if options["out"] else None,
        "anchors": [finding.anchor for finding in found if finding.anchor],
        "broken": [verdict_facts(row.project, row.verdict) for row in found if row.verdict.fault],
    }
    shown = "\n".join(_anchored(finding, printed=options["out"] is None) for finding in found)
    return Told(facts=facts, shown=shown, ok=bool(facts["ok"]))


def tell_export(options: dict[str, Any]) -> Told:
    """Write the ledger of one project to a file that only its owner reads, replaced in one step."""
    project_id, target = acting_for_owner(options["project"]).project_id, options["out"]
    with _in_words(), _replacing(target) as file, ledger_of(project_id):
        entries = sum(file.write(line) > 0 for line in export_chain()) - 1
    facts = {"project": public_id("prj", project_id), "out": str(target), "entries": entries}
    return Told(facts=facts, shown=lines(facts))


def anchor_new_entries() -> int:
    """Anchor every project into the configured file and return how many anchors were added; nothing where none is set.

    Raises Unanswerable, or Refused where no key is there, so that whoever watches the worker's log hears of it.
    """
    file = settings.GREYWIND.anchor_file
    if file is None:
        return 0
    found = anchor_projects(project_ids(), file=file, seed=anchor_seed(), now=timezone.now())
    if broken := [finding.project for finding in found if finding.verdict.fault]:
        raise Unanswerable(f"broken chains were not anchored: {', '.join(broken)}; see manage.py verify_audit")
    return sum(finding.anchor is not None for finding in found)


def anchor_seed() -> str:
    """Return the private key of anchors, 64 hex digits: the configured one, else that of the data folder.

    Raises Refused where there is neither.
    """
    if configured := settings.GREYWIND.anchor_key:
        return str(configured.get_secret_value())
    instance = settings.GREYWIND.instance
    if not settings.GREYWIND.embedded or instance.secrets() is None:
        raise Refused(NO_KEY, returncode=FAILED)
    return ensure_secrets(instance.secrets_file).anchor_key


def verdict_facts(project: str, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON has it."""
    kind, first_bad = verdict.fault or (None, None)
    return {
        "project": project,
        "state": verdict.state,
        "entries": verdict.entries,
        "anchored": verdict.anchored,
        "fault": kind,
        "first_bad": first_bad,
        "told": verdict.told,
    }


def _kept(path: Path | None, key: str | None) -> Sequence[Anchor]:
    if path is None:
        return []
    with _in_words():
        return kept_anchors(path, key=key or public_key(anchor_seed()))


def _gone(anchors: Sequence[Anchor], found: dict[str, Verdict]) -> list[str]:
    """Return the projects that were anchored and are not there any more."""
    return sorted({str(anchor["project"]) for anchor in anchors} - found.keys())


def _anchored(finding: Finding, *, printed: bool) -> str:
    if finding.verdict.fault:
        return f"{finding.project}  not anchored: {finding.verdict.told}"
    if finding.anchor is None:
        return f"{finding.project}  nothing new since entry {finding.verdict.anchored}"
    return anchor_line(finding.anchor) if printed else f"{finding.project}  anchored at entry {finding.anchor['seq']}"


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except (Unanswerable, OSError) as fault:
        raise Refused(str(fault), returncode=FAILED) from fault


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    fresh = path.with_name(f"{path.name}.new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as target:
        yield target
        target.flush()
        os.fsync(target.fileno())
    fresh.replace(path)
