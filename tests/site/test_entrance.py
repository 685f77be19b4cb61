import os
import socket
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from greywind_site.embedded import entrance
from greywind_site.embedded.catalogues import compile_catalogues
from greywind_site.embedded.entrance import services_for, take_data_option
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.port import refuse_taken_port


@pytest.mark.parametrize("words", [["--data", "/srv/a"], ["--data=/srv/a"]])
def test_the_data_option_is_stripped_and_passed_on(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREYWIND_DATA", "/elsewhere")
    assert take_data_option(["manage.py", "check", *words, "-v2"]) == ["manage.py", "check", "-v2"]
    assert os.environ["GREYWIND_DATA"] == "/srv/a"


def test_a_data_option_without_a_folder_is_explained() -> None:
    with pytest.raises(EmbeddedFault, match="--data DIR"):
        take_data_option(["manage.py", "check", "--data"])


def test_a_command_without_database_makes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("GREYWIND_DATA", str(tmp_path / "none"))
    with services_for("makemigrations"):
        assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_asked_how_it_is_used_a_command_starts_nothing(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("GREYWIND_DATA", str(tmp_path / "none"))
    with pytest.raises(SystemExit):
        entrance.run(["manage.py", "bench_gate", word])
    assert ("pairs,sensitivity,injection" in capsys.readouterr().out, list(tmp_path.iterdir())) == (True, [])


def test_the_help_of_up_names_the_data_folder(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        entrance.run(["manage.py", "up", "--help"])
    assert "--data DIR" in capsys.readouterr().out


def test_a_data_option_that_is_cut_short_is_refused() -> None:
    with pytest.raises(CommandError, match="in full"):
        call_command("up", data="/elsewhere")


def test_an_outside_database_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db.example/greywind")
    monkeypatch.setenv("GREYWIND_DATA", str(tmp_path / "none"))
    with services_for("migrate"):
        assert not (tmp_path / "none").exists()


def test_who_holds_the_folder_for_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "PATIENCE_SECONDS", 0.2)
    lock = entrance.try_lock(tmp_path, command="import_transcript")
    assert lock is not None
    with pytest.raises(EmbeddedFault, match=rf"process {os.getpid()} \(import_transcript\)"):
        entrance._lock_or_running(entrance.Instance(tmp_path), command="check")
    lock.release()


def test_a_taken_port_is_explained() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(EmbeddedFault, match=rf"port {port}.*process {os.getpid()}.*--port {port + 1}"):
            refuse_taken_port("127.0.0.1", port)


def test_a_free_port_is_fine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    refuse_taken_port("127.0.0.1", port)


def test_catalogues_are_compiled_once(tmp_path: Path) -> None:
    (tmp_path / "django.po").write_text('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n', "utf-8")
    assert [compile_catalogues(tmp_path), compile_catalogues(tmp_path)] == [1, 0]
    assert (tmp_path / "django.mo").exists()
