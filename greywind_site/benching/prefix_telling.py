"""How `manage.py bench_prefix` is told."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from greywind_site.benching.prefix_figures import BILL_GOAL, SHARE_GOAL, figures_of
from greywind_site.benching.prefix_run import Replay, replay
from greywind_site.benching.prefix_sets import read_turns
from greywind_site.benching.rows import Tell
from greywind_site.hunting.scratch import nobody_woken, scratch_database
from greywind_site.hunting.telling import quiet
from greywind_site.operating.command import Told, lines, table

EVERY = 10  # turns from one word of progress to the next


def tell_prefix(path: Path, tell: Tell, *, session: str, turns: int, tokens: int, profile: str) -> Told:
    """Replay a session in a database made for it and dropped afterwards; raises Refused for a file of another form."""
    wanted = Replay(turns=read_turns(path, session, most=turns), profile=profile, tokens=tokens)
    taken = []
    with scratch_database("bench_prefix"), quiet(), nobody_woken():
        for one in replay(wanted):
            taken.append(one)
            if len(taken) % EVERY == 0:
                tell(f"{len(taken)} of {len(wanted.turns)} turns compiled")
    steady, paused = figures_of(taken, recorded_clock=False), figures_of(taken, recorded_clock=True)
    asked = {"session": session, "tokens": tokens, "profile": profile}
    facts = {**asked, **steady, "bills_with_pauses": paused["bills"]}
    return Told(facts=facts, shown=Group(*_shown(facts)), ok=steady["reached"])


def _shown(facts: Mapping[str, Any]) -> list[RenderableType]:
    rows = [
        [row["turn"], row["tokens"], row["shared"], row["share"], row["anthropic"]["cost"], row["openai"]["cost"]]
        for row in facts["by_turn"]
    ]
    bills = [
        [name, told["cost"], told["naive"], told["of_naive"], facts["bills_with_pauses"][name]["of_naive"]]
        for name, told in facts["bills"].items()
    ]
    slots = [[name, told["unchanged"], told["identical"]] for name, told in facts["slots"].items()]
    return [
        table("turn", "tokens", "shared with the turn before", "share", "Anthropic", "OpenAI", rows=rows),
        Text("\ninput bills in tokens at the plain price; naive order: the time first, what was found before history"),
        table("rules of", "bill", "naive", "of naive", "with the recorded pauses", rows=bills),
        Text(""),
        table("slot", "neighbours with the same sources", "byte-identical", rows=slots),
        Text(""),
        lines(
            {
                "mean common prefix": f"{facts['mean_common_prefix']} (goal {SHARE_GOAL})",
                "bill of naive": f"{max(bill['of_naive'] for bill in facts['bills'].values())} (goal {BILL_GOAL})",
                "reached": facts["reached"],
            }
        ),
    ]
