"""What an input does: goes on, starts something new, makes small talk, or asks for something; and what it is about."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import regex

from threads import phrases
from threads.lexemes import Kind, lexemes

TITLE_GRAPHEMES = 60
"""Longest title, in grapheme clusters: what a person sees as one character."""

_READ_CHARS = 2000  # a title and a manner of speaking show themselves in the first paragraph
_CHAT_UNITS = 8.0  # words beside a chatty topic; beyond it somebody tells a story, which deserves a line of its own
_CHAT_CLAUSE_UNITS = 3.0  # words in one clause with it; from here the topic is a detail of something else
_POLITE_UNITS = 1.0  # a name or a compliment beside a greeting or thanks
_SHORTEST_CUT = 20  # graphemes; a title cut at a comma before that says too little


class SpeechAct(StrEnum):
    CONTINUE = "continue"
    RESTART = "restart"
    SMALL_TALK = "small_talk"
    REQUEST = "request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How an input was read.

    `content` is the matter without courtesy and commands, in the user's own words. `specific` counts words that say
    on what, not what to do (a Chinese character counts half a word). `goes_on`: it opens by going on; `points_back`:
    it says "it" or "this"; `adds`: it says "also", "again", "next".
    """

    act: SpeechAct
    content: str
    specific: float
    goes_on: bool
    points_back: bool
    adds: bool


@dataclass(frozen=True, slots=True)
class _Clause:
    start: int  # where it stands in the text
    raw: str
    plain: str
    counts: Counter[str]
    specific: float
    first: str  # the first class that is neither courtesy, assent nor filler

    @property
    def says_something(self) -> bool:
        return self.counts["content"] + self.counts["generic"] > 0


_BREAK = regex.compile(r"[\n\r。！？!?；;，,、…~～：]+|:(?=\s|\p{Han}|$)|(?<=\w)\.+(?=\s|$)|\s[-–—]+\s|——+", regex.V1)
_SENTENCE = regex.compile(r"[\n\r。！？!?；;]|(?<=\w)\.(?=\s|$)", regex.V1)
_SOFT_BREAK = regex.compile(r"[，,、：:（(—–]|\s(?=\S)", regex.V1)
_CLASSES = ("chat", "courtesy", "assent", "go_on", "next", "more", "back", "generic", "filler")
_TOKEN = regex.compile(
    "|".join(
        f"(?P<{name}>{pattern})"
        for name, pattern in zip(
            _CLASSES,
            (
                phrases.CHAT,
                phrases.COURTESY,
                phrases.ASSENT,
                phrases.GO_ON,
                phrases.NEXT,
                phrases.MORE,
                phrases.BACK,
                phrases.GENERIC,
                phrases.FILLER,
            ),
            strict=True,
        )
    )
    + r"|(?P<content>\p{Han}|[\p{L}\p{N}_][[\p{L}\p{N}\p{M}_.'/#+-]--\p{Han}]*)",
    regex.V1,
)
_FACE = regex.compile(r"\p{Extended_Pictographic}|[:;]-?[)(dp]|\^_\^", regex.V1)
_HAN = regex.compile(r"\p{Han}")
_NOD = regex.compile(r"[👍👌✅🆗🙆]")
_SOFT = frozenset(("courtesy", "assent", "filler", "chat"))


def speech_act(text: str) -> SpeechAct:
    """Return what `text` does. It is a REQUEST as soon as it has content of its own beside social phrases."""
    return read(text).act


def read(text: str) -> Reading:
    """Return the reading of `text`: its act, its matter and the words by which it leans on what went before."""
    head = text.lstrip()[:_READ_CHARS]
    clauses = [_clause(start, raw) for start, raw in _pieces(head) if raw.strip()]
    restart = _restart_at(clauses)
    act = SpeechAct.RESTART if restart is not None else _act(clauses, head)
    total = sum((clause.counts for clause in clauses), Counter[str]())
    return Reading(
        act=act,
        content=_content(head, clauses, restart),
        specific=sum(clause.specific for clause in clauses),
        goes_on=_opener(clauses) == "go_on",
        points_back=total["back"] > 0,
        adds=total["more"] + total["next"] > 0,
    )


def title_from(text: str) -> str:
    """Return a title of at most 60 graphemes out of the user's own words, without courtesy or command words.

    Empty when the text holds nothing but these: it then waits for the first input that says something.
    """
    content = read(text).content
    sentence = next((part for part in _SENTENCE.split(content) if part and part.strip()), "")
    return _cut(_tidy(sentence))


