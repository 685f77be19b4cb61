"""The verifier that stands alone: what it reads, what it says, and that it needs nothing of GreyWind."""

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from governance import verify_ledger
from governance.anchors import anchor_line, public_key, signed
from governance.audit import export_chain
from governance.scope import project_scope, record
from governance.verify_ledger import Unanswerable, anchor_hash, entry_hash, examine, heads_of, read_anchors
from tests.stage import Stage

SOURCE = Path(verify_ledger.__file__)
SEED, OTHER_SEED = "5a" * 32, "a5" * 32
STRANGE = '改了：灰风 👩🏽‍💻\u2028next "quoted" \\ back\ttab\nline é e\u0301 \x7f'


@pytest.fixture(scope="module")
def lines(stage: Stage, django_db_blocker: Any) -> list[bytes]:
    """An export with strange text in it."""
    acting = stage.alpha.dev.acting
    with django_db_blocker.unblock():
        with project_scope(acting):
            record("test.strange", "t://strange", reason=STRANGE, detail={"字": "符"})
        with project_scope(acting, read_only=True):
            return [line.encode() for line in export_chain()]


def entries(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines[1:]]


def anchored(lines: Sequence[bytes], *seqs: int, seed: str = SEED) -> list[dict[str, Any]]:
    """Return a series of anchors of these entries."""
    project, found, previous = json.loads(lines[0])["project"], [], ""
    for seq in seqs:
        values = {"project": project, "seq": seq, "hash": entries(lines)[seq - 1]["hash"], "at": "2026-03-02T10:00:00Z"}
        found.append(signed(values | {"previous": previous}, seed=seed))
        previous = anchor_hash(found[-1])
    return found


def changed(line: bytes, **values: Any) -> bytes:
    return json.dumps(json.loads(line) | values).encode()


def test_it_is_short() -> None:
    assert len(SOURCE.read_text("utf-8").splitlines()) < 200


def test_it_imports_python_and_cryptography_alone() -> None:
    tree = ast.walk(ast.parse(SOURCE.read_text("utf-8")))
    named = [
        [a.name for a in node.names] if isinstance(node, ast.Import) else [str(node.module)]
        for node in tree
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    foreign = {name.partition(".")[0] for names in named for name in names} - sys.stdlib_module_names
    assert foreign == {"cryptography"}


def test_it_runs_on_every_python_that_starts_the_product() -> None:
    tree = ast.parse(SOURCE.read_text("utf-8"), feature_version=(3, 9))
    assert any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)


def test_its_bytes_are_those_of_the_database(lines: list[bytes]) -> None:
    assert STRANGE in [entry["reason"] for entry in entries(lines)]
    assert [entry["seq"] for entry in entries(lines) if entry_hash(entry) != entry["hash"]] == []


def test_an_export_without_anchors_is_unanchored(lines: list[bytes]) -> None:
    verdict = examine(lines, [])
    assert (verdict.state, verdict.entries, verdict.anchored) == ("unanchored", len(lines) - 1, 0)
    assert "intact" not in verdict.told


def test_what_is_anchored_is_intact_and_the_rest_is_not_said_to_be(lines: list[bytes]) -> None:
    verdict = examine(lines, anchored(lines, 5, 9))
    assert (verdict.state, verdict.anchored) == ("unanchored", 9)
    assert (
        verdict.told == f"intact up to entry 9, which is anchored; unanchored from entry 10 to {len(lines) - 1}: "
        "nothing vouches for those"
    )


def test_a_chain_that_is_anchored_to_its_end(lines: list[bytes]) -> None:
    assert examine(lines, anchored(lines, len(lines) - 1)).state == "anchored"


def test_an_empty_chain_is_not_intact(lines: list[bytes]) -> None:
    verdict = examine([changed(lines[0], head={"seq": 0, "hash": ""})], [])
    assert (verdict.state, verdict.entries) == ("unanchored", 0)


def with_line(place: int, make: Callable[[bytes], bytes]) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [make(line) if n == place else line for n, line in enumerate(lines)]


