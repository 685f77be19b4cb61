"""A Chinese design thread: how an offline note app comes back after it was cut off."""

from datetime import timedelta

from governance.vocabulary import Phase, Risk
from greywind_site.demo.stories import (
    HandoffText,
    LessonText,
    Scene,
    SummaryText,
    TaskText,
    ThreadText,
    VisionText,
    asks,
    calls,
    demands,
    returns,
    says,
)
from sessions.context.vocabulary import SummarySection
from threads.vocabulary import ThreadType

THREAD = ThreadText(
    title="松果笔记的同步恢复流程设计",
    type=ThreadType.WORK,
    tags=("松果笔记", "同步", "离线"),
    keywords=("恢复流程", "操作日志", "游标", "冲突副本", "重放"),
    summary="离线笔记应用断网或被杀之后怎样恢复同步：本地操作日志加服务器游标，冲突留副本，由用户决定。",
)

PLANNING = Scene(
    role="chief",
    ago=timedelta(hours=27),
    pace=timedelta(minutes=4),
    lines=(
        asks(
            "设计松果笔记的同步恢复流程：手机断网或者应用被系统杀掉以后，重新打开时不能丢任何一条已经写下的笔记，"
            "也不能悄悄覆盖另一台设备上的改动。先定方案，再拆成任务。"
        ),
        says(
            "有三条路。一，整篇比较后上传较新的一份：最省事，但两台设备都改过时必然丢一份。"
            "二，本地操作日志加服务器游标：每次编辑记一条操作，恢复时从游标之后重放，要多做一张日志表。"
            "三，无冲突数据类型：合并最自动，但正文会出现没有人写过的句子，包体也大约多 600 KB。我推荐第二条。"
        ),
        calls("read_file", "docs/sync-v1.md"),
        returns(
            "read_file",
            "# 同步 v1\n- 打开应用时拉取全部笔记的修改时间\n- 本地较新则整篇上传，服务器较新则整篇覆盖本地\n"
            "- 上传成功后写 last_sync_at\n已知问题：上传与写 last_sync_at 之间被杀，下次会用旧内容覆盖服务器。",
        ),
        says(
            "v1 丢数据的根子有两个：以整篇为单位覆盖，以及“已上传”和“记下已上传”是两步。"
            "第二条方案要同时解决这两点，不然只是换了一种丢法。"
        ),
        demands("恢复过程中不许自动丢弃任何一方的正文；拿不准就留一份冲突副本，让用户自己选。"),
        asks("就用第二条方案。端到端加密这一版不做，也不要为了它预留接口。"),
        says(
            "好。拆成三个任务：任务一，日志和游标的数据格式；任务二，恢复流程的状态机，写明每一步被杀后从哪里再开始；"
            "任务三，冲突副本的界面和文案。任务二依赖任务一，任务三依赖任务二。"
            "任务一的格式已经写进 docs/sync-v2.md，评审过了。"
        ),
    ),
)
CLOSED_BECAUSE = "方案已定，任务已拆好，交给 dev 做状态机"

DRAFTING = Scene(
    role="dev",
    ago=timedelta(minutes=95),
    pace=timedelta(minutes=5),
    lines=(
        asks("做任务二：把恢复流程的状态机画出来，每一步被杀掉以后从哪里再开始都要写清楚，然后用杀进程的模拟验证。"),
        says(
            "状态机第一稿：冷启动 → 校验日志 → 对账游标 → 重放操作 → 冲突待决 → 就绪。"
            "约定：每个状态只读上一个状态已经落盘的东西，所以任何一步被杀，都从“校验日志”重新走，走两遍和走一遍结果一样。"
        ),
        calls("shell", "python tools/replay_sim.py --runs 200 --kill-at every-step --seed 7"),
        returns(
            "shell",
            "runs=200 lost_ops=3 doubled_ops=0\nFAIL seed=7 run=41  killed after ack, before cursor write\n"
            "FAIL seed=7 run=88  killed after ack, before cursor write\n"
            "FAIL seed=7 run=163 killed after ack, before cursor write",
            failed=True,
        ),
        says(
            "三次丢操作是同一个原因：服务器确认之后、游标落盘之前被杀，恢复时把已确认的操作当成没写过的清掉了。"
            "改法：本地清理操作和推进游标放进同一个事务；服务器按操作编号去重，重发不会变成两条。"
        ),
        calls("shell", "python tools/replay_sim.py --runs 200 --kill-at every-step --seed 7"),
        returns("shell", "runs=200 lost_ops=0 doubled_ops=0\nOK"),
        demands("冲突副本的标题必须带设备名和时间，不能只写“副本”。"),
        says("记下了：标题格式定为“原标题（来自 设备名，月日 时:分）”，时间用写下那次改动的设备的本地时间。"),
        asks("还有一点：弱网下对账游标超过 3 秒，要先让用户能写，再在后台补完。"),
        says(
            "那就在“对账游标”旁边加一个状态“可写待对账”：3 秒未完成就进入，新编辑照常记日志，对账完成后再重放。"
            "这条边还没有画进状态机，也没有进模拟；另外不确定的是，待对账时用户又打开了有冲突的那一篇该显示哪一份。"
        ),
    ),
)
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
    risks=("服务器确认和游标落盘之间被杀，可能丢操作：v1 就是这样丢的", "日志多久清理一次还没有定"),
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
    LessonText(
        content="松果笔记的同步恢复流程里，清理已确认的操作和推进游标不能是两步：应用在两步之间被系统杀掉，"
        "就会丢掉已经写下的笔记。两件事放进同一个本地事务，并且先写好每一步都杀进程的模拟，再相信状态机。",
        evidence=(4, 7),
        importance=0.8,
    ),
    LessonText(
        content="松果笔记的用户最怕改动被悄悄覆盖：另一台设备上也改过时，宁可多留一份带设备名和时间的冲突副本，也不要自动合并正文。",
        evidence=(8,),
        importance=0.9,
        by_owner=True,
    ),
)
