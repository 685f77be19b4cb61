"""Vectors without a model: the terms of a text, scattered over a few hundred numbers. Finds what shares words."""

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from memories.embeddings.embedder import Vectors, normalised
from threads.lexemes import LEXEMES_VERSION, terms


class HashedTerms:
    """For machines that have no model, and wherever vectors matter and what they mean does not."""

    name, dims = "hashed-terms", 256
    space = f"lexemes{LEXEMES_VERSION}"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row per text; the same text has the same row on every machine."""
        rows = np.stack([_scattered(text, self.dims) for text in texts]) if texts else np.empty((0, self.dims))
        return normalised(rows.astype(np.float32), count=len(texts), dims=self.dims, name=self.name)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The same."""
        return self.embed_passages(texts)


def _scattered(text: str, dims: int) -> Vectors:
    row = np.zeros(dims, dtype=np.float32)
    # A text of blanks or stop words alone has no terms, and still needs a direction.
    for term, times in Counter(terms(text) or [text]).items():
        told = int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest())
        row[told % dims] += np.sqrt(times) * (1 if told >> 63 else -1)
    return row if np.any(row) else np.eye(1, dims, dtype=np.float32)[0]
