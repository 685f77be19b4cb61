"""Single texts through the whole write path: what is refused, what waits, and what comes into use."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils import timezone

from governance.scope import project_scope
from governance.vocabulary import Sensitivity, rank
from greywind_site.benching.rows import Row, Tell, told_along
from greywind_site.benching.world import Heard, Voice, learn, make_world, state, undone
from memories.models import GateVerdict
from memories.vocabulary import Gate, MemoryStatus, Origin, ReasonCode, WriteOutcome
from memories.writes import Written
from sessions.vocabulary import EventKind, EventRole

TOOL, VERIFIED, USER = "tool_output", "verified_tool_output", "user_explicit"
type Way = Callable[[Voice, str], Written]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of one text. `sensitivity` is the stored one, `screened` whether screening let it pass."""

    row: Row
    outcome: WriteOutcome
    code: ReasonCode | None
    sensitivity: Sensitivity
    screened: bool
    in_use: bool

    @property
    def telling(self) -> str:
        """The outcome, with the reason where there is one."""
        return f"{self.outcome} ({self.code})" if self.code else str(self.outcome)

    @property
    def secret(self) -> bool:
        """Whether it was refused because a secret stands in it."""
        return self.code is ReasonCode.SCREENING_CREDENTIAL

    @property
    def personal(self) -> bool:
        """Whether it was taken for personal, or for graver."""
        return rank(self.sensitivity) >= rank(Sensitivity.PERSONAL)


def from_tool(voice: Voice, text: str) -> Written:
    """Propose what a tool gave."""
    return learn(voice, text, Origin.TOOL_OUTPUT, [_result(text)])


def from_verified_tool(voice: Voice, text: str) -> Written:
    """Propose what a tool gave, beside a verification that passed."""
    check = Heard(text="passed", role=EventRole.TOOL, kind=EventKind.VERIFICATION, failed=False)
    return learn(voice, text, Origin.TOOL_OUTPUT, [_result(text), check])


WAYS: Mapping[str, Way] = {TOOL: from_tool, VERIFIED: from_verified_tool, USER: state}


def bench_texts(rows: Sequence[Row], ways: Sequence[str], tell: Tell) -> dict[str, list[Judged]]:
    """Propose every text in each of the ways (keys of WAYS), one alone in the project at a time."""
    voice = make_world(now=timezone.now()).first
    return {way: list(_judged(voice, rows, way, tell)) for way in ways}


def _judged(voice: Voice, rows: Sequence[Row], way: str, tell: Tell) -> Iterator[Judged]:
    for row in told_along(rows, lambda said: tell(f"{way}: {said}"), counted="texts"):
        with undone():
            judged = _told(voice, row, WAYS[way](voice, row["text"]))
        yield judged


def _told(voice: Voice, row: Row, written: Written) -> Judged:
    memory = written.memory
    with project_scope(voice.agent):
        stopped = GateVerdict.objects.filter(memory=memory, gate=Gate.SCREENING, passed=False).exists()
    return Judged(
        row=row,
        outcome=written.outcome,
        code=written.code,
        sensitivity=Sensitivity(memory.sensitivity),
        screened=not stopped,
        in_use=memory.status == MemoryStatus.ACTIVE,
    )


def _result(text: str) -> Heard:
    return Heard(text=text, role=EventRole.TOOL, kind=EventKind.TOOL_RESULT)
