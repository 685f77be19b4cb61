"""The ranking of what a search found: what moves a candidate up or down, and what must not."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memories.ranking.abstaining import SMALL, relevance, standing_of
from memories.ranking.asking import Asked, requests
from memories.ranking.candidate import Candidate, ScopeStats
from memories.ranking.diversity import told_already
from memories.ranking.features import dense_of, features_of, placed, pool_of
from memories.ranking.fusion import rank
from memories.ranking.learning import Choice, learn_choice, learn_yes
from memories.ranking.times import inside, span_of
from memories.ranking.weights import Learnt, Weights, digest_of, learnt
from tests.memories.ranked import MODEL, NOW, asked, candidate, pool_for

TEXTS = (
    "The kettle in the old kitchen whistles at noon",
    "Marta: I moved the kettle to the boat last week",
    "The boat needs a new anchor before June",
    "Nobody waters the ferns on Sundays",
    "船上的新锚要在六月以前买好",
    "周日没有人给蕨类植物浇水",
)


def order(found: list[Candidate], question: str = "Where did the kettle go?") -> list[str]:
    return [one.candidate.ref for one in rank(found, asked(question), pool_for(found, question)).ranked]


TIDES = ["The tide tables begin at noon.", "The gauge stands at pier four.", "Somebody painted the pier green."]


def test_a_question_is_one_request_as_it_was_said() -> None:
    assert requests("  We are moving. Where is the kettle? ") == ("We are moving. Where is the kettle?",)


def test_several_questions_are_a_request_each_with_what_leads_to_them() -> None:
    assert requests("锚买了吗？船在北港。谁有钥匙？") == ("锚买了吗？", "船在北港。谁有钥匙？")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("天气真好，想去划船。谁会来呢？不好意思，我真正想问的是：锚放在哪里？", "锚放在哪里？"),
        ("Lovely day. Shall we sail? What I really wanted to ask is where the anchor is?", "where the anchor is?"),
    ],
)
def test_what_a_speaker_takes_back_is_not_asked(said: str, meant: str) -> None:
    assert requests(said) == (meant,)


def test_the_last_requests_are_kept_when_there_are_many() -> None:
    assert requests("One? Two? Three? Four?") == ("Two?", "Three?", "Four?")


@pytest.mark.parametrize("row", range(len(TEXTS)))
def test_a_better_leg_never_lowers_a_candidate(row: int) -> None:
    found = [candidate(n, text, cosine=0.3 + n / 50) for n, text in enumerate(TEXTS)]
    better = [one._replace(cosines={MODEL: 0.9}) if n == row else one for n, one in enumerate(found)]
    assert order(better).index(f"r{row}") <= order(found).index(f"r{row}")


def test_a_passage_without_a_vector_stands_in_the_middle() -> None:
    found = [
        candidate(n, text, cosine=cosine)
        for n, (text, cosine) in enumerate(zip(TEXTS[:3], [0.1, 0.9, None], strict=True))
    ]
    assert dense_of(pool_of(found, asked("kettle?"), pool_for(found, "kettle?")), MODEL)[2] == pytest.approx(0.5)


def test_without_any_vector_the_words_decide() -> None:
    found = [candidate(n, text, cosine=None) for n, text in enumerate(TEXTS)]
    assert order(found, "anchor, boat, June")[0] == "r2"


def test_one_pool_has_one_ranking_whatever_order_it_comes_in() -> None:
    found = [candidate(n, text, cosine=0.5) for n, text in enumerate(TEXTS)]
    assert order(found) == order(found[::-1])


def test_the_answer_beside_a_found_question_is_raised() -> None:
    found = [candidate(n, text, cosine=0.4, session="s", seq=10 * n) for n, text in enumerate(TEXTS)]
    beside = [one._replace(seq=1) if one.ref == "r3" else one for one in found]
    columns = features_of(pool_of(beside, asked("kettle?"), pool_for(beside, "kettle?")))
    assert columns["before"][3] > 0


def test_a_person_who_is_named_is_the_one_who_spoke() -> None:
    found = [candidate(0, TEXTS[1])._replace(speaker="Marta"), candidate(1, TEXTS[2])._replace(speaker="user")]
    columns = features_of(pool_of(found, asked("What did Marta, a user, move?"), pool_for(found, "move")))
    assert list(columns["speaker"]) == [1.0, 0.0]


def test_a_first_fact_leads_to_the_second() -> None:
    texts = ["我的表哥是医生", "表哥的电话是零五一二", "蕨类植物要浇水"]
    found = [candidate(n, text) for n, text in enumerate(texts)]
    columns = features_of(pool_of(found, asked("职业是医生的人"), pool_for(found, "职业是医生的人")))
    assert columns["bridge"][1] > columns["bridge"][2]


@pytest.mark.parametrize("status", ["confirmed", "disputed"])
def test_what_a_memory_knows_of_itself_decides_between_equals(status: str) -> None:
    twins = [candidate(n, TEXTS[0], cosine=0.5) for n in range(2)]
    twins[1] = twins[1]._replace(knowledge_status=status)
    assert order(twins)[0] == ("r1" if status == "confirmed" else "r0")


def test_a_copy_is_told_once() -> None:
    found = [candidate(0, TEXTS[0]), candidate(1, TEXTS[0]), candidate(2, TEXTS[2])]
    assert told_already(found) == [None, "r0", None]


def test_what_was_said_again_later_is_told_twice_and_no_more() -> None:
    days = [candidate(n, TEXTS[0])._replace(as_of=NOW - timedelta(days=n)) for n in range(4)]
    assert told_already(days) == [None, None, "r0", "r0"]


def test_another_number_is_another_fact() -> None:
    found = [
        candidate(0, "The release is version 2.4 of the boat app"),
        candidate(1, "The release is version 2.5 of the boat app"),
    ]
    assert told_already(found) == [None, None]


def test_repeats_among_the_best_are_the_same_however_many_are_asked_for() -> None:
    found = [candidate(n, TEXTS[n % 2], cosine=0.5)._replace(as_of=NOW - timedelta(days=n)) for n in range(8)]
    assert told_already(found[:5]) == told_already(found)[:5]
    assert any(told_already(found[:5]))


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("上周我们说了什么？", (2026, 3, 9), (2026, 3, 16)),
        ("What did we decide last week?", (2026, 3, 9), (2026, 3, 16)),
        ("What did we decide in December?", (2025, 12, 1), (2026, 1, 1)),
        ("从3月2日到3月4日发生了什么？", (2026, 3, 2), (2026, 3, 5)),
    ],
)
def test_a_named_time_is_the_last_one_that_was(
    text: str, first: tuple[int, int, int], after: tuple[int, int, int]
) -> None:
    span = span_of(text, NOW)
    assert span is not None
    assert (span.start, span.end) == (datetime(*first, tzinfo=UTC), datetime(*after, tzinfo=UTC))


def test_as_of_takes_what_was_known_by_then() -> None:
    span = span_of("As of March 2, who has the key?", NOW)
    assert span is not None
    assert [inside(span, NOW - timedelta(days=days)) for days in (300, 1)] == [True, False]


def test_a_question_about_nothing_here_is_abstained_from() -> None:
    found = [candidate(n, text, cosine=0.05) for n, text in enumerate(TEXTS[:4])]
    question = "Which element has the atomic number 26?"
    assert rank(found, asked(question), pool_for(found, question)).abstained


def test_a_question_about_something_here_is_answered() -> None:
    found = [candidate(n, text, cosine=0.2 if n != 1 else 0.7) for n, text in enumerate(TEXTS[:4])]
    question = "Where did Marta move the kettle?"
    ranking = rank([one._replace(speaker="Marta") for one in found], asked(question), pool_for(found, question))
    assert not ranking.abstained


@pytest.mark.parametrize(("passages", "decided_by"), [(SMALL - 1, "beginning"), (SMALL, "deciding")])
def test_a_small_scope_has_its_own_decision(passages: int, decided_by: str) -> None:
    told = learnt()
    found = [candidate(0, TEXTS[0])]
    question = "Where did the kettle go?"
    scope = replace(pool_for(found, question), passages=passages)
    weights = next(each for each in told.weights if list(each.models) == [MODEL])
    ranking = rank(found, asked(question), scope)
    assert ranking.relevance == relevance(ranking.signals, getattr(weights, decided_by))


@pytest.mark.parametrize("others", [0, 3, 40])
def test_what_says_the_question_whole_is_found_without_any_vector(others: int) -> None:
    texts = ["The config parser must keep comments", *(f"Pump {n} of the boat leaks" for n in range(others))]
    found = [candidate(n, text, cosine=None) for n, text in enumerate(texts)]
    question = "keep comments of the config parser"
    ranking = rank(found, replace(asked(question), models=()), pool_for(found, question))
    assert (ranking.abstained, ranking.ranked[0].candidate.ref) == (False, "r0")


def test_where_nothing_has_its_vector_yet_the_search_goes_on_as_if_there_were_no_model() -> None:
    found = [candidate(n, text, cosine=None) for n, text in enumerate(TIDES)]
    question = asked("when do the tide tables begin?")
    scope = pool_for(found, question.text)
    without = rank(found, replace(question, models=()), scope)
    assert rank(found, question, scope).relevance == without.relevance


GALLERY = ["The gallery closes at nine.", "The catering order is due on the fifth.", "展览的照片用哑光相纸打印。"]


@pytest.mark.parametrize("word", ["gallery", "catering order", "照片"])
def test_words_that_are_looked_up_are_found(word: str) -> None:
    found = [candidate(n, text, cosine=None) for n, text in enumerate([*GALLERY, *TIDES * 30])]
    assert not rank(found, asked(word), pool_for(found, word)).abstained


def test_a_question_of_as_many_words_looks_nothing_up() -> None:
    found = [candidate(n, text, cosine=0.1) for n, text in enumerate([*GALLERY, *TIDES * 30])]
    pools = [pool_of(found, asked(text), pool_for(found, text)) for text in ("the gallery closes", "What closes?")]
    assert [standing_of(pool, features_of(pool)).looked_up for pool in pools] == [True, False]


@pytest.mark.parametrize(("question", "alike"), [("Where is the kettle?", 0.75), ("水壶在哪里？", 0.25)])
def test_a_search_tells_how_much_is_written_in_the_script_of_the_question(question: str, alike: float) -> None:
    found = [candidate(n, text, cosine=0.4) for n, text in enumerate([*TEXTS[:3], TEXTS[5]])]
    pool = pool_of(found, asked(question), pool_for(found, question))
    told = standing_of(pool, features_of(pool)).signals
    assert told["alike"] == alike
    assert told[f"{MODEL}:across"] == pytest.approx(0.4 * (1 - alike))


def test_places_count_the_better_ones_and_equals_share_one() -> None:
    assert list(placed(np.array([0.2, 0.9, 0.2, 0.0]))) == [1 / 2, 1, 1 / 2, 1 / 4]


@pytest.mark.parametrize("weights", learnt().weights, ids=lambda one: "+".join(one.models) or "words")
def test_a_hit_is_the_less_likely_the_further_it_lies_behind_and_the_less_the_scope_is_about_it(
    weights: Weights,
) -> None:
    likely = weights.sureness.likelihoods
    best, near, far = likely([0.0, 0.5, 4.0], relevance=2.0)
    assert best > near > far
    assert [near] > likely([0.5], relevance=0.1)
    assert [0.0] < [weights.floor] < likely([0.0], relevance=0.0)


def test_nothing_found_is_abstained_from() -> None:
    assert rank([], asked("kettle?"), ScopeStats(passages=0, mean_length=1.0, spread={})).abstained


def test_every_learnt_weight_has_its_feature() -> None:
    found = [candidate(n, text, cosine=0.5) for n, text in enumerate(TEXTS)]
    for weights in learnt().weights:
        question = Asked(text="kettle?", requests=("kettle?",), now=NOW, models=tuple(weights.models))
        assert features_of(pool_of(found, question, pool_for(found, "kettle?"))).keys() == weights.features.keys()


def test_the_weights_say_where_they_come_from() -> None:
    told = learnt()
    assert told.sets
    assert told.learnt_on
    assert set(told.governed) == {"recency", "status", "source", "usefulness", "phase"}


def test_weights_that_were_changed_by_hand_are_refused() -> None:
    told = learnt().model_dump(mode="json")
    told["governed"]["recency"] = 9.0
    with pytest.raises(ValueError, match="digest"):
        Learnt.model_validate(told)


def test_weights_of_other_features_are_refused() -> None:
    told = learnt().model_dump(mode="json") | {"version": 0}
    with pytest.raises(ValueError, match="version"):
        Learnt.model_validate(told | {"digest": digest_of(told)})


def test_an_unknown_model_stands_for_a_known_one() -> None:
    weights, standing = learnt().for_models(["somebody-elses-model"])
    assert list(standing.values()) == ["somebody-elses-model"]
    assert len(weights.models) == 1


def test_a_choice_is_learnt_from_examples() -> None:
    chance = np.random.default_rng(1)
    rows = [chance.random((8, 3)) for _ in range(60)]
    choices = [Choice(rows=each, right=each[:, 1] == each[:, 1].max()) for each in rows]
    found = learn_choice(choices, decay=0.001)
    assert found[1] > 5 * max(abs(found[0]), abs(found[2]))


def test_a_yes_or_no_is_learnt_from_examples() -> None:
    rows = np.random.default_rng(2).random((200, 2))
    weights, constant = learn_yes(rows, rows[:, 0] > 0.5, np.ones(200), decay=0.001)
    assert ((rows @ weights + constant > 0) == (rows[:, 0] > 0.5)).mean() > 0.95
