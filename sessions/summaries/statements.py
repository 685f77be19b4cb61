"""What an entry states that later work needs, sentence by sentence, and where it belongs. Pure.

An entry is read by itself alone: whoever reads it again reads the same, so that a line can be held against what it
cites.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import regex

from sessions.context.summary_lines import JOINT, plain_text
from sessions.context.vocabulary import SummarySection
from sessions.summaries import cues
from sessions.summaries.clauses import HAN, bare, folded, is_question, paragraphs, sentences, tidy, within
from sessions.summaries.cues import Kind
from sessions.summaries.entries import Entry
from sessions.vocabulary import EventKind, EventRole
from threads.affinity import KIND_WEIGHTS, commonness
from threads.lexemes import lexemes

WORTH: dict[Kind, int] = {
    Kind.CONSTRAINT: 9,
    Kind.DISSENT: 8,
    Kind.BLOCKER: 8,
    Kind.OPEN: 5,
    Kind.REMEMBER: 7,
    Kind.CORRECTION: 6,
    Kind.VALUE: 6,
    Kind.DECISION: 5,
    Kind.TASK: 4,
    Kind.PROPOSAL: 3,
    Kind.NOTE: 2,
    Kind.QUESTION: 1,
    Kind.ERRAND: 1,
    Kind.CHATTER: 0,
}
SECTION: dict[Kind, SummarySection] = {
    Kind.CONSTRAINT: SummarySection.CONSTRAINTS,
    Kind.REMEMBER: SummarySection.CONSTRAINTS,
    Kind.DISSENT: SummarySection.DISSENT,
    Kind.BLOCKER: SummarySection.BLOCKERS,
    Kind.OPEN: SummarySection.OPEN_QUESTIONS,
    Kind.QUESTION: SummarySection.OPEN_QUESTIONS,
}
"""Where a sentence of a kind stands; every other kind is a decision, or a next step while it is fresh."""
ELABORATES = (Kind.DECISION, Kind.PROPOSAL)
"""What says how a demand is to be met, where it follows one in the same paragraph."""
FEW_WORDS = 5  # of a statement that says little unless it names something
BARE_RETRACTION = 16  # words of a sentence that takes something back and says nothing in its place
SOME_WORDS = 3.0  # that tell something, of a statement that says as much as most
NAME_WORDS = 6  # of a line that only names something
LEAST_WORDS = 3  # of a statement; fewer point at something that stands elsewhere
HAN_OF_A_WORD = 1.3
ANSWER_WORDS = 12  # of an answer: who says more says what it is about
CLOSING = 6  # sentences that an agent ends with, which an answer may be to
_LATIN = regex.compile(r"[^\W_\p{Han}]+(?:['._/-][^\W_\p{Han}]+)*", regex.V1)
_POINTS = regex.compile(r"\b(?:this|that|it|these|those|they|them)\b|[这那它](?:个|些|里|样)?")
_GIVES_REASON = regex.compile(r"(?:so|i|we|that|this|it)\b|这样|因为|所以|方便|免得")
_NAME = regex.compile(r"[\w.]*[a-z][A-Z]\w*(?:\(\))?|[\w-]+\.[a-z]{2,4}\b|`[^`]+`|\w+\(\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence of an entry, tidied. `denies`: it opens by saying no to what stood before it; `belongs`: it says
    more of the demand before it.
    """

    seq: int
    kind: Kind
    text: str
    denies: bool = False
    belongs: bool = False

    @property
    def worth(self) -> int:
        """How much later work needs it, among others of its kind the more it names."""
        return WORTH[self.kind]


class _Found(NamedTuple):
    text: str
    kind: Kind
    denies: bool
    belongs: bool = False


