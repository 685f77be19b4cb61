"""What a message asks for: its requests, without the small talk that it takes back itself. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

import regex

from threads.lexemes import terms

MOST_REQUESTS = 3
"""A message with more questions is searched for by its last ones."""

# An end of a sentence; not inside a quotation, which goes on after it.
_SENTENCE = regex.compile(r"""(?:[^。！？!?；;\n.]|[。！？!?；;.]+(?=["”』」'’])|\.(?!\s|$))+[。！？!?；;\n.]*""")
_QUESTION = regex.compile(r"[?？]\W*$")
# "What I really want to ask is": the speaker says that what stood before was not the question.
_TURN_ZH = (
    r"(?:我(?:那个)?)?(?:真正|其实|实际上?|本来|就是|只是)*想(?:要)?(?:问|知道|了解|搞清楚|弄清楚|确认|说)(?:一下)?"
    r"(?:的问题)?(?:的)?(?:其实)?(?:是)?(?:这个)?[，,：:]"
    r"|问题(?:其实)?是(?:这个)?[，,：:]"
    r"|^\W*(?:另外，)?(?:诶|哎呀?|额)?[，,]?(?:等等|不对|停一下|搞错了)[，,](?:诶?，?等等[，,])?"
)
_TURN_EN = (
    r"\b(?:what|all) i (?:really |actually |just )?(?:want(?:ed)?|meant|need(?:ed)?) to (?:ask|know|say|find out)"
    r"(?: is| was)?[,:]?\s"
    r"|\bmy (?:real|actual) question(?: is| was)?[,:]?\s"
    r"|^\W*(?:no,? )?(?:wait|hold on|scratch that|never mind)[,:.]\s"
)
_TURN = regex.compile(f"{_TURN_ZH}|{_TURN_EN}", regex.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question: its whole text, its requests, and when it is asked (aware; relative dates count in that zone).

    `phase` is that of the work in hand ("plan", "execute", "accept"), empty where there is none. `models` are those
    whose vectors were searched; empty where no model was there.
    """

    text: str
    requests: Sequence[str]
    now: datetime
    phase: str = ""
    models: Sequence[str] = ()


def requests(text: str) -> tuple[str, ...]:
    """Return what `text` asks for, at least one and at most MOST_REQUESTS texts, in their order.

    A text with one question, or with none, is one request, whole. Several questions are a request each, together with
    what was said since the one before. What a speaker takes back ("what I really want to ask is …") is left out.
    """
    segments: list[tuple[str, bool]] = []
    pending: list[str] = []
    for sentence in _SENTENCE.findall(text):
        asked = _after_turn(sentence)
        if asked:
            segments = [*_introduced(segments), (asked, True)]
            pending = []
        elif _QUESTION.search(sentence):
            segments.append(("".join([*pending, sentence]).strip(), False))
            pending = []
        else:
            pending.append(sentence)
    return _chosen(segments, text)


def _introduced(segments: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Return the leading segments that a turn of the speaker introduced; the rest is what the next turn takes back."""
    return list(takewhile(lambda segment: segment[1], segments))


def _chosen(segments: list[tuple[str, bool]], text: str) -> tuple[str, ...]:
    telling = [asked for asked, marked in segments if marked or terms(asked)]
    if len(telling) == 1 and not segments[0][1]:
        return (text.strip(),)
    return tuple(telling[-MOST_REQUESTS:]) or (text.strip(),)


def _after_turn(sentence: str) -> str:
    """Return what stands after the last such turn in a sentence, empty where there is none or nothing after it."""
    turns = list(_TURN.finditer(sentence))
    rest = sentence[turns[-1].end() :].strip() if turns else ""
    return rest if terms(rest) else ""
