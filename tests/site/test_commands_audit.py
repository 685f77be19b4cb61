"""`verify_audit`, `audit_anchor` and `audit_export`, called as an operator calls them."""

import json
import stat
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, connections
from pydantic import SecretStr

from governance.anchors import public_key
from governance.scope import project_scope, record
from governance.verify_ledger import Unanswerable, examine, main, read_anchors
from greywind_site.operating.command import Refused
from greywind_site.operating.erasing import erase_project
from greywind_site.tasks import anchor_ledgers
from tests.cast import Cast, make_cast

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
OTHER = "a5" * 32


@pytest.fixture
def cast() -> Cast:
    return make_cast("alpha")


@pytest.fixture
def beside(cast: Cast) -> Cast:
    """A second project."""
    return make_cast("beta")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of anchors that is not there yet."""
    return tmp_path / "anchors.jsonl"


def run(*words: object) -> tuple[int, str]:
    """Return the exit code of a command and what it wrote."""
    out, code = StringIO(), 0
    try:
        call_command(*map(str, words), stdout=out)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, out.getvalue()


def told(*words: object) -> dict[str, Any]:
    """Return the one line of JSON that a command writes, whether it is good news or not."""
    (line,) = run(*words, "--json")[1].splitlines()
    facts: dict[str, Any] = json.loads(line)
    return facts


def refusal(*words: object) -> Refused:
    with pytest.raises(Refused) as caught:
        call_command(*map(str, words), stdout=StringIO())
    return caught.value


def work_on(cast: Cast) -> None:
    """Add an entry."""
    with project_scope(cast.dev.acting):
        record("test.work", "t://more")


def tamper(statement: str) -> None:
    """Run a statement as the owner of the tables, with every trigger asleep."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(statement)
        cursor.execute("SET session_replication_role = origin")


def test_a_fresh_instance_is_unanchored(cast: Cast) -> None:
    code, out = run("verify_audit")
    assert (code, "unanchored from entry 1" in out, "intact" in out) == (0, True, False)


def test_every_project_is_checked(cast: Cast, beside: Cast) -> None:
    checked = {row["project"] for row in told("verify_audit")["projects"]}
    assert checked == {cast.project.public_id, beside.project.public_id}


def test_one_project_is_checked_when_it_is_named(cast: Cast, beside: Cast) -> None:
    rows = told("verify_audit", "--project", cast.project.public_id)["projects"]
    assert [row["project"] for row in rows] == [cast.project.public_id]


def test_a_broken_chain_fails_and_is_named(cast: Cast, beside: Cast) -> None:
    tamper(f"UPDATE governance_auditevent SET reason = 'x' WHERE seq = 2 AND project_id = '{cast.project.pk}'")
    code, out = run("verify_audit")
    broken = f"{cast.project.public_id}  broken: entry 2 was changed, it does not hash to what it says"
    assert (code, broken in out.splitlines()) == (1, True)


def test_a_broken_chain_in_json(cast: Cast) -> None:
    tamper("DELETE FROM governance_auditevent WHERE seq = 3")
    facts = told("verify_audit")
    [row] = facts["projects"]
    assert (facts["ok"], row["state"], row["fault"], row["first_bad"]) == (False, "broken", "gap", 3)


def test_what_was_anchored_is_intact_up_to_there(cast: Cast, file: Path) -> None:
    run("audit_anchor", "--out", file)
    work_on(cast)
    [row] = told("verify_audit", "--anchors", file)["projects"]
    assert (row["state"], row["anchored"]) == ("unanchored", row["entries"] - 1)


def test_an_anchored_chain_that_was_written_anew_is_found(cast: Cast, file: Path) -> None:
    run("audit_anchor", "--out", file)
    tamper("DELETE FROM governance_auditevent WHERE seq > 4")
    tamper(
        "UPDATE governance_audithead h SET seq = e.seq, prev = e.prev, hash = e.hash"
        " FROM governance_auditevent e WHERE e.project_id = h.project_id AND e.seq = 4"
    )
    code, out = run("verify_audit", "--anchors", file)
    assert (code, "entry 5 is not there, and was anchored" in out) == (1, True)


def test_an_anchored_project_that_is_gone_is_found(cast: Cast, beside: Cast, file: Path) -> None:
    run("audit_anchor", "--out", file)
    erase_project(beside.project.pk)
    facts = told("verify_audit", "--anchors", file)
    assert [row["project"] for row in facts["projects"] if row["fault"] == "missing"] == [beside.project.public_id]


def test_a_broken_chain_is_not_anchored_and_the_others_are(cast: Cast, beside: Cast, file: Path) -> None:
    tamper(f"DELETE FROM governance_auditevent WHERE seq = 2 AND project_id = '{cast.project.pk}'")
    code, out = run("audit_anchor", "--out", file)
    anchors = read_anchors(file.read_bytes().splitlines(), None)
    assert (code, "not anchored: broken: entry 2" in out) == (1, True)
    assert [anchor["project"] for anchor in anchors] == [beside.project.public_id]


def test_an_older_snapshot_is_not_anchored_over(cast: Cast, file: Path) -> None:
    run("audit_anchor", "--out", file)
    before = file.read_bytes()
    tamper("DELETE FROM governance_auditevent WHERE seq > 4")
    tamper(
        "UPDATE governance_audithead h SET seq = e.seq, prev = e.prev, hash = e.hash"
        " FROM governance_auditevent e WHERE e.project_id = h.project_id AND e.seq = 4"
    )
    assert (run("audit_anchor", "--out", file)[0], file.read_bytes()) == (1, before)


