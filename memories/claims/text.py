"""Text as it is compared: one form for width, case, script and punctuation, and how alike two texts are."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import pairwise

# Traditional characters that statements about work meet most; one to one, so that offsets stay.
_TRADITIONAL = (
    "號機電話碼門們個為與這說會員時間點開關運維護務負責線測試環經產後臺庫檔數據標題預"
    "設應該張國東區歲學歷業書郵長記錄發佈圖網頁備頻寬輸軟體專實級類組總樓層內"
)
_SIMPLIFIED = (
    "号机电话码门们个为与这说会员时间点开关运维护务负责线测试环经产后台库档数据标题预"
    "设应该张国东区岁学历业书邮长记录发布图网页备频宽输软体专实级类组总楼层内"
)
_TO_SIMPLIFIED = str.maketrans(_TRADITIONAL, _SIMPLIFIED)
_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "「": '"', "」": '"', "『": '"', "』": '"', "`": '"'})
_STOPS = str.maketrans({"。": ".", "、": ",", "–": "-", "—": "-", "−": "-", "・": " ", "·": " "})
_SPACE = re.compile(r"\s+")
_CJK = r"\u3400-\u9fff\uf900-\ufaff"
_BESIDE_CJK = re.compile(rf"(?<=[{_CJK}]) | (?=[{_CJK}])")
_MARKS = re.compile(r"""[!?;"'()\[\]{}<>《》【】…~,]+|[.:](?=\s|$)""")
_UNITS = re.compile(rf"[{_CJK}]|[0-9]+(?:\.[0-9]+)*|[^\W\d_{_CJK}]+")


def plain(text: str) -> str:
    """`text` with one width, one script of quotes, dashes and stops, and single spaces; its case stays."""
    folded = unicodedata.normalize("NFKC", text)
    visible = "".join(c for c in folded if unicodedata.category(c) not in {"Cf", "Cc"} or c in "\n\t")
    return _SPACE.sub(" ", visible.translate(_QUOTES).translate(_STOPS).translate(_TO_SIMPLIFIED)).strip()


@lru_cache(maxsize=4096)
def dedupe_key(text: str) -> str:
    """The form in which two texts that say the same with the same words are equal.

    Width, case, common traditional characters, punctuation and spaces do not count; every word, digit and the
    points inside numbers, versions, addresses and times do.
    """
    bare = _MARKS.sub(" ", plain(text).casefold())
    return _BESIDE_CJK.sub("", _SPACE.sub(" ", bare)).strip()


@lru_cache(maxsize=4096)
def units(text: str) -> tuple[str, ...]:
    """What lexical overlap is counted in: words, numbers, and pairs of neighbouring Chinese characters."""
    found = _UNITS.findall(dedupe_key(text))
    pairs = [a + b for a, b in pairwise(found) if _is_cjk(a) and _is_cjk(b)]
    return tuple(found + pairs)


def similarity(a: str, b: str) -> float:
    """How much two texts overlap, 0 to 1: twice the shared words and character pairs by the sum of both."""
    left, right = Counter(units(a)), Counter(units(b))
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 0.0


def _is_cjk(unit: str) -> bool:
    return "\u3400" <= unit[0] <= "\u9fff"
