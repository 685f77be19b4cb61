"""What was written down about the sync design: tasks, intent, handoff, summary and lessons."""

from governance.vocabulary import Phase, Risk
from greywind_site.demo.stories import Cite, HandoffText, MemoryText, Opinion, SummaryText, TaskText, VisionText, Who
from memories.vocabulary import FeedbackKind, MemoryKind, MemoryType
from sessions.context.vocabulary import SummarySection

RESUME_POINT = (
    "docs/sync-v2.md 第 4 节：正要给状态机加“可写待对账”这条边，再让 replay_sim 支持 --slow-network 跑 200 次。"
)
INTERRUPTED = "运行环境退出，状态机的新边还没有写进文档"
TASK_MOVED = "方案和格式已评审，可以往下做"

TASKS = (
    TaskText(
        title="定下操作日志和服务器游标的数据格式",
        brief="每次编辑一条操作，带设备编号和递增序号；游标按设备记录服务器已确认到哪里。",
        phase=Phase.PLAN,
        risk=Risk.LOW,
    ),
    TaskText(
        title="恢复流程的状态机与杀进程模拟",
        brief="画出状态机，写明每一步被杀后从哪里再开始；模拟在每一步杀进程 200 次，不丢也不重。",
        phase=Phase.EXECUTE,
        risk=Risk.MEDIUM,
        next_steps=(
            "给状态机加“可写待对账”状态：3 秒未对账完就先让用户写",
            "replay_sim 加 --slow-network，在新状态的每一步杀进程再跑 200 次",
            "问清楚：待对账时打开有冲突的笔记，先显示哪一份",
        ),
        depends_on=(0,),
    ),
    TaskText(
        title="冲突副本的界面和文案",
        brief="并排显示两份，标题带设备名和时间；由用户选留哪一份，或两份都留。",
        phase=Phase.PLAN,
        risk=Risk.LOW,
        depends_on=(1,),
    ),
)

VISION = VisionText(
    done_when=(
        "在恢复流程的每一步杀进程 200 次，丢失和重复的操作都是 0",
        "两台设备离线改同一篇，恢复后两份正文都在",
        "弱网下打开应用 3 秒内可以开始写",
    ),
    non_goals=("这一版不做端到端加密，也不预留接口", "不做多人实时协作"),
    user_priorities=("不丢字", "不悄悄覆盖", "打开就能写"),
    quality_bar="每个结论都有一次能重跑的模拟或测试作证；没有跑过的写“未验证”。",
)

HANDOFF = HandoffText(
    summary="方案定为本地操作日志加服务器游标，冲突留副本。数据格式已写进 docs/sync-v2.md 并评审过，下一步是状态机。",
    unfinished_items=("恢复流程的状态机", "在每一步杀进程的模拟", "冲突副本的界面和文案"),
    risks=(
        "服务器确认和游标落盘之间被杀，可能丢操作：v1 就是这样丢的",
        "日志多久清理一次还没有定",
        "已删除的笔记被旧日志写回来：要专门模拟一次",
    ),
    resume_suggestion="从 docs/sync-v2.md 第 4 节开始画状态机，先把“被杀后从哪里再开始”写成表，再动手写模拟。",
    next_actor="dev",
    pinned=(6, 7),
)

SUMMARY = SummaryText(
    sections={
        SummarySection.CONSTRAINTS: (
            "恢复过程中不许自动丢弃任何一方的正文；拿不准就留一份冲突副本，让用户自己选。",
            "冲突副本的标题必须带设备名和时间，不能只写“副本”。",
            "弱网下对账游标超过 3 秒，要先让用户能写，再在后台补完。",
        ),
        SummarySection.CONCLUSIONS: (
            "状态机第一稿：冷启动 → 校验日志 → 对账游标 → 重放操作 → 冲突待决 → 就绪；任何一步被杀都从校验日志重走。",
            "清理已确认的操作和推进游标必须在同一个本地事务里，服务器按操作编号去重。",
        ),
        SummarySection.VERIFICATION: (
            "docs/sync-v2.md 第 4 节的状态机第一稿：每一步杀进程，200 次，丢失 0，重复 0（通过）。",
            "“可写待对账”这条新边：未验证。",
        ),
        SummarySection.OPEN_QUESTIONS: ("待对账时打开有冲突的笔记，先显示哪一份？", "操作日志多久清理一次？"),
        SummarySection.DISSENT: ("灰风认为副本标题用写下改动的设备的本地时间，用户还没有表态。",),
        SummarySection.BLOCKERS: (),
        SummarySection.NEXT_STEPS: (
            "把“可写待对账”画进状态机，并写明被杀后从哪里再开始",
            "replay_sim 加 --slow-network，再跑 200 次",
        ),
    },
    evidence=(
        (4, "第一次模拟：200 次里丢了 3 条操作"),
        (7, "改后模拟：200 次，丢失 0，重复 0"),
        (10, "弱网 3 秒的要求"),
    ),
)

LESSONS = (
    MemoryText(
        by=Who.GREYWIND,
        content="松果笔记的同步恢复流程里，清理已确认的操作和推进游标不能是两步：应用在两步之间被系统杀掉，"
        "就会丢掉已经写下的笔记。两件事放进同一个本地事务，并且先写好每一步都杀进程的模拟，再相信状态机。",
        cites=(Cite(seq=4), Cite(seq=7)),
        importance=0.8,
        confidence=0.8,
        admitted_by=Who.OWNER,
        opinions=(
            Opinion(
                by=Who.MAINTAINER, kind=FeedbackKind.USEFUL, note="搜索那边换索引时，也照这一条先写了杀进程的模拟。"
            ),
        ),
    ),
    MemoryText(
        by=Who.OWNER,
        content="松果笔记的用户最怕改动被悄悄覆盖：另一台设备上也改过时，宁可多留一份带设备名和时间的冲突副本，也不要自动合并正文。",
        cites=(Cite(seq=8),),
        importance=0.9,
        admitted_by=Who.OWNER,
    ),
    # Held: nobody has read its evidence yet.
    MemoryText(
        by=Who.GREYWIND,
        content="松果笔记弱网时立刻显示本地内容，同步在后台继续。",
        cites=(Cite(seq=10),),
        importance=0.6,
        confidence=0.7,
    ),
    # Held: it says what an agent may do, and that is for a human to say.
    MemoryText(
        by=Who.GREYWIND,
        content="灰风在模拟全部通过以后，可以自行把状态机的新边合并进设计文档。",
        cites=(Cite(seq=7),),
        kind=MemoryKind.FACT,
        type=MemoryType.SEMANTIC,
        importance=0.4,
        confidence=0.5,
    ),
)