@lru_cache(8_192)
def statements(entry: Entry) -> Sequence[Statement]:
    """Return what an attested entry of a user states, in its order, chatter left out."""
    if entry.kind == EventKind.CONSTRAINT:
        return (Statement(seq=entry.seq, kind=Kind.CONSTRAINT, text=plain_text(entry.text).replace(JOINT, ", ")),)
    return tuple(
        Statement(seq=entry.seq, kind=kind, text=text, denies=denies, belongs=belongs)
        for text, kind, denies, belongs in _read(entry.prose)
        if kind is not Kind.CHATTER
    )


@lru_cache(8_192)
def restated(entry: Entry) -> str:
    """Return how an agent that agreed to a correction puts it; "" where it did not, or only says that it will look."""
    if entry.role != EventRole.ASSISTANT or not cues.AGREES.match(folded(entry.prose.lstrip())):
        return ""
    told = [tidy(one) for one in sentences(entry.prose[:800])[:3]]
    binding = [one for one in told if cues.BINDING_REPLY.search(folded(one)) and weight(one) > LEAST_WORDS]
    return binding[0] if binding else ""


def closing_of(entry: Entry) -> Sequence[str]:
    """Return what an agent ends with, tidied: what a short answer may be to."""
    return [tidy(one) for one in sentences(entry.prose)[-CLOSING:]]


@lru_cache(2_048)
def answered(asking: Entry, entry: Entry) -> tuple[str, str] | None:
    """Return what an agent ended with and a user's short answer to it; None where that is no answer.

    A yes or no is one to the last question; a choice is one to the sentence that it takes its words from. What says
    something by itself is read as a statement, and what asks back is no answer.
    """
    closing, said = sentences(asking.prose)[-CLOSING:], sentences(entry.prose)
    if not any(map(is_question, closing)) or not said or any(map(is_question, said)):
        return None
    if weight(entry.prose) > ANSWER_WORDS or any(one.worth > WORTH[Kind.NOTE] for one in statements(entry)):
        return None
    words = _telling(entry.prose)
    shared = {one: len(words & _telling(one)) for one in closing}
    if any(shared.values()):
        asked = max(closing, key=lambda one: (shared[one], closing.index(one)))
    elif weight(entry.prose) <= FEW_WORDS and cues.ANSWERS.match(folded(entry.prose.lstrip())):
        asked = next(one for one in reversed(closing) if is_question(one))
    else:
        return None
    return tidy(asked), JOINT.join(tidy(one) or one for one in said)


def _telling(text: str) -> frozenset[str]:
    return frozenset(one.term for one in lexemes(text) if len(one.term) > 1 and commonness(one.term) == 1.0)


@lru_cache(2_048)
def _read(prose: str) -> tuple[_Found, ...]:
    found: list[_Found] = []
    subject = ""
    for line in paragraphs(prose):
        demanded = False
        for sentence in line:
            for n, raw in enumerate(sentence):
                one = _found(raw, subject)
                if n and one.kind is Kind.NOTE and not _GIVES_REASON.match(folded(one.text)):
                    one = one._replace(kind=found[-1].kind)  # it goes on with what the clause before it says
                one = one._replace(belongs=demanded and one.kind in ELABORATES)
                subject = one.text if _is_name(one) or one.kind is Kind.QUESTION else ""
                demanded = one.kind is Kind.CONSTRAINT or (demanded and (one.kind is Kind.NOTE or one.belongs))
                found.append(one)
    return tuple(found)


def _found(raw: str, subject: str) -> _Found:
    whole = bare(raw)
    kind = kind_of(raw, whole)
    text = whole if kind is Kind.CONSTRAINT else within(whole)  # half a demand is another demand
    asked = is_question(subject)
    left = cues.ELLIPTIC.match(folded(text)) if asked else _POINTS.search(folded(text))
    if subject and left and WORTH[kind] > WORTH[Kind.NOTE]:
        text = f"{subject} {text}" if asked else f"{subject}: {text}"
    return _Found(text, kind, bool(cues.DENIES.search(folded(raw.strip()))))


def _is_name(one: _Found) -> bool:
    """Whether a sentence only names what the next one speaks of."""
    few = len(one.text.split()) <= NAME_WORDS
    return one.kind in (Kind.NOTE, Kind.CHATTER) and few and bool(_NAME.search(one.text)) and "?" not in one.text


