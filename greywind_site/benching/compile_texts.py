"""What is said in the project that a compile is measured in: a transcript, memories and questions in Chinese and
English, no two alike. The same number gives the same text.
"""

from collections.abc import Mapping, Sequence
from typing import Any

TITLE = "基准线程 · benchmark thread"
GOES_ON = "继续"  # an input without a matter of its own: what the last packet was given serves again

ASKED = (
    "把{0}的错误信息改得更具体，并说明出错的行号和列号。",
    "Please make the {0} skip damaged rows instead of stopping, and count them in the report.",
    "{0}为什么在夏令时那一周多算了一个小时？",
    "Why does the second test of the {0} fail only on Monday?",
)
TOLD = (
    "已经改好了：{0}现在在每个错误里给出行号、列号和期望的记号，并补了三个测试；其中一个覆盖空文件，一个覆盖没有结尾换行的文件。",
    "Done. The {0} counts damaged rows and keeps them raw in the report; it goes on with the next one. ",
    "我看了{0}的日志，时区在跨越午夜的时候没有换算，所以星期一的那一条落到了前一天。",
    "The week starts on Sunday in that library, so the {0} drops the first day. I set the first weekday. ",
)
CALLED = (
    "read_file parser/tokens_{0}.py",
    "run_tests tests/importer_{0} -q",
    "rg 'weekday_{0}' --type py",
    "read_file 设计/解析器_{0}.md",
)
RESULT = "parser/tokens.py:{n}: def next_token(self) -> Token:  # 第 {n} 行\n    return self._scan(self.position)\n"

# Enough of each that a word stands in few of the memories, as in what people write.
PARTS_EN = (
    *("parser", "importer", "scheduler", "exporter", "mailer", "indexer", "renderer", "ledger", "syncer"),
    *("login", "uploader", "cache", "gateway", "crawler", "billing", "archive", "search", "webhook"),
    *("converter", "installer", "translator", "calendar", "notifier", "profiler", "sampler", "router"),
)
PARTS_ZH = (
    *("解析器", "导入页", "调度台", "报表", "邮箱", "索引", "画布", "账簿", "同步", "登录", "上传", "缓存"),
    *("网关", "爬虫", "计费", "归档", "搜索", "回调", "转换", "安装包", "翻译", "日历", "通知", "性能图"),
    *("抽样", "路由"),
)
WHEN_EN = (
    "the file is empty",
    "two writers meet",
    "a row is damaged",
    "summer time begins",
    "the queue overflows",
    "nobody answers",
    "disk space runs low",
    "a token expires",
    "the network drops",
    "names collide",
    "an invoice is negative",
    "the month ends",
)
WHEN_ZH = (
    "文件为空",
    "两人同写",
    "某行损坏",
    "夏令时开始",
    "队列溢出",
    "无人应答",
    "磁盘将满",
    "令牌过期",
    "断网",
    "重名",
    "发票为负",
    "月底",
)
DOES_EN = (
    "waits for the lock",
    "keeps the old value",
    "stops with exit code 3",
    "writes a warning",
    "asks the owner",
    "tries again twice",
    "falls back to mail",
    "drops the newest entry",
    "locks the account",
    "shows a banner",
    "rounds to cents",
)
DOES_ZH = (
    "等锁",
    "保留旧值",
    "以退出码三停止",
    "写警告",
    "询问负责人",
    "再试两次",
    "改发短信",
    "丢弃末条",
    "冻结账户",
    "显示横幅",
    "四舍五入",
)
AREAS_EN = ("in Tokyo", "on the staging host", "for small tenants", "in release builds", "since the audit", "at night")
AREAS_ZH = ("东京分部", "预发布环境", "小客户", "正式版本", "审计之后", "夜间")


def entry(n: int) -> Mapping[str, Any]:
    """Return the n-th event of the transcript: a request, a tool call, its result and an answer, over and over."""
    turn, step = divmod(n, 4)
    part = f"{_of(PARTS_ZH if turn % 2 == 0 else PARTS_EN, turn // 2)} {turn}"
    match step:
        case 0:
            return {"role": "user", "text": _of(ASKED, turn).format(part)}
        case 1:
            return {"role": "assistant", "kind": "tool_call", "tool": "shell", "text": _of(CALLED, turn).format(turn)}
        case 2:
            text = "".join(RESULT.format(n=turn + line) for line in range(1 + turn % 9))
            return {"role": "tool", "kind": "tool_result", "tool": "shell", "failed": False, "text": text}
        case _:
            return {"role": "assistant", "text": _of(TOLD, turn).format(part) * (1 + turn % 4)}


def memory(n: int) -> str:
    """Return the n-th thing that was learnt; the language changes from one to the next."""
    half, english = divmod(n, 2)
    if english:
        part, when, does, area = _chosen(half, PARTS_EN, WHEN_EN, DOES_EN, AREAS_EN)
        return f"{area[0].upper()}{area[1:]} the {part} of unit {half} {does} when {when}."
    part, when, does, area = _chosen(half, PARTS_ZH, WHEN_ZH, DOES_ZH, AREAS_ZH)
    return f"{area}：{part}{half}遇到{when}就{does}。"


def question(n: int) -> str:
    """Return the n-th question about what was learnt; none is asked twice."""
    half, english = divmod(n, 2)
    if english:
        part, when = _chosen(half, PARTS_EN, WHEN_EN)
        return f"What should the {part} do once {when}, in case {n}?"
    part, when = _chosen(half, PARTS_ZH, WHEN_ZH)
    return f"{part}碰上{when}怎么办？情形{n}"


def _chosen(n: int, *kinds: Sequence[str]) -> list[str]:
    """Return a word of each kind; the lengths share no divisor that would let the same ones always meet."""
    return [_of(words, n + n // len(words) * place) for place, words in enumerate(kinds)]


def _of(words: Sequence[str], n: int) -> str:
    return words[n % len(words)]
