"""What reported usage teaches: the truth where reports agree, nothing that is unsafe where they do not."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from sessions.context.scripts import Script
from sessions.context.tokens import Weights
from sessions.usage_fit import LEAST_USAGES, SMALL, Fit, Known, Usage, learn, plausible
from sessions.vocabulary import Learning

HARNESS = 20_000
KNOWN = Known(factor=1.35, exact=False, margin=0.06, most_harness=50_000)
TRUE = Weights(1.0, tuple({Script.HAN: 0.4, Script.PUNCTUATION: 0.1}.get(script, 0.0) for script in Script))
# Tokens of one kind of text, and its characters for each of them.
CHINESE = {Script.HAN: 1.2, Script.MARKS: 0.2, Script.DIGITS: 0.05, Script.BREAKS: 0.05}
ENGLISH = {Script.LETTERS: 3.5, Script.CAPITALS: 0.2, Script.SPACES: 0.8, Script.PUNCTUATION: 0.2, Script.BREAKS: 0.1}


def prompt(dice: random.Random, *, noise: float = 0.01, told: int | None = None) -> Usage:
    """A prompt of some thousand tokens, Chinese and English mixed, as a provider with TRUE weights counts it."""
    counts = dice.randrange(200, 6_000), dice.randrange(200, 6_000)
    mix = tuple(
        round(sum(tokens * kind.get(script, 0) for tokens, kind in zip(counts, (CHINESE, ENGLISH), strict=True)))
        for script in Script
    )
    own = TRUE.tokens(sum(counts), mix) * (1 + dice.uniform(-noise, noise))
    return Usage(sum(counts), mix, round(own) + (HARNESS if told is None else told), told)


def prompts(number: int, seed: int = 1, **options: float) -> list[Usage]:
    dice = random.Random(seed)  # noqa: S311 - nothing secret
    return [prompt(dice, **options) for _ in range(number)]


def learnt(usages: Sequence[Usage], known: Known = KNOWN) -> Fit:
    fit = learn(usages, known)
    assert fit is not None
    return fit


def errors(fit: Fit, unseen: Sequence[Usage]) -> list[float]:
    assert fit.weights is not None
    return [fit.weights.tokens(one.counted, one.mix) / (one.reported - HARNESS) - 1 for one in unseen]


def halved(usage: Usage) -> Usage:
    return replace(usage, reported=usage.reported // 2)


def huge(usage: Usage) -> Usage:
    return replace(usage, reported=usage.reported * 4)


def test_too_few_reports_teach_nothing() -> None:
    assert learn(prompts(LEAST_USAGES - 1), KNOWN) is None


def test_unseen_prompts_are_estimated_within_three_per_cent() -> None:
    found = errors(learnt(prompts(200)), prompts(100, seed=2, noise=0))
    assert max(abs(error) for error in found) < 0.03


def test_the_same_reports_teach_the_same() -> None:
    assert learn(prompts(60), KNOWN) == learn(prompts(60), KNOWN)


def test_the_harness_is_told_from_the_prompt() -> None:
    harness = learnt(prompts(200)).harness
    assert harness is not None
    assert HARNESS <= harness <= HARNESS + 400


def test_a_harness_that_tells_its_own_part_leaves_none_to_learn() -> None:
    fit = learnt(prompts(60, told=9_000))
    assert (fit.harness, fit.state) == (None, Learning.LEARNT)


@pytest.mark.parametrize("lie", [halved, huge])
def test_a_quarter_of_hostile_reports_moves_nothing(lie: Callable[[Usage], Usage]) -> None:
    usages = [lie(one) if at % 4 == 0 else one for at, one in enumerate(prompts(200))]
    fit = learnt(usages)
    assert fit.outliers >= 50
    assert max(abs(error) for error in errors(fit, prompts(60, seed=2, noise=0))) < 0.03


def test_reports_that_disagree_are_not_gone_by() -> None:
    dice = random.Random(3)  # noqa: S311 - nothing secret
    usages = [replace(one, reported=one.reported + dice.randrange(40_000)) for one in prompts(100)]
    assert learnt(usages).state is Learning.UNSTEADY


def test_what_would_be_counted_too_low_is_raised_into_the_margin() -> None:
    rough, narrow = prompts(200, noise=0.05), replace(KNOWN, margin=0.02)
    fit = learnt(rough, narrow)
    low = [one.reported - HARNESS - fit.weights.tokens(one.counted, one.mix) for one in rough if fit.weights]
    assert fit.lift > 0
    assert sum(missed > 0.02 * (one.counted + SMALL) for missed, one in zip(low, rough, strict=True)) <= 2


def test_a_script_that_no_report_held_keeps_what_the_shipped_factor_gives_it() -> None:
    weights = learnt(prompts(100)).weights
    assert weights is not None
    mix = tuple(500 if script is Script.OTHER else 0 for script in Script)
    assert weights.tokens(300, mix) >= 1.3 * 300


def test_lies_of_everybody_stay_within_bounds() -> None:
    fit = learnt([replace(one, reported=HARNESS + one.counted // 10) for one in prompts(100)])
    assert fit.weights is not None
    assert fit.weights.tokens(1_000, (0,) * len(Script)) >= 600


def test_an_exact_vocabulary_learns_its_harness_alone() -> None:
    known = Known(factor=1, exact=True, margin=0.06, most_harness=50_000)
    dice = random.Random(4)  # noqa: S311 - nothing secret
    usages = [Usage(counted, (0,) * len(Script), counted + 7_000) for counted in dice.sample(range(500, 9_000), 40)]
    fit = learnt(usages, known)
    assert (fit.weights, fit.harness) == (None, 7_000)


@pytest.mark.parametrize(
    ("reported", "sane"), [(1_000, True), (120_000, True), (10, False), (599, False), (900_000, False)]
)
def test_a_count_that_no_vocabulary_makes_is_told(reported: int, sane: bool) -> None:
    assert plausible(Usage(1_000, (0,) * len(Script), reported), window=200_000) is sane
