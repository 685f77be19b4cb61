"""Every page in both languages, both looks and two widths: quiet, accessible, translated, and nothing sticks out."""

import os
import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

import polib
import pytest

from greywind_site.embedded.instance import CHECKOUT
from tests.browser.addresses import console_routes
from tests.browser.conftest import Demo, SignedIn, client_of
from tests.browser.window import Window
from tests.demos import pages_of

pytestmark = pytest.mark.slow
LOCALES = {"zh-Hans": "zh-CN", "en": "en-US"}
type Visit = tuple[int, Literal["light", "dark"]]
# Width and look of a visit. The pages take them in turn, one in each language, so that every kind of page is seen in
# both widths and both looks, and every second one in each language; with GREYWIND_EVERY_LOOK=1 each is seen in all four
# in both languages.
ALL_VISITS: list[Visit] = [(1280, "light"), (320, "dark"), (1280, "dark"), (320, "light")]
EVERY_LOOK = os.environ.get("GREYWIND_EVERY_LOOK") == "1"
# Answered to a POST only, or reached only by an address that is typed or followed once.
NOT_LINKED: set[str] = {"sign_in", "sign_out", "set_language", "set_look"}
NOT_LINKED |= {"claim_inbox_item", "release_inbox_item", "snooze_inbox_item", "wake_inbox_item", "inbox_next"}
NOT_LINKED |= {"verify_ledger"}
NOT_LINKED |= {"switch_agent", "reset_member", "remove_member"}
NOT_LINKED |= {"decide_proposal", "comment_proposal", "withdraw_proposal", "revert_revision"}
NOT_LINKED |= {"second_step", "sign_in_by_passkey", "sign_in_by_provider", "provider_callback", "passkey_request"}
NOT_LINKED |= {"remove_app", "remove_passkey", "new_codes", "end_browsers", "link_provider", "unlink_provider"}
NOT_LINKED |= {"archive_thread", "reopen_thread", "move_task", "send_back_task"}
NOT_LINKED |= {"undo_thread"}  # no thread of the demo was merged or split
NOT_LINKED |= {"say_of_memory", "admit_many", "approve_many", "open_proposal"}
NOT_LINKED |= {"settle_conflict", "snooze_conflict", "wake_conflict", "undo_conflict"}
NOT_LINKED |= {"retry_job", "renew_summary", "restore_summary"}
NOT_LINKED |= {"answer_offer", "decline_offer"}  # no agent of the demo asks
# Text that stands in the page's own language: what others wrote, and code, is marked and left out.
SPOKEN = """
() => {
  const own = document.documentElement.lang, texts = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const holder = walker.currentNode.parentElement;
    const tagged = holder.closest('[lang]');
    if (tagged !== document.documentElement && tagged.lang !== own) continue;
    if (holder.closest('code, pre, bdi, .words, script, style, input, textarea, option')) continue;
    const text = walker.currentNode.textContent.replace(/\\s+/g, ' ').trim();
    if (text) texts.add(text);
  }
  return [...texts];
}
"""


@pytest.mark.parametrize("language", LOCALES)
def test_every_page_is_fit_to_be_seen(demo: Demo, signed_in: SignedIn, language: str) -> None:
    client = client_of(demo.account, language)
    # Of two pages of a kind each language sees one: they differ in what they hold, not in what they say.
    nth = list(LOCALES).index(language)
    pages = [paths[min(nth, len(paths) - 1)] for paths in pages_whole(demo).values()]
    faults: list[str] = []
    with signed_in(client, locale=LOCALES[language], reduced_motion="reduce") as seen:
        for place, path in enumerate(pages):
            if not EVERY_LOOK and place % 2 != nth:
                continue
            assert seen.open(path) == 200
            faults += untranslated(seen, language)
            faults += looked_at(seen, ALL_VISITS if EVERY_LOOK else [ALL_VISITS[place // 2 % 4]])
    assert faults + seen.complaints + seen.abroad == []


def test_every_route_is_reached_by_links(demo: Demo) -> None:
    assert set(console_routes()) - set(pages_whole(demo)) - NOT_LINKED == set()


def pages_whole(demo: Demo) -> dict[str, Sequence[str]]:
    """Every page that links lead to, and four more: a layer of a packet, whose link stands only where a layer has 200
    items, two versions of a memory, which no memory of the demo has, evidence, which few pages of a kind cite, and
    the form that lowers a memory, whose link stands only where one is in use, and the first that are met wait.
    """
    pages, client = pages_of(demo.account), client_of(demo.account)
    layer, memory = f"{pages['context'][0]}layers/dialogue", pages["memory"][0].partition("?")[0]
    diff, lower = f"{memory.removesuffix('/')}/diff", f"{memory.removesuffix('/')}/lower"
    cited = f"{demo.page}evidence/?as=text&ref=memory://{memory.rstrip('/').rpartition('/')[2]}@1"
    for path in (layer, diff, cited, lower):
        assert client.get(path).status_code == 200, path
    return {**pages, "context_layer": [layer], "memory_diff": [diff], "evidence": [cited], "lower_memory": [lower]}


def looked_at(seen: Window, visits: Sequence[Visit]) -> list[str]:
    """What is wrong with the open page in these widths and looks."""
    faults = []
    for width, look in visits:
        seen.page.set_viewport_size({"width": width, "height": 900})
        seen.page.emulate_media(color_scheme=look)
        if seen.overflow() > 0:
            faults.append(f"{seen.path} sticks out by {seen.overflow()} px at {width}")
        faults += [f"{look} {width} {line}" for line in seen.axe()]
    return faults


def untranslated(seen: Window, language: str) -> list[str]:
    """Text of ours that a Chinese page says in English, or the other way round."""
    own = foreign_words(language)
    spoken: list[str] = seen.page.evaluate(SPOKEN)
    return [f"{seen.path} says {text!r}" for text in spoken if text in own]


@cache
def foreign_words(language: str) -> set[str]:
    """What the catalogue says in the other language, and differently in this one."""
    here, there = ("zh_Hans", "en") if language == "zh-Hans" else ("en", "zh_Hans")
    said = {
        (e.msgctxt, e.msgid): e.msgstr for e in polib.pofile(str(CHECKOUT / f"locale/{here}/LC_MESSAGES/django.po"))
    }
    other = polib.pofile(str(CHECKOUT / f"locale/{there}/LC_MESSAGES/django.po"))
    different = {e.msgstr for e in other if e.msgstr and said.get((e.msgctxt, e.msgid)) != e.msgstr}
    return {text for text in different if not re.search(r"[%{<]", text)} - set(said.values())
