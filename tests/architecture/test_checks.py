"""Each check of `manage.py lint` is a test of its own."""

import tomllib

import pytest

from greywind_site.embedded.instance import CHECKOUT
from greywind_site.quality import Check, checks, run_check


@pytest.mark.slow
@pytest.mark.parametrize("check", checks(), ids=lambda check: check.name)
def test_the_code_passes(check: Check) -> None:
    verdict = run_check(check)
    assert verdict.passed, verdict.output


def test_a_failing_check_reports_what_it_said() -> None:
    verdict = run_check(Check("failing", ["sh", "-c", "echo why; exit 3"]))
    assert (verdict.passed, verdict.output) == (False, "why")


PURE = ("sessions/context", "memories/gates", "governance/policies")


@pytest.mark.parametrize("module", PURE)
def test_a_pure_module_is_under_contract_once_it_exists(module: str) -> None:
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    covered = {source for contract in contracts for source in contract.get("source_modules", [])}
    exists = (CHECKOUT / module).is_dir() or (CHECKOUT / f"{module}.py").exists()
    assert not exists or module.replace("/", ".") in covered


@pytest.mark.parametrize("app", ["governance", "threads", "memories", "sessions"])
def test_every_vocabulary_is_under_contract(app: str) -> None:
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    assert f"{app}.vocabulary" in contracts[1]["source_modules"]