def test_anchors_follow_each_other(cast: Cast, file: Path) -> None:
    run("audit_anchor", "--out", file)
    work_on(cast)
    run("audit_anchor", "--out", file)
    first, second = read_anchors(file.read_bytes().splitlines(), told("audit_anchor", "--public-key")["public_key"])
    assert (first["previous"], second["previous"] != "", second["seq"]) == ("", True, first["seq"] + 1)


def test_nothing_new_is_not_anchored_again(cast: Cast, file: Path) -> None:
    run("audit_anchor", "--out", file)
    before = file.read_bytes()
    code, out = run("audit_anchor", "--out", file)
    assert (code, "nothing new since entry" in out, file.read_bytes()) == (0, True, before)


def test_without_a_file_the_anchors_are_printed(cast: Cast) -> None:
    _, out = run("audit_anchor")
    key = run("audit_anchor", "--public-key")[1].strip()
    assert [anchor["project"] for anchor in read_anchors(out.encode().splitlines(), key)] == [cast.project.public_id]


def test_the_key_stays_and_is_kept_closed(cast: Cast) -> None:
    first, second = (run("audit_anchor", "--public-key")[1] for _ in range(2))
    secrets = settings.GREYWIND.instance.secrets_file
    assert (first, stat.S_IMODE(secrets.stat().st_mode)) == (second, 0o600)


def test_a_configured_key_comes_first(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.GREYWIND, "anchor_key", SecretStr(OTHER))
    assert run("audit_anchor", "--public-key")[1].strip() == public_key(OTHER)


def test_without_any_key_the_command_says_what_to_set(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.GREYWIND, "database_url", SecretStr("postgresql://elsewhere/x"))
    assert "GREYWIND_ANCHOR_KEY" in str(refusal("audit_anchor"))


def test_a_file_with_a_foreign_anchor_is_neither_trusted_nor_extended(
    cast: Cast, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("audit_anchor", "--out", file)
    monkeypatch.setattr(settings.GREYWIND, "anchor_key", SecretStr(OTHER))
    for words in (("audit_anchor", "--out", file), ("verify_audit", "--anchors", file)):
        assert "line 1: it is not signed by this key" in str(refusal(*words))


def test_anchors_of_another_deployment_are_read_with_its_key(cast: Cast, file: Path) -> None:
    run("audit_anchor", "--out", file)
    key = run("audit_anchor", "--public-key")[1].strip()
    assert "not signed by this key" in str(
        refusal("verify_audit", "--anchors", file, "--public-key", public_key(OTHER))
    )
    assert run("verify_audit", "--anchors", file, "--public-key", key)[0] == 0


def test_anchors_that_are_not_there_are_no_good_news(cast: Cast, file: Path) -> None:
    assert file.name in str(refusal("verify_audit", "--anchors", file))


@pytest.fixture
def exported(cast: Cast, tmp_path: Path) -> Path:
    """An export of the project's ledger."""
    target = tmp_path / "ledger.jsonl"
    run("audit_export", "--out", target)
    return target


def test_an_export_is_what_the_verifier_reads(cast: Cast, exported: Path, file: Path) -> None:
    run("audit_anchor", "--out", file)
    key = run("audit_anchor", "--public-key")[1].strip()
    assert main([str(exported), "--anchors", str(file), "--public-key", key]) == 0


def test_an_export_holds_every_entry_and_is_its_owners_alone(cast: Cast, exported: Path) -> None:
    [row] = told("verify_audit")["projects"]
    with exported.open("rb") as lines:
        assert examine(lines, []).entries == row["entries"]
    assert stat.S_IMODE(exported.stat().st_mode) == 0o600


def test_a_broken_chain_is_exported_as_it_is(cast: Cast, tmp_path: Path) -> None:
    tamper("UPDATE governance_auditevent SET at = 'infinity' WHERE seq = 2")
    run("audit_export", "--out", tmp_path / "ledger.jsonl")
    assert examine((tmp_path / "ledger.jsonl").read_bytes().splitlines(), []).fault == ("form", 2)


def test_a_place_that_cannot_be_written_is_refused(cast: Cast, tmp_path: Path) -> None:
    assert "No such file" in str(refusal("audit_export", "--out", tmp_path / "nowhere" / "ledger.jsonl"))


def test_an_unknown_project_is_refused(cast: Cast, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such project"):
        call_command("audit_export", "--project", "prj_" + "0" * 32, "--out", str(tmp_path / "x"), stdout=StringIO())


@pytest.fixture
def daily(file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """The daily task, with a file to write to."""
    monkeypatch.setattr(settings.GREYWIND, "anchor_file", file)
    yield anchor_ledgers
    connection.close()


def test_the_daily_task_anchors_what_is_new(cast: Cast, daily: Callable[[], int]) -> None:
    assert (daily(), daily()) == (1, 0)


def test_the_daily_task_fails_aloud_on_a_broken_chain(cast: Cast, daily: Callable[[], int]) -> None:
    tamper("DELETE FROM governance_auditevent WHERE seq = 2")
    with pytest.raises(Unanswerable, match=cast.project.public_id):
        daily()


def test_without_a_file_the_daily_task_does_nothing(cast: Cast) -> None:
    assert anchor_ledgers() == 0
