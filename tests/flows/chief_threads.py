"""Five threads of one Chief, in two languages: what was said on each, and what of it the project's state must hold."""

from typing import NamedTuple


class Served(NamedTuple):
    """A thread: what was said, as (who, words), and its labels: part of the state, and words that its line has."""

    title: str
    said: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str], ...]


SERVED = (
    Served(
        "Tide gauge importer",
        (
            ("user", "Please move the tide gauge importer to the new reader."),
            ("assistant", "Understood, I begin with the parser of the old files."),
            ("user", "Let's use the streaming reader for all gauges."),
            ("user", "We're blocked on the signing key from the harbour office."),
            (
                "assistant",
                "Open items:\n- write the migration note\n- ask the port of Kiel for files\n- agree on a retry limit",
            ),
            ("user", "Good. That is all for today."),
        ),
        (
            ("decisions", "streaming reader"),
            ("blockers", "signing key"),
            ("open_items", "migration note"),
            ("open_items", "port of Kiel"),
            ("open_items", "retry limit"),
        ),
    ),
    Served(
        "Spring release of the notes app",
        (
            ("user", "Plan the spring release of the notes app."),
            ("user", "Decision: we ship on the second Tuesday of April."),
            ("user", "Blocked by: the store has not approved the entitlement."),
            (
                "user",
                "To do: write the rollback plan\nTo do: update the status page\nTo do: tell support about the downtime",
            ),
            ("assistant", "Noted; I will hand these out."),
        ),
        (
            ("decisions", "second Tuesday"),
            ("blockers", "entitlement"),
            ("open_items", "rollback plan"),
            ("open_items", "status page"),
            ("open_items", "tell support"),
        ),
    ),
    Served(
        "Accounts of the choir",
        (
            ("user", "Set up the yearly accounts of the choir."),
            ("assistant", "I read last year's sheets first."),
            ("user", "We decided to book donations by the day they arrive."),
            ("assistant", "Understood: by the day of arrival."),
            ("user", "The export is blocked by the bank, which has not sent the statements of March."),
            ("assistant", "Next steps:\n- reconcile the cash box\n- list the unpaid invoices\n- draft the report"),
        ),
        (
            ("decisions", "book donations"),
            ("blockers", "statements of March"),
            ("open_items", "reconcile the cash box"),
            ("open_items", "unpaid invoices"),
            ("open_items", "draft the report"),
        ),
    ),
    Served(
        "记账小程序迁移",
        (
            ("user", "请把记账小程序迁到新的后端。"),
            ("assistant", "好的，我先看接口。"),
            ("user", "就用 PostgreSQL，不再考虑 MySQL。"),
            ("user", "现在卡在运维那边，还没开通生产库权限。"),
            ("assistant", "待办：\n- 写回滚方案\n- 补齐对账脚本\n- 通知客服停机窗口"),
            ("user", "先到这里，明天继续。"),
        ),
        (
            ("decisions", "PostgreSQL"),
            ("blockers", "生产库权限"),
            ("open_items", "回滚方案"),
            ("open_items", "对账脚本"),
            ("open_items", "停机窗口"),
        ),
    ),
    Served(
        "客服知识库整理",
        (
            ("user", "整理客服知识库，让新人一周内能独立接单。"),
            ("user", "决定：目录按产品线来分。"),
            ("assistant", "未决问题：\n- 旧文章由谁复核\n- 图片放在哪个桶\n- 英文版要不要同步上线"),
            ("user", "阻塞：法务还没回复授权条款。"),
            ("assistant", "收到，等法务。"),
        ),
        (
            ("decisions", "按产品线"),
            ("blockers", "授权条款"),
            ("open_items", "由谁复核"),
            ("open_items", "哪个桶"),
            ("open_items", "英文版"),
        ),
    ),
)
