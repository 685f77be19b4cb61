"""What a statement claims, and how two statements stand to each other: single rules, in both languages."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memories.claims import (
    DEFAULT,
    Claim,
    Differing,
    ReasonCode,
    Relation,
    Statement,
    dedupe_key,
    extract,
    relate,
    similarity,
)
from memories.claims.dates import DateParts, resolve

SHANGHAI = ZoneInfo("Asia/Shanghai")
WEDNESDAY = datetime(2026, 3, 11, 9, 0, tzinfo=SHANGHAI)


def stated(text: str, *, after: timedelta = timedelta(), **kwargs: Any) -> Statement:
    return Statement(text=text, observed_at=WEDNESDAY + after, **kwargs)


def relation(old: str, new: str, **kwargs: Any) -> Relation:
    return relate(stated(old), stated(new, **kwargs)).relation


def claim(text: str) -> Claim:
    (found,) = extract(text, observed_at=WEDNESDAY, zone=SHANGHAI)
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("我同事身高164厘米。", "我同事身高1.64米"),
        ("我妈妈的生日是3月7号", "我妈妈生日是3月7日。"),
        ("My birthday is March 7.", "My birthday is on the 7th of March."),
        ("The API is on v1.2.3.", "The API version is 1.2.3."),
        ("Calls to the bank time out after 30 seconds.", "The timeout of calls to the bank is 30s."),
        ("周会在每周三下午三点。", "周会是每周三 15:00。"),
        ("Log retention is 2 weeks", "Logs are kept for 14 days"),
        ("数据库的內存是８ＧＢ", "数据库的内存为 8GB"),
        ("Alice owns billing.", "Billing is owned by Alice."),
    ],
)
def test_the_same_in_other_words_is_a_duplicate(old: str, new: str) -> None:
    assert relation(old, new) is Relation.DUPLICATE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The gateway listens on port 8080.", "The gateway's port is 8081."),
        ("默认分支是 main。", "默认分支叫 master。"),
        ("The report is due on Friday.", "The report is due next Monday."),
        ("The worker uses Redis.", "The worker does not use Redis."),
        ("推荐服务使用本地缓存", "推荐服务没有使用本地缓存"),
        ("Two-factor login is mandatory.", "Two-factor login is optional."),
        ("团建预算是5000元", "团建预算是5000美元"),
        ("Bob's desk is B-214.", "Bob's desk is B-241."),
        ("支付模块由刘洋负责", "支付模块的负责人是陈静"),
        ("The site's locale is en-GB.", "Locale of the site: en-US."),
        ("王工的工位在 B 区 12 号。", "王工坐在 C 区 3 号工位。"),
        ("前端用 Vue 3。", "前端框架是 React 18。"),
        ("Log files are kept for 30 days.", "We keep logs for 14 days only."),
        ("The API listens on port 8443.", "The API listens on port 9443, not on what we had."),
        ("接口监听 8443 端口。", "接口监听 9443 端口，不是 7443。"),
    ],
)
def test_another_value_of_one_attribute_is_a_conflict(old: str, new: str) -> None:
    assert relation(old, new) is Relation.CONFLICT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The staging API listens on port 8080.", "The production API listens on port 8081."),
        ("The API times out after 30 seconds.", "The API retries every 10 seconds."),
        ("Alice reports to Bob.", "Bob reports to Alice."),
        ("The code freeze starts on 20 December.", "The code freeze ends on 20 December."),
        ("The daily limit is 100 requests.", "The weekly limit is 500 requests."),
        ("生产库的超时是3秒", "测试库的超时是5秒"),
        ("本周值班的是何涛", "下周值班的是梁雨"),
        ("In March the budget was $500.", "In April the budget was $600."),
        ("I drink tea in the morning.", "My manager drinks coffee in the morning."),
        ("The timeout is 30 seconds.", "The timeout is 30 minutes per user, and nobody knows why it was set."),
        ("We indent with tabs.", "We indent with tabs, not spaces in makefiles."),
    ],
)
def test_other_subjects_attributes_and_periods_are_never_merged(old: str, new: str) -> None:
    assert relation(old, new) is not Relation.DUPLICATE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The staging API listens on port 8080.", "The production API listens on port 8081."),
        ("Alice reports to Bob.", "Bob reports to Alice."),
        ("本周值班的是何涛", "下周值班的是梁雨"),
        ("我表姐的电话是13800138000", "我表哥的电话是13800138001"),
    ],
)
def test_another_subject_is_no_conflict(old: str, new: str) -> None:
    assert relation(old, new) is Relation.DISTINCT


def test_an_open_class_names_no_single_person() -> None:
    judged = relate(stated("我同事的邮箱是a@x.com"), stated("我同事的邮箱是b@x.com"))
    assert (judged.relation, judged.reason) == (Relation.DISTINCT, ReasonCode.OPEN_CLASS)


def test_a_name_makes_one_person_of_an_open_class() -> None:
    assert relation("我同事李晓芬的邮箱是a@x.com", "我同事李晓芬的邮箱是b@x.com") is Relation.CONFLICT


def test_words_of_change_close_the_older_statement() -> None:
    judged = relate(stated("CI runs on Jenkins."), stated("CI has moved from Jenkins to GitHub Actions."))
    assert (judged.relation, judged.reason) == (Relation.UPDATE, ReasonCode.CHANGE_SAID)


def test_a_time_varying_attribute_changes_with_time() -> None:
    later = relate(stated("我妈妈今年65岁"), stated("我妈妈66岁了", after=timedelta(days=400)))
    assert later.relation is Relation.UPDATE
    assert relation("我妈妈今年65岁", "我妈妈66岁了") is Relation.CONFLICT


@pytest.mark.parametrize(
    ("old", "new"),
    [("我喜欢爬山", "我喜欢游泳"), ("The editor of the docs is Bob.", "Another editor of the docs is Alice.")],
)
def test_one_more_value_is_added(old: str, new: str) -> None:
    assert relation(old, new) is Relation.ADDS


def test_one_unread_sentence_is_enough_to_keep_two_texts_apart() -> None:
    assert (
        relation("Alice owns billing.", "Alice owns billing. She also wrote " + "very " * 200) is not Relation.DUPLICATE
    )


def test_the_same_weekday_said_in_another_week_is_another_date() -> None:
    assert relation("审计周五截止", "审计周五截止的", after=timedelta(days=7)) is not Relation.DUPLICATE


def test_what_differs_is_named() -> None:
    judged = relate(stated("Offsite budget: 5000 USD"), stated("Offsite budget: 5000 EUR"))
    assert (judged.relation, list(judged.differing)) == (Relation.CONFLICT, [Differing.UNIT])


def test_a_claim_has_subject_attribute_value_and_unit() -> None:
    found = claim("我爸爸身高164厘米")
    assert (found.subject_kind, found.attribute, found.value, found.unit) == ("person", "height", "1.64", "m")
    assert found.inferred


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("上周值班的是王磊", "2026-03-02", "2026-03-09"),
        ("Last week Raj was on call.", "2026-03-02", "2026-03-09"),
        ("昨天值班的是王磊", "2026-03-10", "2026-03-11"),
        ("三天前值班的是王磊", "2026-03-08", "2026-03-09"),
        ("In March the budget was $500.", "2026-03-01", "2026-04-01"),
        ("下周五值班的是王磊", "2026-03-20", "2026-03-21"),
        ("Next Friday Raj is on call.", "2026-03-20", "2026-03-21"),
    ],
)
def test_relative_dates_count_from_the_observation(text: str, first: str, after: str) -> None:
    found = claim(text)
    assert found.valid_from == datetime.fromisoformat(first).replace(tzinfo=SHANGHAI).astimezone(UTC)
    assert found.valid_to == datetime.fromisoformat(after).replace(tzinfo=SHANGHAI).astimezone(UTC)
    assert found.raw_time in text


def test_a_date_that_is_the_value_becomes_a_day() -> None:
    assert claim("The tax report is due next Friday.").value == "2026-03-20"


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        extract("今天开会", observed_at=datetime(2026, 3, 11), zone=UTC)  # noqa: DTZ001 -- a naive time is the point


def test_given_claims_speak_before_the_text() -> None:
    fields: dict[str, Any] = {"subject_kind": "service", "subject": "api", "attribute": "port", "inferred": False}
    judged = relate(
        stated("see the table", claims=[Claim(value="80", **fields)]),
        stated("as discussed", claims=[Claim(value="81", **fields)]),
    )
    assert judged.relation is Relation.CONFLICT
    assert judged.old is not None
    assert judged.old.value == "80"


def test_a_policy_extends_the_registry() -> None:
    registry = DEFAULT.extended({"attributes": {"mascot": {"kind": "multi", "en": ["mascot"], "zh": ["吉祥物"]}}})
    judged = relate(
        stated("The mascot of the team is Otto."), stated("The mascot of the team is Ada."), registry=registry
    )
    assert judged.relation is Relation.ADDS


def test_a_policy_with_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="many"):
        DEFAULT.extended({"attributes": {"mascot": {"kind": "many"}}})


def test_the_dedupe_key_forgets_form_and_keeps_figures() -> None:
    assert dedupe_key("端口號是 ８０８０。") == dedupe_key("端口号是8080")
    assert dedupe_key("version 1.2.3") != dedupe_key("version 12.3")


def test_similarity_is_between_none_and_whole() -> None:
    assert similarity("端口是8080", "端口是8080。") == 1.0
    assert 0.0 < similarity("端口是8080", "端口是8081") < 1.0
    assert similarity("", "") == 0.0


def test_the_same_words_in_another_week_are_no_duplicate() -> None:
    judged = relate(
        stated("The audit is due next Friday."), stated("The audit is due next Friday.", after=timedelta(days=7))
    )
    assert judged.relation is not Relation.DUPLICATE


def test_a_text_of_any_length_is_read_in_bounded_time() -> None:
    many = "网关 a-b_c/d 的端口是 8080. every 5 minutes, 1,000 times; " * 400
    assert relation(many, many + "x") is not Relation.DUPLICATE


TWO = "The gate service has port 8080 and its timeout is 30 s."


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            "The gate service has port 8080 and its timeout is 30 s.",
            "The timeout of the gate service is 60 s.",
            "conflict",
        ),
        (TWO, "The gate service's port is 9090", "conflict"),
        (TWO, "The gate service's port is 8080", "distinct"),
        ("闸门服务的端口是8080，超时是30秒。", "闸门服务的超时是60秒。", "conflict"),
        ("闸门服务的端口是8080，超时是30秒。", "闸门服务的超时是30秒，端口是8080。", "duplicate"),
        ("闸门服务的端口是8080，超时是30秒。", "泵站服务的超时是60秒。", "distinct"),
        ("Staging has 4 cores and 8 GB of memory", "Staging has 16 GB of memory", "conflict"),
        ("The gate has port 8080, the pump has a timeout of 30 s", "The gate has a timeout of 60 s", "distinct"),
    ],
)
def test_each_of_several_attributes_of_one_sentence_is_compared(old: str, new: str, found: str) -> None:
    assert relation(old, new) == found


def test_several_attributes_of_one_sentence_make_a_claim_each() -> None:
    said = "闸门服务的端口是8080，超时是30秒。"
    made = extract(said, observed_at=WEDNESDAY, zone=SHANGHAI)
    assert [(one.subject, one.attribute, one.value) for one in made] == [
        ("service 闸门", "port", "8080"),
        ("service 闸门", "timeout", "30"),
    ]


def test_a_time_beyond_every_calendar_is_no_period() -> None:
    assert resolve(DateParts(unit="year", shift=-50_000_000), WEDNESDAY) is None
