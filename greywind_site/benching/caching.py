"""What two providers bill for the prompts of a session, by the rules that they publish for their prompt caches; pure.

Figures are in tokens at the price of plain input, so that they compare whatever a model costs.

**Anthropic** (platform.claude.com, Build with Claude, Prompt caching). The prefix up to a content block that carries
`cache_control` is stored, for at most four of them in a request. Writing costs 1.25 times plain input, reading 0.1
times. A prefix is known again only when all its blocks are the same, one by one; from a mark the provider looks back
over twenty blocks for one that it has. Prefixes below a least size (1,024 tokens for Sonnet and Opus 4 to 4.1, up to
4,096 for others) are never stored. An entry lives five minutes from its last use.

**OpenAI** (developers.openai.com, Guides, Prompt caching; Pricing). No marks: the longest prefix that a recent request
had is found in steps of 128 tokens from 1,024 on. Writing costs nothing more, reading 0.1 times plain input for the
GPT-5 family (0.25 for GPT-4.1, 0.5 for GPT-4o). Entries go after five to ten idle minutes; here it is five.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

MARKS, LOOK_BACK, LEAST = 4, 20, 1_024
WRITE, READ = 1.25, 0.1
STEP = 128
LIFETIME = 300.0  # seconds without use


@dataclass(frozen=True, slots=True)
class Block:
    """A content block of a request, its tokens, and whether it carries a mark."""

    text: str
    tokens: int
    marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Tokens of one request by how they are charged, and what they cost in tokens of plain input."""

    read: int = 0
    written: int = 0
    plain: int = 0
    cost: float = 0.0


@dataclass(slots=True)
class AnthropicCache:
    """One workspace's entries, by the hash of a prefix."""

    least: int = LEAST
    clock: float = 0.0
    entries: dict[str, float] = field(default_factory=dict)

    def elapse(self, seconds: float) -> None:
        """Let idle time pass."""
        self.clock += seconds

    def bill(self, blocks: Sequence[Block]) -> Bill:
        """Charge a request and store what it marks. Raises ValueError for more marks than are allowed."""
        marks = [index for index, block in enumerate(blocks) if block.marked]
        if len(marks) > MARKS:
            raise ValueError(f"{len(marks)} marks in a request that may have {MARKS}")
        sizes, hashes = _prefixes(blocks)
        marks = [mark for mark in marks if sizes[mark] >= self.least]
        read = max((sizes[place] for mark in marks if (place := self._known(hashes, mark)) is not None), default=0)
        end = max([sizes[mark] for mark in marks], default=0)
        for mark in marks:
            self.entries[hashes[mark]] = self.clock
        written, plain = max(end - read, 0), sum(block.tokens for block in blocks) - max(end, read)
        return Bill(read=read, written=written, plain=plain, cost=READ * read + WRITE * written + plain)

    def _known(self, hashes: Sequence[str], mark: int) -> int | None:
        for place in range(mark, max(mark - LOOK_BACK, -1), -1):
            used = self.entries.get(hashes[place])
            if used is not None and self.clock - used <= LIFETIME:
                self.entries[hashes[place]] = self.clock
                return place
        return None


@dataclass(slots=True)
class OpenAICache:
    """One organisation's recent prompts, as tokens."""

    read_price: float = READ
    clock: float = 0.0
    prompts: list[tuple[float, Sequence[int]]] = field(default_factory=list)

    def elapse(self, seconds: float) -> None:
        """Let idle time pass."""
        self.clock += seconds

    def bill(self, tokens: Sequence[int]) -> Bill:
        """Charge a prompt and remember it."""
        self.prompts = [(used, prompt) for used, prompt in self.prompts if self.clock - used <= LIFETIME]
        shared = max((common_prefix(prompt, tokens) for _, prompt in self.prompts), default=0)
        read = LEAST + (shared - LEAST) // STEP * STEP if shared >= LEAST else 0
        if len(tokens) >= LEAST:
            self.prompts.append((self.clock, tokens))
        plain = len(tokens) - read
        return Bill(read=read, plain=plain, cost=self.read_price * read + plain)


def common_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens two prompts begin with alike."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _prefixes(blocks: Sequence[Block]) -> tuple[list[int], list[str]]:
    """Return for each block how many tokens stand up to its end, and the hash of all blocks up to it."""
    sizes, hashes, size, running = [], [], 0, hashlib.sha256()
    for block in blocks:
        content = block.text.encode("utf-8", "surrogatepass")
        running.update(len(content).to_bytes(8, "big") + content)
        size += block.tokens
        sizes.append(size)
        hashes.append(running.hexdigest())
    return sizes, hashes
