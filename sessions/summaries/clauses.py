"""A message as what it says: pastes left out, cut into sentences, each without its courtesies. Pure."""

from collections.abc import Iterator
from functools import lru_cache

import regex

from sessions.context.cuts import cut_head
from sessions.context.summary_lines import CUT, JOINT, plain_text
from sessions.context.tokens import STORED_ENCODING, exact_counter
from sessions.summaries import cues
from sessions.summaries.cues import FOLLOWS, LEADS, LIMITS, MAPS, TAG, VALUED, WAITS

LONGEST_TALK = 4_000  # characters of one line that somebody typed; what is longer was pasted
LEAST_WORDS = 0.62  # share of letters and blanks in a typed line
MOST_MAPPED = 4  # lines of one list that are one statement
LEAST_TYPED = 4  # words of an English line after a paste; fewer are its last line
LONG_SENTENCE = 32  # tokens from which an English sentence is read clause by clause
MAIN_CLAUSE_TOKENS = 9  # of a clause that says something without what follows it
PIECE_TOKENS = 44  # of one statement: a longer one ends at a clause

_END = regex.compile(r"(?<=[.!?。！？；;…][)\"'”’」』）]*)(?:\s+|(?<=[。！？；])|$)", regex.V1)
_ABBREVIATED = regex.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|st|mr|ms|dr|fig|pp)\.$", regex.IGNORECASE)
HAN = regex.compile(r"\p{Han}")
_ZH_BREAK = regex.compile(r"[，；]\s*|,\s*(?=\p{Han})|(?<=\p{Han}),\s*")
_EN_BREAK = regex.compile(r",\s+(?:and|then|but|so)\s+|;\s+")
_BULLET = regex.compile(r"^\s*(?:[-*•]|[+](?! *\d)|\d{1,2}[.)、]|[(（]\d{1,2}[)）])\s+(?:\[[ x]\]\s*)?")
_LINE_NUMBER = regex.compile(r"^\s*\d{1,5}\s{2,}")
_PASTED = regex.compile(
    r"^\s*(?:at .+:\d+|[>$%#](?=\s)|[➜│┌└├→⠇↑]|[+-]\s*\d+\s|\d+\s[-+]\s|[{\[<].*[:=]|(?:\w+)?(?:Error|Exception|Traceback)\b|\w+@\w+|node:|import |export |const "
    r"|Debugger|npm |npx |\d{4}-\d\d-\d\d[T ]|~/|\s{4,}\S|'/)|[─━═]{4,}|\"\w+\":|\b0x[0-9a-f]{4,}"
)
_PATH = regex.compile(r"(?<![\w/.@~:-])[@~]?/?(?:[\w.@~+-]+/){2,}[\w.@~+-]+")
_KEPT_SEGMENTS, _PATH_CHARS, _PATH_TAIL = 2, 32, 24
_MASKED = regex.compile(r"\*{2,}|`")
_SOFT_END = regex.compile(r"[,，、;；:：)）]\s|[，、；：）]|\s(?:and|but|so|then|which|that|because|if)\s|\s")
_CLAUSE_END = regex.compile(
    r",?\s(?:so(?: that)?|then|which|where|because|since|as (?:i|we|you))\s|,\s(?:it|this|that|they|there|with|just|e\.g)\s"
    r"|[，,]\s?(?:这样|因为|所以|以便|方便|免得|好让|毕竟|比如|例如|具体|大概)"
)
_EDGES = " \t,，、:：;；-–—.。!！…~*`"


def folded(text: str) -> str:
    """Return a text in the form that cues are written for: compatible width, lower case, straight apostrophes."""
    return _unfold(text).casefold()


def paragraphs(text: str) -> list[list[list[str]]]:
    """Return what a message says, without what was pasted into it: typed lines, of sentences, of clauses.

    A list of "a -> b" is one clause. In Chinese, where a comma ends what an English full stop ends, a sentence has as
    many clauses, except that a condition and what follows from it stay together; in English a long one has several.
    """
    return [[_clauses(sentence) for sentence in _split(line)] for line in _talk(text)]


def sentences(text: str) -> list[str]:
    """Return the clauses of a message, in order."""
    return [clause for line in paragraphs(text) for sentence in line for clause in sentence]


def is_question(sentence: str) -> bool:
    """Return whether a sentence ends as a question does."""
    return sentence.endswith(("?", "？"))


def tidy(sentence: str) -> str:
    """Return a sentence as `bare` does; one over PIECE_TOKENS ends at a clause, with a mark."""
    return within(bare(sentence))


@lru_cache(8_192)
def bare(sentence: str) -> str:
    """Return a sentence without what leads up to it and asks for a nod after it, on one line, its long paths shortened.

    Nothing that bears on the meaning goes: not a negation, not a number, not a condition.
    """
    text = plain_text(_MASKED.sub("", _PATH.sub(lambda found: _short(found[0]), sentence)))
    while (tagged := TAG.search(folded(text))) and tagged.start() > 0:
        text = text[: tagged.start()]
    text = _without_lead(text.strip(_EDGES))
    if is_question(text) and cues.REQUESTS.match(folded(sentence)):
        text = text[:-1]
    return text.replace(JOINT, ", ")


