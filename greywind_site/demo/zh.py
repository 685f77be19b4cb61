"""A Chinese design thread: how an offline note app comes back after it was cut off."""

from datetime import timedelta

from governance.vocabulary import Phase, Risk
from greywind_site.demo.stories import Compile, Scene, ThreadText, Who, asks, calls, demands, returns, says
from sessions.context.vocabulary import Dialect
from threads.vocabulary import ThreadType

THREAD = ThreadText(
    title="松果笔记的同步恢复流程设计",
    type=ThreadType.WORK,
    tags=("松果笔记", "同步", "离线"),
    keywords=("恢复流程", "操作日志", "游标", "冲突副本", "重放"),
    summary="离线笔记应用断网或被杀之后怎样恢复同步：本地操作日志加服务器游标，冲突留副本，由用户决定。",
)

PLANNING = Scene(
    agent=Who.CHIEF,
    role="chief",
    ago=timedelta(hours=27),
    pace=timedelta(minutes=4),
    steps=(
        asks(
            "设计松果笔记的同步恢复流程：手机断网或者应用被系统杀掉以后，重新打开时不能丢任何一条已经写下的笔记，"
            "也不能悄悄覆盖另一台设备上的改动。先定方案，再拆成任务。"
        ),
        Compile(phase=Phase.PLAN, dialect=Dialect.TEXT, max_input_tokens=2_000),
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
        asks("在服务器上已经删掉的笔记，恢复时会不会被旧日志又写回来？上次出过这种事。", by=Who.MAINTAINER),
        says(
            "不会：删除也是一条操作，带编号；重放时服务器看到目标已删除，就回“已失效”，本地把那一条改动存成冲突副本。"
            "这一条我写进交接的风险里，让做状态机的人专门模拟一次。"
        ),
    ),
)
CLOSED_BECAUSE = "方案已定，任务已拆好，交给 dev 做状态机"

DRAFTING = Scene(
    agent=Who.GREYWIND,
    role="dev",
    ago=timedelta(minutes=95),
    pace=timedelta(minutes=5),
    steps=(
        asks("做任务二：把恢复流程的状态机画出来，每一步被杀掉以后从哪里再开始都要写清楚，然后用杀进程的模拟验证。"),
        Compile(phase=Phase.EXECUTE, max_input_tokens=12_000),
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
        asks("还有一点：弱网下对账游标超过 3 秒，要先让用户能写，再在后台补完。", by=Who.MAINTAINER),
        Compile(
            phase=Phase.PLAN,
            risk=Risk.LOW,
            dialect=Dialect.ANTHROPIC_MESSAGES,
            profile="qwen-max@qwen-code",
            max_input_tokens=6_000,
        ),
        says(
            "那就在“对账游标”旁边加一个状态“可写待对账”：3 秒未完成就进入，新编辑照常记日志，对账完成后再重放。"
            "这条边还没有画进状态机，也没有进模拟；另外不确定的是，待对账时用户又打开了有冲突的那一篇该显示哪一份。"
        ),
    ),
)
