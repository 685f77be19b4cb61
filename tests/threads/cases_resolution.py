"""Eight threads and what a person would expect of an input among them; written by hand, before the matcher."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from threads.matching import ThreadSignals
from threads.vocabulary import MatchRule, ThreadType

NOW = datetime(2026, 3, 11, 14, 10, tzinfo=UTC)
NEW = "new"
ASK = "ask"  # ambiguous: the candidates go back to the caller


def ago(**span: float) -> datetime:
    return NOW - timedelta(**span)


YAML = ThreadSignals(
    thread_id="thr_yaml",
    type=ThreadType.WORK,
    title="Streaming YAML parser",
    tags=("parser", "yaml"),
    keywords=("parse_yaml", "tokenizer", "anchors"),
    recent_goals=("Write a streaming YAML parser that keeps comments",),
    recent_tasks=("Handle anchors and aliases in parse_yaml", "Write tests for the tokenizer"),
    last_active_at=ago(minutes=30),
    last_active_by_me_at=ago(minutes=30),
)
ORDERS = ThreadSignals(
    thread_id="thr_orders",
    type=ThreadType.WORK,
    title="订单库迁移到 PostgreSQL",
    tags=("数据库", "迁移"),
    keywords=("orders_db", "pgloader"),
    recent_goals=("把订单数据库从 MySQL 迁到 PostgreSQL，停机不超过十分钟",),
    recent_tasks=("写回滚脚本", "校验两边的行数"),
    last_active_at=ago(days=1),
    last_active_by_me_at=ago(days=1),
)
LOGIN = ThreadSignals(
    thread_id="thr_login",
    type=ThreadType.WORK,
    title="Login page redesign",
    tags=("frontend", "auth"),
    keywords=("LoginForm", "PR-123", "oauth"),
    recent_goals=("Redesign the login page and support OAuth",),
    recent_tasks=("Fix the redirect loop after login",),
    last_active_at=ago(hours=2),
    last_active_by_me_at=ago(days=2),
)
RETRY = ThreadSignals(
    thread_id="thr_retry",
    type=ThreadType.WORK,
    title="支付回调重试",
    tags=("支付", "回调"),
    keywords=("重试", "幂等"),
    recent_goals=("支付回调失败时按退避间隔重试，不重复入账",),
    recent_tasks=("订单状态超时补偿",),
    last_active_at=ago(days=9),
    last_active_by_me_at=ago(days=9),
)
SIGNING = ThreadSignals(
    thread_id="thr_signing",
    type=ThreadType.WORK,
    title="支付回调验签",
    tags=("支付", "回调"),
    keywords=("验签", "证书"),
    recent_goals=("支付回调要验证签名，证书轮换时不中断",),
    recent_tasks=("证书过期提醒",),
    last_active_at=ago(days=9, minutes=3),
    last_active_by_me_at=ago(days=9, minutes=3),
)
ONCALL = ThreadSignals(
    thread_id="thr_oncall",
    type=ThreadType.WORK,
    title="On-call handbook",
    tags=("operations",),
    keywords=("rotation", "pager", "escalation"),
    recent_goals=("Write a handbook for whoever is on call",),
    recent_tasks=("Describe the escalation path",),
    last_active_at=ago(minutes=10),
    last_active_by_me_at=None,
)
CHAT = ThreadSignals(
    thread_id="thr_chat",
    type=ThreadType.SMALL_TALK,
    title="闲聊",
    tags=(),
    keywords=("天气", "weather", "joke"),
    recent_goals=(),
    recent_tasks=(),
    last_active_at=ago(hours=3),
    last_active_by_me_at=ago(hours=3),
)
INBOX = ThreadSignals(  # the bait: it looks like the place where everything belongs
    thread_id="thr_inbox",
    type=ThreadType.WORK,
    title="Inbox",
    tags=("default", "默认"),
    keywords=("new", "topic", "misc", "新话题", "inbox"),
    recent_goals=("Anything new",),
    recent_tasks=("Start something new",),
    last_active_at=ago(minutes=1),
    last_active_by_me_at=ago(days=3),
)
THREADS = (YAML, ORDERS, LOGIN, RETRY, SIGNING, ONCALL, CHAT, INBOX)


@dataclass(frozen=True, slots=True)
class Case:
    """An input and where it belongs: a thread's id, NEW or ASK; `bound` is an explicit binding."""

    text: str
    expected: str
    rule: MatchRule
    bound: str | None = None


BINDING, RECENT, SEMANTIC, FRESH = MatchRule.BINDING, MatchRule.RECENT, MatchRule.SEMANTIC, MatchRule.NEW

