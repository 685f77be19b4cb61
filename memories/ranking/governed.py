"""What a governed memory knows of itself beside its text: small fixed terms, nothing where nothing is known. Pure."""

import math
from collections.abc import Mapping
from datetime import datetime

from governance.vocabulary import Phase
from memories.ranking.candidate import Candidate
from memories.vocabulary import KnowledgeStatus, Origin, SourceType

HALF_LIFE_DAYS = 30.0  # age at which recency has lost half of its say
STATUS: Mapping[str, float] = {
    KnowledgeStatus.CONFIRMED: 1.0,
    KnowledgeStatus.INFERRED: 0.0,
    KnowledgeStatus.OPEN: -0.5,
    KnowledgeStatus.DISPUTED: -1.0,
}
SOURCE: Mapping[str, float] = {
    Origin.USER_EXPLICIT: 1.0,
    Origin.AGENT_INFERRED: 0.0,
    Origin.TOOL_OUTPUT: -0.5,
    Origin.EXTERNAL_AGENT: -1.0,
}
# Planning asks what was decided and learnt, doing how it is done, accepting what holds.
PHASES: Mapping[str, frozenset[str]] = {
    Phase.PLAN: frozenset({SourceType.DECISION, SourceType.LESSON}),
    Phase.EXECUTE: frozenset({SourceType.SOP, SourceType.LESSON}),
    Phase.ACCEPT: frozenset({SourceType.DECISION, SourceType.FACT}),
}


def governed(one: Candidate, strengths: Mapping[str, float], *, now: datetime, phase: str) -> float:
    """Return what is added to a candidate's score: each term is between -1 and 1, times its strength."""
    age = max((now - (one.as_of or one.created_at)).total_seconds() / 86_400, 0.0)
    return (
        strengths["recency"] * math.pow(0.5, age / HALF_LIFE_DAYS)
        + strengths["status"] * STATUS.get(one.knowledge_status, 0.0)
        + strengths["source"] * SOURCE.get(one.origin, 0.0)
        + strengths["usefulness"] * math.tanh(one.use_score)
        + strengths["phase"] * (one.source_type in PHASES.get(phase, ()))
    )
