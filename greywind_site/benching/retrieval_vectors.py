"""Vectors that are kept between runs: what a model made of a text once is read from a file, by a hash of the text."""

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from memories.embeddings.embedder import Embedder, Vectors

AT_ONCE = 64  # texts between two writes of the file: what is made is kept, wherever a run is stopped


class KeptVectors:
    """An embedder that asks another one only for what is new. The file holds hashes and numbers, no text."""

    def __init__(self, made_by: Callable[[], Embedder], *, name: str, dims: int, space: str, file: Path) -> None:
        self.name, self.dims, self.space = name, dims, space
        self._made_by = made_by
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file = sqlite3.connect(file, check_same_thread=False, timeout=60)
        self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row per text."""
        return self._rows("passage", texts, lambda missing: self._made_by().embed_passages(missing))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row per question."""
        return self._rows("query", texts, lambda missing: self._made_by().embed_queries(missing))

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _rows(self, side: str, texts: Sequence[str], make: Callable[[Sequence[str]], Vectors]) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if self._kept(side, text) is None]
        for start in range(0, len(missing), AT_ONCE):
            batch = missing[start : start + AT_ONCE]
            rows = [(self._key(side, text), row.tobytes()) for text, row in zip(batch, make(batch), strict=True)]
            with self._file:
                self._file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        if not texts:
            return np.empty((0, self.dims), dtype=np.float32)
        return np.stack([np.frombuffer(self._kept(side, text) or b"", dtype=np.float32) for text in texts])

    def _kept(self, side: str, text: str) -> bytes | None:
        found = self._file.execute("SELECT vector FROM vectors WHERE key = ?", [self._key(side, text)]).fetchone()
        return found[0] if found else None

    def _key(self, side: str, text: str) -> bytes:
        return hashlib.sha256(f"{self.name}\0{self.space}\0{side}\0{text}".encode()).digest()
