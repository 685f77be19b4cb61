import re
import subprocess
import sys
from pathlib import Path

import pytest

from greywind_site.config import Config, ConfigError, data_folder, load_config, unknown_variables
from greywind_site.embedded.instance import CHECKOUT, Instance

PEPPERS = {"GREYWIND_SECRET_KEY": "s" * 32, "GREYWIND_KEY_PEPPER": "k" * 32, "GREYWIND_AUDIT_PEPPER": "a" * 32}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No outside services, and a data folder in which nothing was started."""
    for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "CELERY_BROKER_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GREYWIND_DATA", str(tmp_path))
    return monkeypatch


def test_defaults_need_no_data_folder(environment: pytest.MonkeyPatch) -> None:
    assert load_config().embedded


def test_a_mistyped_name_is_refused_with_the_nearest() -> None:
    assert unknown_variables({"GREYWIND_POOL_MAKS": "4"}) == [
        "GREYWIND_POOL_MAKS is unknown; did you mean GREYWIND_POOL_MAX?"
    ]


def test_variables_of_others_are_none_of_our_business() -> None:
    assert unknown_variables({"POSTGRES_POOL": "4", "GREYWIND_RESOLVER__ANY": "1"}) == []


def test_what_an_agents_side_reads_is_no_mistake() -> None:
    sources = (CHECKOUT / "greywind_site" / "client").rglob("*.py")
    named = {name for source in sources for name in re.findall(r"GREYWIND_[A-Z_]+", source.read_text("utf-8"))}
    assert {"GREYWIND_URL", "GREYWIND_KEY"} <= named
    assert unknown_variables(dict.fromkeys(named, "x")) == []


def test_what_tests_take_their_size_from_is_no_mistyped_name() -> None:
    texts = (path.read_text(encoding="utf-8") for path in (CHECKOUT / "tests").rglob("test_*.py"))
    sizes = {name for text in texts for name in re.findall(r'environ\.get\("(GREYWIND_\w+)"', text)}
    assert "GREYWIND_WRITERS" in sizes
    assert unknown_variables(dict.fromkeys(sizes, "1")) == []


def test_an_mcp_address_that_cannot_be_read_is_a_fault(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("GREYWIND_MCP_URL", "127.0.0.1:8101")
    with pytest.raises(ConfigError, match=r"GREYWIND_MCP_URL: .*http://host:port"):
        load_config()


def test_without_an_mcp_address_it_is_a_socket_of_the_data_folder(environment: pytest.MonkeyPatch) -> None:
    assert load_config().mcp_address().socket == load_config().instance.mcp_socket


def test_every_fault_is_listed_at_once(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("GREYWIND_POOL_MAX", "many")
    environment.setenv("GREYWIND_LOG_LEVEL", "LOUD")
    with pytest.raises(
        ConfigError, match=r"(?s)2 faults.*GREYWIND_LOG_LEVEL.*GREYWIND_POOL_MAX|2 faults.*POOL_MAX.*LEVEL"
    ):
        load_config()


def test_a_bad_secret_is_not_quoted(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("GREYWIND_KEY_PEPPER", "hunter2")
    with pytest.raises(ConfigError) as caught:
        load_config()
    assert "GREYWIND_KEY_PEPPER" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_an_outside_database_brings_its_own_secrets(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("DATABASE_URL", "postgresql://gw_app:x@db.example/greywind")
    with pytest.raises(ConfigError, match="GREYWIND_KEY_PEPPER"):
        load_config()


def test_an_outside_database_is_used_as_told(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("DATABASE_URL", "postgresql://gw_app:x@db.example:6432/greywind?sslmode=require")
    for name, value in PEPPERS.items():
        environment.setenv(name, value)
    wanted = {"user": "gw_app", "password": "x", "host": "db.example", "port": "6432", "dbname": "greywind"}
    assert load_config().app_database() == wanted | {"sslmode": "require"}
    assert load_config().owner_database() is None


def test_an_owner_address_alone_is_a_mistake(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("DATABASE_OWNER_URL", "postgresql://gw_owner:x@db.example/greywind")
    with pytest.raises(ConfigError, match="without DATABASE_URL"):
        load_config()


def test_secrets_come_from_the_data_folder(environment: pytest.MonkeyPatch, reachable: Path) -> None:
    stored = Instance(reachable).prepare()
    environment.setenv("GREYWIND_DATA", str(reachable))
    assert load_config().key_pepper.get_secret_value() == stored.key_pepper


def test_the_environment_wins_over_the_data_folder(environment: pytest.MonkeyPatch, reachable: Path) -> None:
    Instance(reachable).prepare()
    environment.setenv("GREYWIND_DATA", str(reachable))
    environment.setenv("GREYWIND_KEY_PEPPER", PEPPERS["GREYWIND_KEY_PEPPER"])
    assert load_config().key_pepper.get_secret_value() == PEPPERS["GREYWIND_KEY_PEPPER"]


@pytest.mark.parametrize("name", sorted(Config.model_fields))
def test_every_setting_says_what_it_is_for(name: str) -> None:
    assert Config.model_fields[name].description


def test_the_default_folder_lies_in_the_checkout() -> None:
    assert data_folder({}) == CHECKOUT / ".greywind"


def test_a_fault_ends_a_command_with_a_sentence(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("GREYWIND_POOL_MAX", "many")
    command = [sys.executable, "manage.py", "makemigrations", "--check"]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "GREYWIND_POOL_MAX" in done.stderr
