"""One browser window that notes everything it complains about."""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.test import Client
from playwright.sync_api import Page, sync_playwright

VENDOR = Path(__file__).parent / "vendor"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
# The policy's own event tells of what was blocked, also where the browser prints nothing.
TELL_VIOLATIONS = """
document.addEventListener('securitypolicyviolation', event => console.error('policy: ' + event.violatedDirective))
"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN_AXE = """
async (rules) => {
  // A colour on its way from one look to the other is nobody's fault.
  const ending = document.getAnimations().filter(running => running.effect.getComputedTiming().endTime !== Infinity);
  await Promise.allSettled(ending.map(running => running.finished));
  const found = await axe.run(document, {runOnly: {type: 'tag', values: rules}, resultTypes: ['violations']});
  return found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ')).slice(0, 3).join(' | '));
}
"""

type Browse = Callable[..., AbstractContextManager["Window"]]


class Window:
    """A page, its complaints, and the requests that left the site."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base = page, base
        self.complaints: list[str] = []
        self.abroad: list[str] = []
        self.dialogs: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"{self.path}: {error}"))
        page.on("request", lambda request: self._watch(request.url))
        page.on("dialog", self._refuse)

    @property
    def path(self) -> str:
        """Where the window is, without the host."""
        address = urlsplit(self.page.url)
        return f"{address.path}?{address.query}" if address.query else address.path

    def open(self, path: str) -> int:
        """Go to a path of the site; returns the status."""
        answer = self.page.goto(self.base + path)
        return answer.status if answer else 0

    def take_seat(self, cookies: Mapping[str, str]) -> None:
        """Carry these cookies from now on, for example those of a signed-in account."""
        host = urlsplit(self.base).hostname
        self.page.context.add_cookies(
            [{"name": k, "value": v, "domain": host, "path": "/"} for k, v in cookies.items()]
        )

    def beside(self, client: Client, **options: Any) -> "Window":
        """Open a second browser, of the account of that client, beside this one."""
        browser = self.page.context.browser
        if browser is None:
            raise AssertionError("the window has no browser")
        another = Window(browser.new_context(**{"locale": "en-US", **options}).new_page(), self.base)
        another.take_seat({name: morsel.value for name, morsel in client.cookies.items()})
        return another

    def tab_to(self, selector: str, *, most: int = 60) -> None:
        """Press Tab until what has the focus is this element; fails when so many presses do not lead there."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        raise AssertionError(f"the keyboard does not reach {selector} on {self.path}")

    def overflow(self) -> int:
        """How many pixels stick out to the side."""
        return int(self.page.evaluate(OVERFLOW))

    def axe(self) -> list[str]:
        """What axe-core finds against WCAG 2.0 to 2.2, A and AA, with the first places of each."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(axe_source())
        found: list[str] = self.page.evaluate(RUN_AXE, RULES)
        return [f"{self.path} {line}" for line in found]

    def _hear(self, said: Any) -> None:
        if said.type in ("error", "warning"):
            self.complaints.append(f"{self.path}: {said.text}")

    def _watch(self, url: str) -> None:
        if urlsplit(url).netloc != urlsplit(self.base).netloc and not url.startswith("data:"):
            self.abroad.append(url)

    def _refuse(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()


@contextmanager
def window[W: Window](chromium: Path, base: str, *, kind: type[W] = Window, **options: Any) -> Iterator[W]:
    """Open a fresh window. Django's database is out of reach inside: the browser's loop runs in this thread."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(chromium), args=FLAGS)
        context = browser.new_context(**{"locale": "en-US", **options})
        context.add_init_script(TELL_VIOLATIONS)
        yield kind(context.new_page(), base)
        browser.close()


def axe_source() -> str:
    """The shipped axe-core, checked against its recorded hash."""
    [entry] = tomllib.loads((VENDOR / "vendor.toml").read_text("utf-8"))["vendored"]
    source = (VENDOR / "axe.min.js").read_bytes()
    if sha256(source).hexdigest() != entry["sha256"]["axe.min.js"]:
        raise AssertionError("axe.min.js is not the recorded one")
    return source.decode()
