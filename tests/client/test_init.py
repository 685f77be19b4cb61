"""greywind init: the diff first, nothing of others touched, and everything taken back to the byte."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from greywind_site.client.commands.app import run_app
from greywind_site.client.commands.speaking import Exit

OTHERS = """{
    "model": "opus",
    "hooks": {
        "PostToolUse": [ {"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]} ],
        "Notification": []
    },
    "permissions": {"allow": ["Bash(ls:*)"], "deny": []}, "名字": "é"
}"""  # no newline at its end
type Init = Callable[..., int]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of somebody who has logged in, and has used Claude Code here before."""
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "GREYWIND_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GREYWIND_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("GREYWIND_KEY", "gw_abcdefgh_thesecret")
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def settings(project: Path) -> Path:
    path = project / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(OTHERS)
    return path


def init(*words: str) -> int:
    return run_app(["init", "claude-code", "--no-check", *words])


def files(project: Path) -> dict[str, bytes]:
    return {str(path.relative_to(project)): path.read_bytes() for path in project.rglob("*") if path.is_file()}


def hooks(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())["hooks"]


def test_all_six_hooks_and_the_tools_are_set_up(project: Path) -> None:
    assert init("--yes", "--command", "greywind") == 0
    commands = [group["hooks"][0]["command"] for [group] in hooks(project / ".claude/settings.json").values()]
    assert sorted(commands) == [
        "greywind hook post-tool-use",
        "greywind hook pre-compact",
        "greywind hook session-end",
        "greywind hook session-start",
        "greywind hook stop",
        "greywind hook user-prompt-submit",
    ]
    server = json.loads((project / ".mcp.json").read_text())["mcpServers"]["greywind"]
    assert server == {"type": "stdio", "command": "greywind", "args": ["mcp"]}


def test_no_key_is_written_into_the_project(project: Path) -> None:
    init("--yes")
    assert not [name for name, content in files(project).items() if b"thesecret" in content]


def test_others_keep_every_byte(settings: Path) -> None:
    init("--yes")
    text = settings.read_text()
    [extended] = [line for line in OTHERS.splitlines() if line not in text]
    assert extended.removesuffix("} ],") + "}, {" in text
    assert hooks(settings)["PostToolUse"][0] == {"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]}
    assert not text.endswith("\n")


def test_a_second_time_there_is_nothing_to_change(
    project: Path, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    init("--yes")
    before = files(project)
    capsys.readouterr()
    assert init() == 0
    assert (files(project), capsys.readouterr()) == (before, ("", "nothing to change\n"))


def test_removing_puts_everything_back_to_the_byte(project: Path, settings: Path) -> None:
    before = files(project)
    init("--yes")
    assert init("--remove", "--yes") == 0
    assert files(project) == before


def test_removing_leaves_no_folder_that_was_not_there(project: Path) -> None:
    init("--yes")
    init("--remove", "--yes")
    assert list(project.iterdir()) == []


def test_removing_after_an_edit_takes_only_ours(
    project: Path, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    init("--yes")
    settings.write_text(settings.read_text().replace('"model": "opus"', '"model": "sonnet"'))
    assert init("--remove", "--yes") == 0
    assert "edited since" in capsys.readouterr().err
    assert json.loads(settings.read_text()) == json.loads(OTHERS) | {"model": "sonnet"}


def test_after_an_update_the_first_original_comes_back(settings: Path) -> None:
    init("--yes", "--command", "/old/greywind")
    init("--yes", "--command", "/new place/greywind")
    assert "/old/greywind" not in settings.read_text()
    init("--remove", "--yes")
    assert settings.read_text() == OTHERS


def test_a_file_written_anew_by_its_harness_still_has_nothing_to_change(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    init("--yes")
    written = json.loads(settings.read_text())
    written["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "bell"}]})
    settings.write_text(json.dumps(written, indent=2))
    capsys.readouterr()
    init("--yes")
    assert capsys.readouterr().err == "nothing to change\n"


def test_without_a_person_it_refuses_and_shows_the_diff(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert init() == 2
    assert "+++ " in capsys.readouterr().out
    assert list(project.iterdir()) == []


def test_a_dry_run_changes_nothing(project: Path) -> None:
    assert init("--dry-run") == 0
    assert list(project.iterdir()) == []


@pytest.mark.parametrize(
    "content", ['{\n  "hooks": {\n    // mine\n  }\n}', "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}']
)
def test_what_is_not_understood_is_left_untouched(
    project: Path, settings: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    settings.write_text(content)
    before = files(project)
    assert init("--yes") == 1
    assert "is left as it is" in capsys.readouterr().err
    assert files(project) == before


def test_a_file_that_does_not_parse_is_refused_with_its_line(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text('{\n  "a": 1,\n}')
    assert init("--yes") == 1
    assert "line 2" in capsys.readouterr().err


def test_a_link_stays_a_link_and_a_mode_stays(project: Path, settings: Path) -> None:
    real = project / "dotfiles.json"
    settings.rename(real)
    real.chmod(0o640)
    settings.symlink_to(real)
    init("--yes")
    assert settings.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert "SessionStart" in hooks(real)


def test_for_all_projects_the_user_s_own_files_are_written(project: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".claude.json").write_text('{"oauthAccount": {"x": 1}, "mcpServers": {}}')
    assert init("--user", "--yes") == 0
    assert "greywind" in json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert "Stop" in hooks(home / ".claude/settings.json")
    assert list(project.iterdir()) == []


def test_without_a_key_nothing_is_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GREYWIND_KEY")
    assert init("--yes") == 3
    assert list(project.iterdir()) == []


def test_a_failed_check_says_so(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["init", "claude-code", "--yes"]) == 1
    assert "the check failed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("client", "path", "under"),
    [("cursor", ".cursor/mcp.json", "mcpServers"), ("vscode", ".vscode/mcp.json", "servers")],
)
def test_other_clients_get_their_own_form(project: Path, client: str, path: str, under: str) -> None:
    assert run_app(["init", "mcp", "--client", client, "--yes", "--no-check"]) == 0
    assert json.loads((project / path).read_text())[under]["greywind"]["args"] == ["mcp"]
    assert run_app(["init", "mcp", "--client", client, "--remove", "--yes"]) == 0
    assert list(project.iterdir()) == []


def test_over_http_the_key_is_a_variable(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["init", "mcp", "--http", "--print"]) == 0
    entry = json.loads(capsys.readouterr().out)["mcpServers"]["greywind"]
    assert entry["headers"] == {"Authorization": "Bearer ${GREYWIND_KEY}"}


def test_a_generic_client_needs_a_file(project: Path) -> None:
    assert run_app(["init", "mcp", "--yes"]) == 2


def test_a_folder_that_is_not_there_is_refused_with_the_remedy(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = project / "my folder"
    assert init("--dir", str(absent), "--yes") == Exit.USAGE
    assert f"mkdir -p '{absent}'" in capsys.readouterr().err
    assert not absent.exists()
