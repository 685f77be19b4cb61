"""Checks an exported ledger without the system that wrote it: `python verify_ledger.py EXPORT --anchors FILE`.

It needs Python alone, and `cryptography` to check signatures. Anchors are heads that were signed and kept elsewhere:
whoever writes the database can write a chain anew with right hashes, and cannot reach those. So nothing above the last
anchor is ever called intact, only `unanchored`. Exit code 0: anchored or unanchored; 1: broken; 2: no answer.
"""

from __future__ import annotations  # whoever checks may have an older Python

import argparse
import hashlib
import json
import re
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

FORMAT, ANCHOR_FORMAT = "greywind-ledger/1", "greywind-anchor/1"
TEXTS = ("id", "actor", "on_behalf_of", "verb", "target", "reason", "before", "after", "trace", "detail")
PROJECT, DIGEST = "prj_[0-9a-f]{32}", "[0-9a-f]{64}"
ANCHOR = rf"{ANCHOR_FORMAT}\n{PROJECT}\n[1-9]\d*\n{DIGEST}\n[\d:.TZ+-]+\n({DIGEST})?"
WORDS = {
    "form": "entry {0} cannot be read",
    "gap": "entry {0} is not there, later ones are",
    "order": "entry {0} stands out of order",
    "link": "entry {0} does not follow the one before it",
    "hash": "entry {0} was changed, it does not hash to what it says",
    "head": "from entry {0} on the chain does not end as its head says",
    "anchor": "entry {0} is not the one that was anchored; the first one changed is one of {1} to {0}",
    "missing": "entry {0} is not there, and was anchored",
}


class Unanswerable(Exception):
    """The export, the anchors or the key cannot be used; the message says which and why."""


class Verdict(NamedTuple):
    """What a check of one chain found. An anchor vouches for all entries up to its own, `anchored` is the last of them.
    Where an anchor is contradicted, the first bad entry is one of `anchored` + 1 to the one that the fault names."""

    entries: int
    anchored: int = 0
    fault: tuple[str, int] | None = None  # a key of WORDS, and the number of the first bad entry

    @property
    def state(self) -> str:
        """`broken`; `unanchored` where nothing vouches for the last ones; `anchored` up to the last one there is."""
        whole = "anchored" if 0 < self.entries == self.anchored else "unanchored"
        return "broken" if self.fault else whole

    @property
    def told(self) -> str:
        """The same in one line."""
        parts = [f"intact up to entry {self.anchored}, which is anchored"] if self.anchored else []
        if self.fault:
            parts.insert(0, "broken: " + WORDS[self.fault[0]].format(self.fault[1], self.anchored + 1))
        elif self.state == "unanchored":
            parts.append(f"unanchored from entry {self.anchored + 1} to {self.entries}: nothing vouches for those")
        return "; ".join(parts)


def entry_hash(entry: Mapping[str, Any]) -> str:
    """Return what an entry must hash to: its predecessor's hash, its number, its microsecond, its texts."""
    body = bytes.fromhex(entry["prev"]) + struct.pack(">qq", entry["seq"], entry["at"])
    texts = [entry[name].encode(errors="surrogatepass") for name in TEXTS]
    return hashlib.sha256(body + b"".join(struct.pack(">i", len(text)) + text for text in texts)).hexdigest()


def examine(lines: Iterable[bytes], anchors: Sequence[Mapping[str, Any]]) -> Verdict:
    """Check an export line by line against anchors; raises Unanswerable where the first line does not begin one."""
    source = iter(lines)
    first = _object(next(source, b""))
    project, head = str(first.get("project")), first.get("head")
    if first.get("format") != FORMAT or not re.fullmatch(PROJECT, project) or not isinstance(head, dict):
        raise Unanswerable(f"the first line is not the beginning of an export ({FORMAT})")
    heads, left = heads_of(anchors, project), hashlib.sha256(bytes.fromhex(project.removeprefix("prj_"))).hexdigest()
    seq = anchored = 0
    for line in source:
        entry = _object(line)
        fault = _fault_of(entry, due=seq + 1, left=left, anchor=heads.get(seq + 1))
        if fault:
            return Verdict(seq, anchored, fault)
        seq, left = seq + 1, entry["hash"]
        anchored = seq if seq in heads else anchored
    return Verdict(seq, anchored, end_fault(seq, left, head, heads))


