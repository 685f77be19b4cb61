"""A thread that its owner keeps to themselves: no agent and no other human ever sees a word of it."""

from datetime import timedelta

from greywind_site.demo.stories import Cite, MemoryText, Scene, ThreadText, Who, asks
from memories.vocabulary import MemoryKind, MemoryType
from threads.vocabulary import ThreadType

THREAD = ThreadText(
    title="只给自己看：年底前要想清楚的事 · my own notes",
    type=ThreadType.PERSONAL,
    tags=("私人", "private"),
    summary="还没有对任何人说的打算；想清楚之前不进任何工作线程。",
)

THINKING = Scene(
    agent=Who.OWNER,
    role="chief",
    ago=timedelta(hours=8),
    pace=timedelta(minutes=4),
    steps=(
        asks("年底前要定下来：松果笔记明年是再招一个后端，还是先把检索外包出去三个月。先不跟任何人讲。"),
        asks("招人的理由：同步和检索都压在灰风和我身上，李晓已经两周没有休过完整的一天。外包的理由：只差三个月的活。"),
        asks("Talk to Li Xiao about her Thursdays before deciding anything; she should hear it from me first."),
    ),
)
MEMORIES = (
    MemoryText(
        by=Who.OWNER,
        content="周四下午不给李晓排评审：她那天要接孩子，自己不会开口说。",
        cites=(Cite(seq=3),),
        kind=MemoryKind.FACT,
        type=MemoryType.PREFERENCE,
        importance=0.8,
        private=True,
        admitted_by=Who.OWNER,
    ),
)
