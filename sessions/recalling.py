"""What was found for a goal, kept from turn to turn: the same refs in the same order, so that the prompt's prefix
stays. It is asked anew when the matter, the phase, the task or the readers change, or something of it is gone.
"""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from governance.ids import public_id
from governance.vocabulary import Audience, Phase, Sensitivity
from memories.embeddings.queries import AskedVectors, kept_vectors
from memories.ranking.asking import requests
from memories.retrieval import Found, Limits, Scope, retrieve
from memories.weighing import digest_of
from sessions.context.material import Eligibility, HitFact, Reach
from sessions.facts import hit_fact
from sessions.hit_texts import texts_now
from sessions.vocabulary import Anew
from threads.models import Task, Thread
from threads.speech import Reading, SpeechAct


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What a search stands for: in which phase, for which task, and for whose eyes. No word of what was asked."""

    phase: str
    task: str
    readers: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallWish:
    """What to look for: the input's own matter, or where it has none, `otherwise`; and for which goal.

    `vectors` None means that what is looked for is known inside the transaction only: then they have to be kept.
    """

    matter: str | None
    otherwise: str
    goal: Goal
    vectors: AskedVectors | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the session's last packet was given, by its receipt: for which goal, and the hits without their texts."""

    packet: str
    goal: Goal
    hits: Sequence[Mapping[str, Any]]
    considered: int
    eligible: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What this compile may bring along. `kept_from` is the packet that it was found for, '' when it was asked anew,
    and then `anew` says why.
    """

    goal: Goal
    facts: Sequence[HitFact]
    found: Found
    anew: Anew | None
    kept_from: str = ""


def goal_of(phase: Phase, task: Task | None, eligibility: Eligibility) -> Goal:
    """Return the goal of a turn."""
    readers = hashlib.sha256(repr(sorted(asdict(eligibility).items())).encode()).hexdigest()[:16]
    return Goal(phase=phase.value, task=task.public_id if task else "", readers=readers)


def own_matter(reading: Reading) -> str | None:
    """Return what an input is about by itself, None where it only goes on with something ("继续")."""
    return reading.content if reading.act is SpeechAct.REQUEST and reading.specific > 0 else None


def matter_of(thread: Thread, vision: Mapping[str, Any] | None) -> str:
    """Return what a thread is about: what a turn that only goes on is looked for by."""
    goal = vision["origin_goal"] if vision else ""
    return " ".join([thread.title, *thread.recent_goals[:1], goal])


def why_anew(kept: Kept | None, goal: Goal, *, matter: str | None) -> Anew | None:
    """Return why a search is to be made again, None where what the last one found goes on to serve.

    A turn that brings a matter of its own is a new question; one that only goes on asks nothing new.
    """
    if kept is None:
        return Anew.FIRST
    if matter:
        return Anew.MATTER
    changed = {Anew.PHASE: "phase", Anew.TASK: "task", Anew.READERS: "readers"}
    for why, name in changed.items():
        if getattr(kept.goal, name) != getattr(goal, name):
            return why
    return None if kept.hits else Anew.EMPTY


def recall(wish: RecallWish, kept: Kept | None, *, scope: Scope, limits: Limits) -> Recalled:
    """Return what the last packet of the session was given, where it still serves and is all there; else ask anew."""
    goal, anew = wish.goal, why_anew(kept, wish.goal, matter=wish.matter)
    if kept is not None and anew is None:
        facts = hits_again(kept.hits, texts_now(kept.hits))
        if len(facts) == len(kept.hits):
            found = Found(hits=[], considered=kept.considered, eligible=kept.eligible, abstained=False)
            return Recalled(goal=goal, facts=facts, found=found, anew=None, kept_from=kept.packet)
        anew = Anew.GONE
    query = wish.matter or wish.otherwise
    vectors = kept_vectors(requests(query)) if wish.vectors is None else wish.vectors
    found = retrieve(query, scope=scope, limits=limits, vectors=vectors, phase=goal.phase)
    return Recalled(goal=goal, facts=tuple(map(hit_fact, found.hits)), found=found, anew=anew)


def kept_in(row: Mapping[str, Any] | None) -> Kept | None:
    """Return what a packet's row says of its retrieval; None for one of before, which does not say for what it was."""
    if row is None or not row["recall"]:
        return None
    told = row["recall"]
    return Kept(
        packet=told["kept_from"] or public_id("pkt", uuid.UUID(row["id"])),
        goal=Goal(**told["goal"]),
        hits=row["hits"],
        considered=told["considered"],
        eligible=told["eligible"],
    )


def recall_out(recalled: Recalled, *, private: bool) -> dict[str, Any]:
    """Return what a receipt keeps of a retrieval: its goal and figures, and by which rule what was looked at lost.

    Others may read the packet than could read each candidate, so that in a shared one only those are named which
    the whole project may read.
    """
    found = recalled.found
    lost: dict[str, list[list[str]]] = {}
    for one in found.lost:
        if private or one.audience == Audience.PROJECT:
            lost.setdefault(one.rule.value, []).append([one.ref, one.by] if one.by else [one.ref])
    return {
        "goal": asdict(recalled.goal),
        "kept_from": recalled.kept_from,
        "anew": recalled.anew.value if recalled.anew else "",
        "considered": found.considered,
        "eligible": found.eligible,
        "models": list(found.models),
        "missing": dict(found.missing),
        "lost": lost,
    }


def hits_again(rows: Sequence[Mapping[str, Any]], texts: Mapping[str, str]) -> tuple[HitFact, ...]:
    """Return those hits of a receipt that `texts` has the words of, in their order."""
    return tuple(_hit_again(row, texts[row["ref"]]) for row in rows if row["ref"] in texts)


def hit_out(fact: HitFact) -> dict[str, Any]:
    """Return a hit as a receipt keeps it: without its text, and with that text's hash."""
    return _values(fact) | {"content": "", "reach": _values(fact.reach), "hash": digest_of(fact.content)}


def _values(fact: HitFact | Reach) -> dict[str, Any]:
    """Return the fields of a fact as they are: what `asdict` gives where none holds another fact, without a copy."""
    return {name: getattr(fact, name) for name in fact.__slots__}


def _hit_again(row: Mapping[str, Any], text: str) -> HitFact:
    values = {name: value for name, value in row.items() if name not in ("hash", "reach", "content")}
    reach = row["reach"]
    placed = Reach(
        audience=Audience(reach["audience"]),
        role=reach["role"],
        owner=reach["owner"],
        sensitivity=Sensitivity(reach["sensitivity"]),
    )
    return HitFact(**values, content=text, reach=placed)
