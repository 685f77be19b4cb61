"""What a proposal rests on, opened now for its writer: who said it, and how far it may be believed."""

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance import refs
from governance.actors import Acting
from governance.errors import Invalid, NotThere
from governance.refs import Resolved
from governance.vocabulary import ActorKind
from memories.gate_cases import CitedFact
from memories.gates import rank_of
from memories.models import Memory
from memories.screening import Category, screen
from memories.vocabulary import SPOKEN, Origin, SourceRank
from memories.wishes import EvidenceWish, MemoryWish


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A ref as it is stored beside a memory: the quoted words where everybody may read them, and their hash."""

    ref: str
    quote: str
    quote_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """The evidence of a proposal. `rank` is the weight of its source, `said_at` when the newest of it was said."""

    cited: Sequence[CitedFact]
    kept: Sequence[Kept]
    rank: SourceRank
    said_at: datetime
    signed: bool

    @property
    def fresh(self) -> bool:
        """Whether somebody besides the agent stands behind it: a user, or a verified result."""
        strong = (SourceRank.VERIFIED_TOOL_OUTPUT, *SPOKEN)
        return self.signed or any(fact.source in strong for fact in self.cited)


def weigh(acting: Acting, wish: MemoryWish, *, now: datetime) -> Weighed:
    """Open every ref of a proposal in the open scope; each is told to be there or not, and never why not."""
    opened = [_open(cited.ref, acting) for cited in wish.evidence]
    pairs = list(zip(wish.evidence, opened, strict=True))
    facts = [_fact(cited, found) for cited, found in pairs]
    signed = acting.kind is ActorKind.HUMAN and wish.origin is Origin.USER_EXPLICIT
    heirlooms = Memory.objects.filter(pk__in=wish.parents).values_list("source_rank", flat=True) if wish.parents else ()
    sources = [(fact.source, fact.from_tool) for fact in facts if fact.opens]
    times = [found.observed_at for found in opened if found is not None and found.observed_at is not None]
    return Weighed(
        cited=facts,
        kept=[_kept(cited, found, private=wish.private) for cited, found in pairs],
        rank=rank_of(wish.origin, signed=signed, cited=[*sources, *((SourceRank(one), False) for one in heirlooms)]),
        said_at=now if acting.kind is ActorKind.HUMAN else max(times, default=now),
        signed=signed,
    )


def digest_of(text: str) -> str:
    """Return the hash under which a text is known again."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _open(ref: str, acting: Acting) -> Resolved | None:
    try:
        return refs.resolve(ref, acting)
    except (Invalid, NotThere):
        return None


def _fact(cited: EvidenceWish, found: Resolved | None) -> CitedFact:
    if found is None:
        return CitedFact(ref=cited.ref, opens=False)
    return CitedFact(
        ref=cited.ref,
        opens=True,
        quoted=_plain(cited.quote) in _plain(found.text),
        source=SourceRank(found.source or SourceRank.UNTRUSTED_EXTERNAL),
        own_words=found.own_words,
        from_tool=found.from_tool,
        private=found.private,
    )


def _kept(cited: EvidenceWish, found: Resolved | None, *, private: bool) -> Kept:
    if found is None:
        return Kept(ref=cited.ref, quote="", quote_hash="")
    # Words of a private text in a shared row would be read by everybody who may not open the text itself.
    leaks = (found.private and not private) or bool(screen(cited.quote).kinds(Category.SECRET))
    return Kept(ref=cited.ref, quote="" if leaks else cited.quote, quote_hash=digest_of(cited.quote or found.text))


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
