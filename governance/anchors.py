"""Anchors: heads of the ledger, signed and kept outside the database, where whoever owns it cannot reach them.

A file of anchors holds one JSON object a line. Each anchor names the hash of the one before it of the same project, so
that none can be taken out of the middle unseen. `governance.verify_ledger` reads them back.
"""

import fcntl
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BufferedRandom
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import connection

from governance.actors import Acting
from governance.audit import read_head, verify_chain
from governance.ids import new_id, public_id
from governance.scope import project_scope
from governance.verify_ledger import Verdict, anchor_hash, anchor_message, heads_of, read_anchors
from governance.vocabulary import ActorKind

type Anchor = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one project: its chain as it was found, and the new anchor, None when there was nothing new."""

    project: str
    verdict: Verdict
    anchor: Anchor | None = None


def public_key(seed: str) -> str:
    """Return the Ed25519 public key, 64 hex digits, that belongs to a private one of 64 hex digits."""
    return _key(seed).public_key().public_bytes_raw().hex()


def signed(values: Mapping[str, Any], *, seed: str) -> dict[str, Any]:
    """Return an anchor: project, seq, hash, at and previous, with their signature."""
    return {**values, "signature": _key(seed).sign(anchor_message(values)).hex()}


def kept_anchors(path: Path, *, key: str) -> list[dict[str, Any]]:
    """Return the anchors of a file, checked with a public key; raises Unanswerable for one that does not fit."""
    return read_anchors(path.read_bytes().splitlines(), key)


def verify_project(project_id: uuid.UUID, anchors: Sequence[Anchor]) -> Verdict:
    """Check the chain of one project against the anchors of any."""
    with ledger_of(project_id):
        return verify_chain(heads_of(anchors, public_id("prj", project_id)))


def anchor_projects(
    projects: Iterable[uuid.UUID], *, file: Path | None, seed: str, now: datetime
) -> tuple[Finding, ...]:
    """Sign the head of each project and append it to the file, on disk when this returns; without one only sign it.

    A chain that is broken, also against the file's own anchors, is not signed: an anchor is a promise that somebody
    looked. Raises Unanswerable when the file holds a line that this key did not sign.
    """
    if file is None:
        return tuple(_anchor(project, [], seed=seed, now=now) for project in projects)
    with _taking_turns(file) as target:
        kept = read_anchors(target.read().splitlines(), public_key(seed))
        found = tuple(_anchor(project, kept, seed=seed, now=now) for project in projects)
        _append(target, [finding.anchor for finding in found if finding.anchor])
        return found


@contextmanager
def ledger_of(project_id: uuid.UUID) -> Iterator[None]:
    """Read one project's ledger as it is at one moment, however long that takes."""
    reader = Acting(project_id=project_id, actor_id=new_id(), kind=ActorKind.SYSTEM)
    with project_scope(reader, read_only=True):
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0")
        yield


def _anchor(project_id: uuid.UUID, kept: Sequence[Anchor], *, seed: str, now: datetime) -> Finding:
    project = public_id("prj", project_id)
    with ledger_of(project_id), connection.cursor() as cursor:
        verdict, head = verify_chain(heads_of(kept, project)), read_head(cursor)
    if verdict.fault or verdict.anchored == head["seq"]:
        return Finding(project, verdict)
    previous = next((anchor_hash(anchor) for anchor in reversed(kept) if anchor["project"] == project), "")
    at = now.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Finding(project, verdict, signed({"project": project, **head, "at": at, "previous": previous}, seed=seed))


@contextmanager
def _taking_turns(path: Path) -> Iterator[BufferedRandom]:
    """Open a file of anchors for reading and appending, by one process at a time."""
    with path.open("a+b") as target:
        fcntl.flock(target, fcntl.LOCK_EX)
        target.seek(0)
        yield target


def _append(target: BufferedRandom, anchors: Iterable[Anchor]) -> None:
    target.write(b"".join(anchor_line(anchor).encode() + b"\n" for anchor in anchors))
    target.flush()
    os.fsync(target.fileno())


def anchor_line(anchor: Anchor) -> str:
    """Return an anchor as a line of a file, without its end."""
    return json.dumps(anchor, separators=(",", ":"))


def _key(seed: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed))
