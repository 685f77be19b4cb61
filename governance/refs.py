"""The registry of refs: each app says how its scheme is resolved, and nobody below has to import it."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from governance.actors import Acting
from governance.errors import Invalid, NotThere

REF_FORM = re.compile(r"([a-z][a-z0-9+.-]*)://(\S{1,280})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What a ref opens for one reader at this moment. `text` is whole; readers bound it themselves.

    `source` says how far it may be believed, in the words of memories.SourceRank; '' is nobody's word. `own_words`
    marks what an agent said itself, `from_tool` what a tool gave, `private` what its owner alone may read.
    """

    ref: str
    text: str
    media_type: str = "text/plain"
    sha256: str | None = None
    source: str = ""
    own_words: bool = False
    from_tool: bool = False
    private: bool = False
    observed_at: datetime | None = None


type Resolver = Callable[[str, Acting], Resolved]
type Eraser = Callable[[str, Acting], None]
type Finder = Callable[[Sequence[str], Acting], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Scheme:
    """How one scheme is opened and, where its content may be erased, erased.

    `find` says at once which of several refs open; without it each is opened to see.
    """

    resolve: Resolver
    erase: Eraser | None = None
    find: Finder | None = None


_schemes: dict[str, Scheme] = {}


def register(name: str, scheme: Scheme) -> None:
    """Add a scheme. Called by each app as it gets ready; a name can be taken once."""
    if name in _schemes:
        raise ValueError(f"the scheme {name} is taken")
    _schemes[name] = scheme


def knows(ref: str) -> bool:
    """Return whether a text has the form of a ref whose scheme somebody registered."""
    form = REF_FORM.fullmatch(ref)
    return form is not None and form.group(1) in _schemes


def resolve(ref: str, acting: Acting, *, pointer: str = "/ref") -> Resolved:
    """Open a ref for this reader, now, inside the open scope.

    Raises Invalid for a text that is no ref or has a scheme nobody registered, and NotThere for one that is not
    there or not readable: the two cannot be told apart.
    """
    form = REF_FORM.fullmatch(ref)
    if form is None or form.group(1) not in _schemes:
        known = ", ".join(f"{name}://" for name in sorted(_schemes))
        raise Invalid.at(pointer, f"expected a ref that begins with one of {known}", code="unknown_ref")
    return _schemes[form.group(1)].resolve(ref, acting)


def resolves(ref: str, acting: Acting) -> bool:
    """Return whether the ref opens for this reader now."""
    try:
        resolve(ref, acting)
    except (Invalid, NotThere):
        return False
    return True


def which_resolve(wanted: Sequence[str], acting: Acting) -> set[str]:
    """Return those of the refs that open for this reader now: one look for each scheme that can look for several."""
    opened: set[str] = set()
    for name, group in groupby(sorted(set(wanted), key=_scheme_of), key=_scheme_of):
        named = list(group)
        scheme = _schemes.get(name)
        if scheme is not None and scheme.find is not None:
            opened |= set(scheme.find(named, acting))
        else:
            opened |= {ref for ref in named if resolves(ref, acting)}
    return opened


def _scheme_of(ref: str) -> str:
    return ref.partition("://")[0]
