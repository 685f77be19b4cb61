"""How much a request and a thread speak of the same thing: weighted overlap of their terms, nothing learnt."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache

from threads.lexemes import Kind, lexemes, terms

FIELD_WEIGHTS = {"title": 1.0, "labels": 0.9, "history": 0.7}
"""A title was chosen, tags and keywords were picked, goals and tasks mention much in passing."""

KIND_WEIGHTS = {Kind.IDENTIFIER: 2.0, Kind.WORD: 1.0, Kind.BIGRAM: 0.8, Kind.CHARACTER: 0.1}
_FOREIGN_WEIGHTS = {Kind.IDENTIFIER: 0.5, Kind.WORD: 0.4, Kind.BIGRAM: 0.16, Kind.CHARACTER: 0.0}
"""What a term counts against a thread that does not know it: little, for details are always new. Two in three Chinese
pairs lie across words, so that a foreign pair weighs less, and a shared one nearly a whole word."""

_GENERIC_WEIGHT = 0.2  # "test" or "fix" says what to do, not on what
_COMMON_WEIGHT = 0.4  # "page" or "user" names a part of every product
_WHOLE_LABEL = 1.5  # a keyword named whole is a mark that somebody gave the thread
_FOREIGN_CAP = 3.0  # beyond about eight foreign words a long request is not punished for its details
_PRIOR = 1.0  # one ordinary word in common stays well below one half
_FEWEST = 8  # among fewer threads than this, how rare a word is says nothing
_QUERY_TERMS = 400  # the first paragraphs say what a request is about
_TEXT_TERMS = 200  # of one title, goal or task
_KEPT_TEXTS = 4096  # titles and tags change seldom and are asked on every turn; some 20 MB


@dataclass(frozen=True, slots=True)
class Affinity:
    """Score in [0, 1] and the shared terms, strongest first."""

    score: float
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What is known of one thread's matter."""

    title: str
    labels: Sequence[str]
    history: Sequence[str]


def affinities(text: str, topics: Sequence[Topic]) -> list[Affinity]:
    """Return the affinity of `text` to each topic, in their order."""
    query = {lexeme.term: lexeme.kind for lexeme in lexemes(text, limit=_QUERY_TERMS)}
    known = [_weights(topic, query.keys()) for topic in topics]
    spread = Counter(term for weights in known for term in weights)
    telling = {term: commonness(term) * _rarity(spread[term], len(topics)) for term in query}
    return [_affinity(query, telling, weights) for weights in known]


def _weights(topic: Topic, asked: Set[str]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for name, texts in (("history", topic.history), ("labels", topic.labels), ("title", (topic.title,))):
        weights.update(dict.fromkeys(_all_terms(texts), FIELD_WEIGHTS[name]))
    for label in topic.labels:
        if (named := _all_terms((label,))) and named <= asked:
            weights.update(dict.fromkeys(named, FIELD_WEIGHTS["labels"] * _WHOLE_LABEL))
    return weights


def _all_terms(texts: Iterable[str]) -> set[str]:
    return {term for text in texts for term in _terms_of(text)}


@lru_cache(maxsize=_KEPT_TEXTS)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text, limit=_TEXT_TERMS))


def _rarity(spread: int, threads: int) -> float:
    """Return how much a term tells, in (0, 1]: 1 for a term of one thread or none, less the more of them have it."""
    count = max(threads, _FEWEST)
    return math.log(1 + count / max(spread, 1)) / math.log(1 + count)


def _affinity(query: Mapping[str, Kind], telling: Mapping[str, float], weights: Mapping[str, float]) -> Affinity:
    gains = {
        term: KIND_WEIGHTS[kind] * telling[term] * weights[term] for term, kind in query.items() if term in weights
    }
    foreign = sum(_FOREIGN_WEIGHTS[kind] * telling[term] for term, kind in query.items() if term not in weights)
    gained = sum(gains.values())
    score = gained / (gained + min(foreign, _FOREIGN_CAP) + _PRIOR)
    return Affinity(score, tuple(sorted(gains, key=lambda term: -gains[term])))


def commonness(term: str) -> float:
    """Return how much of its weight a word keeps for being used everywhere."""
    generic, common = _ordinary()
    if term in generic:
        return _GENERIC_WEIGHT
    return _COMMON_WEIGHT if term in common else 1.0


@cache
def _ordinary() -> tuple[frozenset[str], frozenset[str]]:
    generic = frozenset(terms(_GENERIC_ENGLISH)) | frozenset(_GENERIC_CHINESE.split())
    return generic, frozenset(terms(_COMMON_ENGLISH)) | frozenset(_COMMON_CHINESE.split())


_GENERIC_ENGLISH = (
    "run rerun test testing doc docs document documentation readme code file function method class module comment "
    "fix add write change make update remove delete rename move check review commit push pull merge revert undo redo "
    "build lint format refactor clean simplify bug error issue problem fail failed failure broken break wrong crash "
    "explain describe show tell give look see use finish complete implement create example summary summarize list "
    "version support handle note plan open close send start stop begin continue need want help please new old next "
    "first last again more less work task thing step part way time day week month today tomorrow anything something "
    "type try detail whoever after before"
)
_GENERIC_CHINESE = (
    "测试 用例 文档 代码 文件 函数 方法 类型 注释 日志 例子 示例 说明 报告 总结 摘要 版本 分支 细节 问题 "
    "错误 报错 失败 异常 故障 运行 执行 检查 提交 合并 撤销 修复 修改 优化 重构 整理 解释 补充 完善 简化 "
    "实现 支持 处理 添加 增加 删除 更新 改成 继续 接着 下来 个月 上个 下个 今天 明天 昨天 现在 一个 一下 "
    "什么 怎么 为什 可以 需要 没有 不要 不能 写完 写好 完成 工作 任务 事情 内容 部分 地方 开始 重新 两个 "
    "几个 这个 那个 时候 之后 之前 看看 出来"
)
_COMMON_ENGLISH = (
    "redesign rewrite rebuild page user data team customer system service server app application project product "
    "company number name client value option setting feature request response result table field key item view "
    "screen button form model group account email message site website web online platform tool process "
    "management design content image video text information report email people member manager business market"
)
_COMMON_CHINESE = (
    "用户 数据 系统 服务 页面 功能 项目 产品 公司 团队 客户 流程 平台 管理 接口 模块 信息 工具 方案 设计 "
    "设置 配置 列表 名称 时间 图片 消息 业务 市场 网站 应用 程序 部门 人员 后台 前端 后端"
)
