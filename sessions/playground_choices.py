"""What the form of the playground may choose from, as far as the human may see it."""

from collections.abc import Mapping, Sequence

from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from governance.actors import Acting
from governance.agents import known_roles
from governance.ids import parse_id
from governance.invisible import made_visible
from governance.models import Contract, Project, Revision
from governance.scope import project_scope
from governance.vocabulary import ContractKind, RevisionState
from sessions.attempts import DEFAULT_POLICY
from sessions.models import BudgetProfile
from sessions.playground_forms import Choice, Offered
from threads.models import Task, Thread
from threads.thread_words import KINDS
from threads.vocabulary import TaskState, ThreadState

MOST_THREADS = 100  # the latest first
MOST_TASKS = 100  # the oldest first, as a packet names them
MOST_REVISIONS = 50  # of one contract, the latest first
ENDED = (TaskState.DONE, TaskState.CANCELLED)


def offered(acting: Acting, said: Mapping[str, str]) -> Offered:
    """Return the choices: tasks of the thread that was said, and older revisions of what the compile would go by.

    What was said is taken only where it is itself among the choices; without a role it is the first one.
    """
    with project_scope(acting, read_only=True):
        rows = Thread.objects.filter(state=ThreadState.OPEN).order_by("-last_active_at", "-id")[:MOST_THREADS]
        threads = [(row.public_id, made_visible(row.title)) for row in rows]
        roles, profiles = known_roles(), _profiles()
        thread, role, profile = (said.get(name, "") for name in ("thread", "role", "profile"))
        slugs = {
            ContractKind.ROLE: role if role in roles else next(iter(roles), ""),
            ContractKind.POLICY: DEFAULT_POLICY,
            ContractKind.BUDGET_PROFILE: profile if profile in profiles else _usual(acting),
        }
        return Offered(
            threads=threads,
            roles=roles,
            profiles=profiles,
            tasks=_tasks(thread) if thread in dict(threads) else None,
            older=_older(slugs),
        )


def _profiles() -> Sequence[str]:
    own = Contract.objects.filter(kind=ContractKind.BUDGET_PROFILE).values_list("slug", flat=True)
    return sorted({*own, *BudgetProfile.objects.values_list("slug", flat=True)})


def _usual(acting: Acting) -> str:
    return Project.objects.values_list("default_profile", flat=True).get(pk=acting.project_id)


def _tasks(thread: str) -> Sequence[Choice]:
    """Return what is still to be done on a thread."""
    rows = Task.objects.filter(thread_id=parse_id("thr", thread, pointer="/thread")).exclude(state__in=ENDED)
    return [
        (row.public_id, f"{made_visible(row.title)} · {KINDS[TaskState][row.state]}")
        for row in rows.order_by("created_at", "id")[:MOST_TASKS]
    ]


def _older(slugs: Mapping[ContractKind, str]) -> Mapping[ContractKind, Sequence[Choice]]:
    """Return the older revisions of each contract that was approved once, without their texts."""
    wanted = Q()
    for kind, slug in slugs.items():
        wanted |= Q(contract__kind=kind, contract__slug=slug)
    rows = Revision.objects.filter(wanted).exclude(state=RevisionState.DRAFT).order_by("-number")
    found: dict[ContractKind, list[Choice]] = {}
    for row in rows.select_related("contract").only("id", "number", "state", "decided_at", "contract__kind"):
        older = found.setdefault(ContractKind(row.contract.kind), [])
        if row.state == RevisionState.SUPERSEDED and len(older) < MOST_REVISIONS:
            older.append((row.public_id, _named(row)))
    return found


def _named(row: Revision) -> str:
    day = date_format(timezone.localtime(row.decided_at), "Y-m-d") if row.decided_at else "—"
    return gettext("revision %(number)s, approved on %(day)s") % {"number": row.number, "day": day}
