"""A set in a project of its own: real threads, real passages written by an agent, and vectors made by the worker."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import batched
from pathlib import Path

from governance.actors import Acting
from governance.scope import project_scope
from greywind_site.benching.retrieval_sets import Item, RetrievalSet
from greywind_site.benching.retrieval_vectors import KeptVectors
from greywind_site.benching.world import make_world
from greywind_site.operating.command import FAILED, Refused
from memories.embeddings.embedder import Embedder
from memories.embeddings.registry import Model, embedder_of, served_models, standing_in
from memories.embeddings.working import embed_due
from memories.passages import PassageWish, index
from memories.vocabulary import KnowledgeStatus, Origin, SourceType
from threads.lifecycle import ThreadWish, create_thread

AT_ONCE = 500  # passages of one transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A set as it lies in the project: the thread of each of its threads, and the item behind each ref."""

    agent: Acting
    threads: Mapping[str, uuid.UUID]
    items: Mapping[str, Item]


@contextmanager
def kept_vectors(folder: Path) -> Iterator[Sequence[Embedder]]:
    """Let every served model read what it made in an earlier run from `folder`; gives their embedders.

    What is new is made as always. A vector is told by model, weights and text, so that none is taken for another.
    """
    with ExitStack() as stack:
        embedders = []
        for model in served_models():
            kept = stack.enter_context(closing(_kept(model, folder)))
            stack.enter_context(standing_in(model, kept))
            embedders.append(kept)
        yield embedders


def place(found: RetrievalSet, *, now: datetime) -> Placed:
    """Write a set as an agent of a new project would, and let the worker embed it."""
    agent = make_world(now=now).first.agent
    threads = {name: _thread(agent, name, now=now) for name in found.threads}
    items: dict[str, Item] = {}
    for name, told in found.threads.items():
        for batch in batched(told, AT_ONCE):
            wishes = {_ref(item): _wish(agent, item, threads[name]) for item in batch}
            with project_scope(agent):
                index(list(wishes.values()))
            items |= dict(zip(wishes, batch, strict=True))
    done = embed_due(seconds=float("inf"))
    if done["failed"] or done["postponed"]:
        raise Refused(f"not every text got its vector: {dict(done)}", returncode=FAILED)
    return Placed(agent=agent, threads=threads, items=items)


def _kept(model: Model, folder: Path) -> KeptVectors:
    made = partial(embedder_of, model)
    embedder = made()  # before another stands in for it
    return KeptVectors(
        lambda: embedder, name=model.name, dims=model.dims, space=model.space, file=folder / f"{model.name}.sqlite3"
    )


def _thread(agent: Acting, name: str, *, now: datetime) -> uuid.UUID:
    with project_scope(agent):
        return create_thread(agent, ThreadWish(title=name), now=now).pk


def _ref(item: Item) -> str:
    session = sha256(item.session.encode()).hexdigest()[:24]
    return f"event://{session}/{item.place}"


def _wish(agent: Acting, item: Item, thread: uuid.UUID) -> PassageWish:
    return PassageWish(
        project_id=agent.project_id,
        source_type=SourceType.EVENT,
        ref=_ref(item),
        text=item.text,
        origin=Origin.USER_EXPLICIT,
        knowledge_status=KnowledgeStatus.INFERRED,
        speaker=item.speaker,
        thread_id=thread,
        as_of=item.at,
    )
