"""The vectors of what is asked. Made outside any transaction: a connection must not wait for a model.

The last questions' vectors are kept by the process, under a hash of their text, and nowhere else: what people ask is
nobody's to read in a shared cache, and a vector tells a good part of it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from memories.embeddings.embedder import EmbedderFault, check_shape, literal
from memories.embeddings.registry import Model, embedder_of, served_models
from memories.embeddings.wording import asked_text
from memories.lately import Lately

MOST_KEPT = 2_048  # vectors of questions; some 8 MB as text
log = structlog.get_logger("greywind.embeddings")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedVectors:
    """The vectors of a question by model, one for each text of its `requests`, as PostgreSQL reads them.

    `missing` says by model why there are none: the search then goes on without that model.
    """

    vectors: Mapping[Model, Sequence[str]] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    requests: Sequence[str] = ()


class VectorsWanted(Exception):
    """A question's vectors are not kept, and must not be made here: leave the transaction, and ask for them there."""

    def __init__(self, requests: Sequence[str]) -> None:
        super().__init__("a question's vectors are wanted")
        self.requests = requests


kept: Lately[bytes, str] = Lately(MOST_KEPT)


def query_vectors(requests: Sequence[str]) -> AskedVectors:
    """Return the vectors of a question's requests by every model that is served.

    Never raises for a model: one that is missing, slow or refuses is named in `missing`, with the word for why.
    """
    texts = _texts(requests)
    vectors: dict[Model, Sequence[str]] = {}
    missing: dict[str, str] = {}
    for model in served_models() if texts else []:
        try:
            vectors[model] = _vectors(model, texts)
        except EmbedderFault as fault:
            log.warning("question_not_embedded", model=model.name, code=fault.code, cause=str(fault))
            missing[model.name] = fault.code
    return AskedVectors(vectors=vectors, missing=missing, requests=requests)


def kept_vectors(requests: Sequence[str]) -> AskedVectors:
    """Return the same where all of it is kept by this process, as it may be asked for inside a transaction.

    Raises VectorsWanted where a model would have to be asked.
    """
    texts = _texts(requests)
    vectors: dict[Model, Sequence[str]] = {}
    for model in served_models() if texts else []:
        keys = [_key(model, text) for text in texts]
        found = kept.of(keys)
        if len(found) < len(keys):
            raise VectorsWanted(requests)
        vectors[model] = tuple(found[key] for key in keys)
    return AskedVectors(vectors=vectors, requests=requests)


def _texts(requests: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(asked_text, requests))))


def _vectors(model: Model, texts: Sequence[str]) -> Sequence[str]:
    keys = [_key(model, text) for text in texts]
    found = kept.of(keys)
    lacking = [(key, text) for key, text in zip(keys, texts, strict=True) if key not in found]
    if lacking:
        rows = embedder_of(model).embed_queries([text for _, text in lacking])
        check_shape(rows, count=len(lacking), dims=model.dims, name=model.name)
        made = {key: literal(row) for (key, _), row in zip(lacking, rows, strict=True)}
        kept.keep(made)
        found |= made
    return tuple(found[key] for key in keys)


def _key(model: Model, text: str) -> bytes:
    return hashlib.sha256(f"{model.name}\0{model.space}\0{text}".encode()).digest()
