"""The versions that a handoff relies on, and which of them have moved since."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from governance.ids import parse_id, public_id
from governance.models import Revision
from governance.vocabulary import RevisionState
from memories.models import Memory
from sessions.fallen import CITED
from sessions.models import Attempt, Session, WorkSummary
from threads.models import Task, Thread, Vision

CONTRACTS = ("persona", "role", "policy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A thing that has another version now than a handoff relied on; `now` is None where it is gone."""

    ref: str
    pinned: int
    now: int | None


def pins_of(session: Session, attempt: Attempt | None, texts: Iterable[str]) -> dict[str, int]:
    """Return what a handoff of this session relies on, as versions by ref, in the open scope.

    The thread, its vision, the task, the contracts of the attempt, the work summary, and each memory that is cited.
    """
    cited = {form[1]: int(form[2] or 0) for text in texts for form in CITED.finditer(text)}
    present = _present(session, attempt, set(map(_memory_id, cited)))
    said = {f"memory://{one}": version for one, version in cited.items() if version}
    return {ref: said.get(ref, version) for ref, version in present.items() if version is not None}


def moved_since(attempt: Attempt, pins: Mapping[str, object]) -> list[Moved]:
    """Return which of a handoff's pins have moved for the last attempt of a session, in the open scope.

    What a pin does not name is not looked at.
    """
    pinned = {ref: version for ref, version in pins.items() if isinstance(version, int)}
    memories = {_memory_id(form[1]) for ref in pinned if (form := CITED.fullmatch(ref))}
    present = _present(attempt.session, attempt, memories, now=True)
    return [
        Moved(ref=ref, pinned=version, now=present.get(ref))
        for ref, version in pinned.items()
        if present.get(ref) != version
    ]


def _present(
    session: Session, attempt: Attempt | None, memories: set[uuid.UUID], *, now: bool = False
) -> dict[str, int | None]:
    """Return the versions as they stand. `now` takes a contract's active revision, not that of the attempt."""
    thread = Thread.objects.filter(pk=session.thread_id).values_list("version", flat=True).first()
    vision = Vision.objects.filter(thread_id=session.thread_id).order_by("-version").values_list("version", flat=True)
    summary = WorkSummary.objects.filter(session=session).order_by("-version").values_list("version", flat=True)
    place = public_id("thr", session.thread_id)
    found = {
        f"thread://{place}": thread,
        f"vision://{place}": vision.first(),
        f"summary://{session.public_id}": summary.first(),
    }
    if session.task_id:
        task = Task.objects.filter(pk=session.task_id).values_list("version", flat=True).first()
        found[f"task://{public_id('tsk', session.task_id)}"] = task
    known = Memory.objects.filter(pk__in=memories, status="active").values_list("pk", "version") if memories else ()
    found |= {f"memory://{public_id('mem', pk)}": version for pk, version in known}
    return found | _contracts(attempt, now=now)


def _memory_id(public: str) -> uuid.UUID:
    return parse_id("mem", public, pointer="/ref")


def _contracts(attempt: Attempt | None, *, now: bool) -> dict[str, int | None]:
    ids = [pk for kind in CONTRACTS if attempt and (pk := getattr(attempt, f"{kind}_revision_id"))]
    held = Revision.objects.filter(pk__in=ids).select_related("contract")
    names = {row.contract_id: f"contract://{row.contract.kind}/{row.contract.slug}" for row in held}
    if not now:
        return {names[row.contract_id]: row.number for row in held}
    active = Revision.objects.filter(contract_id__in=names, state=RevisionState.ACTIVE)
    return {names[contract]: number for contract, number in active.values_list("contract_id", "number")}