@lru_cache(8_192)
def shortened(piece: str) -> str:
    """Return the main clause of a sentence, with a mark, where what follows it neither limits nor denies nor counts."""
    if MAPS.search(piece):
        return piece
    for found in _CLAUSE_END.finditer(piece):
        if _inside(piece, found.start()):
            continue
        head, rest = piece[: found.start()].rstrip(_EDGES), piece[found.start() :]
        if exact_counter(STORED_ENCODING).count(head) >= MAIN_CLAUSE_TOKENS and not LIMITS.search(folded(rest)):
            return head.removesuffix(CUT) + CUT
    return piece


def _without_lead(bare: str) -> str:
    lead = LEADS.match(folded(bare))
    if lead is None:
        return bare
    return bare[lead.end() :].strip(_EDGES)


def within(bare: str) -> str:
    """Return a sentence of at most PIECE_TOKENS; a longer one ends at a clause, with a mark."""
    counter = exact_counter(STORED_ENCODING)
    if counter.count(bare) <= PIECE_TOKENS:
        return bare
    head = cut_head(bare, PIECE_TOKENS - 1)
    ends = [found.start() for found in _SOFT_END.finditer(head) if found.start() > len(head) // 2]
    return (head[: ends[-1]] if ends else head).rstrip(_EDGES) + CUT


def _talk(text: str) -> Iterator[str]:
    mapped: list[str] = []
    for raw in _typed(text):
        line = _BULLET.sub("", _LINE_NUMBER.sub("", raw)).strip()
        if line and _maps(line):
            mapped.append(line.rstrip(".,;，。；"))
            continue
        yield from _list(mapped)
        mapped = []
        if line and _is_talk(line):
            yield line
    yield from _list(mapped)


def _typed(text: str) -> Iterator[str]:
    """The lines that somebody typed: what looks pasted goes, and so does what stands between two such lines, is set in
    right under one, or trails one.
    """
    raw = text.splitlines()
    pasted = [bool(_PASTED.search(line)) and not _BULLET.match(line) for line in raw]
    spoken = [n for n, line in enumerate(raw) if line.strip()]
    for at, n in enumerate(spoken):
        before = at > 0 and pasted[spoken[at - 1]]
        behind = at + 1 < len(spoken) and pasted[spoken[at + 1]]
        set_in = n > 0 and pasted[n - 1] and raw[n][0].isspace()
        few = len(raw[n].split()) < LEAST_TYPED and not HAN.search(raw[n])
        pasted[n] = pasted[n] or set_in or (before and (behind or few))
        if not pasted[n]:
            yield raw[n]


def _maps(line: str) -> bool:
    short = len(line) <= 160 and not any(label.match(folded(line)) for label in cues.LABELS.values())
    return short and bool(
        MAPS.search(folded(line)) or (len(line) <= 60 and VALUED.search(folded(line)) and "?" not in line)
    )


def _list(mapped: list[str]) -> Iterator[str]:
    """Yield the lines of a list together: each alone says too little."""
    for start in range(0, len(mapped), MOST_MAPPED):
        yield ", ".join(mapped[start : start + MOST_MAPPED])


def _is_talk(line: str) -> bool:
    if len(line) > LONGEST_TALK:
        return False
    words = sum(char.isalpha() or char.isspace() for char in line)
    return words >= LEAST_WORDS * len(line)


def _split(line: str) -> Iterator[str]:
    start = 0
    for found in _END.finditer(line):
        part = line[start : found.start()]
        if part.strip() and not _inside(line[start:], found.start() - start) and not _ABBREVIATED.search(part):
            yield part.strip()
            start = found.end()
    if line[start:].strip():
        yield line[start:].strip()


def _clauses(sentence: str) -> list[str]:
    if len(HAN.findall(sentence)) * 4 >= len(sentence):
        return _chinese(sentence)
    if exact_counter(STORED_ENCODING).count(sentence) <= LONG_SENTENCE or MAPS.search(sentence):
        return [sentence]
    parts, start = [], 0
    for found in _EN_BREAK.finditer(sentence):
        if not _inside(sentence, found.start()):
            parts.append(sentence[start : found.start()])
            start = found.end()
    return [*parts, sentence[start:]]


def _chinese(sentence: str) -> list[str]:
    joined: list[str] = []
    for clause in filter(None, (part.strip(_EDGES) for part in _ZH_BREAK.split(sentence))):
        if joined and (WAITS.search(joined[-1].rpartition("，")[2]) or FOLLOWS.search(clause)):
            joined[-1] = f"{joined[-1]}，{clause}"
        else:
            joined.append(clause)
    return joined


def _inside(text: str, place: int) -> bool:
    """Whether a place in a text stands in brackets that close after it."""
    head = text[:place]
    return head.count("(") > head.count(")") and ")" in text[place:]


def _short(path: str) -> str:
    if len(path) <= _PATH_CHARS:
        return path
    kept = path.split("/")[-_KEPT_SEGMENTS:]
    short = "/".join(kept)
    if len(short) > _PATH_CHARS:
        short = short[-_PATH_TAIL:]
    return CUT + short


def _unfold(text: str) -> str:
    """One character for one, so that places in the result are places in the text."""
    return text.translate(_WIDTHS)


_WIDTHS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，；：！？（）"} | {
    ord("’"): "'",
    ord("‘"): "'",
    ord("　"): " ",
}
