"""What an input does, and what it is about."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from threads.speech import TITLE_GRAPHEMES, SpeechAct, read, speech_act, title_from

GOING_ON = """
继续|接着来|接着上次|下一步|那就继续呗|咱们接着干|接着写|好，下一步|请继续|往下走|我们上次聊到哪里了
继续昨天的工作|继续刚刚没干完的活
嗯嗯继续吧，谢谢|👍|好的|可以，开始吧
go on|continue|where were we?|resume please|carry on with it|OK, next step please|continue with the task please
let's get back to work|pick up where we left off|what's next?|yes, do it|keep it going|hi, let's continue
continue 吧
"""
STARTING_ANEW = """
重新开始|开个新的|新话题|换个话题|我们聊点别的吧|算了，换个话题吧|另起一个线程|新建一个会话|换一个主题吧
想聊聊别的|另外开个线程
开启新话题：周报|新开一个线程，做数据看板
start over|new topic|let's start something new|start fresh|restart from scratch
can we talk about something different?
Forget that. Different subject: holidays|Thanks! Now something completely different|let's change the subject
open a new topic
let's begin a new line of work: billing export|can we start a new conversation about pricing?
"""
SMALL_TALK = """
谢谢|你好|晚安|哈哈|辛苦了|讲个笑话|你是谁？|我今天好累啊|你真聪明|最近忙吗|晚上吃啥好呢|外面下大雨了|终于周五了
祝你周末愉快|在不在
今天天气真不错，适合出去走走|多谢多谢，你帮了大忙|想吃火锅了|你有女朋友吗|哈哈哈，太好笑了|666|😂
lol|hi|thanks for the help!|good night, see you tomorrow|how was your night|tell me another joke|I'm so bored
it's friday!
what's the weather like in Berlin tomorrow?|what a beautiful day|you made my day|are you a human?|sing me a song
good luck!
"""
ASKING = """
继续写解析器的测试|谢谢，接下来把迁移写完|重新开始写解析器|开个新的分支|换个写法|新线程池参数调优
我今天好累，帮我把测试跑一下|你做完了吗
把它改成异步的|写一个天气接口|天气接口超时了|对账脚本跑不起来|周末值班表排一下|下雨天订单量的统计|天气对葡萄酒酿造工艺的影响
继续教育平台的登录页|简历解析失败
不错，但是第二段要改|晚安模式的开关没反应|早高峰的流量怎么限制|再见面的时间改到周三|新同学入职要准备哪些账号
电影票订单退款逻辑
hi, can you fix the login bug?|restart the server|create a new thread pool|run the tests again|also add docs
next quarter's budget
add a weather widget to the dashboard|How was your weekend? Also, the build is red.
parse the file, and if it fails, start over
the loop does not continue after the break|thanks, but the page still crashes|the joke API returns 500
resume parsing fails on PDF
yes, and rename the column too|Explain how to switch topics in Kafka consumers|do you have access to staging?
start a new branch
"""


def phrases(block: str) -> list[str]:
    return [one for line in block.strip().splitlines() for one in line.split("|")]


@pytest.mark.parametrize("text", phrases(GOING_ON))
def test_going_on(text: str) -> None:
    assert speech_act(text) is SpeechAct.CONTINUE


@pytest.mark.parametrize("text", phrases(STARTING_ANEW))
def test_starting_anew(text: str) -> None:
    assert speech_act(text) is SpeechAct.RESTART


@pytest.mark.parametrize("text", phrases(SMALL_TALK))
def test_small_talk(text: str) -> None:
    assert speech_act(text) is SpeechAct.SMALL_TALK


@pytest.mark.parametrize("text", phrases(ASKING))
def test_asking_for_something(text: str) -> None:
    assert speech_act(text) is SpeechAct.REQUEST


@pytest.mark.parametrize("text", ["", "   ", "…", "?!"])
def test_saying_nothing_goes_on(text: str) -> None:
    assert speech_act(text) is SpeechAct.CONTINUE


@pytest.mark.parametrize("width", ["ｃｏｎｔｉｎｕｅ", "CONTINUE", "Continue！"])
def test_width_and_case_do_not_matter(width: str) -> None:
    assert speech_act(width) is SpeechAct.CONTINUE


def test_a_small_talk_opening_before_a_long_request_is_no_small_talk() -> None:
    assert speech_act("哈哈。" + "这里有很多内容要说明。" * 500) is SpeechAct.REQUEST


@pytest.mark.parametrize("text", ["继续写解析器的测试", "continue the parser tests", "好的，接着把回滚写了"])
def test_a_request_may_open_by_going_on(text: str) -> None:
    assert read(text).goes_on


@pytest.mark.parametrize("text", ["别让循环继续下去", "add a continue button"])
def test_going_on_in_the_middle_is_no_opening(text: str) -> None:
    assert not read(text).goes_on


@pytest.mark.parametrize("text", ["run the tests again", "跑一下测试", "fix it", "再检查一遍"])
def test_words_of_any_work_are_not_specific(text: str) -> None:
    assert read(text).specific == 0


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hi, can you please fix the login bug?", "fix the login bug"),
        ("你好，麻烦帮我写一个导出账单的脚本。要支持分页。", "写一个导出账单的脚本"),
        ("开个新的：做一个内部 wiki 的全文检索", "做一个内部 wiki 的全文检索"),
        ("New topic: Billing Export", "Billing Export"),
        ("Can we start a new conversation about Kafka?", "Kafka"),
        ("/new Draft the release notes", "Draft the release notes"),
        ("# Plan\nmore", "Plan"),
        ("继续写解析器的测试", "写解析器的测试"),
        ("需求评审的纪要", "需求评审的纪要"),
        ("讲个笑话", "讲个笑话"),
    ],
)
def test_titles_are_the_users_words_without_commands(text: str, title: str) -> None:
    assert title_from(text) == title


@pytest.mark.parametrize("text", ["新话题", "continue", "好的，谢谢", "", "start over please"])
def test_nothing_but_commands_gives_no_title(text: str) -> None:
    assert title_from(text) == ""


def test_a_long_english_title_ends_at_a_word() -> None:
    title = title_from("Compare the throughput of the three message brokers under sustained load with small payloads")
    assert title == "Compare the throughput of the three message brokers under…"


def test_a_long_chinese_title_ends_at_a_comma() -> None:
    title = title_from(
        "把每天凌晨生成的对账报表拆成按商户分片的小文件，" + "然后逐个上传到对象存储里再通知各个商户自己来取" * 2
    )
    assert title == "把每天凌晨生成的对账报表拆成按商户分片的小文件…"


def test_a_title_is_never_cut_inside_a_character() -> None:
    family = "👨‍👩‍👧‍👦"
    title = title_from("画" + family * 80)
    assert title == "画" + family * (TITLE_GRAPHEMES - 2) + "…"


@given(st.text(max_size=300))
def test_any_text_has_a_title_within_the_limit_out_of_its_own_characters(text: str) -> None:
    title = title_from(text)
    assert len(regex.findall(r"\X", title)) <= TITLE_GRAPHEMES
    assert set(title) - {"…", " "} <= set(text)


@pytest.mark.parametrize("text", [" " * 1_000_000, "哈" * 700_000, "so " * 600_000, "# " * 900_000, "，" * 700_000])
def test_a_huge_text_is_read_and_has_a_bounded_title(text: str) -> None:
    assert len(title_from(text)) <= TITLE_GRAPHEMES
