"""The bench of estimates: what it learns from and checks on is apart, and a small run goes the product's own way."""

import pytest

from greywind_site.benching import estimate_texts
from greywind_site.benching.estimate_telling import by_kind
from greywind_site.benching.estimate_texts import Halves, Kind, halves, own_code, provider
from greywind_site.benching.estimates import Checked, bench_provider, miscounted
from sessions import usage_fit, usages
from sessions.learnt_reading import USUAL
from sessions.vocabulary import TextKind

FEW = 4


def texts() -> Halves:
    """A few texts of each kind, of our own."""
    zh, en = ([part for part in USUAL[kind].replace("。", "。\n").split("\n") if part] for kind in list(TextKind)[:2])
    return halves({Kind.ZH: zh, Kind.EN: [*en, *USUAL[TextKind.ENGLISH].split(". ")], Kind.CODE: own_code()[:40]})


def test_no_text_is_learnt_from_and_checked_on() -> None:
    both = texts()
    for kind, found in both.learn.texts.items():
        assert found
        assert not set(found) & set(both.check.texts[kind])


def test_a_turn_is_the_same_in_each_run() -> None:
    assert texts().learn.turn(Kind.MIXED, 3) == texts().learn.turn(Kind.MIXED, 3)


def test_errors_are_told_by_kind_with_what_is_beyond_the_margin() -> None:
    checked = [Checked(Kind.ZH, 1_000, 1_020), Checked(Kind.ZH, 1_000, 990), Checked(Kind.EN, 1_000, 1_200)]
    told = by_kind(checked, 0.05)
    assert (told["zh"]["beyond margin"], told["en"]["beyond margin"], told["all"]["packets"]) == (0, 1, 3)
    assert told["en"]["under"] == pytest.approx(1 / 6, abs=1e-4)


def test_the_first_ranks_of_a_vocabulary_are_a_smaller_one() -> None:
    chinese = USUAL[TextKind.CHINESE]
    assert provider("cl100k-40k")(chinese) > provider("cl100k")(chinese)


def test_a_vocabulary_of_pieces_counts_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Words:
        def encode(self, text: str, **_: bool) -> list[str]:
            return text.split()

    monkeypatch.setattr(estimate_texts, "_pieces", Words)
    assert provider("unigram-128k")("uno dos\n\ntres") == 5


@pytest.mark.usefixtures("transactional_db")
def test_a_small_run_learns_from_packets_and_counts_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (usage_fit, usages):
        monkeypatch.setattr(module, "LEAST_USAGES", FEW)
    monkeypatch.setattr(estimate_texts, "SIZES", (400,))
    found = bench_provider(provider("cl100k"), texts(), mark="b", usages=FEW, unseen=1)
    assert found.learnt is not None
    assert (found.learnt.usages, len(found.before), len(found.after)) == (FEW, 4, 4)
    exact = miscounted(texts(), each=1)
    assert (exact["packets_wrong"], exact["counts_wrong"], exact["counts"]) == (0, 0, 8)
