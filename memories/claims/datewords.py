"""The phrases of dates and times, in Chinese and English, and what each of them says."""

from memories.claims.dates import WEEKDAYS, DateParts
from memories.claims.numerals import EN, ZH, number
from memories.claims.readers import Match, Shapes

_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DAY = (
    r"mon(?:day)?s?|tue(?:s(?:day)?)?s?|wed(?:nesday)?s?|thu(?:r(?:s(?:day)?)?)?s?"
    r"|fri(?:day)?s?|sat(?:urday)?s?|sun(?:day)?s?"
)
_N = rf"(?:\d{{1,2}}|{ZH})"
_SHIFT_EN = {
    "last": -1,
    "previous": -1,
    "this": 0,
    "the current": 0,
    "current": 0,
    "next": 1,
    "the coming": 0,
    "coming": 0,
}
_SHIFT_ZH = {"上上": -2, "上": -1, "本": 0, "这": 0, "当": 0, "下": 1, "下下": 2}
_DAYS = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨日": -1,
    "今天": 0,
    "今日": 0,
    "明天": 1,
    "明日": 1,
    "后天": 2,
    "大后天": 3,
}
_DAYS |= {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_UNITS = {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "季度": "quarter",
    "季": "quarter",
    "年": "year",
}
_EDGES = {"初": "begin", "上旬": "begin", "中旬": "mid", "中": "mid", "底": "end", "末": "end", "下旬": "end"}
_EDGES |= {
    "start": "begin",
    "beginning": "begin",
    "early": "begin",
    "middle": "mid",
    "mid": "mid",
    "end": "end",
    "late": "end",
}
_ZH_WEEKDAY = {c: n for n, c in enumerate("一二三四五六日")} | {"天": 6} | {str(n + 1): n for n in range(6)}

_EDGE_EN = r"(?:(?:the )?(?P<edge>start|beginning|middle|end) of (?:the )?|(?P<edge2>early|mid|late)[ -](?:in )?)"
_LAST_DAY = r"the last day of (?:the |each |every )?month"

PHRASES = Shapes[DateParts]()


def _int(text: str | None) -> int | None:
    found = number(text) if text else None
    return int(found) if found is not None else None


def _checked(parts: DateParts) -> DateParts | None:
    ok = (parts.month is None or 1 <= parts.month <= 12) and (parts.day is None or 1 <= parts.day <= 31)
    return parts if ok else None


@PHRASES.shape(
    r"(?P<y>(?:19|20)\d\d)(?:[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)|年(?P<m2>\d{1,2})月(?:(?P<d2>\d{1,2})[日号])?)"
)
def _iso(m: Match) -> DateParts | None:
    return _checked(DateParts(year=int(m["y"]), month=_int(m["m"] or m["m2"]), day=_int(m["d"] or m["d2"])))


@PHRASES.shape(
    rf"(?:(?P<y>今年|明年|去年|前年|后年|每年|(?:19|20)\d\d年)的?)?(?P<m>{_N})月份?(?:(?P<d>{_N})[日号]"
    rf"|(?P<e>底|初|末|中旬|上旬|下旬|中))?"
)
def _zh_month(m: Match) -> DateParts | None:
    year = m["y"] or ""
    shift = _YEARS.get(year)
    plain = int(year[:4]) if year[:4].isdigit() else None
    parts = DateParts(
        year=plain, month=_int(m["m"]), day=_int(m["d"]), edge=_EDGES.get(m["e"] or "", ""), shift=shift or None
    )
    return _checked(
        parts if not shift else DateParts(month=parts.month, day=parts.day, edge=parts.edge, shift=shift, unit="year")
    )


@PHRASES.shape(
    rf"(?P<s>上上|下下|上|下|本|这|当|每)(?:一?个)?月(?:的)?(?:(?P<d>{_N})[日号]|(?P<e>底|初|末|中旬|上旬|下旬|最后一天))?"
)
def _zh_this_month(m: Match) -> DateParts | None:
    edge = _EDGES.get((m["e"] or "").replace("最后一天", "底"), "")
    if m["s"] == "每":
        return DateParts(day=_int(m["d"]), edge=edge, recurring=True) if m["d"] or m["e"] else None
    return DateParts(unit="month", shift=_SHIFT_ZH[m["s"]], day=_int(m["d"]), edge=edge)


@PHRASES.shape(
    r"(?P<s>上上|下下|上|下|本|这|每个?|逢|单|双)?(?:一?个)?(?:周|星期|礼拜)(?P<w>[一二三四五六日天](?![个次天年月周点])|[1-6](?![\d个次天年月周点:]))"
)
def _zh_weekday(m: Match) -> DateParts | None:
    said = (m["s"] or "").rstrip("个")
    if said in {"每", "逢", "单", "双"}:
        return DateParts(weekday=_ZH_WEEKDAY[m["w"]], recurring=True, edge=said if said in {"单", "双"} else "")
    return DateParts(weekday=_ZH_WEEKDAY[m["w"]], shift=_SHIFT_ZH[said] if said else None)


@PHRASES.shape(
    r"(?P<s>上上|下下|上|下|本|这|当)(?:一?个)?(?P<u>周末|周|星期|礼拜|季度|季)(?P<e>初|末|底)?(?![一二三四五六日会报例])"
)
def _zh_period(m: Match) -> DateParts | None:
    unit = "weekend" if m["u"] == "周末" else _UNITS[m["u"]]
    return DateParts(unit=unit, shift=_SHIFT_ZH[m["s"]], edge=_EDGES.get(m["e"] or "", ""))


@PHRASES.shape(
    r"大前天|大后天|前天|昨天|昨日|今天|今日|明天|明日|后天|(?:the )?day before yesterday|yesterday"
    r"|today|(?:the )?day after tomorrow|tomorrow"
)
def _near(m: Match) -> DateParts | None:
    return DateParts(unit="day", shift=_DAYS[m[0].casefold().removeprefix("the ")])


@PHRASES.shape(rf"(?P<n>{_N})个?(?P<u>天|日|周|星期|礼拜|月|季度|年)(?P<w>之?前|以前|之?后|以后)(?![端台])")
def _zh_ago(m: Match) -> DateParts | None:
    count = _int(m["n"]) or 0
    return DateParts(unit=_UNITS[m["u"]], shift=-count if "前" in m["w"] else count)


@PHRASES.shape(
    r"(?:(?P<y>今年|明年|去年|(?:19|20)\d\d年?)的?)?第?(?P<q>[一二三四1-4])季度|q(?P<q2>[1-4])(?:[ -]?(?P<y2>20\d\d))?"
)
def _quarter(m: Match) -> DateParts | None:
    year = (m["y"] or m["y2"] or "")[:4]
    return DateParts(
        quarter=_int(m["q"] or m["q2"]), year=int(year) if year.isdigit() else None, shift=_YEARS.get(year) or None
    )


@PHRASES.shape(
    r"(?P<y>今年|明年|去年|前年|后年)(?P<e>年?[初底末]|年中)?|(?P<e2>年[初底末]|年中)|(?P<m>月[初底末])|(?P<yy>(?:19|20)\d\d)年"
)
def _zh_year(m: Match) -> DateParts | None:
    if m["yy"]:
        return DateParts(year=int(m["yy"]))
    if m["m"]:
        return DateParts(unit="month", shift=0, edge=_EDGES[m["m"][-1]])
    edge = (m["e"] or m["e2"] or "")[-1:]
    if m["y"] == "今年" and not edge:
        return None
    return DateParts(unit="year", shift=_YEARS.get(m["y"] or "今年"), edge=_EDGES.get(edge, ""))


@PHRASES.shape(rf"(?:每月|每个月)?(?P<d>{_N})[日号](?![线楼机位会门院码仓库员馆店井池桌服])")
def _zh_day(m: Match) -> DateParts | None:
    return _checked(DateParts(day=_int(m["d"]), recurring=m[0].startswith("每")))


@PHRASES.shape(
    rf"{_EDGE_EN}?(?:(?P<m>{_MONTH})\.?(?:[ ](?:the )?(?P<d>\d{{1,2}})(?:st|nd"
    rf"|rd|th)?(?![\d:]))?|(?:the )?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)?[ ](?P<m2>{_MONTH})\.?)"
    r"(?:,?[ ](?P<y>(?:19|20)\d\d))?(?![a-z])"
)
def _en_month(m: Match) -> DateParts | None:
    name, day = (m["m"] or m["m2"]).casefold(), _int(m["d"] or m["d2"])
    if (
        name in {"may", "mar", "march", "dec", "sep", "jan", "oct", "nov", "jun", "jul"}
        and day is None
        and not (m["m"] or "M")[0].isupper()
    ):
        return None
    month = next(n for n, full in enumerate(_MONTHS, start=1) if full.startswith(name[:3]))
    return _checked(
        DateParts(
            month=month, day=day, year=_int(m["y"]), edge=_EDGES.get((m["edge"] or m["edge2"] or "").casefold(), "")
        )
    )


@PHRASES.shape(
    rf"(?:(?P<s>last|previous|this|the coming|coming|next|every other|every second"
    rf"|every|each)[ ])?(?:on )?(?P<w>{_DAY})(?![a-z])"
)
def _en_weekday(m: Match) -> DateParts | None:
    said, word = (m["s"] or "").casefold(), m["w"].casefold()
    if word in {"sun", "sat", "wed", "mon", "suns"} and not m["w"][0].isupper():
        return None
    weekday = next(n for n, name in enumerate(WEEKDAYS) if name.startswith(word[:3]))
    if said.startswith(("every", "each")) or word.endswith("days"):
        return DateParts(
            weekday=weekday, recurring=True, edge="alternate" if said in {"every other", "every second"} else ""
        )
    return DateParts(weekday=weekday, shift=_SHIFT_EN[said] if said else None)


@PHRASES.shape(
    rf"{_LAST_DAY}|{_EDGE_EN}?(?:(?P<s>last|previous|this|next|the current|current"
    rf"|each|every)[ ])?(?P<u>weekend|week|month|quarter|year)(?:'s)?(?![a-z])"
)
def _en_period(m: Match) -> DateParts | None:
    edge, said = _EDGES.get((m["edge"] or m["edge2"] or "").casefold(), ""), (m["s"] or "").casefold()
    if m["u"] is None:
        return DateParts(unit="month", edge="end", recurring=True)
    if said in {"each", "every"}:
        return DateParts(unit=m["u"].casefold(), edge=edge, recurring=True) if edge else None
    if not edge and not said:
        return None
    return DateParts(unit=m["u"].casefold(), shift=_SHIFT_EN.get(said, 0), edge=edge)


@PHRASES.shape(
    rf"(?:(?P<n>\d+|{EN}|an?)[ ](?P<u>day|week|month|year)s?[ ]ago|in (?P<n2>\d+"
    rf"|{EN}|an?)[ ](?P<u2>day|week|month|year)s?(?:'? time| from now))(?![a-z])"
)
def _en_ago(m: Match) -> DateParts | None:
    count = _int(m["n"] or m["n2"]) or 1
    return DateParts(unit=(m["u"] or m["u2"]).casefold(), shift=-count if m["n"] else count)


@PHRASES.shape(r"(?:in|since|by|for|fy)[ ](?P<y>20\d\d)(?![\d.]|-\d)")
def _en_year(m: Match) -> DateParts | None:
    return DateParts(year=int(m["y"]))
