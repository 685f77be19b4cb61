"""The whole product once, from nothing: started, killed, started again, used as the README says, and stopped.

The README's ten minutes are followed to the letter: its commands by a shell, its clicks in a browser.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from greywind_site.embedded.instance import CHECKOUT
from greywind_site.embedded.running import Running as Told
from greywind_site.embedded.running import running as told_running
from tests.browser.window import Window, window
from tests.services import reachable_folder
from tests.site.test_up import OURS, Up, await_nobody, free_port, tools_at

pytestmark = pytest.mark.slow
CORRECTION = {"zh-CN": "说明里不要提任何客户的名字。", "en-US": "Name no customer in the notes."}
OWN_PASSWORD = "lanterns over quiet water 7"
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
LANGUAGE = {"en-US": "--language en", "zh-CN": "--language zh-hans"}
WORDS = {
    "en-US": {"write": "Write into this thread", "context": "Context"},
    "zh-CN": {"write": "写进这个线程", "context": "上下文"},
}


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who follows the README on one running instance."""

    url: str
    folder: Path
    home: Path
    name: str  # of the person; the second reader of one instance is not the first

    @property
    def project(self) -> str:
        """What the person calls their project."""
        return f"My notes of {self.name}"

    def run(self, command: str, key: str = "") -> str:
        """Run a block of the README with the printed key in its place; returns what it printed on stdout."""
        port = self.url.rpartition(":")[2]
        text = command.replace("127.0.0.1:8000", f"127.0.0.1:{port}").replace("gw_…", key)
        text = text.replace("my-folder", str(self.home / "my-folder"))
        text = text.replace("My notes", self.project).replace("--owner ann", f"--owner {self.name}")
        kept = {n: v for n, v in os.environ.items() if not n.startswith("GREYWIND_") and n not in OURS}
        own = {"GREYWIND_DATA": str(self.folder), "HOME": str(self.home), "GREYWIND_KEY": key}
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=CHECKOUT,
            env=kept | own,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@dataclass(frozen=True, slots=True)
class Running:
    """One instance: what its first start told and answered, and what the second one told after a kill."""

    folder: Path
    first: dict[str, Any]
    second: dict[str, Any]
    ready: int
    tools: int


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    """One instance for all that is asked here, because a start takes longer than everything else."""
    folder, port = reachable_folder(), free_port()
    with Up(folder, port) as first:
        told = first.address()
        with urllib.request.urlopen(f"{told['url']}/readyz") as answer:  # noqa: S310 - our own loopback address
            ready = answer.status
        tools = tools_at(told)
        first.process.send_signal(signal.SIGKILL)
    await_nobody(folder)
    with Up(folder, port) as second:
        yield Running(folder, told, second.address(), ready, tools)
        assert second.ended() == (0, "")
    await_nobody(folder)
    shutil.rmtree(folder, ignore_errors=True)


def reader_of(running: Running, home: Path, locale: str) -> Reader:
    (home / locale / "my-folder").mkdir(parents=True)
    return Reader(running.second["url"], running.folder, home / locale, name=f"ann-{locale[:2]}")


def blocks() -> list[str]:
    """The commands of the ten minutes, in order."""
    section = (CHECKOUT / "README.md").read_text("utf-8").split("## Ten minutes")[1].split("\n## ")[0]
    return BLOCK.findall(section)


def test_the_first_start_answers_and_offers_its_tools(running: Running) -> None:
    assert (running.ready, running.tools) == (200, 7)


def test_killed_and_started_again_it_tells_the_same(running: Running) -> None:
    assert running.second == running.first


def test_a_killed_part_comes_back_by_itself(running: Running) -> None:
    for name in ("web", "worker"):
        before = told_by(running.folder)
        os.kill(before.processes[name], signal.SIGKILL)
        deadline = time.monotonic() + 90
        while (now := told_by(running.folder)).restarts.get(name, 0) == before.restarts.get(name, 0):
            assert time.monotonic() < deadline, f"{name} was not started again"
            time.sleep(0.1)
        assert now.part_runs(name)
        assert {part for part, pid in now.processes.items() if pid != before.processes[part]} == {name}
    while not is_ready(running.second["url"]):
        assert time.monotonic() < deadline, "the web does not answer again"
        time.sleep(0.2)


def told_by(folder: Path) -> Told:
    told = told_running(folder)
    assert told is not None, "`up` ended"
    return told


def is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:  # noqa: S310 - our own loopback address
            return bool(answer.status == 200)
    except OSError:
        return False


def test_the_ten_minutes_of_the_readme(running: Running, tmp_path: Path, chromium: Path) -> None:
    for locale in WORDS:
        walk(reader_of(running, tmp_path, locale), chromium, locale)


def walk(reader: Reader, chromium: Path, locale: str) -> None:
    """Do in one language what the README says."""
    project, agent, connect, ask = blocks()
    password = found(r"password\s+(\S+)", reader.run(project.replace("--language en", LANGUAGE[locale])))
    key = found(r"(gw_\w{8}_[\w-]+)", reader.run(agent.splitlines()[0]))
    reader.run(connect, key)
    reader.run(ask, key)
    with window(chromium, reader.url, locale=locale, viewport={"width": 1280, "height": 900}) as seen:
        correct(seen, reader, password, locale)
    assert CORRECTION[locale] in json.loads(reader.run(ask, key))["prompt"]["text"]
    assert (seen.complaints, seen.abroad) == ([], [])


def correct(seen: Window, reader: Reader, password: str, locale: str) -> None:
    """What a person does: sign in, choose a password, open the packet and its thread, write a correction."""
    page, words = seen.page, WORDS[locale]
    seen.open("/")
    page.fill("#id_username", reader.name)
    page.fill("#id_password", password)
    page.press("#id_password", "Enter")
    page.wait_for_url("**/account/password**")
    page.fill("[name=old_password]", password)
    page.fill("[name=new_password1]", OWN_PASSWORD)
    page.fill("[name=new_password2]", OWN_PASSWORD)
    page.press("[name=new_password2]", "Enter")
    page.wait_for_url(lambda url: "password" not in url)
    seen.open("/")
    page.get_by_role("link", name=reader.project).first.click()
    page.get_by_role("link", name=words["context"], exact=True).first.click()
    page.locator("main table a[href*='/contexts/pkt_']").first.click()
    page.locator("main a[href*='/threads/thr_']").first.click()
    page.get_by_role("link", name=words["write"]).first.click()
    page.check("input[name=kind][value=correction]")
    page.fill("textarea[name=text]", CORRECTION[locale])
    with page.expect_navigation():
        page.locator("main form button.btn-primary").click()
    assert page.locator(".told").count() == 1


def found(pattern: str, text: str) -> str:
    """The first group of a pattern that stands in the text."""
    match = re.search(pattern, text)
    assert match, text
    return match[1]
