"""Dates as people say them, in both languages: read without a clock, resolved against the time of observation."""

import calendar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, slots=True, kw_only=True)
class DateParts:
    """What a phrase says of a date; what it leaves open is None.

    `shift` counts whole `unit`s from the observation ("last week": unit week, shift -1). `edge` is begin, mid or
    end of the named period. `recurring` marks "every Friday": it names no single day.
    """

    year: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    unit: str = ""
    shift: int | None = None
    edge: str = ""
    recurring: bool = False

    @property
    def key(self) -> str:
        """One spelling for one meaning, as far as it can be told without a clock."""
        fields = [self.year, self.quarter, self.month, self.day, self.weekday, self.unit or None, self.shift]
        shown = "/".join("-" if field is None else str(field) for field in fields)
        return shown + self.edge + ("*" if self.recurring else "")


Span = tuple[date, date]  # first day and the day after the last one


def resolve(parts: DateParts, observed: datetime) -> Span | None:
    """The days that `parts` means when it is said at `observed`; None for what names no single period."""
    try:
        return None if parts.recurring else _resolved(parts, observed.date())
    except (ValueError, OverflowError):  # beyond every calendar, such as "fifty million years ago"
        return None


def _resolved(parts: DateParts, today: date) -> Span | None:
    if parts.weekday is not None:
        return _weekday(parts, today)
    if parts.shift is not None and parts.unit:
        return _edged(_shifted(parts, today), parts.edge, parts)
    return _edged(_calendar(parts, today), parts.edge, parts)


def bounds(span: Span, zone: tzinfo) -> tuple[datetime, datetime]:
    """The same span as aware instants in UTC, from midnight to midnight in `zone`."""
    first, after = (datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC) for day in span)
    return first, after


Comparison = Literal["same", "differ", "unknown"]


def compare(a: DateParts, b: DateParts, observed: tuple[datetime, datetime]) -> Comparison:
    """Whether two phrases, each said at its own time, name the same days, other days, or cannot be told apart."""
    if a.recurring or b.recurring:
        return _compare_recurring(a, b)
    if a.key == b.key and a.shift is None and a.weekday is None:
        return "same"
    if a.year is None and b.year is None and None not in {a.month, b.month} and {a.edge, b.edge} == {""}:
        return _compare_fields((a.month, a.day), (b.month, b.day))
    left, right = resolve(a, observed[0]), resolve(b, observed[1])
    if left is None or right is None:
        return "unknown"
    if left == right:
        return (
            "same" if (a.year is None) == (b.year is None) or a.shift is not None or b.shift is not None else "unknown"
        )
    return "differ" if left[1] <= right[0] or right[1] <= left[0] else "unknown"


def _compare_recurring(a: DateParts, b: DateParts) -> Comparison:
    left, right = (a.weekday, a.day, a.month), (b.weekday, b.day, b.month)
    if left == right:
        return "same" if a.edge == b.edge else "differ"
    shared = [(x, y) for x, y in zip(left, right, strict=True) if x is not None and y is not None]
    return "differ" if any(x != y for x, y in shared) else "unknown"


def _compare_fields(a: tuple[int | None, int | None], b: tuple[int | None, int | None]) -> Comparison:
    if a == b:
        return "same"
    if a[0] != b[0] or (a[1] is not None and b[1] is not None):
        return "differ"
    return "unknown"


def _weekday(parts: DateParts, today: date) -> Span:
    monday = today - timedelta(days=today.weekday())
    wanted = parts.weekday or 0
    if parts.shift is None:  # "Friday": the coming one, today included
        day = today + timedelta(days=(wanted - today.weekday()) % 7)
    else:
        day = monday + timedelta(days=7 * parts.shift + wanted)
    return day, day + timedelta(days=1)


def _shifted(parts: DateParts, today: date) -> Span:
    shift = parts.shift or 0
    if parts.unit == "day":
        return _days(today + timedelta(days=shift), 1)
    if parts.unit == "week":
        return _days(today - timedelta(days=today.weekday()) + timedelta(weeks=shift), 7)
    if parts.unit == "weekend":
        return _days(today - timedelta(days=today.weekday()) + timedelta(days=7 * shift + 5), 2)
    if parts.unit == "year":
        return _months(today.year + shift, parts.month or 1, 1 if parts.month else 12, parts.day)
    if parts.unit == "quarter":
        return _months(today.year, 3 * ((today.month - 1) // 3 + shift) + 1, 3)
    return _months(today.year, today.month + shift, 1, parts.day)


def _calendar(parts: DateParts, today: date) -> Span | None:
    year = parts.year if parts.year is not None else today.year
    if parts.quarter:
        return _months(year, 3 * parts.quarter - 2, 3)
    if parts.month:
        return _months(year, parts.month, 1, parts.day)
    if parts.day:
        return _months(today.year, today.month, 1, parts.day)
    return _months(year, 1, 12) if parts.year is not None else None


def _edged(span: Span | None, edge: str, parts: DateParts) -> Span | None:
    if span is None or not edge:
        return span
    length = (span[1] - span[0]).days
    third = 1 if edge == "end" and length <= 31 and parts.unit != "year" else max(1, length // 3)
    if edge == "end":
        return span[1] - timedelta(days=third), span[1]
    if edge == "begin":
        return span[0], span[0] + timedelta(days=max(1, length // 3))
    return span[0] + timedelta(days=length // 3), span[1] - timedelta(days=length // 3)


def _days(first: date, count: int) -> Span:
    return first, first + timedelta(days=count)


def _months(year: int, month: int, count: int, day: int | None = None) -> Span:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if day is not None:
        return _days(date(year, month, min(day, calendar.monthrange(year, month)[1])), 1)
    last = month - 1 + count
    return date(year, month, 1), date(year + last // 12, last % 12 + 1, 1)
