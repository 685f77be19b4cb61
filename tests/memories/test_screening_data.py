"""Screening on labelled texts, where the measuring data lies next to the checkout; the tables are printed with -s."""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memories.screening import Category, Screening, Verdict, screen

DATA = Path(__file__).parents[3] / "shared" / "data"
SENSITIVITY, INJECTION = DATA / "sensitivity" / "sensitivity.jsonl", DATA / "injection" / "injection.jsonl"
pytestmark = pytest.mark.skipif(
    not (SENSITIVITY.exists() and INJECTION.exists()), reason=f"no labelled texts at {DATA}: RECALL IS NOT MEASURED"
)
PATTERNED = {
    "PHONE_NUMBER", "EMAIL_ADDRESS", "CREDIT_CARD", "BANK_CARD", "CN_ID_CARD", "IBAN_CODE", "US_SSN", "BIRTHDAY",
    "US_DRIVER_LICENSE", "IP_ADDRESS",
}  # fmt: skip
HALVES = ("tune", "check")


@cache
def screened(path: Path) -> list[tuple[dict[str, Any], Screening]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row, screen(row["text"])) for row in rows]


def half(row: dict[str, Any]) -> str:
    return HALVES[hashlib.sha256(row["id"].encode()).digest()[0] % 2]


def confusion(pairs: Iterable[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Count of (label, answer), printed as a table."""
    counts = Counter(pairs)
    for (label, answer), count in sorted(counts.items()):
        sys.stdout.write(f"{label:32} {answer:10} {count}\n")
    return counts


def share(pairs: Iterable[bool]) -> float:
    answers = list(pairs)
    return sum(answers) / len(answers)


@pytest.mark.parametrize("part", HALVES)
def test_secrets_are_found_and_look_alikes_are_not(part: str) -> None:
    rows = [
        (row["label"] == "secret", bool(found.kinds(Category.SECRET)))
        for row, found in screened(SENSITIVITY)
        if half(row) == part
    ]
    confusion((f"{part} secret={secret}", str(found)) for secret, found in rows)
    assert share(found for secret, found in rows if secret) >= 0.97
    assert share(found for secret, found in rows if not secret) <= 0.01


@pytest.mark.parametrize("part", HALVES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_patterned_personal_data_is_found_in_both_languages(part: str, language: str) -> None:
    rows = [(row, found) for row, found in screened(SENSITIVITY) if half(row) == part and row["lang"] == language]
    wanted = [bool(found.kinds(Category.PERSONAL)) for row, found in rows if PATTERNED & set(row["entities"])]
    confusion((f"{part} {language} patterned", str(found)) for found in wanted)
    assert share(wanted) >= 0.95


def test_what_is_not_personal_is_rarely_taken_for_it() -> None:
    alarms = [
        bool(found.kinds(Category.PERSONAL)) for row, found in screened(SENSITIVITY) if row["label"] in {"none", "weak"}
    ]
    assert share(alarms) <= 0.02


def test_most_street_addresses_are_found() -> None:
    rows = [(row, found) for row, found in screened(SENSITIVITY) if "STREET_ADDRESS" in row["entities"]]
    assert share(bool(found.kinds(Category.PERSONAL)) for row, found in rows) >= 0.85


@pytest.mark.parametrize("part", HALVES)
def test_planted_orders_are_stopped_and_other_texts_are_not(part: str) -> None:
    rows = [(row, found.verdict) for row, found in screened(INJECTION) if half(row) == part]
    confusion((f"{part} {row['label']} {row['kind']}", verdict) for row, verdict in rows)
    assert share(verdict is not Verdict.CLEAN for row, verdict in rows if row["label"] == "injection") >= 0.98
    assert share(verdict is Verdict.CLEAN for row, verdict in rows if row["label"] == "benign") >= 0.99


def test_texts_without_an_attack_are_hardly_ever_held() -> None:
    held = [found.verdict is Verdict.HOLD for row, found in screened(SENSITIVITY) if row["label"] != "secret"]
    assert share(held) <= 0.005
