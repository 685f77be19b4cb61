"""Each packet compiled once more, after everything: the bytes of the first time, or the parts that are really gone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.utils import timezone

from governance.actors import Acting
from governance.scope import project_scope
from greywind_site.erasing.person import erase_memory
from greywind_site.hunting.replays.later import take_away, write_on
from greywind_site.hunting.replays.oracle import Tables
from greywind_site.hunting.replays.world import NAME, Recorded, World, digest_of, make_world
from memories.models import Memory
from sessions.packet_opening import Opened, open_packet
from sessions.replay import answer_again, for_reader, replayed
from sessions.vocabulary import ReplayVerdict

MOST_REVOKED = 3


@dataclass(kw_only=True)
class ReplayReport:
    """What was compiled, written and found. `wrong` names each packet that was shown otherwise than it should be."""

    packets: int
    writes: int
    seed: int
    refusals: int = 0
    written: dict[str, int] = field(default_factory=dict)
    declined: dict[str, int] = field(default_factory=dict)
    erased: dict[str, int] = field(default_factory=dict)
    revoked: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.wrong

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {"ok": self.ok, **asdict(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunted:
    """A world after everything, and the packets of its beginning."""

    world: World
    asked: Sequence[Recorded]
    report: ReplayReport


def hunt_replays(packets: int, *, writes: int, seed: int) -> ReplayReport:
    """Compile, write on, revoke a few memories, erase one, and replay every packet of the beginning.

    It makes a project in the present database and leaves it: that should be one to be thrown away. Needs the owner
    role, which alone erases.
    """
    return judged(made(packets, writes=writes, seed=seed))


def made(packets: int, *, writes: int, seed: int) -> Hunted:
    """Make the world, and do everything that comes before the replays."""
    world = make_world(packets, seed=seed)
    asked = list(world.recorded)
    report = ReplayReport(packets=packets, writes=writes, seed=seed)
    report.refusals = sum(not one.digest for one in asked)
    report.written, report.declined = map(dict, write_on(world, writes))
    report.erased = _erase(world, asked)
    report.revoked = len(take_away(world, MOST_REVOKED))
    return Hunted(world=world, asked=asked, report=report)


def judged(hunted: Hunted) -> ReplayReport:
    """Replay every packet, and report."""
    verdicts, lost, wrong = Counter[str](), Counter[str](), list[str]()
    tables = Tables(hunted.world.dev.project_id)
    for one in hunted.asked:
        verdict, whys, fault = _looked_at(hunted.world.dev, one, tables)
        verdicts[verdict] += 1
        lost.update(whys)
        wrong += [f"pkt {one.packet}: {fault}"] if fault else []
    return replace(hunted.report, verdicts=dict(verdicts), lost=dict(lost), wrong=wrong)


def _erase(world: World, asked: list[Recorded]) -> dict[str, int]:
    """Erase the memory that most packets carried, with everything that was made of it."""
    carried = Counter(ref for one in asked for ref in one.carried if ref.startswith("memory://"))
    named = {ref.partition("://")[2].partition("@")[0]: count for ref, count in carried.most_common()}
    with project_scope(world.owner, read_only=True):
        known = {row.public_id: row for row in Memory.objects.filter(pk__in=world.memories, erased_at=None)}
    chosen = next((known[name] for name in named if name in known), None)
    return {} if chosen is None else dict(erase_memory(chosen, reason=NAME, now=timezone.now()).rows)


def _looked_at(reader: Acting, one: Recorded, tables: Tables) -> tuple[str, list[str], str]:
    """Return the verdict, why parts are lost, and what is wrong with it, '' for nothing."""
    with project_scope(reader, read_only=True):
        opened = open_packet(one.packet)
        told = replayed(opened.packet)
        digest = _digest(opened)
    lost = [part.ref for part in told.lost]
    match told.verdict:
        case ReplayVerdict.IDENTICAL:
            fault = "other bytes than were answered" if digest != one.digest else _shown(one, tables)
        case ReplayVerdict.PARTS_LOST:
            fault = _named([ref for ref in lost if not tables.lack(ref, packet=one.packet)])
        case _:
            fault = "other bytes, and no part is named"
    return told.verdict.value, [part.why.value for part in told.lost], fault


def _digest(opened: Opened) -> str:
    if opened.again is None or opened.again.prompt is None:
        return ""
    shown = for_reader(opened.packet, opened.decisions, opened.readable)
    return digest_of(answer_again(opened.packet, shown, opened.again))


def _shown(one: Recorded, tables: Tables) -> str:
    left = sorted(ref for ref in one.carried if tables.lack(ref))
    return f"shown although {', '.join(left)} is gone" if left else ""


def _named(there: list[str]) -> str:
    return f"named as lost and there: {', '.join(there)}" if there else ""
