"""What may be learnt, what it rests on, and the searchable copies."""

from memories.models.evidence import GateVerdict, MemoryEvidence, MemoryParent
from memories.models.memory import Memory, MemoryVersion
from memories.models.passage import Injection, Passage

__all__ = [
    "GateVerdict",
    "Injection",
    "Memory",
    "MemoryEvidence",
    "MemoryParent",
    "MemoryVersion",
    "Passage",
]
