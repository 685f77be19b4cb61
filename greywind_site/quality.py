"""The checks of the code itself and the test suite. Nothing here needs Django: both must run on a broken tree."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from greywind_site.embedded.instance import CHECKOUT

SHOWN_LINES = 60
# Three, because on two processors a third of the time is spent waiting for Postgres and Chromium. A file stays in one
# process, or what its tests share would be made again, and files start in the order drawn: the slow ones first.
TEST_PROCESSES = ["-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]


@dataclass(frozen=True)
class Check:
    """One check: its name and its command, run from the checkout with this environment's programs."""

    name: str
    command: Sequence[str]


@dataclass(frozen=True)
class Verdict:
    """What a check said; `passed` by its exit code."""

    check: Check
    passed: bool
    output: str


def checks() -> list[Check]:
    """All checks, the quick ones first."""
    python = [sys.executable, "-m"]
    return [
        Check("ruff check", [*python, "ruff", "check"]),
        Check("ruff format", [*python, "ruff", "format", "--check"]),
        Check("import-linter", [*python, "importlinter.cli", "lint"]),
        *_template_checks(),
        Check("migrations", [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"]),
        Check("mypy", [*python, "mypy"]),
    ]


def _template_checks() -> list[Check]:
    templates = sorted(str(path) for path in (CHECKOUT / "templates").rglob("*.html"))
    # A compiled program, not a module; without files it would only print its usage.
    djade = str(Path(sys.executable).with_name("djade"))
    return [Check("djade", [djade, "--check", "--target-version", "6.1", *templates])] if templates else []


def run_check(check: Check) -> Verdict:
    """Run one check to its end."""
    # Neither an import of settings nor a tool may depend on where the caller's database is.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(check.command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).strip().splitlines()
    return Verdict(check, done.returncode == 0, "\n".join(lines[-SHOWN_LINES:]))


def lint() -> int:
    """Run every check, print each verdict and what the failed ones said; returns the exit code."""
    failed = []
    for check in checks():
        verdict = run_check(check)
        sys.stdout.write(f"{'ok    ' if verdict.passed else 'FAILED'} {check.name}\n")
        if not verdict.passed:
            failed.append(check.name)
            sys.stdout.write(f"{verdict.output}\n")
        sys.stdout.flush()
    if failed:
        sys.stderr.write(f"{len(failed)} failed: {', '.join(failed)}\n")
    return 1 if failed else 0


def test(words: Sequence[str]) -> NoReturn:
    """Become pytest with these arguments, on three processes unless they say otherwise."""
    told = any(word.startswith(("-n", "--numprocesses")) for word in words)
    command = [sys.executable, "-m", "pytest", *([] if told else TEST_PROCESSES), *words]
    os.chdir(CHECKOUT)
    os.execv(sys.executable, command)  # noqa: S606 - keeping the process id lets signals arrive once
