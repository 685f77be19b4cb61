"""Catalogues and static files: complete, ours or accounted for, and loading nothing from elsewhere."""

import ast
import gzip
import hashlib
import re
import tomllib
from pathlib import Path

import polib
import pytest
from django.utils.translation.template import templatize

from greywind_site.embedded.instance import CHECKOUT

LANGUAGES = ("zh_Hans", "en")
ROOMS = ("greywind_site", "sessions", "memories", "threads", "governance")
VENDOR = CHECKOUT / "static" / "vendor"
MARKS = {"gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy", "_"}
WITH_CONTEXT = {"pgettext", "pgettext_lazy"}
ELSEWHERE = re.compile(
    r"""(?:url\(\s*|@import\s+|\bsrc\s*=\s*|\bfetch\(\s*|\bimport\s+)["']?(?:https?:)?//""", re.IGNORECASE
)
INLINE = re.compile(r"""\sstyle\s*=|\son[a-z]+\s*=|<style\b|<script(?![^>]*\ssrc=)|javascript:""", re.IGNORECASE)


def catalogue(language: str) -> polib.POFile:
    return polib.pofile(str(CHECKOUT / "locale" / language / "LC_MESSAGES" / "django.po"))


def templates() -> list[Path]:
    return sorted((CHECKOUT / "templates").rglob("*.html"))


def calls(tree: ast.AST) -> set[tuple[str, str]]:
    """(context, message) of each call of a gettext function; a constant is told of where it is marked."""
    found, marked = set(), _marked(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            if [arg.id for arg in node.args if isinstance(arg, ast.Name) and arg.id in marked]:
                continue
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            found.add((texts[0], texts[1]) if node.func.id in WITH_CONTEXT else ("", texts[0]))
    return found


def _marked(tree: ast.AST) -> set[str]:
    """Names of the constants whose text is marked for the catalogues."""
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    given = [node for node in assigned if ast.unparse(node.value).startswith("gettext_noop(")]
    return {target.id for node in given for target in node.targets if isinstance(target, ast.Name)}


def said_in_template(path: Path) -> set[tuple[str, str]]:
    # Django turns a template into lines of gettext calls for xgettext; between them stands masked text.
    code = templatize(path.read_text("utf-8"), origin=str(path))
    spoken = re.findall(r"(?<![A-Za-z])gettext\((.+?)\) ", code) + re.findall(r"(?<![A-Za-z])_\((.+?)\) ", code)
    spoken += re.findall(r"""(?<![A-Za-z])ngettext\((u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")),""", code)
    return {("", str(ast.literal_eval(text.removeprefix("u")))) for text in spoken}


def said() -> set[tuple[str, str]]:
    """Everything that templates and code say to a reader."""
    modules = [path for room in ROOMS for path in sorted((CHECKOUT / room).rglob("*.py"))]
    in_code = [calls(ast.parse(path.read_text("utf-8"))) for path in modules]
    return set().union(*in_code, *map(said_in_template, templates()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_holds_what_is_said_and_nothing_else(language: str) -> None:
    assert {(entry.msgctxt or "", entry.msgid) for entry in catalogue(language)} == said()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_complete(language: str) -> None:
    unfinished = [e.msgid for e in catalogue(language) if not e.translated() or e.fuzzy or e.obsolete]
    assert unfinished == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_keeps_the_placeholders_and_tags(language: str) -> None:
    kept = re.compile(r"%\(\w+\)[sd]|</?\w+>")
    wrong = [
        entry.msgid
        for entry in catalogue(language)
        for text in (list(entry.msgstr_plural.values()) or [entry.msgstr])
        if sorted(kept.findall(text)) != sorted(kept.findall(entry.msgid))
    ]
    assert wrong == []


def test_chinese_is_chinese() -> None:
    kept = [
        entry.msgid
        for entry in catalogue("zh_Hans")
        if not re.search(r"[\u4e00-\u9fff]", str(entry.msgstr or entry.msgstr_plural))
    ]
    assert kept == []


def vendored() -> dict[str, str]:
    entries = tomllib.loads((VENDOR / "vendor.toml").read_text("utf-8"))["vendored"]
    return {name: digest for entry in entries for name, digest in entry["sha256"].items()}


def test_vendored_files_are_what_they_were() -> None:
    found = {
        str(path.relative_to(VENDOR)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.rglob("*")
        if path.is_file() and path.name != "vendor.toml"
    }
    assert found == vendored()


@pytest.mark.parametrize("name", [name for name in vendored() if name.endswith(".gz")])
def test_a_compressed_file_is_the_plain_one(name: str) -> None:
    packed = VENDOR / name
    assert gzip.decompress(packed.read_bytes()) == packed.with_suffix("").read_bytes()


def test_every_vendored_package_is_accounted_for() -> None:
    entries = tomllib.loads((VENDOR / "vendor.toml").read_text("utf-8"))["vendored"]
    assert all(entry["package"] and entry["version"] and entry["licence"] for entry in entries)


@pytest.mark.parametrize("suffix", ["css", "js", "svg", "html"])
def test_nothing_is_loaded_from_elsewhere(suffix: str) -> None:
    files = [path for room in ("static", "templates") for path in (CHECKOUT / room).rglob(f"*.{suffix}")]
    assert [str(path) for path in files if ELSEWHERE.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("path", templates(), ids=lambda path: path.name)
def test_a_template_has_nothing_inline(path: Path) -> None:
    assert INLINE.search(path.read_text("utf-8")) is None


def test_the_page_of_failures_needs_no_template_engine() -> None:
    assert not re.search(r"{[%{#]", (CHECKOUT / "templates" / "500.html").read_text("utf-8"))
