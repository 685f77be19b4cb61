"""Evidence that a text cites: the refs in it, and what apps above can say of each. They register that here."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise

from governance.actors import Acting
from governance.languages import language_of
from governance.refs import knows

MOST = 12  # refs of one text that are looked up; more evidence than that nobody reads beside a diff
# A ref ends where prose goes on: at white space, quotes, brackets and full stops of either script.
CITED = re.compile(r"[a-z][a-z0-9+.-]*://[^\s<>\"'“”‘’()\[\]{}`，。；：、！？（）「」『』【】《》]+")
TRAILING = ".,;:!?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A cited source as one reader may see it now. Where it does not open, nothing but its kind is said of it."""

    ref: str
    kind: Promise | str
    opens: bool = False
    who: str = ""
    at: datetime | None = None
    quote: str = ""
    href: str = ""

    @property
    def language(self) -> str:
        return language_of(self.quote)


type Describer = Callable[[Sequence[str], Acting], Sequence[Citation]]


@dataclass(slots=True)
class _Held:
    describer: Describer | None = None


_held = _Held()


def describe_with(describer: Describer) -> None:
    """Let `describer` say what refs name, in the open scope of a reader; called once, as its app gets ready."""
    if _held.describer is not None:
        raise ValueError("citations are described already")
    _held.describer = describer


def refs_in(text: str) -> list[str]:
    """Return the refs that a text names, each once, in its order, of schemes that somebody opens; at most MOST."""
    found = [match.group().rstrip(TRAILING) for match in CITED.finditer(text)]
    return [ref for ref in dict.fromkeys(found) if knows(ref)][:MOST]


def citations(cited: Sequence[str], acting: Acting) -> Sequence[Citation]:
    """Return a card for each ref, in the open scope; none where nobody can describe them."""
    return _held.describer(cited, acting) if cited and _held.describer else ()
