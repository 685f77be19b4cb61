"""Counted words as the values that are stored and compared."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from threads.talk import Counts, Keys, Talk
from threads.wording import Channel, Wording

MOST_COUNT = 2**16 - 1


def talk_of(words: Mapping[Wording, int]) -> Talk:
    """Return counted words as one thread's talk."""
    keys, counts = packed(Counter({word.key: count for word, count in words.items()}))
    matter, manner = lengths(words)
    return Talk(keys=keys, counts=counts, matter=matter, manner=manner)


def packed(words: Mapping[int, int]) -> tuple[Keys, Counts]:
    """Return keys in their order, four bytes each, and their counts, two bytes each and never more than they hold."""
    ordered = sorted(words)
    counts = np.minimum([words[key] for key in ordered], MOST_COUNT)
    return np.array(ordered, dtype="<u4"), counts.astype("<u2")


def lengths(words: Mapping[Wording, int]) -> tuple[int, int]:
    """Return how many words of matter and of manner were counted."""
    matter = sum(count for word, count in words.items() if word.channel is Channel.MATTER)
    return matter, sum(words.values()) - matter
