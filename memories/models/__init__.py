"""What may be learnt, what it rests on and says, where it disagrees, and the searchable copies."""

from memories.models.claim import Claim
from memories.models.conflict import Conflict, ConflictSide, Settlement
from memories.models.consolidation import Consolidation
from memories.models.embedding import Embedding
from memories.models.evidence import GateVerdict, MemoryEvidence, MemoryParent
from memories.models.memory import Memory, MemoryVersion
from memories.models.offer import Offer
from memories.models.passage import Injection, Passage, PassageTally
from memories.models.use import Feedback, MemoryMove, MemoryRead

__all__ = [
    "Claim",
    "Conflict",
    "ConflictSide",
    "Consolidation",
    "Embedding",
    "Feedback",
    "GateVerdict",
    "Injection",
    "Memory",
    "MemoryEvidence",
    "MemoryMove",
    "MemoryParent",
    "MemoryRead",
    "MemoryVersion",
    "Offer",
    "Passage",
    "PassageTally",
    "Settlement",
]
