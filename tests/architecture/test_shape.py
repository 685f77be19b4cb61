"""Sizes, names and words that hold for the whole tree."""

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("greywind_site", "sessions", "memories", "threads", "governance")
LONGEST_FUNCTION, LONGEST_MODULE = 60, 300
TOP_LEVEL = {
    *ROOMS,
    "manage.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "templates",
    "static",
    "tests",
    "locale",
    "docs",
}
VAGUE = {"utils", "common", "core", "helpers", "services"}
# `services` here is the noun: the PostgreSQL and Valkey of one data folder, and those of the tests.
NAMED_FOR_A_NOUN = {"greywind_site/embedded/services.py", "tests/services.py"}
# Spelt in pieces, so that this file does not contain what it forbids.
FORBIDDEN = [
    "/" + "work/",
    "pypi." + "org",
    "files.python" + "hosted",
    "registry.npm" + "js",
    "deb.deb" + "ian.org",
    "TO" + "DO",
    "FIX" + "ME",
]


def tracked() -> list[Path]:
    """Every file of the project: known to git, or new and not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def modules() -> list[Path]:
    """Python modules of the product, without generated migrations."""
    return [
        path
        for path in tracked()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in ROOMS and "migrations" not in path.parts
    ]


@cache
def too_long_functions(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            length = node.end_lineno - node.lineno + 1
            if length > LONGEST_FUNCTION:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name} has {length} lines")
    return found


def test_no_function_is_too_long() -> None:
    assert [fault for path in modules() for fault in too_long_functions(path)] == []


def test_no_module_is_too_long() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert {name: length for name, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_names_at_the_top_are_the_agreed_ones() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {name for name in names if not name.startswith(".")} - TOP_LEVEL == set()


def test_no_module_has_a_vague_name() -> None:
    named = {str(path.relative_to(ROOT)) for path in tracked() if path.stem in VAGUE and path.suffix == ".py"}
    assert named - NAMED_FOR_A_NOUN == set()


@pytest.mark.parametrize("word", FORBIDDEN)
def test_no_file_speaks_of_what_is_not_the_project(word: str) -> None:
    pattern = re.compile(rf"(?<![\w-]){re.escape(word)}") if word[0].isalpha() else re.compile(re.escape(word))
    guilty = [str(path.relative_to(ROOT)) for path in tracked() if pattern.search(text_of(path))]
    assert guilty == []


def text_of(path: Path) -> str:
    """The text of a file; empty for a binary one, and for vendored code, whose words are not ours."""
    if "vendor" in path.relative_to(ROOT).parts:
        return ""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
