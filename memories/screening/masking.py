"""A text without what must not be stored of it: in the place of each secret stands what kind it was."""

from collections.abc import Iterable

from memories.screening.findings import Category, Finding, Kind

_GRAVITY = {kind: place for place, kind in enumerate(Kind)}  # published forms are named before the rest, and say most


def mask(text: str, findings: Iterable[Finding]) -> str:
    """Return `text` with `[kind]` in the place of every secret in `findings`; all else stays, to the character.

    Findings that share characters are one secret, under the name that says most of it.
    """
    secrets = sorted((one for one in findings if one.category is Category.SECRET), key=lambda one: (one.start, one.end))
    pieces, kept = [], 0
    for cluster in _clusters(secrets):
        gravest = min(cluster, key=lambda one: (not one.certain, _GRAVITY[one.kind]))
        pieces += [text[kept : cluster[0].start], f"[{gravest.kind}]"]
        kept = max(one.end for one in cluster)
    return "".join([*pieces, text[kept:]])


def _clusters(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return findings, which come in order, together where they share characters."""
    clusters: list[list[Finding]] = []
    end = 0
    for found in findings:
        if clusters and found.start < end:
            clusters[-1].append(found)
        else:
            clusters.append([found])
        end = max(end, found.end)
    return clusters
