"""Which thread an input continues, by what was said there before: counted words compared over all threads in scope.

Words that few threads have weigh most, and one thread has to stand out from the next by more than chance would give.
Nothing here reads a clock or a row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from threads.affinity import commonness
from threads.lexemes import Kind
from threads.wording import Channel, Wording, clauses

FEWEST_TALKS = 3
"""Among fewer threads than this, how rare a word is says nothing, and no thread stands out."""

SATURATION = 10.0
"""How often a word is said still tells, up to about this many times in a thread of mean length."""

_FEW_THREADS = 4  # a word's rarity is taken as if there were at least so many
_KIND_WEIGHTS = {Kind.IDENTIFIER: 2.0, Kind.WORD: 1.0, Kind.BIGRAM: 0.8, Kind.CHARACTER: 0.1}
_ALIKE = 0.25  # of the words that the best thread knows; with fewer, it is no rival of it
_SLACK = 50.0  # of the variance: a few weak words alone make no clear case
_SHOWN = 3
_SHOWN_THREADS = 5

type Keys = NDArray[np.uint32]
type Counts = NDArray[np.uint16]
type Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkWeights:
    """What `bench_resolution --learn` learns of how words tell.

    `manner` is the weight of a turn of phrase beside a word of matter; `sharpness` the power of a word's rarity: above
    one, what only one thread says outweighs the more what most of them say.
    """

    manner: float
    sharpness: float


LEARNT = TalkWeights(manner=2.0, sharpness=1.25)


@dataclass(frozen=True, slots=True, eq=False)
class Talk:
    """What was said in one thread: keys with their counts (a key may stand twice), and how many words of a channel."""

    keys: Keys
    counts: Counts
    matter: int
    manner: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one thread does: `score` as a share of the best one's, and the words that speak for it, strongest first.

    `behind` says by how many standard deviations the nearest thread is ahead of it: 0 for that one itself.
    """

    thread_id: str
    score: float
    behind: float
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The threads, nearest first. `known` is the share of the input's matter that the nearest has heard, by weight."""

    standings: tuple[Standing, ...]
    known: float

    @property
    def lead(self) -> float:
        """By how many standard deviations the nearest thread is ahead of every other one."""
        return min(one.behind for one in self.standings[1:])


def heard(text: str, talks: Mapping[str, Talk], weights: TalkWeights = LEARNT) -> Verdict | None:
    """Return how the threads compare as the place of `text`; None where there are too few, or no word is shared."""
    names = sorted(name for name, talk in talks.items() if len(talk.keys))
    said_in = _said_in(text)
    asked = list(said_in)
    if len(names) < FEWEST_TALKS or not asked:
        return None
    gains, full = _gains(asked, [talks[name] for name in names], weights)
    scores = gains.sum(axis=0)
    order = sorted(range(len(names)), key=lambda place: (-scores[place], names[place]))
    first = order[0]
    if not scores[first]:
        return None
    ahead = _by_clause(gains[:, first, None] - gains, list(said_in.values()))
    behind = ahead.sum(axis=0) / np.sqrt((ahead**2).sum(axis=0) + _SLACK)
    standings = [
        Standing(
            thread_id=names[place],
            score=float(scores[place] / scores[first]),
            behind=float(behind[place]),
            shared=_shared(asked, gains[:, place]) if rank < _SHOWN_THREADS else (),
        )
        for rank, place in enumerate(order)
    ]
    return Verdict(standings=tuple(standings), known=_known(asked, full, gains[:, first]))


def _said_in(text: str) -> dict[Wording, int]:
    """Return each key of a text with the number of the clause in which it stands first."""
    said: dict[Wording, int] = {}
    for number, clause in enumerate(clauses(text)):
        for wording in clause:
            said.setdefault(wording, number)
    return said


def _by_clause(gains: Table, numbers: Sequence[int]) -> Table:
    """Return what each clause (row) gives each thread: words said in one breath are one witness, not many."""
    summed = np.zeros((max(numbers) + 1, gains.shape[1]))
    np.add.at(summed, np.array(numbers), gains)
    return summed


def _gains(asked: Sequence[Wording], talks: Sequence[Talk], weights: TalkWeights) -> tuple[Table, Table]:
    """Return what each word (row) gives each thread (column), and what a word is worth at most once."""
    said = _said(np.array([wording.key for wording in asked], dtype=np.uint32), talks)
    spread, threads = _spread(said)
    rarity = np.log1p((threads - spread + 0.5) / (spread + 0.5)) ** weights.sharpness
    full = rarity * np.array([_weight(wording, weights) for wording in asked])
    length = np.where(_is_matter(asked)[:, None], _relative(talks, "matter"), _relative(talks, "manner"))
    often = said * (SATURATION + 1) / np.maximum(said + SATURATION * length, 1e-9)
    return full[:, None] * often, full


def _said(asked: Keys, talks: Sequence[Talk]) -> Table:
    """Return how often each of the keys (rows) was said in each thread (columns)."""
    order = np.argsort(asked)
    known = np.concatenate([talk.keys for talk in talks])
    places = np.minimum(np.searchsorted(asked, known, sorter=order), len(asked) - 1)
    rows = order[places]
    hits = np.flatnonzero(asked[rows] == known)
    columns = np.repeat(np.arange(len(talks)), [len(talk.keys) for talk in talks])
    counts = np.concatenate([talk.counts for talk in talks])
    said = np.zeros((len(asked), len(talks)))
    np.add.at(said, (rows[hits], columns[hits]), counts[hits])
    return said


def _spread(said: Table) -> tuple[Table, int]:
    """Return in how many threads each word was said, and of how many, counting those that could be meant at all.

    Threads in another language, or of another kind, know next to none of the words; by them, all words would be rare.
    """
    known = (said > 0).sum(axis=0)
    alike = known >= _ALIKE * known.max()
    return (said[:, alike] > 0).sum(axis=1).astype(np.float64), max(int(alike.sum()), _FEW_THREADS)


def _relative(talks: Sequence[Talk], channel: str) -> Table:
    """Return how long each thread's talk is, measured in mean lengths."""
    lengths = np.array([getattr(talk, channel) for talk in talks], dtype=np.float64)
    return np.maximum(lengths, 1.0) / max(float(lengths.mean()), 1.0)


def _weight(wording: Wording, weights: TalkWeights) -> float:
    if wording.kind is None:
        return weights.manner
    return _KIND_WEIGHTS[wording.kind] * commonness(wording.shown)


def _is_matter(asked: Sequence[Wording]) -> NDArray[np.bool_]:
    return np.array([wording.channel is Channel.MATTER for wording in asked])


def _known(asked: Sequence[Wording], full: Table, gained: Table) -> float:
    worth = np.where(_is_matter(asked), full, 0.0)
    whole = float(worth.sum())
    return float(worth[gained > 0].sum()) / whole if whole else 0.0


def _shared(asked: Sequence[Wording], gained: Table) -> tuple[str, ...]:
    gains = [(float(gain), word.shown) for word, gain in zip(asked, gained, strict=True) if word.kind and gain > 0]
    return tuple(word for _, word in sorted(gains, key=lambda pair: (-pair[0], pair[1]))[:_SHOWN])