TAMPERED: dict[str, tuple[Callable[[list[bytes]], list[bytes]], tuple[str, int]]] = {
    "an entry taken out": (lambda lines: lines[:7] + lines[8:], ("gap", 7)),
    "two lines exchanged": (lambda lines: [*lines[:7], lines[8], lines[7], *lines[9:]], ("gap", 7)),
    "a line twice": (lambda lines: [*lines[:8], lines[7], *lines[8:]], ("order", 7)),
    "the tail cut off": (lambda lines: lines[:-2], ("head", -2)),
    "no JSON": (with_line(7, lambda _: b"{"), ("form", 7)),
    "another kind of JSON": (with_line(7, lambda _: b"[1]"), ("form", 7)),
    "nested without end": (with_line(7, lambda _: b"[" * 200_000), ("form", 7)),
    "an empty line": (with_line(7, lambda _: b"\n"), ("form", 7)),
    "bytes of no text": (with_line(7, lambda _: b"\xff\xfe"), ("form", 7)),
    "a number with a point": (with_line(7, lambda line: changed(line, seq=7.0)), ("form", 7)),
    "a truth for a number": (with_line(1, lambda line: changed(line, seq=True)), ("form", 1)),
    "a number that is too large": (with_line(7, lambda line: changed(line, at=2**63)), ("form", 7)),
    "a text that is none": (with_line(7, lambda line: changed(line, reason=None)), ("form", 7)),
    "half a character": (with_line(7, lambda line: changed(line, reason="\ud800")), ("hash", 7)),
    "a hash in capitals": (with_line(7, lambda line: changed(line, hash="AB" * 32)), ("form", 7)),
    "a hash that is none": (with_line(7, lambda line: changed(line, hash="zz")), ("form", 7)),
    "an entry before the first": (with_line(7, lambda line: changed(line, seq=-(2**63))), ("order", -(2**63))),
    "text moved between fields": (with_line(7, lambda line: changed(line, verb="", target="x")), ("hash", 7)),
    "another project's": (with_line(0, lambda line: changed(line, project="prj_" + "0" * 32)), ("link", 1)),
    "a head without a number": (with_line(0, lambda line: changed(line, head={"seq": "x"})), ("head", 1)),
    "a head that is another": (
        with_line(0, lambda line: changed(line, head=json.loads(line)["head"] | {"hash": "0" * 64})),
        ("head", -1),
    ),
}


@pytest.mark.parametrize("kind", TAMPERED)
def test_a_tampered_export_is_broken_where_it_was_touched(lines: list[bytes], kind: str) -> None:
    tamper, (fault, seq) = TAMPERED[kind]
    named = seq if seq > 0 or seq < -9 else len(lines) + seq
    assert examine(tamper(lines), []).fault == (fault, named)


@pytest.mark.parametrize("first", [b"", b"{}", b"7", b'{"format": "greywind-ledger/2"}'])
def test_what_is_no_export_is_not_judged(first: bytes) -> None:
    with pytest.raises(Unanswerable):
        examine([first], [])


def test_an_entry_that_was_anchored_otherwise_is_found(lines: list[bytes]) -> None:
    other = anchored(lines, 5)[0] | {"hash": "0" * 64, "seq": 9}
    assert examine(lines, [*anchored(lines, 5), other]).fault == ("anchor", 9)
    assert "one of 6 to 9" in examine(lines, [*anchored(lines, 5), other]).told


def test_two_anchors_that_contradict_each_other_match_nothing(lines: list[bytes]) -> None:
    right = anchored(lines, 5)[0]
    for both in ([right, right | {"hash": "0" * 64}], [right | {"hash": "0" * 64}, right]):
        assert examine(lines, both).fault == ("anchor", 5)


def test_anchors_of_another_project_say_nothing(lines: list[bytes]) -> None:
    other = anchored(lines, 5)[0] | {"project": "prj_" + "0" * 32}
    assert heads_of([other], json.loads(lines[0])["project"]) == {}


