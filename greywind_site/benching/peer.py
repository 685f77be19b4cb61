"""`manage.py bench_peer`: our whole answer beside a peer's search, on the same rows, and how that is told."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group
from rich.text import Text

from greywind_site.benching.peer_mem0 import check_installed, silent
from greywind_site.benching.peer_runs import Found, Match, Sizes, matches
from greywind_site.benching.peer_site import check_site
from greywind_site.benching.rows import Tell
from greywind_site.hunting.telling import quiet
from greywind_site.operating.command import Told, table
from memories.embeddings.hashed import HashedTerms
from memories.embeddings.offline import SentenceEncoder
from memories.embeddings.registry import known_models


def tell_peer(sizes: Sizes, tell: Tell, *, real: bool) -> Told:
    """Measure, in a database for each embedder that is dropped afterwards; raises Refused where mem0 is missing."""
    check_installed()
    check_site()
    names = [HashedTerms.name, *([SentenceEncoder.name] if real else [])]
    with quiet(), silent():
        return told(sizes, [each for name in names for each in matches(known_models()[name], sizes, tell)])


def told(sizes: Sizes, done: Sequence[Match]) -> Told:
    """Return the figures as they are told."""
    columns = ("embedder", "mem0", "times longer", "95 %", "ours ms", "its ms", "recall@10", "its", "least rows", "its")
    shown = Group(
        table(*columns, rows=[_row(each) for each in done]),
        Text(
            "\nours: the whole POST /context over HTTP, pure-Python server; its: Memory.search() of five, in process."
            "\nrecall and rows are of the vectors alone, ten wanted, beside an exact comparison of the whole scope."
        ),
    )
    return Told(facts=asdict(sizes) | {"matches": [_facts(each) for each in done]}, shown=shown)


def _row(each: Match) -> list[Any]:
    one = each.ratio
    times = [f"{one.ratio:.1f}", f"{one.low:.1f}-{one.high:.1f}", f"{one.other_ms:.1f}", f"{one.ours_ms:.1f}"]
    recalls = [f"{each.ours.recall:.3f}", f"{each.theirs.recall:.3f}"]
    return [each.embedder, each.peer, *times, *recalls, each.ours.rows, each.theirs.rows]


def _facts(each: Match) -> dict[str, Any]:
    one = each.ratio
    times = {"times_longer": one.ratio, "low": one.low, "high": one.high}
    ours, theirs = _side(one.other_ms, each.ours), _side(one.ours_ms, each.theirs)
    return {"embedder": each.embedder, "peer": each.peer, **times, "ours": ours, "theirs": theirs}


def _side(milliseconds: float, found: Found) -> dict[str, Any]:
    return {"p50_ms": round(milliseconds, 2), "recall_at_10": round(found.recall, 4), "least_rows": found.rows}
