"""The command of people against a live server: login, init with its proof, context, memory, queue, doctor."""

import json
import stat

import pytest

from tests.cast import Cast
from tests.client.harness import Harness, recorded
from tests.client.stored import transcript_of

pytestmark = pytest.mark.slow


@pytest.fixture
def newcomer(harness: Harness) -> Harness:
    """Somebody with an address and a key in hand, and an empty home."""
    harness.url, harness.key = harness.environment.pop("GREYWIND_URL"), harness.environment.pop("GREYWIND_KEY")
    return harness


def log_in(newcomer: Harness) -> None:
    assert newcomer.greywind("login", "--url", newcomer.url, stdin=newcomer.key + "\n").code == 0


def test_a_login_is_proved_and_private(newcomer: Harness) -> None:
    log_in(newcomer)
    path = newcomer.home / ".config/greywind/config.json"
    assert json.loads(path.read_text())["default"]["key"] == newcomer.key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_that_does_not_serve_is_not_stored(newcomer: Harness) -> None:
    said = newcomer.greywind("login", "--url", newcomer.url, stdin="gw_abcdefgh_wrong\n")
    assert (said.code, said.stdout) == (3, "")
    assert not (newcomer.home / ".config").exists()


def test_init_proves_itself_and_what_it_wrote_works(newcomer: Harness, cast: Cast) -> None:
    log_in(newcomer)
    said = newcomer.greywind("init", "claude-code", "--yes")
    assert said.code == 0
    assert "read it back" in said.stderr
    settings = newcomer.folder / ".claude/settings.json"
    start, prompt = (recorded()[n]["calls"][0] for n in (0, 1))
    assert "灰风" in newcomer.configured(settings, start["hook"], start["input"]).context
    assert newcomer.configured(settings, prompt["hook"], prompt["input"]).code == 0
    assert cast.dev.client().get("/threads").json()["results"][0]["title"] == "登录 页"


def test_the_check_leaves_only_an_archived_thread(harness: Harness, cast: Cast) -> None:
    assert harness.greywind("doctor").code == 0
    assert cast.dev.client().get("/threads").json()["results"] == []


def test_a_context_is_printed_and_nothing_is_kept(harness: Harness, cast: Cast) -> None:
    harness.hook("user-prompt-submit", prompt="把登录页改成深色主题")
    said = harness.greywind("context", "接着做")
    assert "把登录页改成深色主题" in said.stdout
    assert "rule binding" in said.stderr
    assert len(transcript_of(cast)) == 1


def test_a_proposal_without_evidence_is_refused_in_words(harness: Harness) -> None:
    said = harness.greywind("memory", "propose", "Tests run before every commit")
    assert said.code == 1
    assert "evidence_missing: cite at least one ref" in said.stderr
    told = harness.greywind("memory", "propose", "Tests run before every commit", "--json")
    assert json.loads(told.stdout)["outcome"] == "rejected"


def test_a_search_finds_nothing_that_was_refused(harness: Harness) -> None:
    harness.greywind("memory", "propose", "Tests run before every commit")
    assert harness.greywind("memory", "search", "commit", "--json").code == 0


def test_the_queue_shows_what_waits(harness: Harness) -> None:
    harness.environment["GREYWIND_KEY"] = "gw_abcdefgh_wrong"
    harness.hook("user-prompt-submit", prompt="hello")
    [entry] = json.loads(harness.greywind("queue", "--json").stdout)
    assert (entry["session"], entry["waiting"], entry["aside"]) == ("8f0c", 1, 0)
    assert harness.greywind("queue", "deliver").code == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["nonsense"], 2),
        (["context"], 2),
        (["context", "x", "--thread", "thr_0"], 1),
        (["context", "x", "--role", "king"], 3),
    ],
)
def test_exit_codes_say_what_went_wrong(harness: Harness, words: list[str], code: int) -> None:
    said = harness.greywind(*words)
    assert (said.code, said.stdout) == (code, "")
    assert "Traceback" not in said.stderr


def test_the_tools_take_the_stored_key(newcomer: Harness) -> None:
    assert newcomer.greywind("mcp").code == 3
    log_in(newcomer)
    assert newcomer.greywind("mcp").code == 0
