"""What the command costs before it does anything: the hooks run at every turn of a session."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.harness import COMMAND

HEAVY = {"django", "typer", "rich", "click", "mcp", "httpx2", "pydantic", "ssl", "asyncio"}
ASK = """
import sys
sys.argv = ["greywind", "hook", "stop"]
from greywind_site.client.cli import main
main()
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def imported(code: str, home: Path) -> set[str]:
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", code], input="{}", env=environment, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_a_hook_imports_nothing_heavy(tmp_path: Path) -> None:
    # The connection's own module takes ssl along; everything else is ours to leave out.
    assert imported(ASK, tmp_path) & HEAVY <= {"ssl"}


def test_the_command_line_never_imports_django(tmp_path: Path) -> None:
    code = (
        "import sys; from greywind_site.client.commands import app; print(*(n.partition('.')[0] for n in sys.modules))"
    )
    assert "django" not in imported(code, tmp_path)


def test_the_command_is_installed() -> None:
    assert COMMAND.exists()


@pytest.mark.parametrize(
    "words", [["--help"], ["init", "--help"], ["init", "claude-code", "--help"], ["login", "--help"]]
)
def test_help_teaches(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run([COMMAND, *words], env={"HOME": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert "Usage: greywind" in done.stdout
    assert "key" in done.stdout
