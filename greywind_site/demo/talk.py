"""Small talk, in both languages, that must never get into the work."""

from datetime import timedelta

from greywind_site.demo.stories import Scene, ThreadText, Who, asks, says
from threads.vocabulary import ThreadType

THREAD = ThreadText(title="闲聊 · Small talk", type=ThreadType.SMALL_TALK)

CHATTING = Scene(
    agent=Who.GREYWIND,
    role="dev",
    ago=timedelta(hours=49),
    pace=timedelta(minutes=2),
    steps=(
        asks("早上好，灰风！今天外面下雨了。"),
        says("早上好。下雨天适合慢慢喝杯热的，路上小心。"),
        asks("哈哈，已经喝上咖啡了。"),
        says("那就好。今天不急的话，可以先听一会儿雨。"),
        asks("How was your weekend?"),
        says("Quiet: nothing ran, so nothing broke. I hope yours had more colour in it."),
    ),
)
PAUSED = "闲聊到此为止"