def _pieces(head: str) -> Iterator[tuple[int, str]]:
    start = 0
    for place in _BREAK.finditer(head):
        yield start, head[start : place.start()]
        start = place.end()
    yield start, head[start:]


def _clause(start: int, raw: str) -> _Clause:
    plain = unicodedata.normalize("NFKC", raw).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").casefold().strip()
    counts: Counter[str] = Counter()
    specific = 0.0
    first = ""
    for token in _TOKEN.finditer(plain):
        kind = token.lastgroup or "content"
        counts[kind] += 1
        if kind == "content":
            specific += 0.5 if _HAN.match(token[0]) else 1.0
        if not first and kind not in _SOFT:
            first = kind
    if _FACE.search(plain):
        counts["assent" if _NOD.search(plain) else "chat"] += 1
    return _Clause(start, raw, plain, counts, specific, first)


def _restart_at(clauses: list[_Clause]) -> int | None:
    """Return the place of the clause that asks for a new line; only courtesy or a farewell may stand before it."""
    for place, clause in enumerate(clauses):
        if phrases.RESTART.match(clause.plain):
            return place
        if clause.says_something and not phrases.PUT_AWAY.search(clause.plain):
            return None
    return None


def _act(clauses: list[_Clause], head: str) -> SpeechAct:
    counts = sum((clause.counts for clause in clauses), Counter[str]())
    if len(head) == _READ_CHARS:
        return SpeechAct.REQUEST  # whoever writes that much has something to say
    if counts["content"] + counts["generic"]:
        return SpeechAct.SMALL_TALK if _is_chat(clauses, counts) else SpeechAct.REQUEST
    if counts["go_on"] or counts["next"]:
        return SpeechAct.CONTINUE
    if counts["chat"] or counts["courtesy"]:
        return SpeechAct.SMALL_TALK
    return SpeechAct.REQUEST if counts["back"] + counts["more"] and not counts["assent"] else SpeechAct.CONTINUE


def _is_chat(clauses: list[_Clause], counts: Counter[str]) -> bool:
    if not counts["chat"] + counts["courtesy"] or counts["go_on"]:
        return False
    alone = not (counts["generic"] + counts["next"] + counts["more"] + counts["back"])
    most = _CHAT_UNITS if counts["chat"] else _POLITE_UNITS * alone
    if sum(clause.specific for clause in clauses) > most:
        return False
    if any(clause.specific >= _CHAT_CLAUSE_UNITS for clause in clauses if clause.counts["chat"]):
        return False
    plain = " ".join(clause.plain for clause in clauses)
    return not phrases.WORK.search(plain) and all(lexeme.kind is not Kind.IDENTIFIER for lexeme in lexemes(plain))


def _opener(clauses: list[_Clause]) -> str:
    return next((clause.first for clause in clauses if clause.first), "")


def _content(head: str, clauses: list[_Clause], restart: int | None) -> str:
    """Return the text from its first clause with something to say, without what leads up to it."""
    if restart is not None:
        return _bare(_after_wish(head, clauses[restart]))
    said = next((clause for clause in clauses if clause.says_something or clause.counts["chat"]), None)
    return _bare(head[said.start :]) if said else ""


def _after_wish(head: str, wish: _Clause) -> str:
    matched = phrases.RESTART.match(wish.plain)
    raw = wish.raw.strip()
    words = raw if len(raw) == len(wish.plain) else wish.plain  # folding rarely changes the length
    rest = words[matched.end() :] if matched else ""
    return rest + head[wish.start + len(wish.raw) :]


def _bare(text: str) -> str:
    while matched := phrases.LEAD.match(text):
        text = text[matched.end() :]
    return text.strip()


def _tidy(sentence: str) -> str:
    return " ".join(sentence.split()).strip(" \t,，、:：-–—*`#\"'“”")


def _cut(sentence: str) -> str:
    graphemes = regex.findall(r"\X", sentence)
    if len(graphemes) <= TITLE_GRAPHEMES:
        return sentence
    kept = "".join(graphemes[: TITLE_GRAPHEMES - 1])
    shortest = len("".join(graphemes[:_SHORTEST_CUT]))
    breaks = [place.start() for place in _SOFT_BREAK.finditer(kept) if place.start() >= shortest]
    return (kept[: breaks[-1]] if breaks else kept).rstrip(" ,，、:：") + "…"
