"""Runs of Chinese characters cut into words, where what the lexicon knows goes before the segmenter's guesses."""

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache

import rjieba

from memories.claims.lexicon import Lexicon

_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金"
    "石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤"
)
_NAMED = re.compile(
    rf"(?:叫|名叫|名字是|姓名是|名字叫|[人者]是|[人者]为|由|归|交给|改由|转给)([{_SURNAMES}][\u4e00-\u9fff]{{1,2}}?)"
    r"(?=$|[负维审管来牵跟主接把做写]|的$|了$)"
)
_SHORT = re.compile(rf"([小老阿][{_SURNAMES}])(?=$|[来写负整审管做的接])")
_TITLED = re.compile(rf"([{_SURNAMES}](?:总|工|姐|哥|老师|经理|主任))(?![\u4e00-\u9fff]?(?:结|计|作|程))")
_VERBS = "是为有用在由叫要"  # guessed words often swallow one of these
_NAMING = {"attr", "word", "qualifier", "family", "person", "open"}


def pieces(run: str, words: Lexicon) -> Iterator[tuple[str, str, bool]]:
    """Each piece of `run` with its part of speech ("nr" is a person's name), and whether the lexicon knows it."""
    cuts = _recut(run, words)
    at = 0
    while at < len(run):
        known = _known_until(run, at, (cuts, words))
        end = known or min(cut for cut in cuts if cut > at)
        yield run[at:end], cuts.get(at, "n"), known > 0
        at = end


def _split_guesses(run: str, cuts: dict[int, str], words: Lexicon) -> None:
    """Cut a common verb off a word that the segmenter only guessed: 组有 → 组|有."""
    for start, end in itertools.pairwise(sorted(cuts)):
        word = run[start:end]
        if len(word) > 1 and word not in words.exact and not rjieba.has_word(word):
            if word[0] in _VERBS:
                cuts.setdefault(start + 1, cuts[start])
            elif word[-1] in _VERBS:
                cuts.setdefault(end - 1, "v")


def _with_names(run: str, cuts: dict[int, str], words: Lexicon) -> dict[int, str]:
    """Keep a Chinese name whole where a person is announced: 负责人是王国庆."""
    for match in (*_NAMED.finditer(run), *_SHORT.finditer(run), *_TITLED.finditer(run)):
        start, end = match.span(1)
        if end in cuts or match.re in {_SHORT, _TITLED} or (run[end:] and words.exact.get(run[end : end + 2])):
            cuts = {cut: tag for cut, tag in cuts.items() if not start <= cut < end} | {start: "nr"}
            cuts.setdefault(end, "n")
    return cuts


def _recut(run: str, words: Lexicon) -> dict[int, str]:
    """Word boundaries, moved where a known name of two characters or more straddles one: 开站|会 → 开|站会."""
    cuts = dict(_boundaries(run))
    cuts = _with_names(run, cuts, words)
    _split_guesses(run, cuts, words)
    for start in range(len(run) - 1):
        for end in range(min(len(run), start + 6), start + 1, -1):
            sense = words.exact.get(run[start:end])
            if sense is None or sense.kind not in _NAMING or (start in cuts) == (end in cuts):
                continue
            before = max(cut for cut in cuts if cut <= start)
            after = min(cut for cut in cuts if cut >= end)
            if (before == start or run[before:start] in words.exact) and _goes_on(run, (end, after), words):
                for cut in [cut for cut in cuts if start < cut < end]:
                    del cuts[cut]
                cuts |= {start: cuts.get(start, "n"), end: cuts.get(end, "n")}
                break
    return cuts


def _goes_on(run: str, rest: tuple[int, int], words: Lexicon) -> bool:
    """Whether what is cut off is known, or begins another known name."""
    end, after = rest
    if after == end or run[end:after] in words.exact:
        return True
    return any(
        (sense := words.exact.get(run[end : end + n])) and sense.kind in _NAMING
        for n in range(2, 7)
        if end + n <= len(run)
    )


def _known_until(run: str, at: int, given: tuple[dict[int, str], Lexicon]) -> int:
    """Where the longest known phrase ends that begins at `at`: between two words, or inside one whose rest is known."""
    cuts, words = given
    for end in range(min(len(run), at + 8), at, -1):
        if run[at:end] not in words.exact:
            continue
        after = min(cut for cut in cuts if cut >= end)
        if after == end or (end - at > 1 and run[end:after] in words.exact):
            return end
    return 0


@lru_cache(maxsize=4096)
def _boundaries(run: str) -> dict[int, str]:
    """Where words begin, with the part of speech of each, and the end of the run."""
    found, at = {}, 0
    for word, tag in rjieba.tag(run):
        found[at] = tag
        at += len(word)
    return {**found, len(run): ""}
