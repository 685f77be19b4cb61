"""Shapes of times of day, in both languages."""

from memories.claims.numerals import EN, ZH, number
from memories.claims.readers import Fields, Match, Shapes
from memories.claims.vocabulary import ValueType

CLOCKS = Shapes[Fields]()


@CLOCKS.shape(r"(?:at )?(?:noon|midnight|midday)(?![a-z])|正午|零点整?|午夜")
def _named_hour(m: Match) -> Fields:
    late = m[0].casefold().removeprefix("at ") in {"noon", "midday", "正午"}
    return {"type": ValueType.TIME, "norm": "12:00" if late else "00:00"}


_DAYPART = "凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|半夜"


@CLOCKS.shape(
    rf"(?:(?P<p>{_DAYPART}|每晚|早|晚)的?)?(?P<h>\d{{1,2}}|{ZH})点(?P<m>半|一刻|三刻|整|钟|(?:\d{{1,2}}|{ZH})分?)?(?![建意想东击赞数心事])"
)
def _zh_time(m: Match) -> Fields | None:
    minute = {"半": 30, "一刻": 15, "三刻": 45, "整": 0, "钟": 0, None: 0}.get(m["m"])
    found = number((m["m"] or "").rstrip("分")) if minute is None else minute
    return _time(number(m["h"]), found, m["p"] or "")


@CLOCKS.shape(
    rf"(?:(?P<p>{_DAYPART}|早|晚)的?\s?)?(?<!\d)(?P<h>\d{{1,2}}):(?P<m>\d\d)(?::\d\d)?(?!\d)\s?(?P<ap>[ap]\.?m\b\.?)?"
    rf"|(?<![A-Za-z0-9_.])(?P<h2>\d{{1,2}})\s?(?P<ap2>[ap]\.?m\b\.?)"
)
def _clock(m: Match) -> Fields | None:
    half = (m["ap"] or m["ap2"] or "").casefold()[:1] or m["p"] or ""
    found = _time(float(m["h"] or m["h2"]), float(m["m"] or 0), half)
    if found and not half:
        found["loose"] = False
    return found


@CLOCKS.shape(
    rf"(?:(?P<q>half past|quarter past|a quarter past|quarter to|a quarter to|half)[ ](?P<h>\d{{1,2}}"
    rf"|{EN})|(?P<h2>\d{{1,2}}|{EN})[ ]?o'clock)(?:[ ](?:in the )?(?P<ap>am|pm"
    rf"|morning|afternoon|evening|at night))?(?![a-z])"
)
def _spoken(m: Match) -> Fields | None:
    if m["q"] == "half":
        return None
    hour, half = (
        number(m["h"] or m["h2"]),
        {"morning": "a", "afternoon": "p", "evening": "p"}.get(m["ap"] or "", (m["ap"] or "")[:1]),
    )
    past = m["q"] or ""
    minute = 30 if "half" in past else 15 if "past" in past else -15 if "to" in past else 0
    return None if hour is None else _time(hour, minute, half)


def _time(hour: float | None, minute: float | None, half: str) -> Fields | None:
    if hour is None or minute is None or hour > 24 or minute > 59:
        return None
    late = half in {"p", "下午", "傍晚", "晚上", "夜里", "晚", "每晚"} or (half == "中午" and hour < 11)
    total = int(hour * 60 + minute)
    total += 720 if late and hour < 12 else -720 if half in {"a", "凌晨"} and 12 <= hour < 13 else 0
    return {
        "type": ValueType.TIME,
        "norm": f"{total // 60 % 24:02d}:{total % 60:02d}",
        "loose": not half and hour <= 12,
    }