def end_fault(seq: int, left: str, head: Mapping[str, Any], anchored: Iterable[int]) -> tuple[str, int] | None:
    """Check that a chain ends where its head says, and not before its last anchor."""
    said = head["seq"] if _whole(head.get("seq")) else 0
    if said != seq:
        return "head", min(seq, said) + 1
    if seq and head.get("hash") != left:
        return "head", seq
    return ("missing", seq + 1) if max(anchored, default=0) > seq else None


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _whole(value: object) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def _fault_of(entry: Mapping[str, Any], *, due: int, left: str, anchor: str | None) -> tuple[str, int] | None:
    formed = all(isinstance(entry.get(name), str) for name in TEXTS) and _whole(entry.get("at"))
    hashed = all(re.fullmatch(DIGEST, str(entry.get(name))) for name in ("prev", "hash"))
    if not formed or not hashed or not _whole(entry.get("seq")):
        return "form", due
    seq, said = entry["seq"], entry["hash"]
    faults = {"order": seq < due, "gap": seq > due, "link": entry["prev"] != left, "hash": entry_hash(entry) != said}
    faults["anchor"] = anchor not in (None, said)
    return next(((kind, min(seq, due)) for kind, guilty in faults.items() if guilty), None)


def anchor_message(anchor: Mapping[str, Any]) -> bytes:
    """Return the bytes of an anchor that are signed."""
    signed = (str(anchor.get(name)) for name in ("project", "seq", "hash", "at", "previous"))
    return "\n".join([ANCHOR_FORMAT, *signed]).encode(errors="replace")


def anchor_hash(anchor: Mapping[str, Any]) -> str:
    """Return what the next anchor of the same project names as its `previous`."""
    return hashlib.sha256(anchor_message(anchor) + bytes.fromhex(anchor["signature"])).hexdigest()


def read_anchors(lines: Iterable[bytes], public_key: str | None) -> list[dict[str, Any]]:
    """Return the anchors of a file. Raises Unanswerable for a line that is none, that another key signed, or before
    which one was taken out. Without a key no signature is checked."""
    last: dict[str, str] = {}
    anchors = [_object(line) for line in lines]
    for number, anchor in enumerate(anchors, 1):
        fault = _wrong_with(anchor, public_key, last.get(str(anchor.get("project"))))
        if fault:
            raise Unanswerable(f"anchors, line {number}: {fault}")
        last[anchor["project"]] = anchor_hash(anchor)
    return anchors


def heads_of(anchors: Iterable[Mapping[str, Any]], project: str) -> dict[int, str]:
    """Return the anchored entries of a project; one that was anchored with two hashes can match neither."""
    heads: dict[int, str] = {}
    for seq, digest in ((anchor["seq"], anchor["hash"]) for anchor in anchors if anchor["project"] == project):
        heads[seq] = digest if heads.get(seq, digest) == digest else ""
    return heads


def _wrong_with(anchor: Mapping[str, Any], public_key: str | None, previous: str | None) -> str | None:
    formed = re.fullmatch(ANCHOR, anchor_message(anchor).decode()) and _whole(anchor["seq"])
    if not formed or not re.fullmatch("[0-9a-f]{128}", str(anchor.get("signature"))):
        return "it is not an anchor"
    if public_key is not None and not _signed(anchor, public_key):
        return "it is not signed by this key"
    return None if anchor["previous"] in ("", previous) else "the anchor before it was taken out or changed"


def _signed(anchor: Mapping[str, Any], public_key: str) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(anchor["signature"]), anchor_message(anchor))
    except (ImportError, ValueError) as fault:
        raise Unanswerable(f"the public key and the package `cryptography` check no signature: {fault}") from fault
    except InvalidSignature:
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the export that the command line names, say what was found, and return the exit code."""
    parser = argparse.ArgumentParser(description="Check an exported GreyWind ledger.")
    parser.add_argument("export", type=Path, help="file written by `manage.py audit_export`")
    parser.add_argument("--anchors", type=Path, help="file written by `manage.py audit_anchor`")
    parser.add_argument("--public-key", metavar="KEY", help="told by `manage.py audit_anchor --public-key`")
    asked = parser.parse_args(arguments)
    try:
        kept = asked.anchors.read_bytes().splitlines() if asked.anchors else []
        with asked.export.open("rb") as lines:
            verdict = examine(lines, read_anchors(kept, asked.public_key))
    except (Unanswerable, OSError) as fault:
        sys.stderr.write(f"not answered: {fault}\n")
        return 2
    unchecked = "; who signed the anchors was not checked" if asked.anchors and not asked.public_key else ""
    sys.stdout.write(f"{verdict.told}{unchecked}\n")
    return 1 if verdict.fault else 0


if __name__ == "__main__":
    sys.exit(main())
