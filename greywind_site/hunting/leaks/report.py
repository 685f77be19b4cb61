"""What a hunt did, and what was heard that was not for whoever heard it."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Leak:
    """Somebody heard what was not for them."""

    who: str
    operation: str
    path: str
    what: str
    table: str
    body: str = ""

    def __str__(self) -> str:
        return f"{self.who} heard {self.what} of {self.table} from {self.operation} ({self.path} {self.body})"


@dataclass(slots=True)
class Report:
    """What a hunt did and heard."""

    requests: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)
    pairs: int = 0
    leaks: list[Leak] = field(default_factory=list)
    oracles: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    heard: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    showing: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    seconds: float = 0.0
    walked: bool = False

    @property
    def ok(self) -> bool:
        return not self.leaks and not self.oracles and not self.failures
