"""Questions that name a time: which days they mean, whether a passage is of them, and whether it tells a time. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

import regex

from memories.claims.dates import DateParts, bounds, resolve
from memories.claims.values import dates

# "as of May": what was known then, and nothing that came later.
_AS_OF = regex.compile(r"\bas of\b|\bby then\b|\bback (?:in|then)\b|截至|截止到?|当时", regex.IGNORECASE)
_BETWEEN = regex.compile(r"\b(?:between|from)\b|从|自|介于|[至到—–~-]", regex.IGNORECASE)
_WHEN = regex.compile(
    r"\bwhen\b|\bwhat (?:date|day|time|month|year)\b|\bhow long\b|\bhow many (?:years|months|weeks|days|hours)\b"
    r"|什么时[候间]|何时|哪[一]?[天年月]|几[号点月]|日期|多久|时间",
    regex.IGNORECASE,
)
_TELLS = regex.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|since|recently|just|(?:19|20)\d\d"
    r"|(?:last|next|this|past) (?:week|month|year|night|weekend|summer|winter|spring|fall|autumn|few|\w+day)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|[昨今明后前]天|[上下本这]个?[周月]|星期|礼拜|[\d一二三四五六七八九十两几][个]?[年月日号点周天时分]|[去今明]年|刚刚|最近",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of time, aware, without its end. `only_before` asks for what was known by its end."""

    start: datetime
    end: datetime
    only_before: bool = False


@lru_cache(512)
def span_of(text: str, now: datetime) -> Span | None:
    """Return the days that a question names, seen from `now` in its zone; None where it names none.

    A day or month without a year is the last one that has begun: a question is about what was. Two days with a
    word between them that joins them ("from … to …") are the stretch from the one to the other.
    """
    named = [(value, span) for value in dates(text) if value.date and (span := _past(value.date, now))]
    if not named:
        return None
    spans = [span for _, span in named]
    joined = len(named) > 1 and _BETWEEN.search(text[: named[1][0].start])
    start, end = (min(spans)[0], max(spans)[1]) if joined else spans[0]
    return Span(start=start, end=end, only_before=bool(_AS_OF.search(text)))


def asks_when(text: str) -> bool:
    """Return whether a question asks for a time."""
    return bool(_WHEN.search(text))


@lru_cache(16_384)
def tells_time(text: str) -> bool:
    """Return whether a text bears a word of time."""
    return bool(_TELLS.search(text))


def inside(span: Span, observed: datetime) -> bool:
    """Return whether something observed then is of the span: in it or, for what was known by its end, before that."""
    return observed < span.end and (span.only_before or observed >= span.start)


def _past(parts: DateParts, now: datetime) -> tuple[datetime, datetime] | None:
    """Return the bounds of a named period; where its year is left open, of the last one that has begun by `now`."""
    days = resolve(parts, now)
    if days is None:
        return None
    open_year = parts.year is None and parts.shift is None and (parts.month or parts.quarter)
    if open_year and days[0] > now.date():
        days = resolve(parts, now.replace(day=1) - timedelta(days=365))
    if parts.weekday is not None and parts.shift is None and days and days[0] > now.date():
        days = (days[0] - timedelta(days=7), days[1] - timedelta(days=7))
    return bounds(days, now.tzinfo) if days and now.tzinfo else None
