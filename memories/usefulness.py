"""How much a memory still counts: its importance fades unless somebody says it again. Pure; shown, never hidden."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from memories.vocabulary import MemoryType

# Days in which importance halves: what happened fades first, how somebody wants it done last.
HALF_LIFE: Mapping[MemoryType, int] = MappingProxyType(
    {
        MemoryType.EPISODE: 30,
        MemoryType.SEMANTIC: 180,
        MemoryType.PROCEDURAL: 365,
        MemoryType.PREFERENCE: 365,
    }
)
USED_SINCE = timedelta(days=90)
USE_WEIGHT, MOST_FOR_USE = 0.1, 0.5
PRAISE, BLAME = 0.2, 0.4
# What an agent says of its own use of a memory, by citing it or in words, weighs less than a human's word.
CITED, MOST_FOR_CITED = 0.05, 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What usefulness is judged by. `confirmed_at` is when somebody said it last: a reading or a packet says nothing.

    `uses` counts the packets of USED_SINCE that carried it, `praise` the humans who found it useful, `cited` how often
    agents did, by citing it in what they made of a packet or by saying so, `blame` who found it wrong, outdated or not
    to be used.
    """

    type: MemoryType
    importance: float
    confirmed_at: datetime
    uses: int = 0
    praise: int = 0
    cited: int = 0
    blame: int = 0


def importance_now(use: Use, *, now: datetime) -> float:
    """Return the importance that is left, from 0 to what was given, to three places."""
    age = max((now - use.confirmed_at).total_seconds() / 86_400, 0.0)
    left: float = 0.5 ** (age / HALF_LIFE[use.type])
    return round(use.importance * left, 3)


def usefulness(use: Use, *, now: datetime) -> float:
    """Return what a memory is worth beside others of its place, higher is better: what is left of its importance, how
    often packets carried it, and what was said of it.
    """
    carried = min(USE_WEIGHT * math.log2(1 + use.uses), MOST_FOR_USE)
    said = PRAISE * use.praise + min(CITED * use.cited, MOST_FOR_CITED) - BLAME * use.blame
    return round(importance_now(use, now=now) + carried + said, 3)