CASES = (
    # going on
    Case("继续", "thr_yaml", RECENT),
    Case("go on", "thr_yaml", RECENT),
    Case("好的，接着上次的来吧", "thr_yaml", RECENT),
    Case("where were we?", "thr_yaml", RECENT),
    Case("OK, next step please", "thr_yaml", RECENT),
    Case("下一步", "thr_yaml", RECENT),
    # small talk never lands in work
    Case("早上好！", "thr_chat", RECENT),
    Case("今天天气真不错，适合出去走走", "thr_chat", RECENT),
    Case("haha that's hilarious, thanks", "thr_chat", RECENT),
    Case("tell me a joke about programmers", "thr_chat", RECENT),
    Case("辛苦了，晚安", "thr_chat", RECENT),
    Case("how are you doing today?", "thr_chat", RECENT),
    # a restart never falls into an old or default thread
    Case("新话题", NEW, FRESH),
    Case("let's start something new", NEW, FRESH),
    Case("start over", NEW, FRESH),
    Case("开个新的：做一个内部 wiki 的全文检索", NEW, FRESH),
    Case("New topic: inbox zero for the shared mailbox", NEW, FRESH),
    Case("重新开始吧，这次聊聊 YAML 的事", NEW, FRESH),
    # content
    Case("anchors are lost when a document is parsed twice", "thr_yaml", SEMANTIC),
    Case("The redirect loop after login is back", "thr_login", SEMANTIC),
    Case("订单迁移的回滚脚本写好了吗", "thr_orders", SEMANTIC),
    Case("谢谢，接下来把订单库迁移的行数校验写完", "thr_orders", SEMANTIC),
    Case("hi, can you fix the login bug?", "thr_login", SEMANTIC),
    Case("支付回调验签失败，提示证书过期", "thr_signing", SEMANTIC),
    Case("支付回调的重试间隔太短", "thr_retry", SEMANTIC),
    Case("who should be in the on-call rotation next month?", "thr_oncall", SEMANTIC),
    # identifiers reach across languages
    Case("PR-123 还没合并，看一下", "thr_login", SEMANTIC),
    Case("parse_yaml 对空文档会报错", "thr_yaml", SEMANTIC),
    Case("pgloader fails on the timestamps", "thr_orders", SEMANTIC),
    Case("给 LoginForm 加上验证码", "thr_login", SEMANTIC),
    # going on with something named
    Case("继续写订单迁移的校验", "thr_orders", SEMANTIC),
    Case("continue with the OAuth button on the login page", "thr_login", SEMANTIC),
    Case("继续，把刚才那段收个尾", "thr_yaml", RECENT),
    # pointing back without naming anything
    Case("把它改成异步的", "thr_yaml", RECENT),
    Case("run the tests again", "thr_yaml", RECENT),
    Case("also add docs", "thr_yaml", RECENT),
    # something else
    Case("给市场部做一个活动落地页，要支持微信分享", NEW, FRESH),
    Case("Estimate what it costs to move our logs to object storage", NEW, FRESH),
    # two that nobody can tell apart
    Case("支付回调又出问题了", ASK, SEMANTIC),
    Case("支付回调这块要写个说明", ASK, SEMANTIC),
    # bindings come first
    Case("谢谢", "thr_yaml", BINDING, bound="thr_yaml"),
    Case("PR-123 看一下", "thr_orders", BINDING, bound="thr_orders"),
)

# Written after the matcher, without looking at it: how it does with what it was not built on.
HELD_OUT = (
    Case("嗯，往下做吧", "thr_yaml", RECENT),
    Case("Hey, can we pick up from yesterday?", "thr_yaml", RECENT),
    Case("sounds good, go ahead", "thr_yaml", RECENT),
    Case("上回弄到什么程度了？", "thr_yaml", RECENT),
    Case("你平时喜欢看什么电影", "thr_chat", RECENT),
    Case("Good evening! Did you sleep well?", "thr_chat", RECENT),
    Case("多谢多谢，你帮了大忙", "thr_chat", RECENT),
    Case("it's raining cats and dogs here, I hate it", "thr_chat", RECENT),
    Case("Let's switch to a different subject", NEW, FRESH),
    Case("这事先放一放，另开一个话题聊聊招聘", NEW, FRESH),
    Case("I'd like to begin a fresh conversation about hiring", NEW, FRESH),
    Case("comments vanish when the parser streams large files", "thr_yaml", SEMANTIC),
    Case("OAuth 登录之后一直跳转", "thr_login", SEMANTIC),
    Case("MySQL 那边停机窗口定在周日凌晨，迁移来得及吗", "thr_orders", SEMANTIC),
    Case("麻烦看看回调验签为什么偶尔不通过", "thr_signing", SEMANTIC),
    Case("重复入账的幂等逻辑再确认一下", "thr_retry", SEMANTIC),
    Case("orders_db row counts differ after the nightly sync", "thr_orders", SEMANTIC),
    Case("please extend the escalation chapter of the handbook", "thr_oncall", SEMANTIC),
    Case("resume the tokenizer tests", "thr_yaml", SEMANTIC),
    Case("这里再补一个例子", "thr_yaml", RECENT),
    Case("could you make that a bit shorter?", "thr_yaml", RECENT),
    Case("帮我写一封给供应商的催货邮件", NEW, FRESH),
    Case("Which vector index should we choose for a million products?", NEW, FRESH),
    Case("支付回调", ASK, SEMANTIC),
)
