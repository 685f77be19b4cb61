"""Faults that are planted in good versions of summaries: rewordings, losses, raised states, dead refs, too much."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from sessions.context.summary_lines import JOINT, Line, Mark, Sections, parse
from sessions.context.vocabulary import SummarySection

WEAKER: Mapping[str, str] = {
    "must": "should",
    "Never": "Rarely",
    "never": "rarely",
    "Only": "Mostly",
    "only": "mostly",
    "at least": "about",
    "no longer than": "about",
    "before": "after",
    "unless": "if",
    "必须": "最好",
    "不许": "可以",
    "不要": "尽量不",
    "一律": "一般",
    "只能": "可以",
    "最多": "大约",
    "不低于": "大约",
    "不能": "可以",
    "保留": "删除",
    "统一": "分别",
    "之后": "之前",
}
NEGATIONS = ("not ", "n't", "Never ", "never ", "no ", "不", "别", "未", "没")
ADDED = {True: "不", False: "not "}


@dataclass(frozen=True, slots=True)
class Planted:
    """A version with one fault. `reworded`: its lines are all there, and one of them says something else."""

    name: str
    sections: Sections
    reworded: bool


type Mutation = Callable[[str], Iterator[str]]


def planted(sections: Sections) -> Iterator[Planted]:
    """Yield versions with one fault each."""
    for name, lines in sections.items():
        for at, written in enumerate(lines):
            line = parse(written)
            for kind, texts in _texts(line):
                for text in texts:
                    changed = replace(line, text=text)
                    yield Planted(f"{kind}: {changed}", _with(sections, name, at, changed), reworded=True)
            for kind, other in _lines(SummarySection(name), line):
                yield Planted(f"{kind}: {written}", _with(sections, name, at, other), reworded=False)
    yield Planted("too much", _grown(sections), reworded=False)


def _texts(line: Line) -> Iterator[tuple[str, Iterator[str]]]:
    yield "weaker", _weaker(line.text)
    yield "number", _numbers(line.text)
    yield "negation lost", _less(line.text)
    yield "negation added", _more(line.text)
    yield "half", _halves(line.text)


def _weaker(text: str) -> Iterator[str]:
    yield from (text.replace(word, other, 1) for word, other in WEAKER.items() if word in text)


def _numbers(text: str) -> Iterator[str]:
    for found in re.finditer(r"\d+", text):
        yield f"{text[: found.start()]}{int(found[0]) + 1}{text[found.end() :]}"


def _less(text: str) -> Iterator[str]:
    yield from (text.replace(word, "", 1).strip() for word in NEGATIONS if word in text)


def _more(text: str) -> Iterator[str]:
    zh = bool(re.search(r"[\u4e00-\u9fff]", text))
    middle = len(text) // 2 if zh else text.find(" ", len(text) // 3) + 1
    yield text[:middle] + ADDED[zh] + text[middle:]


def _halves(text: str) -> Iterator[str]:
    """The halves of each sentence, the others beside it left as they are."""
    pieces = text.split(JOINT)
    for n, piece in enumerate(pieces):
        middle = len(piece) // 2
        at = middle if re.search(r"[\u4e00-\u9fff]", piece) else piece.find(" ", middle)
        for half in (piece[:at].strip(), piece[at:].strip()) if at > 0 else ():
            yield JOINT.join([*pieces[:n], half, *pieces[n + 1 :]])


def _lines(section: SummarySection, line: Line) -> Iterator[tuple[str, Line | None]]:
    if section in (SummarySection.CONSTRAINTS, SummarySection.DISSENT, SummarySection.BLOCKERS):
        yield "dropped", None
    if line.mark is Mark.FAILED:
        yield "failure dropped", None
        yield "failure unsaid", replace(line, mark=Mark.UNVERIFIED)
        yield "failure passed", replace(line, mark=Mark.PASSED)
    if line.mark is Mark.UNVERIFIED:
        yield "raised", replace(line, mark=Mark.PASSED)
        yield "bare", replace(line, mark=None)
    yield "dead ref", replace(line, seqs=(9_999,))
    yield "dead memory", replace(line, refs=("memory://mem_00000000000000000000000000000000@1",))
    yield "no ref", replace(line, seqs=(), refs=())


def _with(sections: Sections, name: str, at: int, line: Line | None) -> Sections:
    lines = list(sections[name])
    lines[at : at + 1] = [str(line)] if line is not None else []
    return {**sections, name: lines}


def _grown(sections: Sections) -> Sections:
    lines = [line for lines in sections.values() for line in lines]
    return {**sections, "decisions": [*sections.get("decisions", ()), *lines * 40]}
