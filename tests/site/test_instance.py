import os
import stat
from pathlib import Path

import pytest

from greywind_site.embedded.account import Account, service_account
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import LONGEST_SOCKET_FOLDER, Instance
from greywind_site.embedded.secrets import changing, ensure_secrets, read_secrets, read_stored


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_secrets_are_readable_by_their_owner_alone(reachable: Path) -> None:
    Instance(reachable).prepare()
    assert mode(reachable / "secrets.json") == 0o600


def test_service_folders_are_closed(reachable: Path) -> None:
    instance = Instance(reachable)
    instance.prepare()
    folders = (instance.postgres_folder, instance.valkey_folder, instance.socket_folder)
    assert {mode(folder) for folder in folders} == {0o700}


def test_preparing_twice_keeps_the_secrets(reachable: Path) -> None:
    assert Instance(reachable).prepare() == Instance(reachable).prepare()


def test_what_others_keep_in_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "secrets.json"
    with changing(path) as stored:
        stored["agent_key"] = "kept"
    ensure_secrets(path)
    assert read_stored(path)["agent_key"] == "kept"


def test_a_file_open_to_others_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "secrets.json"
    ensure_secrets(path)
    path.chmod(0o640)
    with pytest.raises(EmbeddedFault, match="chmod 600"):
        read_secrets(path)


def test_a_broken_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "secrets.json"
    path.touch(mode=0o600)
    path.write_text("{")
    with pytest.raises(EmbeddedFault, match="backup"):
        ensure_secrets(path)


def test_no_folder_means_no_secrets(tmp_path: Path) -> None:
    assert Instance(tmp_path / "nothing").secrets() is None


def test_sockets_lie_in_the_data_folder_when_the_path_is_short() -> None:
    assert Instance(Path("/srv/greywind")).socket_folder == Path("/srv/greywind/run")


def test_a_long_path_gets_a_short_folder_of_its_own() -> None:
    one, other = (Instance(Path("/srv") / (letter * 90)).socket_folder for letter in "ab")
    assert one != other
    assert len(os.fsencode(one)) <= LONGEST_SOCKET_FOLDER


def test_a_folder_that_the_account_cannot_enter_is_refused_with_the_remedy(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    stranger = Account("stranger", uid=64_123, gid=64_123, switches=True)
    with pytest.raises(EmbeddedFault, match="--data"):
        stranger.refuse_unreachable(closed)


def test_a_user_id_without_an_entry_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 64_123)
    with pytest.raises(EmbeddedFault, match="64123 has no entry"):
        service_account()
