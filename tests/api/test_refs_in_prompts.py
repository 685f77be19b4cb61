"""Whatever a prompt shortens says where the whole is, and that opens for whoever was given the prompt."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from django.utils import timezone

from governance.contracts import install
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from sessions.models import Handoff, Session, WorkSummary
from tests.api.asking import append, ask, event, make_thread, ok, open_session, refused, tokens
from tests.cast import PERSONA, Cast, make_cast

NAMED = re.compile(r"(?:whole is|\d+ more) at (\S+?)(?:\]| …\])")
RULES = [f"Rule {n}: say what is unknown, and where it was looked for before." for n in range(120)]
LONG = "The planner must handle every tide of the year, and say which one it means. " * 60
LINES = [f"Point {n}: the tables of harbour {n} are checked against the gauge." for n in range(60)]
BUDGETS = (1_600, 2_400, 4_000, 9_000, 30_000)


@dataclass(frozen=True)
class Desk:
    """A session of which everything is over its cap, and the prompts that were compiled for it."""

    cast: Cast
    session: str
    thread: str
    answers: list[dict[str, Any]]

    @property
    def named(self) -> set[str]:
        """The refs at which the prompts say that something goes on."""
        found = {ref for answer in self.answers for ref in NAMED.findall(answer["prompt"]["text"])}
        return found - {"the"}  # "the ref above" stands in the header


@pytest.fixture
def desk(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Desk:
    wordy = {"behavior_rules": RULES, "relationship_to_user": LONG, "stable_preferences": RULES, "speaking_style": LONG}
    monkeypatch.setattr("tests.cast.PERSONA", PERSONA | wordy)
    cast = make_cast("wordy")
    with project_scope(cast.owner.acting):
        body = {"self_id": "me", "preference_model": {"communication": {"tone": LONG, "length": LONG}}}
        now, owner = timezone.now(), cast.owner.actor
        install(ContractKind.SELF_PROFILE, "owner", body, by=owner, reason="cast", now=now, subject=owner)
    api = cast.dev.client()
    thread = make_thread(api, "tides of the year", summary=LONG, tags=[f"harbour number {n}" * 3 for n in range(20)])
    wanted = {"done_when": LINES, "user_priorities": LINES, "quality_bar": LONG, "non_goals": ["no charts"]}
    ok(api.call("PUT", f"/threads/{thread}/vision", {"origin_goal": LONG, **wanted}, If_Match="*"))
    before = ok(api.post("/tasks", {"thread_id": thread, "title": "the gauge"}))["id"]
    own = {"title": "tables", "next_steps": LINES, "depends_on": [before]}
    task = ok(api.post("/tasks", {"thread_id": thread, **own}))["id"]
    for n in range(40):
        ok(api.post("/tasks", {"thread_id": thread, "title": f"publish the tables of harbour number {n}"}))
    session = open_session(api, thread, task_id=task)
    said = [event(f"{n} {LONG}", f"c{n}", role="user" if n % 2 else "assistant") for n in range(8)]
    append(api, session, *said, event(LONG * 40, "t", role="tool", kind="tool_result", tool="grep"))
    _stand(cast, session)
    return Desk(cast, session, thread, [_compiled(cast, session, phase, most) for phase, most in _asked()])


def _asked() -> list[tuple[str, int]]:
    return [(phase, most) for phase in ("plan", "execute", "accept") for most in BUDGETS]


def _compiled(cast: Cast, session: str, phase: str, most: int) -> dict[str, Any]:
    body = ask("go on with the tables", session_id=session, phase=phase, budget={"max_input_tokens": most})
    body["user_input"]["attached_context"] = LONG * 20
    return ok(cast.dev.client().post("/context", body))


def _stand(cast: Cast, session: str) -> None:
    """Let the session have a work summary, a handoff, interruptions and a resume point that are all too long."""
    with project_scope(cast.dev.acting):
        row = Session.objects.get(pk=session.removeprefix("ses_"))
        notes = [{"kind": "process_exit", "reason": line, "at": "2026-03-02T09:00:00Z"} for line in LINES]
        Session.objects.filter(pk=row.pk).update(resume_point=LONG, interruptions=notes)
        home = {"project_id": row.project_id, "created_at": timezone.now(), "author_id": cast.dev.actor.pk}
        names = ("goals", "decisions", "conclusions", "open_questions", "verification", "next_steps", "blockers")
        sections = {name: [f"{line} [1]" for line in LINES] for name in names} | {"constraints": ["never round [1]"]}
        WorkSummary.objects.create(
            session=row, version=1, from_seq=1, to_seq=2, trigger="asked", sections=sections, tokens_o200k=9, **home
        )
        told = {"summary": LONG, "unfinished_items": LINES, "risks": LINES, "resume_suggestion": LONG} | {
            "next_actor": "dev"
        }
        Handoff.objects.create(thread_id=row.thread_id, from_session=row, **told, **home)


def opened(desk: Desk, ref: str, query: str = "") -> Any:
    return desk.cast.dev.client().get(f"/evidence?ref={quote(ref, safe='')}{query}")


def test_every_ref_that_a_prompt_names_opens(desk: Desk) -> None:
    failed = {ref: answer.json() for ref in desk.named if (answer := opened(desk, ref)).status_code != 200}
    assert failed == {}
    schemes = {ref.partition("://")[0] for ref in desk.named}
    expected = "vision thread task session summary handoff revision event artifact"
    assert schemes >= set(expected.split())


def test_every_item_has_a_ref_that_opens(desk: Desk) -> None:
    layers = [layer for answer in desk.answers for layer in answer["budget"]["layers"]]
    refs = {item["ref"] for layer in layers for kind in ("items", "dropped") for item in layer[kind]}
    there = {ref for ref in refs if not ref.startswith(("greywind://", "request://"))}
    assert {ref for ref in there if opened(desk, ref).status_code != 200} == set()


def test_what_opens_is_what_was_shortened(desk: Desk) -> None:
    thread = desk.thread
    rules = next(ref for ref in desk.named if ref.endswith("#behavior_rules"))
    assert ok(opened(desk, rules, "&unit=lines&offset=119"))["text"] == f"- {RULES[-1]}"
    done = ok(opened(desk, f"vision://{thread}@1#done_when", "&limit=4000"))
    assert (done["text"], done["total"]) == ("\n".join(f"- {line}" for line in LINES), tokens(done["text"]))
    assert ok(opened(desk, f"vision://{thread}@1#quality_bar", "&limit=4000"))["text"] == LONG
    assert "harbour number 39 (planned)" in ok(opened(desk, f"thread://{thread}#ready_tasks", "&limit=4000"))["text"]
    assert ok(opened(desk, f"vision://{thread}", "&limit=4"))["read_budget"]["read"] > 0


def test_what_the_request_brought_is_said_to_be_cut_and_how_long_it_is(desk: Desk) -> None:
    whole = tokens(LONG * 20)
    texts = [answer["prompt"]["text"] for answer in desk.answers]
    told = [text for text in texts if "whoever sent the request holds the whole" in text]
    assert told
    assert all(re.search(rf"\[… {whole - 1}|{whole}|{whole + 1} tokens in all; whoever", text) for text in told)
    assert not any("request://" in text for text in texts)


def test_what_is_not_there_looks_like_what_is_another_s(desk: Desk) -> None:
    others = make_cast("beta").dev.client()
    nowhere = "thr_" + "0" * 32
    for ref in (f"vision://{desk.thread}@1", f"thread://{desk.thread}", f"session://{desk.session}#resume_point"):
        refused(others.get(f"/evidence?ref={quote(ref, safe='')}"), 404, "not_found")
    for ref in (f"vision://{nowhere}", f"vision://{desk.thread}@9", f"thread://{desk.thread}@9", "task://x"):
        refused(opened(desk, ref), 404, "not_found")
    refused(opened(desk, f"vision://{desk.thread}#nonsense"), 404, "not_found")


def test_what_is_private_opens_for_its_owner_alone(desk: Desk) -> None:
    personal, tester = desk.cast.personal.client(), desk.cast.tester.client()
    thread = make_thread(personal, "my own tides", private=True)
    ok(personal.call("PUT", f"/threads/{thread}/vision", {"origin_goal": "mine"}, If_Match="*"))
    for ref in (f"vision://{thread}#origin_goal", f"thread://{thread}@1#title"):
        path = f"/evidence?ref={quote(ref, safe='')}"
        assert ok(personal.get(path))["text"] in ("mine", "my own tides")
        refused(tester.get(path), 404, "not_found")
