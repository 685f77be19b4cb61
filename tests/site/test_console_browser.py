"""The console in a real browser: quiet, at home, and fit for a narrow screen."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from governance.vocabulary import MembershipLevel
from tests.browser.window import OVERFLOW, Window, window
from tests.cast import Cast, make_cast
from tests.site.console_cast import PASSWORD, join, make_account, page_of

pytestmark = pytest.mark.slow
GROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(244, 246, 248)", "rgb(18, 23, 29)"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    """A project with a long unbroken title, a packet and a refused one."""
    cast = make_cast("alpha")
    client = cast.dev.client()
    client.post("/threads", {"title": "长标题" * 40 + "W" * 120})
    client.post("/context", {"user_input": {"raw_text": "build the parser"}})
    client.post("/context", {"user_input": {"raw_text": "do it " * 400}, "budget": {"max_input_tokens": 60}})
    return cast


@dataclass(frozen=True, slots=True)
class Visitor:
    """A viewer's account name, and the address of the project that it may see."""

    name: str
    page: str


@pytest.fixture
def visitor(cast: Cast) -> Visitor:
    return Visitor(join(make_account(), cast, MembershipLevel.VIEWER).username, page_of(cast))


class Visit(Window):
    """A window in which somebody signs in and chooses a language and a look."""

    def sign_in(self, name: str) -> None:
        self.open("/")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", PASSWORD)
        self.page.press("#id_password", "Enter")
        self.page.wait_for_url(self.base + "/")

    def choose(self, button: str) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=button, exact=True).click()


type Browse = Callable[..., AbstractContextManager[Visit]]


@pytest.fixture
def browse(chromium: Path, live_server: LiveServer) -> Browse:
    """Opens a fresh window. The database is out of reach inside: the browser's loop runs in this thread."""

    def visit(**options: object) -> AbstractContextManager[Visit]:
        return window(chromium, live_server.url, kind=Visit, **options)

    return visit


PARTS = """links => links.map(link => { const box = link.getBoundingClientRect();
  return [box.top, box.left, box.right, link.hasAttribute("aria-current")]; })"""


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
@pytest.mark.parametrize("width", [320, 480])
def test_the_parts_of_a_project_are_one_row_with_the_current_one_in_sight(
    browse: Browse, visitor: Visitor, locale: str, width: int
) -> None:
    size = {"width": width, "height": 640}
    with browse(locale=locale, java_script_enabled=False, viewport=size) as seen:
        seen.sign_in(visitor.name)
        for part in ("", "audit/"):
            seen.open(visitor.page + part)
            boxes = seen.page.eval_on_selector_all(".section", PARTS)
            [[_, left, right, _]] = [box for box in boxes if box[3]]
            assert (len({round(box[0]) for box in boxes}), left >= 0, right <= width) == (1, True, True)
            last = seen.page.locator(".section").last
            last.focus()
            place = last.bounding_box()
            assert place is not None
            assert place["x"] + place["width"] <= width


@pytest.mark.parametrize(("locale", "scheme"), [("zh-CN", "light"), ("en-US", "dark")])
def test_the_pages_are_quiet_and_stay_at_home(browse: Browse, visitor: Visitor, locale: str, scheme: str) -> None:
    with browse(locale=locale, color_scheme=scheme) as seen:
        seen.sign_in(visitor.name)
        seen.open(visitor.page)
        seen.open("/api/v1/docs")
        seen.page.wait_for_selector(".opblock")
    assert (seen.complaints, seen.abroad) == ([], [])


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_nothing_sticks_out_on_a_narrow_screen(browse: Browse, visitor: Visitor, locale: str) -> None:
    with browse(locale=locale, viewport={"width": 320, "height": 640}) as seen:
        seen.open("/sign-in")
        over = [seen.page.evaluate(OVERFLOW)]
        seen.sign_in(visitor.name)
        over.append(seen.page.evaluate(OVERFLOW))
        for path in (visitor.page, "/p/prj_nowhere/"):
            seen.open(path)
            over.append(seen.page.evaluate(OVERFLOW))
    assert over == [0, 0, 0, 0]


def test_language_and_look_switch_without_scripts(browse: Browse, visitor: Visitor) -> None:
    with browse(java_script_enabled=False) as seen:
        seen.sign_in(visitor.name)
        seen.open(visitor.page)
        seen.choose("简体中文")
        chinese = seen.page.locator("h2").first.inner_text()
        seen.choose("深色")
        dark = seen.page.locator("html").get_attribute("data-look")
    assert (chinese, dark, seen.page.url) == ("需要留意", "dark", seen.base + visitor.page)


@pytest.mark.parametrize(
    ("scheme", "button", "ground"),
    [
        ("light", "As the system", LIGHT),
        ("dark", "As the system", DARK),
        ("light", "Dark", DARK),
        ("dark", "Light", LIGHT),
    ],
)
def test_the_look_is_the_system_s_unless_chosen(browse: Browse, scheme: str, button: str, ground: str) -> None:
    with browse(color_scheme=scheme) as seen:
        seen.open("/sign-in")
        seen.choose(button)
        found = seen.page.evaluate(GROUND)
    assert found == ground


def test_the_keyboard_alone_gets_to_a_project(browse: Browse, visitor: Visitor) -> None:
    with browse() as seen:
        seen.open("/")
        seen.page.wait_for_function("document.activeElement.id === 'id_username'")
        for key in (*visitor.name, "Tab", *PASSWORD, "Enter"):
            seen.page.keyboard.press("Space" if key == " " else key)
        seen.page.wait_for_url(seen.base + "/")
        seen.page.keyboard.press("Tab")
        skip = seen.page.evaluate("document.activeElement.getAttribute('href')")
        seen.page.keyboard.press("Enter")
        for _ in ("a new project", "the first of the list"):
            seen.page.keyboard.press("Tab")
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url("**" + visitor.page)
    assert skip == "#main"


@pytest.mark.parametrize("path", ["/sign-in", "/", "page", "/nowhere"])
def test_a_page_has_one_heading_a_language_and_named_fields(browse: Browse, visitor: Visitor, path: str) -> None:
    with browse() as seen:
        if path in ("/", "page"):
            seen.sign_in(visitor.name)
        seen.open(visitor.page if path == "page" else path)
        unnamed = seen.page.locator("input:not([type=hidden])").evaluate_all(
            "fields => fields.filter(field => !field.labels.length).length"
        )
        headings = seen.page.locator("h1").count()
        language = seen.page.locator("html").get_attribute("lang")
    assert (headings, language, unnamed) == (1, "en", 0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browse: Browse, visitor: Visitor, scheme: str) -> None:
    with browse(color_scheme=scheme) as seen:
        seen.sign_in(visitor.name)
        seen.open(visitor.page)
        faint = seen.page.evaluate(FAINT_TEXTS)
    assert faint == []


# Every element with text of its own, its colour against the nearest opaque ground; WCAG asks 4.5 of small text.
FAINT_TEXTS = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true})
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92
    : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)
  const ground = node => {
    for (let at = node; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor)
      if (colour[3] === 255) return colour
    }
    return [255, 255, 255, 255]
  }
  const faint = []
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim())
    if (!own || !node.getClientRects().length) continue
    const [a, b] = [light(rgba(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x)
    const ratio = (a + 0.05) / (b + 0.05)
    if (ratio < 4.5) faint.push(node.className + ' ' + node.textContent.trim().slice(0, 20) + ' ' + ratio.toFixed(2))
  }
  return faint
}"""
