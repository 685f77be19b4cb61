"""Letting filters go while the site runs: the functions that hold them get other code, and get theirs back."""

import gc
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from django.db import connection

from greywind_site.hunting.leaks.filters import CONDITION, REACHED, Site, opened, opened_statement

type Tell = Callable[[int], None]
type Key = tuple[str, int]


@contextmanager
def watched(chosen: Sequence[Site], tell: Tell, *, let_go: bool) -> Iterator[None]:
    """Count every filter among `chosen` as it is reached, by its number; where `let_go`, it filters nothing."""
    with ExitStack() as stack:
        for path in sorted({site.path for site in chosen if site.kind != "statement"}):
            here = [site for site in chosen if site.path == path]
            stack.enter_context(_other_code(path, here, tell, let_go=let_go))
        written = [site for site in chosen if site.kind == "statement"]
        if written:
            stack.enter_context(connection.execute_wrapper(_Statements(written, tell, let_go=let_go)))
        yield


@contextmanager
def _other_code(path: Path, chosen: Sequence[Site], tell: Tell, *, let_go: bool) -> Iterator[None]:
    fresh = dict(_codes(compile(opened(path, chosen, let_go=let_go), str(path), "exec")))
    kept: list[tuple[FunctionType, CodeType]] = []
    try:
        for function in _functions_of(path):
            code = fresh.get(_key(function.__code__))
            if code is not None and len(code.co_freevars) == len(function.__code__.co_freevars):
                function.__globals__[REACHED] = tell
                kept.append((function, function.__code__))
                function.__code__ = code
        yield
    finally:
        for function, code in kept:
            function.__code__ = code


def _functions_of(path: Path) -> list[FunctionType]:
    name = str(path)
    return [one for one in gc.get_objects() if isinstance(one, FunctionType) and one.__code__.co_filename == name]


def _codes(code: CodeType) -> Iterator[tuple[Key, CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield _key(constant), constant
            yield from _codes(constant)


def _key(code: CodeType) -> Key:
    return code.co_qualname, code.co_firstlineno


class _Statements:
    """Opens conditions of fixed statements as they are sent."""

    def __init__(self, chosen: Sequence[Site], tell: Tell, *, let_go: bool) -> None:
        self.chosen, self.tell, self.let_go = chosen, tell, let_go
        self.texts = {site.number: _around(site) for site in chosen}

    def __call__(self, execute: Any, statement: Any, *values: Any) -> Any:
        if isinstance(statement, str) and CONDITION.search(statement):
            for site in self.chosen:
                if self.texts[site.number] in statement:
                    self.tell(site.number)
                    if self.let_go:
                        statement = _opened(statement, site.text)
        return execute(statement, *values)


def _opened(statement: str, condition: str) -> str:
    """Return a statement without a condition, nor the name of a table before it that was filled in as it was made."""
    return re.sub(rf"(?:\b\w+\.)?{re.escape(condition)}", lambda _: opened_statement(condition), statement)


def _around(site: Site) -> str:
    """Return the line of a fixed statement that holds the condition: enough to know the statement again."""
    lines = site.path.read_text(encoding="utf-8").splitlines()[site.line - 1 :]
    line = next(each for each in lines if site.text in each)
    ends = r'["{}]' if "'" in site.text else r"['\"{}]"  # a quote in the condition itself is none of the code's
    return next(part for part in re.split(ends, line) if site.text in part)
