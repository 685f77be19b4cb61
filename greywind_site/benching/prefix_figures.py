"""Figures of a replayed session: how much of each prompt the next one begins with, and what providers bill for it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from greywind_site.benching.caching import AnthropicCache, Bill, Block, OpenAICache, common_prefix
from greywind_site.benching.prefix_run import SLOTS, Taken
from sessions.context.tokens import STORED_ENCODING, encode

SHARE_GOAL, BILL_GOAL = 0.85, 0.35
HEADING = re.compile(r"^(?=§§ )", re.MULTILINE)
RETRIEVAL = ("§§ handoff", "§§ retrieved")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFigures:
    """One turn: tokens of its prompt, those that it shares with the one before, and its bills."""

    turn: int
    tokens: int
    shared: int | None
    share: float | None
    anthropic: Bill
    openai: Bill
    naive_anthropic: Bill
    naive_openai: Bill


def figures_of(taken: Sequence[Taken], *, recorded_clock: bool) -> dict[str, Any]:
    """Return the figures of a replay. With `recorded_clock` the pauses of the recording pass, and entries lapse."""
    turns = list(_turns(taken, recorded_clock=recorded_clock))
    shares = [turn.share for turn in turns if turn.share is not None]
    bills = {name: _ratio(turns, name) for name in ("anthropic", "openai")}
    slots = {name: _slot(taken, name) for name in SLOTS}
    mean = fmean(shares) if shares else 0.0
    same = all(slot["identical"] == slot["unchanged"] for slot in slots.values())
    return {
        "turns": len(turns),
        "mean_tokens": round(fmean([turn.tokens for turn in turns])),
        "mean_common_prefix": round(mean, 4),
        "slots": slots,
        "bills": bills,
        "reached": mean >= SHARE_GOAL and same and all(bill["of_naive"] <= BILL_GOAL for bill in bills.values()),
        "by_turn": [_row(turn) for turn in turns],
    }


def _turns(taken: Sequence[Taken], *, recorded_clock: bool) -> list[TurnFigures]:
    anthropic, openai, naive = AnthropicCache(), OpenAICache(), (AnthropicCache(), OpenAICache())
    found: list[TurnFigures] = []
    before: Sequence[int] | None = None
    for number, one in enumerate(taken, 1):
        for cache in (anthropic, openai, *naive):
            cache.elapse(one.idle if recorded_clock else 0.0)
        plain = naive_order(one, number)
        tokens, plain_tokens = _tokens(one.answer["prompt"]["text"]), _tokens(plain)
        shared = common_prefix(before, tokens) if before is not None else None
        found.append(
            TurnFigures(
                turn=number,
                tokens=len(tokens),
                shared=shared,
                share=shared / len(before) if shared is not None and before else None,
                anthropic=anthropic.bill(blocks_of(one.answer["prompt"])),
                openai=openai.bill(tokens),
                # Without marks, which would cost a quarter more and be read never.
                naive_anthropic=naive[0].bill([Block(plain, len(plain_tokens))]),
                naive_openai=naive[1].bill(plain_tokens),
            )
        )
        before = tokens
    return found


def blocks_of(prompt: Mapping[str, Any]) -> list[Block]:
    """Return the content blocks of a prompt in the dialect anthropic.messages, in the order in which they are read."""
    contents = [*prompt["system"], *(block for message in prompt["messages"] for block in message["content"])]
    return [Block(one["text"], len(_tokens(one["text"])), "cache_control" in one) for one in contents]


def naive_order(one: Taken, number: int) -> str:
    """Return the same content as it is often put together: the time of the call first, what was found before what was
    said.
    """
    prompt = one.answer["prompt"]
    stable = "".join(block["text"] for block in prompt["system"])
    words = prompt["messages"][-1]["content"][-1]["text"]
    sections = HEADING.split(prompt["text"][len(stable) : len(prompt["text"]) - len(words)])
    found = [section for section in sections if section.startswith(RETRIEVAL)]
    said = [section for section in sections if not section.startswith(RETRIEVAL)]
    return "".join([f"Current time: 2026-03-11T09:{number:02}:07\n", stable, *found, *said, words])


def _slot(taken: Sequence[Taken], name: str) -> dict[str, int]:
    """Return how often a slot's sources stayed from one turn to the next, and how often its bytes did then."""
    unchanged = [(one, other) for one, other in pairwise(taken) if one.sources[name] == other.sources[name]]
    return {"unchanged": len(unchanged), "identical": sum(a.slot(name) == b.slot(name) for a, b in unchanged)}


def _ratio(turns: Sequence[TurnFigures], provider: str) -> dict[str, float]:
    ours = sum(getattr(turn, provider).cost for turn in turns)
    naive = sum(getattr(turn, f"naive_{provider}").cost for turn in turns)
    return {"cost": round(ours), "naive": round(naive), "of_naive": round(ours / naive, 4) if naive else 1.0}


def _row(turn: TurnFigures) -> dict[str, Any]:
    share = None if turn.share is None else round(turn.share, 4)
    told: dict[str, Any] = {"turn": turn.turn, "tokens": turn.tokens, "shared": turn.shared, "share": share}
    for name in ("anthropic", "openai"):
        bill: Bill = getattr(turn, name)
        told[name] = {"read": bill.read, "written": bill.written, "plain": bill.plain, "cost": round(bill.cost)}
    return told


def _tokens(text: str) -> list[int]:
    return encode(STORED_ENCODING, text)
