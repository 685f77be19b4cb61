"""How `manage.py bench_summary` is told: kept, lost and wrongly stated at each checkpoint, and the lines themselves."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from greywind_site.benching.summary_run import Checkpoint, bench_summary
from greywind_site.benching.summary_sets import read_labels, read_sessions
from greywind_site.operating.command import Told, table
from sessions.context.summary_lines import as_text


def tell_summaries(sessions: Path, labels: Path, *, tokens: int, packet: int, every: int | None, lines: bool) -> Told:
    """Summarise every session that has labels; raises Refused for a file that is not of the form.

    `lines` shows what each version says as well.
    """
    recorded = read_sessions(sessions)
    known = read_labels(labels, recorded)
    named = dict.fromkeys(label.session for label in known)
    found = [
        one for name in named for one in bench_summary(recorded[name], known, tokens=tokens, packet=packet, every=every)
    ]
    facts = {"tokens": tokens, "packet": packet, "checkpoints": [_facts(one) for one in found]}
    return Told(facts=facts, shown=Group(*_shown(found, packet=packet, lines=lines)))


def _facts(one: Checkpoint) -> dict[str, Any]:
    return {
        "session": one.session,
        "seq": one.seq,
        "tokens": one.tokens,
        "live": len(one.kept) + len(one.lost),
        "kept": list(one.kept),
        "lost": list(one.lost),
        "wrongly_stated": list(one.wrong),
        "in_packet": list(one.in_packet),
        "refused_for": [problem.fault.value for problem in one.problems],
        "sections": {name: list(lines) for name, lines in one.sections.items()},
    }


def _shown(found: Sequence[Checkpoint], *, packet: int, lines: bool) -> Iterator[RenderableType]:
    heads = ("session", "seq", "tokens", "kept", f"in a packet of {packet}", "lost", "wrongly stated", "refused for")
    yield table(*heads, rows=[_row(one) for one in found])
    for one in found if lines else ():
        yield Text(f"\n{one.session} {one.seq}", style="bold")
        yield Text(as_text(one.sections))


def _row(one: Checkpoint) -> Sequence[Any]:
    live = len(one.kept) + len(one.lost)
    refused = sorted({problem.fault.value for problem in one.problems})
    counts = (one.session, one.seq, one.tokens, f"{len(one.kept)} of {live}", f"{len(one.in_packet)} of {live}")
    return (*counts, *(", ".join(names) or "none" for names in (one.lost, one.wrong, refused)))
