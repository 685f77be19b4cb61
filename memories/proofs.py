"""What bears a memory out, as one reader may see it now: a card for each source, and the words quoted from it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from governance.actors import Acting
from governance.citations import Citation, citations
from governance.invisible import made_visible
from governance.languages import language_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A source behind a memory: its card, and the words that were quoted from it, where it opens for this reader."""

    card: Citation
    quote: str

    @property
    def language(self) -> str:
        """Of the quoted words."""
        return language_of(self.quote)


def cards_for(refs: Iterable[str], acting: Acting) -> Mapping[str, Citation]:
    """Return the cards of sources by their refs, in the open scope; one statement for each scheme."""
    unique = list(dict.fromkeys(refs))
    return dict(zip(unique, citations(unique, acting), strict=False))


def proof_of(ref: str, quote: str, cards: Mapping[str, Citation]) -> Proof:
    """Return what is shown of one source that a memory cites."""
    card = cards.get(ref) or Citation(ref=made_visible(ref), kind="")
    # Words of what is closed to this reader stay closed too: a quote would say what the ref no longer does.
    return Proof(card=card, quote=made_visible(quote) if card.opens else "")
