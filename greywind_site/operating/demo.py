"""`manage.py demo`: the demo project, as it was on the first day."""

import sys
from typing import Any

import structlog
from django.conf import settings

from governance.errors import Clash
from governance.ids import parse_id
from greywind_site.demo import DemoCredentials, ensure_demo
from greywind_site.demo.credentials import recorded
from greywind_site.operating.command import Told, lines
from greywind_site.operating.erasing import erase_project

log = structlog.get_logger("greywind.operating")
WHAT = (
    "This deletes the demo project with everything in it: threads, memories, packets, members, keys and its ledger. "
    "Then the demo is made anew, under the same id, key and login. No other project is touched."
)


def reset_demo(options: dict[str, Any]) -> Told:
    """Delete the demo project and make it anew. A stop between the two is made good by the next `up`."""
    if not options["yes"] and not _agreed():
        raise Clash("nothing was changed; say --yes to go on without being asked", code="not_agreed")
    folder = settings.GREYWIND.instance.folder
    earlier = recorded(folder)
    gone = erase_project(parse_id("prj", earlier.project_id, pointer="project_id")) if earlier else 0
    # The project's own ledger went with it, so this line is what tells of it.
    log.warning("demo_reset", project=earlier.project_id if earlier else None, rows=gone)
    made = ensure_demo(data_dir=folder)
    return Told(facts={"erased_rows": gone, **_facts(made)}, shown=lines({"rows erased": gone, **_shown(made)}))


def show_demo(_: dict[str, Any]) -> Told:
    """Tell how one gets into the demo, making it where it is missing."""
    made = ensure_demo(data_dir=settings.GREYWIND.instance.folder)
    return Told(facts=_facts(made), shown=lines(_shown(made)))


def _agreed() -> bool:
    """Ask on standard error: standard output belongs to the answer. Without a person there, the answer is no."""
    sys.stderr.write(f"{WHAT}\nGo on? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.isatty() and sys.stdin.readline().strip().lower() in {"y", "yes", "是"}


def _facts(made: DemoCredentials) -> dict[str, str]:
    return {
        "project_id": made.project_id,
        "agent_key": made.agent_key,
        "console_user": made.console_user,
        "console_password": made.console_password,
    }


def _shown(made: DemoCredentials) -> dict[str, str]:
    return {name.replace("_", " "): value for name, value in _facts(made).items()}
