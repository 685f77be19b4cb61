"""No template says anything that is not in the catalogues."""

import re
from pathlib import Path

import pytest

from greywind_site.embedded.instance import CHECKOUT

# Both languages at once, on purpose: it is served when nothing else works.
OF_ITSELF = {"500.html"}
# Names of things, which are the same in every language.
NAMES = {
    "GreyWind",
    "灰风",
    "简体中文",
    "English",
    "UTC",
    "SVG",
    "JSON",
    "curl",
    "MCP",
    "Claude",
    "Code",
    "Python",
    "px",
}
SAID = re.compile(r"{%\s*blocktranslate.*?endblocktranslate\s*%}|{%\s*comment.*?endcomment\s*%}", re.DOTALL)
NOT_SHOWN = re.compile(
    r"{#.*?#}|{%.*?%}|{{.*?}}|<(?:code|script|style)\b.*?</(?:code|script|style)>|<!--.*?-->", re.DOTALL
)
ATTRIBUTES = re.compile(r"""\b(?:title|aria-label|placeholder|alt|data-label|value)="([^"]*)\"""")
TAG = re.compile(r"<[^>]*>", re.DOTALL)
WORD = re.compile(r"[A-Za-z]{2,}|[\u4e00-\u9fff]+")


def templates() -> list[Path]:
    return [path for path in sorted((CHECKOUT / "templates").rglob("*.html")) if path.name not in OF_ITSELF]


def bare_words(source: str) -> list[str]:
    """Words that a template shows without a catalogue, in its text and in attributes that are read out."""
    spoken = NOT_SHOWN.sub(" ", SAID.sub(" ", source))
    # A value or label may be a plain token (a form's value); with a space in it, it is a sentence.
    labels = [text for text in ATTRIBUTES.findall(spoken) if " " in text.strip()]
    text = " ".join([TAG.sub(" ", spoken), *labels])
    return sorted(set(WORD.findall(re.sub(r"&\w+;", " ", text))) - NAMES)


@pytest.mark.parametrize("path", templates(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_template_says_nothing_past_the_catalogues(path: Path) -> None:
    assert bare_words(path.read_text("utf-8")) == []


def test_a_bare_word_is_found() -> None:
    assert bare_words('<p title="Say this">Hello {{ name }}</p>{% translate "fine" %}') == ["Hello", "Say", "this"]