BAD_ANCHORS: dict[str, Callable[[list[dict[str, Any]]], list[Any]]] = {
    "changed": lambda anchors: [anchors[0] | {"seq": 6}, *anchors[1:]],
    "taken out of the middle": lambda anchors: [anchors[0], anchors[2]],
    "taken out of the beginning": lambda anchors: anchors[1:],
    "exchanged": lambda anchors: [anchors[1], anchors[0], anchors[2]],
    "no object": lambda _: [[]],
    "without a number": lambda anchors: [anchors[0] | {"seq": "5"}],
    "of entry 0": lambda anchors: [anchors[0] | {"seq": 0}],
    "without a signature": lambda anchors: [{k: v for k, v in anchors[0].items() if k != "signature"}],
    "half a character": lambda anchors: [anchors[0] | {"at": "\ud800"}],
}


@pytest.mark.parametrize("kind", BAD_ANCHORS)
def test_anchors_that_were_touched_are_refused(lines: list[bytes], kind: str) -> None:
    anchors = BAD_ANCHORS[kind](anchored(lines, 5, 9, 12))
    with pytest.raises(Unanswerable, match="anchors, line "):
        read_anchors([json.dumps(anchor).encode() for anchor in anchors], public_key(SEED))


def test_anchors_of_another_key_are_refused(lines: list[bytes]) -> None:
    kept = [anchor_line(anchor).encode() for anchor in anchored(lines, 5, seed=OTHER_SEED)]
    with pytest.raises(Unanswerable, match="not signed by this key"):
        read_anchors(kept, public_key(SEED))


@pytest.mark.parametrize("key", ["", "zz", "00"])
def test_a_key_that_is_none_checks_nothing(lines: list[bytes], key: str) -> None:
    kept = [anchor_line(anchor).encode() for anchor in anchored(lines, 5)]
    with pytest.raises(Unanswerable, match="public key"):
        read_anchors(kept, key)


@pytest.fixture
def alone(tmp_path: Path, lines: list[bytes]) -> Callable[..., tuple[int, str, str]]:
    """Runs a copy of the script in a folder of its own, by an interpreter that knows no project."""
    shutil.copy(SOURCE, tmp_path / "verify_ledger.py")
    (tmp_path / "ledger.jsonl").write_bytes(b"".join(lines))
    kept = "".join(anchor_line(anchor) + "\n" for anchor in anchored(lines, 5, 9))
    (tmp_path / "anchors.jsonl").write_text(kept, "utf-8")

    def run(*words: str, flags: Sequence[str] = ("-I",)) -> tuple[int, str, str]:
        command = [sys.executable, *flags, "verify_ledger.py", "ledger.jsonl", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


def test_the_script_checks_an_export_and_its_anchors(alone: Any) -> None:
    code, out, err = alone("--anchors", "anchors.jsonl", "--public-key", public_key(SEED))
    assert (code, err) == (0, "")
    assert out.startswith("intact up to entry 9, which is anchored; unanchored from entry 10 to ")


def test_the_script_needs_no_package_to_check_a_chain(alone: Any) -> None:
    code, out, _ = alone("--anchors", "anchors.jsonl", flags=("-I", "-S"))
    assert (code, "who signed the anchors was not checked" in out) == (0, True)


def test_the_script_says_when_it_cannot_check_signatures(alone: Any) -> None:
    code, out, err = alone("--anchors", "anchors.jsonl", "--public-key", public_key(SEED), flags=("-I", "-S"))
    assert (code, out, "cryptography" in err) == (2, "", True)


def test_the_script_fails_a_broken_export(alone: Any, tmp_path: Path, lines: list[bytes]) -> None:
    (tmp_path / "ledger.jsonl").write_bytes(b"".join(lines[:7] + lines[8:]))
    code, out, _ = alone()
    assert (code, out) == (1, "broken: entry 7 is not there, later ones are\n")


@pytest.mark.parametrize("missing", ["ledger.jsonl", "anchors.jsonl"])
def test_the_script_cannot_judge_what_is_not_there(alone: Any, tmp_path: Path, missing: str) -> None:
    (tmp_path / missing).unlink()
    code, out, err = alone("--anchors", "anchors.jsonl")
    assert (code, out, missing in err) == (2, "", True)