@lru_cache(8_192)
def specific(text: str) -> float:
    """Return how much a statement says by itself: more where it names things or values, less where it only points."""
    said = folded(text)
    named = bool(_NAME.search(text)) or bool(cues.VALUED.search(said))
    few = weight(_POINTS.sub(" ", said)) <= FEW_WORDS
    return 1.0 * named - (2.0 if few and _POINTS.search(said) else 1.0 if few and not named else 0.0)


@lru_cache(8_192)
def substance(text: str) -> float:
    """Return -1 to 1: how much of a matter a statement names. "Make it better" names none, whatever it asks for."""
    kinds = {one.term: one.kind for one in lexemes(text)}
    named = sum(KIND_WEIGHTS[kind] * commonness(term) for term, kind in kinds.items())
    return min(max((named - SOME_WORDS) / SOME_WORDS, -1.0), 1.0)


def weight(text: str) -> float:
    """Return how much a text says, in words; a Chinese word has a little more than one character."""
    return len(_LATIN.findall(text)) + len(HAN.findall(text)) / HAN_OF_A_WORD


@lru_cache(8_192)
def kind_of(raw: str, text: str) -> Kind:
    """Return what a sentence does, told by the whole sentence and by what is left of it without its courtesies."""
    said, bare = folded(raw.strip()), folded(text)
    asks = is_question(bare) and not cues.TAG.search(said)
    few = weight(bare) < LEAST_WORDS
    for kind, does in (
        *((kind, label.match(bare)) for kind, label in cues.LABELS.items()),
        (Kind.CHATTER, cues.CHATTER.fullmatch(bare) or cues.TAG.fullmatch(bare) or not weight(bare)),
        (Kind.ERRAND, cues.BRIEFLY.match(bare)),
        (Kind.NOTE, cues.RETRACTS.search(said) and weight(said) <= BARE_RETRACTION),
        (Kind.VALUE, cues.MAPS.search(bare) or (cues.VALUED.fullmatch(bare))),
        (
            Kind.CHATTER,
            few and not cues.VALUED.search(bare) and not (cues.FORBIDS.search(said) or cues.WORK.search(bare)),
        ),
        (Kind.DECISION, cues.GIVES_UP.search(bare)),
        (Kind.DISSENT, not asks and cues.DISSENTS.search(said)),
        (Kind.BLOCKER, not asks and cues.BLOCKS.search(said)),
        (Kind.CONSTRAINT, not asks and cues.FORBIDS.search(said)),
        (Kind.REMEMBER, not asks and cues.REMEMBERS.search(said)),
        (Kind.CONSTRAINT, (not asks or cues.DECIDES.search(said)) and cues.BINDS.search(said)),
        (Kind.CORRECTION, cues.CORRECTS.search(said) and not _is_bare_question(said, bare)),
        (Kind.PROPOSAL, cues.TAG.search(said) and not asks),
        (Kind.VALUE, not asks and cues.VALUED.search(bare)),
        (Kind.DECISION, not asks and cues.CHANGES.search(bare)),
        (Kind.TASK, not asks and cues.DELIVERS.search(bare)),
        (Kind.ERRAND, cues.ERRANDS.match(bare) and not cues.VALUED.search(bare)),
        (Kind.TASK, cues.WORK.search(bare)),
        (Kind.PROPOSAL if asks else Kind.DECISION, cues.DECIDES.search(said)),
        (Kind.QUESTION, asks),
    ):
        if does:
            return kind
    return Kind.NOTE


def _is_bare_question(said: str, bare: str) -> bool:
    """A question for an answer; one that asks why something is so says that it should not be."""
    return is_question(bare) and not regex.match(
        r".{0,24}?\b(?:why|shouldn't|should|isn't|wouldn't)\b|.*(?:为什么|怎么|干嘛)", said
    )
