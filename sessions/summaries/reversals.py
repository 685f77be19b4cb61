"""What a later statement takes back of what was said before: by saying so, by another value, by the opposite. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import regex
import rjieba

from sessions.context.summary_lines import JOINT, Line
from sessions.context.vocabulary import SummarySection
from sessions.summaries import cues
from sessions.summaries.clauses import folded
from sessions.summaries.cues import Kind
from sessions.summaries.statements import Statement, kind_of

SAME_MATTER = 0.6  # share of the smaller one's words from which two statements speak of one thing
SAME_WITH_CUE = 0.5  # where the later one says that it changes something
SHARED = 2  # words at least, where no value was given for another
FEW = 2  # words of two statements that may speak of one thing with one word in common
LISTED = 3  # values from which a sentence is a list of them
KNOWN = 8_192  # sentences of which is remembered what they speak of: each is held against every later statement
LIKE_STEM = 4  # letters from which a word inside another counts as the same

_WORD = regex.compile(r"\p{Han}+|[^\W_]+(?:[._-][^\W_]+)*")
_SMALL = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "with",
        "and",
        "or",
        "but",
        "so",
        "is",
        "are",
        "was",
        "be",
        "been",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "we",
        "i",
        "you",
        "he",
        "she",
        "they",
        "our",
        "your",
        "my",
        "their",
        "as",
        "if",
        "then",
        "than",
        "not",
        "no",
        "do",
        "does",
        "did",
        "can",
        "could",
        "should",
        "would",
        "will",
        "just",
        "only",
        "also",
        "all",
        "any",
        "same",
        "like",
        "use",
        "set",
        "get",
        "make",
        "put",
        "go",
        "have",
        "has",
        "had",
        "want",
        "need",
        "let",
        "lets",
        "there",
        "here",
        "now",
        "still",
        "please",
        "ok",
        "actually",
        "instead",
    ]
)
_IDENTIFIER = regex.compile(r"[^\W_]+[._-][^\W_]+|[a-z]+\d+|\d+[a-z]+")
_NUMBER = regex.compile(r"\d+")
_COLOUR = regex.compile(r"(?=.*\d)[0-9a-f]{3,8}")
_VERBS = regex.compile(
    r"改(?:成|为|用|到|回)|换(?:成|为|用|回)|调(?:整|到|成)(?:到|为|成)?|设(?:成|为|置为?)|定(?:为|成|在)|统一(?:用|成|为)?|还是用?|不再|就用|采用|选用|使用|"
    r"用|是|为|成|到|的|了|吧|请|先|再|都|要|得|也|把|在|和|与|及"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A line, and the section in which it stands."""

    section: SummarySection
    line: Line

    @property
    def last_seq(self) -> int:
        """The last entry that it cites, 0 where it cites none."""
        return max(self.line.seqs, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """What was said, and the entry that took it back."""

    section: SummarySection
    line: Line
    by: int


REVERSIBLE = (SummarySection.CONSTRAINTS, SummarySection.DECISIONS, SummarySection.NEXT_STEPS, SummarySection.GOALS)


def after(placed: Sequence[Placed], said: Sequence[Statement], *, seq: int) -> tuple[list[Placed], list[TakenBack]]:
    """Return the lines that stand once an entry's statements were made, and what they took back."""
    stands: list[Placed] = []
    gone: list[TakenBack] = []
    latest = max((one.last_seq for one in placed if _is_said(one)), default=0)
    for one in placed:
        left = one.line.text
        if _is_said(one):
            about = _taken_of_latest(one, said, latest)
            pieces = [piece for piece in one.line.pieces if piece not in about]
            left = JOINT.join(filter(None, (_left_of(piece, said) for piece in pieces)))
        if left:
            stands.append(replace(one, line=replace(one.line, text=left)) if left != one.line.text else one)
        if left != one.line.text:
            gone.append(TakenBack(section=one.section, line=_difference(one.line, left), by=seq))
    return stands, gone


@lru_cache(KNOWN)
def elements(piece: str) -> Sequence[str]:
    """Return the entries of a piece that is a list of values, or the piece."""
    parts = piece.split(", ")
    return parts if len(parts) >= LISTED and all(_is_listed(folded(part)) for part in parts) else [piece]


@lru_cache(16_384)
def replaces(statement: Statement, piece: str) -> bool:
    """Return whether a statement leaves nothing of an earlier one: another value, another choice, the opposite."""
    new, old = _plain(statement.text), _plain(piece)
    if new == old or statement.kind in (Kind.QUESTION, Kind.ERRAND, Kind.NOTE, Kind.PROPOSAL):
        return False
    which, of_which = _numbered(new), _numbered(old)
    if which and of_which and not which & of_which and _values(new) and _values(old):
        return False  # "station 3" and "station 4" are two things, whatever both are set to
    changes = bool(cues.CHANGES.search(new)) or statement.denies
    left, right = words(new), words(old)
    shared = len(left & right)
    alike = shared / min(len(left), len(right)) if left and right else 0.0
    if _other_value(new, old):
        return alike >= (SAME_WITH_CUE if changes else SAME_MATTER) and (
            shared > 1 or max(len(left), len(right)) <= FEW
        )
    if changes and not _is_list(old) and alike >= SAME_MATTER and shared >= SHARED:
        return True
    opposite = cues.REMOVES.search(new) and cues.KEEPS.search(old)
    return bool(opposite) and (shared >= SHARED or bool(_named(new) & _named(old)))


@lru_cache(KNOWN)
def words(text: str) -> frozenset[str]:
    """Return what a folded text speaks of: its words, without small ones."""
    found: set[str] = set()
    for word in _WORD.findall(cues.VALUED.sub(_unit, _VERBS.sub(" ", text))):
        if regex.match(r"\p{Han}", word):
            found |= {part for part in rjieba.cut(word) if len(part) > 1 or len(word) == 1}
        elif word not in _SMALL:
            found.add(word.removesuffix("s") if len(word) > LIKE_STEM else word)
    return frozenset(found)


def _unit(value: regex.Match[str]) -> str:
    """What a value counts is a word like others; its figure is not."""
    unit = value[0].lstrip("0123456789.<>=≤≥ ")
    return f" {unit} " if unit.isalpha() and len(unit) >= LIKE_STEM else " "


@lru_cache(KNOWN)
def _plain(text: str) -> str:
    return folded(text)


def _left_of(piece: str, said: Sequence[Statement]) -> str:
    return ", ".join(part for part in elements(piece) if not any(replaces(one, part) for one in said))


def _is_listed(element: str) -> bool:
    return bool(cues.VALUED.search(element) or cues.MAPS.search(element))


def _taken_of_latest(one: Placed, said: Sequence[Statement], latest: int) -> Sequence[str]:
    """What statements that only point at it take back of the last thing that was said, where this line says it.

    All of it where they point at it ("revert that"); where their entry only names what it is about, that alone.
    """
    if one.last_seq != latest or latest == 0:
        return ()
    retracts = [found[0] for statement in said if (found := cues.RETRACTS.search(folded(statement.text)))]
    if any(cues.POINTS_BACK.search(found) for found in retracts):
        return one.line.pieces
    if retracts:
        about = frozenset[str]().union(*(words(folded(statement.text)) for statement in said))
        named = [piece for piece in one.line.pieces if words(folded(piece)) & about]
        return named or one.line.pieces
    return one.line.pieces if any(_denies(one, statement) for statement in said) else ()


def _denies(one: Placed, statement: Statement) -> bool:
    if not statement.denies:
        return False
    proposed = any(kind_of(piece, piece) in (Kind.PROPOSAL, Kind.QUESTION) for piece in one.line.pieces)
    return proposed or bool(words(folded(statement.text)) & words(folded(one.line.text)))


def _other_value(new: str, old: str) -> bool:
    """Whether both give values of one sort, and none of that sort in common."""
    given, before = _values(new), _values(old)
    shared = {_sort(value) for value in given & before}
    return bool(({_sort(value) for value in given} & {_sort(value) for value in before}) - shared)


@lru_cache(KNOWN)
def _numbered(text: str) -> frozenset[str]:
    """The numbers that name something and count nothing."""
    return frozenset(_NUMBER.findall(cues.VALUED.sub(" ", text)))


@lru_cache(KNOWN)
def _sort(value: str) -> str:
    """What a value counts: its unit, or that it is a colour."""
    return "#" if _COLOUR.fullmatch(value) else value.lstrip("0123456789.<>=≤≥ ")


@lru_cache(KNOWN)
def _values(text: str) -> frozenset[str]:
    return frozenset(found[0].replace(" ", "").lstrip("#") for found in cues.VALUED.finditer(text))


def _named(text: str) -> set[str]:
    return set(_IDENTIFIER.findall(text))


def _is_list(text: str) -> bool:
    return bool(cues.MAPS.search(text))


def _is_said(one: Placed) -> bool:
    return one.section in REVERSIBLE and bool(one.line.seqs)


def _difference(line: Line, left: str) -> Line:
    kept = set(left.split(JOINT))
    return replace(line, text=JOINT.join(piece for piece in line.pieces if piece not in kept))
