"""What a packet says about how it was made: the thread, the search, the actions and the warnings, for a reader."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

from governance.invisible import made_visible
from governance.languages import language_of
from memories.vocabulary import KnowledgeStatus, Origin, SourceType
from sessions.context.vocabulary import ActionKind, ActionReason, DropReason
from sessions.packet_memories import MemoryLine
from sessions.packet_refs import Namer, Source
from sessions.packet_sentences import candidate_reason, found_reason, warning_words
from sessions.packet_words import word_of
from threads.vocabulary import MatchRule

MOST_TARGETS = 50  # of one run of actions that are named; the others are counted
MOST_CANDIDATES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateLine:
    """A thread that the resolver looked at and the reader may see. `score` is from 0 to 1."""

    thread_id: str
    title: str
    language: str
    score: float
    reason: str
    rejected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionLines:
    """How the thread was found, as far as the threads are open to the reader; `more` of these are not listed."""

    rule: MatchRule
    confidence: float
    candidates: Sequence[CandidateLine]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HitLine:
    """A passage that the search brought: in the packet, or left out with the reason. `text` may be empty.

    `memory` is how it stands now, for a memory that the reader may read.
    """

    source: Source
    source_type: Promise | str
    status: Promise | str
    origin: Promise | str
    score: float | None
    confidence: float | None
    reason: str
    text: str
    dropped: DropReason | None
    memory: MemoryLine | None

    @property
    def language(self) -> str:
        return language_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRun:
    """Neighbouring actions of one kind and reason. `more` targets are not listed."""

    kind: ActionKind
    reason: ActionReason
    count: int
    targets: Sequence[Source]
    more: int


@dataclass(frozen=True, slots=True)
class WarningLine:
    """A warning as a sentence, and its code."""

    code: str
    words: Promise | str


def resolution_lines(stored: Mapping[str, Any], readable: Mapping[str, str]) -> ResolutionLines:
    """Return the resolution; `readable` are titles of the candidates that the reader may see, by public id."""
    seen = [
        {**one, "title": readable[one["thread_id"]]} for one in stored["candidates"] if one["thread_id"] in readable
    ]
    return ResolutionLines(
        rule=MatchRule(stored["rule"]),
        confidence=stored["confidence"],
        candidates=[_candidate(one) for one in seen[:MOST_CANDIDATES]],
        more=max(len(seen) - MOST_CANDIDATES, 0),
    )


def hit_lines(
    receipt: Mapping[str, Any],
    decisions: Mapping[str, Any],
    texts: Mapping[str, str] | None,
    namer: Namer,
    *,
    memories: Mapping[str, MemoryLine],
) -> Sequence[HitLine]:
    """Return the passages that the search brought, those in the packet first.

    `texts` are the contents that the reader may see, by ref; None where nothing may be shown: then the reason, which
    quotes the content's words, stays hidden as well. `memories` are those open to the reader, by ref without a version.
    """
    [layer] = [layer for layer in decisions["budget"]["layers"] if layer["layer"] == "memories"] or [None]
    left = {item["ref"].partition("#")[0]: item["reason"] for item in layer["dropped"]} if layer else {}
    carried = {item["ref"].partition("#")[0] for item in layer["items"]} if layer else set()
    found = [(hit, memories.get(hit["ref"].partition("@")[0])) for hit in receipt["hits"]]
    lines = [_hit(hit, left, texts, namer, memory=memory) for hit, memory in found]
    return sorted(lines, key=lambda line: (line.source.ref not in carried, -(line.score or 0)))


def action_runs(stored: Sequence[Sequence[Any]], place: str, namer: Namer) -> Sequence[ActionRun]:
    """Return the action log as a packet's row keeps it, in runs; `place` is what short refs begin with."""
    return [_run(kind, reason, targets, place=place, namer=namer) for kind, reason, targets in stored]


def warning_lines(stored: Sequence[Mapping[str, str]]) -> Sequence[WarningLine]:
    """Return warnings as sentences."""
    return [WarningLine(one["code"], warning_words(one["code"], one["message"])) for one in stored]


def _candidate(stored: Mapping[str, Any]) -> CandidateLine:
    return CandidateLine(
        thread_id=stored["thread_id"],
        title=made_visible(stored["title"]),
        language=language_of(stored["title"]),
        score=stored["score"],
        reason=made_visible(candidate_reason(stored["reason"])),
        rejected=stored["rejected"],
    )


def _hit(
    hit: Mapping[str, Any],
    left: Mapping[str, str],
    texts: Mapping[str, str] | None,
    namer: Namer,
    *,
    memory: MemoryLine | None,
) -> HitLine:
    reason = left.get(hit["ref"])
    return HitLine(
        source=namer.source(hit["ref"]),
        source_type=word_of(SourceType, hit["source_type"]),
        status=word_of(KnowledgeStatus, hit["knowledge_status"]),
        origin=word_of(Origin, hit["origin"]),
        score=_finite(hit["score"]),
        confidence=_finite(hit["confidence"]),
        reason=made_visible(found_reason(hit["relevance_reason"])) if texts is not None and hit["ref"] in texts else "",
        text=made_visible((texts or {}).get(hit["ref"], "")),
        dropped=DropReason(reason) if reason else None,
        memory=memory,
    )


def _run(kind: str, reason: str, targets: Sequence[str], *, place: str, namer: Namer) -> ActionRun:
    whole = [place + target[1:] if target.startswith("/") else target for target in targets[:MOST_TARGETS]]
    return ActionRun(
        kind=ActionKind(kind),
        reason=ActionReason(reason),
        count=len(targets),
        targets=[namer.source(target) for target in whole],
        more=max(len(targets) - MOST_TARGETS, 0),
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
