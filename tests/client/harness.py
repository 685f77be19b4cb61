"""A harness as the greywind command meets it: its settings, its transcript, and calls as processes of their own."""

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).with_name("golden")
COMMAND = Path(sys.executable).with_name("greywind")
PATIENCE = 30  # seconds after which a call hangs, by any measure


@dataclass(frozen=True)
class Said:
    """What a hook answered."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.stdout) if self.stdout else {}

    @property
    def context(self) -> str:
        return self.json["hookSpecificOutput"]["additionalContext"]


class Harness:
    """A session of Claude Code in a folder, on a machine with a home of its own."""

    def __init__(self, home: Path, *, url: str, key: str, session: str = "8f0c", **settings: str) -> None:
        self.home, self.session = home, session
        self.folder, self.transcript = home / "登录 页", home / f"{session}.jsonl"
        (self.folder / ".git").mkdir(parents=True, exist_ok=True)
        self.environment = clean_environment(home) | settings
        if url:
            self.environment |= {"GREYWIND_URL": url, "GREYWIND_KEY": key}

    def greywind(self, *words: str, stdin: str = "") -> Said:
        """Run the command as a person would."""
        return self._run([str(COMMAND), *words], stdin)

    def configured(self, settings: Path, hook: str, given: dict[str, Any]) -> Said:
        """Run what the settings say for a hook, through a shell as the harness does."""
        [group] = json.loads(settings.read_text())["hooks"][given["hook_event_name"]]
        words = shlex.split(group["hooks"][0]["command"])
        assert words[-1] == hook
        return self._run(["sh", "-c", group["hooks"][0]["command"]], json.dumps(self.filled(given)))

    def hook(self, hook: str, **given: Any) -> Said:
        """Call a hook with these fields beside the common ones."""
        return self._run([str(COMMAND), "hook", hook], json.dumps(self.filled(given)))

    def start(self, hook: str, given: dict[str, Any]) -> "subprocess.Popen[str]":
        """Call a hook without waiting for it."""
        process = self._start([str(COMMAND), "hook", hook])
        assert process.stdin is not None
        process.stdin.write(json.dumps(self.filled(given)))
        process.stdin.close()
        process.stdin = None
        return process

    def write(self, *records: dict[str, Any]) -> None:
        """Append records to the transcript."""
        with self.transcript.open("a") as file:
            file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)

    def filled(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the fields with those that every hook gets."""
        common = {"session_id": self.session, "transcript_path": str(self.transcript), "cwd": str(self.folder)}
        return common | {"permission_mode": "default"} | given

    def play(self, steps: list[dict[str, Any]]) -> list[Said]:
        """Go through a recorded conversation; the calls of one step run at the same time."""
        said = []
        for step in steps:
            self.write(*step["transcript"])
            running = [self.start(call["hook"], call["input"]) for call in step["calls"]]
            said += [finished(process) for process in running]
        return said

    def _run(self, words: list[str], stdin: str) -> Said:
        process = self._start(words)
        return finished(process, stdin)

    def _start(self, words: list[str]) -> "subprocess.Popen[str]":
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(words, env=self.environment, cwd=self.folder, text=True, **pipes)


def finished(process: "subprocess.Popen[str]", stdin: str | None = None) -> Said:
    """Return what a call said, once it has ended."""
    out, err = process.communicate(stdin, timeout=PATIENCE)
    return Said(process.returncode, out, err)


def clean_environment(home: Path) -> dict[str, str]:
    """The environment of a machine where nobody has set anything up yet."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GREYWIND_", "XDG_", "CLAUDE"))}
    return kept | {"HOME": str(home), "NO_COLOR": "1"}


def recorded() -> list[dict[str, Any]]:
    """The recorded conversation, step by step."""
    return [json.loads(line) for line in (GOLDEN / "conversation.jsonl").read_text().splitlines()]


def expected() -> list[list[str]]:
    """What the transcript must hold at its end."""
    return [json.loads(line) for line in (GOLDEN / "conversation.expected.jsonl").read_text().splitlines()]
