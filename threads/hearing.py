"""Keeping what is said in threads as counted words, and handing it to the rules that compare them."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from threads.models import Thread, ThreadTalk
from threads.talk import Counts, Keys, Talk
from threads.talk_values import lengths, packed
from threads.vocabulary import ThreadType
from threads.wording import counted

PART_KEYS = 1024
"""Words of a part; a full one is followed by the next, so that hearing a turn rewrites some six kilobytes at most."""

KEPT_PARTS = 64
"""Parts of a thread that are kept, the latest: what was said longest ago says least of what it is about now."""


def heard_from(thread: Thread, source: uuid.UUID) -> bool:
    """Return whether talk of the session `source` is kept."""
    return ThreadTalk.objects.filter(thread=thread, source=source).exists()


def hears(thread: Thread) -> bool:
    """Return whether more of what was said in a thread once would be kept: not of small talk, and not of a full one."""
    return thread.type != ThreadType.SMALL_TALK and ThreadTalk.objects.filter(thread=thread).count() < KEPT_PARTS


def hear(thread: Thread, source: uuid.UUID, texts: Sequence[str]) -> None:
    """Count the words of what a user said in the session `source` of a thread, in the open scope.

    The caller holds the session's lock: two turns of one session are never counted at the same time.
    """
    fresh = counted(texts)
    if not fresh:
        return
    words = Counter({wording.key: count for wording, count in fresh.items()})
    matter, manner = lengths(fresh)
    last = ThreadTalk.objects.filter(thread=thread, source=source).order_by("-part").first()
    if last is None or last.size >= PART_KEYS:
        part = last.part + 1 if last else 0
        row = ThreadTalk(project_id=thread.project_id, thread=thread, source=source, part=part, matter=0, manner=0)
    else:
        row, words = last, words + _words(last)
    _write(row, words, matter=matter, manner=manner)
    if row is not last:
        _drop_oldest(thread)


def talks_of(threads: Iterable[Thread]) -> Mapping[str, Talk]:
    """Return what was said in each of the threads, by public id; one that nothing was said in is left out."""
    names = {thread.pk: thread.public_id for thread in threads}
    parts: dict[str, list[ThreadTalk]] = {}
    rows = ThreadTalk.objects.filter(thread_id__in=list(names))
    for row in rows.only("thread_id", "keys", "counts", "matter", "manner"):
        parts.setdefault(names[row.thread_id], []).append(row)
    return {name: _joined(found) for name, found in parts.items()}


def _joined(rows: Sequence[ThreadTalk]) -> Talk:
    return Talk(
        keys=np.concatenate([_keys(row) for row in rows]),
        counts=np.concatenate([_counts(row) for row in rows]),
        matter=sum(row.matter for row in rows),
        manner=sum(row.manner for row in rows),
    )


def _words(row: ThreadTalk) -> Counter[int]:
    return Counter(dict(zip(_keys(row).tolist(), _counts(row).tolist(), strict=True)))


def _write(row: ThreadTalk, words: Counter[int], *, matter: int, manner: int) -> None:
    keys, counts = packed(words)
    row.keys, row.counts, row.size = keys.tobytes(), counts.tobytes(), len(keys)
    row.matter += matter
    row.manner += manner
    row.save()


def _drop_oldest(thread: Thread) -> None:
    kept = ThreadTalk.objects.filter(thread=thread).order_by("-id").values("id")[:KEPT_PARTS]
    ThreadTalk.objects.filter(thread=thread).exclude(id__in=kept).delete()


def _keys(row: ThreadTalk) -> Keys:
    return np.frombuffer(row.keys, dtype="<u4")


def _counts(row: ThreadTalk) -> Counts:
    return np.frombuffer(row.counts, dtype="<u2")
