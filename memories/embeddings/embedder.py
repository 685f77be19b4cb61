"""What makes vectors of texts, whoever it is, and what may go wrong with it."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

type Vectors = NDArray[np.float32]

LEAST_LENGTH = 1e-6  # a vector shorter than this points nowhere, and no distance to it means anything


class EmbedderFault(Exception):
    """No vectors came. `code` is one word for rows, logs and figures; the message is for a person, without any text."""

    code = "fault"


class Absent(EmbedderFault):
    """The model is not on this machine, or not the file that it should be: no try will help until somebody acts."""

    code = "absent"


class Unreachable(EmbedderFault):
    """Nobody answered, or not now: the same texts are tried again later, and no text is to blame."""

    code = "unreachable"


class Misfit(EmbedderFault):
    """What came is not what the model is said to give: another length, another number of vectors."""

    code = "misfit"


class Refused(EmbedderFault):
    """These texts are not taken; one of them may be to blame."""

    code = "refused"


class Embedder(Protocol):
    """Makes vectors. `space` says by which weights: vectors of one space are comparable, whatever was written of a
    passage beside its text.
    """

    name: str
    dims: int
    space: str

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row per text, float32, `dims` wide; raises EmbedderFault."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The same for what is asked: some models know a question from what answers it."""
        ...


def normalised(rows: Vectors, *, count: int, dims: int, name: str) -> Vectors:
    """Return the rows with length one; raises Misfit for another shape, and Refused for a row that points nowhere."""
    check_shape(rows, count=count, dims=dims, name=name)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    if not np.isfinite(lengths).all() or (lengths < LEAST_LENGTH).any():
        raise Refused(f"{name} gave a vector without a direction")
    unit: Vectors = np.divide(rows, lengths[:, None]).astype(np.float32)
    return unit


def check_shape(rows: Vectors, *, count: int, dims: int, name: str) -> None:
    """Raise Misfit unless there are so many rows of so many numbers: vectors of another length compare with nothing."""
    if rows.shape != (count, dims):
        raise Misfit(f"{name} is said to give {count} × {dims} numbers and gave {' × '.join(map(str, rows.shape))}")


def literal(row: Vectors) -> str:
    """Return one vector as PostgreSQL reads it; five digits are more than half precision keeps."""
    return "[" + ",".join([f"{number:.5g}" for number in row.tolist()]) + "]"
