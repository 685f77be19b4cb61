"""The one entrance, before there is an environment to enter."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from greywind_site.embedded.instance import CHECKOUT


@pytest.fixture
def manage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """manage.py of a checkout elsewhere."""
    spec = spec_from_file_location("entered", CHECKOUT / "manage.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HERE", str(tmp_path))
    monkeypatch.delenv("UV_PROJECT_ENVIRONMENT", raising=False)
    for name in ("pyproject.toml", ".python-version"):
        (tmp_path / name).touch()
    return module


def test_an_environment_that_is_a_link_is_never_synced(
    manage: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / ".venv").symlink_to(other)
    monkeypatch.setattr(manage, "find_uv", lambda: pytest.fail("uv was looked for"))
    with pytest.raises(SystemExit, match=r"\.venv is a link: .*another checkout.*Remove the link"):
        manage.enter()
    assert list(other.iterdir()) == []
