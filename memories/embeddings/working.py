"""Filling the vectors that are waited for: claim, embed outside any transaction, store. Any number may work at once.

Stopped anywhere, the rows are due again when their time is up.
"""

import time
from collections import Counter
from collections.abc import Sequence

import structlog

from governance.scope import project_scope
from governance.waking import OneAtATime
from memories.embeddings.embedder import Absent, Embedder, EmbedderFault, Misfit, Unreachable, check_shape, literal
from memories.embeddings.holding import MISSING, MOST_ATTEMPTS, Held, Tally, claim, give_back, groups, store
from memories.embeddings.pending import await_lacking
from memories.embeddings.registry import Model, embedder_of, written_models

BATCH = 64  # rows held at once by one worker
LACKING_AT_ONCE = 2_000  # rows of one transaction, as old passages are asked for anew
log = structlog.get_logger("greywind.embeddings")


def embed_due(*, seconds: float = 50.0, most: int | None = None, only: str | None = None, trace_id: str = "") -> Tally:
    """Embed what is due, newest first, until nothing is, or the time or number is used up; returns what became of it.

    `only` names one model. A model that cannot be used now is left for the next time, its rows due as before.
    """
    until, done = time.monotonic() + seconds, Counter[str]()
    models = {model.name: model for model in written_models() if only in (None, model.name)}
    while models and time.monotonic() < until and (most is None or done["tried"] < most):
        held = claim(list(models.values()), BATCH if most is None else min(BATCH, most - done["tried"]), trace_id)
        if not held:
            break
        for name in sorted({one.model for one in held}):
            made = _embed([one for one in held if one.model == name], models[name])
            done += made
            if made["postponed"]:
                del models[name]
    return done


def ask_for_lacking(*, trace_id: str = "") -> int:
    """Ask for every vector that a passage lacks: of a model or version that is new, or lost. Returns how many."""
    models, asked = written_models(), 0
    names, versions = [model.name for model in models], [model.version for model in models]
    while models and (lacking := groups(MISSING, [names, versions, 1000], trace_id)):
        found = 0
        for group in lacking:
            with project_scope(group.acting):
                found += await_lacking(group.audience, group.role, group.owner, most=LACKING_AT_ONCE)
        asked += found
        if not found:
            break
    return asked


one_at_a_time: OneAtATime[Tally] = OneAtATime()


def _embed(held: Sequence[Held], model: Model) -> Tally:
    lost = [one for one in held if one.attempts > MOST_ATTEMPTS]  # nobody who tried it has come back
    blank = [one for one in held if one not in lost and not one.text]
    done = give_back(lost, "lost", blamed=True) + give_back(blank, "blank", blamed=True, hopeless=True)
    rest = [one for one in held if one not in lost and one.text]
    try:
        embedder = embedder_of(model)
    except Absent as fault:
        log.exception("model_absent", model=model.name, cause=str(fault))
        return done + give_back(rest, fault.code, blamed=False)
    return done + _made(rest, embedder, model)


def _made(held: Sequence[Held], embedder: Embedder, model: Model) -> Tally:
    """Embed and store some rows; where they are refused together, find out by halves which of them is to blame."""
    if not held:
        return Counter()
    try:
        rows = embedder.embed_passages([one.text for one in held])
        check_shape(rows, count=len(held), dims=model.dims, name=model.name)
    except (Unreachable, Absent, Misfit) as fault:
        tell = log.warning if isinstance(fault, Unreachable) else log.error  # the others wait for a person
        tell("not_embedded_now", model=model.name, code=fault.code, cause=str(fault), rows=len(held))
        return give_back(held, fault.code, blamed=False)
    except Exception as fault:  # noqa: BLE001 - whatever a text does to a model must not stop the others
        if len(held) > 1:
            half = len(held) // 2
            return _made(held[:half], embedder, model) + _made(held[half:], embedder, model)
        code = fault.code if isinstance(fault, EmbedderFault) else type(fault).__name__[:40]
        log.warning("text_not_embedded", model=model.name, code=code, passage=str(held[0].passage_id))
        return give_back(held, code, blamed=True)
    return store(held, [literal(row) for row in rows], model)
