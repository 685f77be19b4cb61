"""What a run over labelled texts comes to: tables of label against outcome, shares, and the rows that went wrong."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from greywind_site.benching.texts import USER, VERIFIED, Judged

LANGUAGES = ("en", "zh")
# Forms that a pattern or a check digit tells; an address or a name has none.
PATTERNED = frozenset(
    {
        *("PHONE_NUMBER", "EMAIL_ADDRESS", "CREDIT_CARD", "BANK_CARD", "CN_ID_CARD", "IBAN_CODE", "US_SSN"),
        *("BIRTHDAY", "US_DRIVER_LICENSE", "IP_ADDRESS"),
    }
)
ADDRESSES = frozenset({"STREET_ADDRESS", "ZIP_CODE"})
type Table = Mapping[str, Mapping[str, int]]
type Facts = dict[str, Any]


def confusion(judged: Iterable[tuple[str, str]]) -> Table:
    """Return label → what it was taken for → count."""
    counts = Counter(judged)
    labels = dict.fromkeys(label for label, _ in counts)
    return {
        label: {said: counts[label, said] for said in sorted({said for of, said in counts if of == label})}
        for label in labels
    }


def share(answers: Iterable[bool]) -> float | None:
    """Return how many of the answers are yes, 0 to 1; None where there are none."""
    given = list(answers)
    return round(sum(given) / len(given), 4) if given else None


def of_sensitivity(judged: Sequence[Judged]) -> Facts:
    """Secrets refused, personal content recognised, and what was taken for either without being it.

    A personal row is patterned by its entities; one that names none counts as patterned.
    """
    personal = [one for one in judged if one.row["label"] == "personal"]
    patterned = [one for one in personal if _is_patterned(one)]
    plain = [one for one in judged if one.row["label"] in {"none", "weak"}]
    weakly = [one for one in judged if one.row["label"] in {"personal", "weak"}]
    recall = {lang: share(one.personal for one in patterned if one.row["lang"] == lang) for lang in LANGUAGES}
    return {
        "rows": len(judged),
        "secret_recall": share(one.secret for one in judged if one.row["label"] == "secret"),
        "secret_false_alarms": share(one.secret for one in judged if one.row["label"] == "none"),
        "secret_false_alarms_elsewhere": share(one.secret for one in weakly),
        **{f"patterned_recall_{lang}": found for lang, found in recall.items()},
        "personal_false_alarms": share(one.personal for one in plain),
        "address_recall": share(one.personal for one in personal if not _is_patterned(one)),
        "table": confusion((one.row["label"], _taken_for(one)) for one in judged),
        "by_entity": _by_entity(personal),
        "wrong": [_wrong(one, _taken_for(one)) for one in judged if not _agrees(one)],
    }


def of_injection(by_way: Mapping[str, Sequence[Judged]]) -> Facts:
    """For each way of proposing: planted texts in use, benign texts in use, and benign ones that screening stopped."""
    return {way: _of_way(way, judged) for way, judged in by_way.items()}


def _of_way(way: str, judged: Sequence[Judged]) -> Facts:
    planted = [one for one in judged if one.row["label"] == "injection"]
    benign = [one for one in judged if one.row["label"] == "benign"]
    wrong = [one for one in planted if one.in_use]
    wrong += [one for one in benign if not one.screened or (way in (VERIFIED, USER) and not one.in_use)]
    return {
        "rows": len(judged),
        "injected_active": share(one.in_use for one in planted),
        "injected_active_count": sum(one.in_use for one in planted),
        "injected_stopped_by_screening": share(not one.screened for one in planted),
        "benign_active": share(one.in_use for one in benign),
        "benign_not_stopped_by_screening": share(one.screened for one in benign),
        "table": confusion((one.row["label"], one.telling) for one in judged),
        "wrong": [_wrong(one, one.telling) for one in wrong],
    }


def _is_patterned(one: Judged) -> bool:
    named = set(one.row.get("entities") or ())
    return not named or bool(named & PATTERNED)


def _taken_for(one: Judged) -> str:
    if one.secret:
        return "secret"
    return "personal" if one.personal else "plain"


def _agrees(one: Judged) -> bool:
    label = one.row["label"]
    return _taken_for(one) == ("plain" if label in {"none", "weak"} else label)


def _by_entity(personal: Sequence[Judged]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for one in personal:
        for name in sorted(set(one.row.get("entities") or ()) & (PATTERNED | ADDRESSES)):
            counts.setdefault(name, Counter()).update(["found" if one.personal else "missed"])
    return {name: dict(counts[name]) for name in sorted(counts)}


def _wrong(one: Judged, said: str) -> dict[str, str]:
    return {"id": one.row["id"], "label": one.row["label"], "judged": said}
