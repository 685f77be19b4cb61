"""How a handoff that nobody wrote by hand says what the records tell, in the language of the work. Pure."""

from collections.abc import Mapping
from enum import StrEnum

from governance.languages import language_of

CHINESE, ENGLISH = "zh-Hans", "en"


class Say(StrEnum):
    """What a handoff has to say of records; braces are filled with figures, refs and short quotes."""

    TASK = "task"
    NO_TASK = "no_task"
    COVERED = "covered"
    SINCE = "since"
    NOTHING_SINCE = "nothing_since"
    NO_SUMMARY = "no_summary"
    NOT_COVERED = "not_covered"
    OPEN_CALL = "open_call"
    FAILED_CALL = "failed_call"
    UNANSWERED = "unanswered"
    CRASHED = "crashed"
    SCREEN = "screen"
    GO_ON = "go_on"
    STEP = "step"
    GOAL = "goal"
    GOAL_UNKNOWN = "goal_unknown"
    DONE_NOTHING = "done_nothing"
    SENT_BACK = "sent_back"


SENTENCES: Mapping[str, Mapping[Say, str]] = {
    ENGLISH: {
        Say.TASK: "Task “{title}” ({ref}) is {state}.",
        Say.NO_TASK: "No task was named.",
        Say.COVERED: "What was done up to entry {last} stands in {ref}.",
        Say.SINCE: "Since then: {ref} ({count} entries).",
        Say.NOTHING_SINCE: "Nothing was said since.",
        Say.NO_SUMMARY: "There is no work summary: what was done has to be read in {ref}.",
        Say.NOT_COVERED: "Entries {first}–{last} are in no work summary; what they change has to be read in {ref}.",
        Say.OPEN_CALL: "The call of {tool} ({ref}) has no result: whether it took effect is not known.",
        Say.FAILED_CALL: "{tool} failed ({ref}): {quote}",
        Say.UNANSWERED: "The last request has no answer yet ({ref}): {quote}",
        Say.CRASHED: "The process stopped without an end; what it did after entry {last} was never reported.",
        Say.SCREEN: "The screen was last at: {quote}",
        Say.GO_ON: "Read {ref}, then go on with the last request.",
        Say.STEP: "Go on with: {quote}",
        Say.GOAL: "{quote}",
        Say.GOAL_UNKNOWN: "Not recorded: the thread has no vision yet; its first words are in {ref}.",
        Say.DONE_NOTHING: "Nothing is recorded as concluded; see {ref}.",
        Say.SENT_BACK: "Sent back: {quote}",
    },
    CHINESE: {
        Say.TASK: "任务“{title}”（{ref}）的状态是 {state}。",
        Say.NO_TASK: "没有指定任务。",
        Say.COVERED: "到第 {last} 条为止所做的见 {ref}。",
        Say.SINCE: "此后：{ref}（{count} 条）。",
        Say.NOTHING_SINCE: "此后没有新的内容。",
        Say.NO_SUMMARY: "没有工作摘要：做过什么要从 {ref} 里读。",
        Say.NOT_COVERED: "第 {first}–{last} 条不在任何工作摘要里；它们改变了什么要从 {ref} 里读。",
        Say.OPEN_CALL: "对 {tool} 的调用（{ref}）没有结果：是否已经生效尚不清楚。",
        Say.FAILED_CALL: "{tool} 失败（{ref}）：{quote}",
        Say.UNANSWERED: "最后的请求还没有回答（{ref}）：{quote}",
        Say.CRASHED: "进程没有正常结束；第 {last} 条之后它做了什么没有上报。",
        Say.SCREEN: "屏幕最后停在：{quote}",
        Say.GO_ON: "先读 {ref}，再继续最后的请求。",
        Say.STEP: "接着做：{quote}",
        Say.GOAL: "{quote}",
        Say.GOAL_UNKNOWN: "没有记录：线程还没有愿景；最初的话见 {ref}。",
        Say.DONE_NOTHING: "没有记录下任何结论；见 {ref}。",
        Say.SENT_BACK: "退回：{quote}",
    },
}


def sentence(say: Say, *, like: str, **values: object) -> str:
    """Return the sentence in Chinese where `like`, a text of the work, is Chinese, and else in English."""
    language = CHINESE if language_of(like) == CHINESE else ENGLISH
    return SENTENCES[language][say].format(**values)
