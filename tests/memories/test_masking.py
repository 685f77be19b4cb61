"""What is stored of a text that holds secrets: everything but them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.screening import Category, Finding, Kind, mask, screen

SECRETS = (Kind.OPENAI_KEY, Kind.ASSIGNED_SECRET, Kind.SPOKEN_SECRET)


def secret(start: int, end: int, kind: Kind = Kind.SPOKEN_SECRET, *, certain: bool = True) -> Finding:
    return Finding(category=Category.SECRET, kind=kind, start=start, end=end, certain=certain)


@st.composite
def masked(draw: st.DrawFn) -> tuple[str, list[Finding]]:
    """A text of distinct characters, none of which a kind's name is written with, and spans of it."""
    text = "".join(chr(0x4E00 + number) for number in range(draw(st.integers(1, 40))))
    spans = st.tuples(st.integers(0, len(text) - 1), st.integers(1, 12), st.sampled_from(SECRETS), st.booleans())
    drawn = draw(st.lists(spans, max_size=8))
    return text, [secret(at, min(at + long, len(text)), kind, certain=sure) for at, long, kind, sure in drawn]


@given(masked())
def test_nothing_inside_a_secret_stays_and_nothing_outside_goes(case: tuple[str, list[Finding]]) -> None:
    text, findings = case
    inside = {place for one in findings for place in range(one.start, one.end)}
    left = mask(text, findings)
    assert [char for char in left if char >= "\u4e00"] == [char for at, char in enumerate(text) if at not in inside]
    assert left.count("[") == left.count("]") <= len(findings)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("The wifi 密码是 abcd1234efgh5678ijkl，别外传", "The wifi 密码是 [assigned_secret]，别外传"),
        (
            "我的密码是 hunter2A!zz99；password is hunter2A!zz99",
            "我的密码是 [assigned_secret]；password is [assigned_secret]",
        ),
        (
            "Authorization: Bearer sk-proj-Zx81kkQ2wLm4Np6Rs8Tv0Yb is used",
            "Authorization: Bearer [openai_key] is used",
        ),
        (
            "mail li.ting@huaxia-build.cn, password: Kaixin@2031.",
            "mail li.ting@huaxia-build.cn, password: [assigned_secret].",
        ),
        ("nothing of the kind", "nothing of the kind"),
    ],
)
def test_a_secret_is_taken_out_and_the_words_around_it_stay(text: str, stored: str) -> None:
    assert mask(text, screen(text).findings) == stored


def test_what_shares_characters_is_one_secret_under_the_name_that_says_most() -> None:
    findings = [secret(2, 6, Kind.ASSIGNED_SECRET), secret(4, 9, Kind.OPENAI_KEY, certain=False), secret(9, 10)]
    assert mask("0123456789", findings) == "01[assigned_secret][spoken_secret]"
