"""How much text a compile tokenises, turn after turn, beside counting anew all that it looked at."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median
from typing import Any
from unittest.mock import patch

import tiktoken

from governance.actors import Acting
from governance.ids import parse_id
from governance.scope import project_scope
from greywind_site.benching.compile_store import Place, Workplace
from greywind_site.benching.compile_texts import entry, question
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.replay import decisions_in, find_packet, recompile
from sessions.runtime import prepare_context
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import EventKind, EventRole

NEW = 200_000  # where the questions begin that nobody else asks
FIRST_TURNS = 3  # not counted: headers and contracts are met for the first time
EACH_TURN = 4  # events between two compiles: a request, a call, its result, an answer


@dataclass(frozen=True, slots=True)
class Tokenised:
    """Bytes of each compile: those that were tokenised, and those of all events and memories that it may bring."""

    done: Sequence[int]
    naive: Sequence[int]

    @property
    def shares(self) -> list[float]:
        """How many times less was tokenised than naively, by compile."""
        return [naive / max(done, 1) for done, naive in zip(self.done, self.naive, strict=True)]

    @property
    def medians(self) -> tuple[int, int]:
        """The medians of both."""
        return round(median(self.done)), round(median(self.naive))


@dataclass(slots=True)
class _Meter:
    bytes: int = field(default=0)


@dataclass(frozen=True, slots=True)
class Weighed:
    """What is tokenised where each memory is met for the first time, and where it was met before."""

    first: Tokenised
    again: Tokenised


def weighed(home: Workplace, work: Place, *, turns: int, now: datetime) -> Weighed:
    """Let a session go on for some turns, each with a question of its own, and then ask the same questions again.

    A text is counted once in a process: what stands beside its event is counted as that is written, and a memory when
    it is first recalled.
    """
    _turns(home, work, range(-FIRST_TURNS, 0), now=now)
    first = _turns(home, work, range(turns), now=now)
    again = _turns(home, work, range(turns, 2 * turns), now=now, ask=lambda turn: turn - turns)
    return Weighed(first, again)


def _turns(
    home: Workplace, work: Place, turns: Sequence[int], *, now: datetime, ask: Callable[[int], int] = int
) -> Tokenised:
    done, naive = [], []
    for turn in turns:
        place, then = FIRST_TURNS + turn, now + timedelta(seconds=30 * turn)
        _speak(home.agent, work, work.events + EACH_TURN * place, now=then)
        wish = ContextAsk(
            thread_id=parse_id("thr", work.thread, pointer="/thread_id"),
            user_input=InputFact(raw_text=question(NEW + ask(turn)), input_type="text"),
        )
        with metered() as meter:
            answer = prepare_context(wish, acting=home.agent, now=then)
        done.append(meter.bytes)
        naive.append(_looked_at(home.agent, answer))
    return Tokenised(done, naive)


@contextmanager
def metered() -> Iterator[_Meter]:
    """Weigh all text that is tokenised within the block; every way of counting ends here."""
    meter, encode = _Meter(), tiktoken.Encoding.encode_ordinary

    def weigh(self: tiktoken.Encoding, text: str) -> list[int]:
        meter.bytes += len(text.encode("utf-8", "surrogatepass"))
        return encode(self, text)

    with patch.object(tiktoken.Encoding, "encode_ordinary", weigh):
        yield meter


def _speak(agent: Acting, work: Place, start: int, *, now: datetime) -> None:
    with project_scope(agent):
        append(agent, work.session, [_said(n) for n in range(start, start + EACH_TURN)], now=now)


def _said(n: int) -> NewEvent:
    told = {"kind": EventKind.MESSAGE, "tool": "", "failed": None, **entry(n)}
    return NewEvent(client_id=f"e{n}", **told | {"role": EventRole(told["role"]), "kind": EventKind(told["kind"])})


def _looked_at(agent: Acting, answer: dict[str, Any]) -> int:
    with project_scope(agent, read_only=True):
        packet = find_packet(parse_id("pkt", answer["packet_id"], pointer="/packet_id"))
        material = recompile(packet, decisions_in(packet)).material
    texts = [*(event.text for event in material.events), *(hit.content for hit in material.hits)]
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
