"""The playground: what would be compiled, with other texts and figures, and nothing of it stored."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from governance.models import AuditEvent, User
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from sessions.playground_forms import Offered, PlaygroundForm
from tests.api.asking import compiled, grown, make_thread, open_session, row_counts
from tests.api.test_context_again import QUESTION, learnt, private_of
from tests.cast import Cast, make_cast
from tests.site.console_cast import join, make_account, page_of, signed_in

ASKED = {"raw_text": QUESTION, "role": "dev", "dialect": "openai.chat"}
ROLE = "slug: dev\nduties:\n- Try the other duty out.\n"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def maintainer(cast: Cast) -> User:
    return join(make_account(), cast, MembershipLevel.MAINTAINER)


@pytest.fixture
def client(maintainer: User) -> Client:
    return signed_in(maintainer)


def address(cast: Cast) -> str:
    return f"{page_of(cast)}playground/"


def tried(client: Client, cast: Cast, status: int = 200, *, load: str = "", **more: Any) -> Any:
    """The answer to the form, with its context; `load` is what one of its buttons brings into it."""
    answer = client.post(f"{address(cast)}?load={load}" if load else address(cast), ASKED | more)
    assert answer.status_code == status, answer.content.decode()
    return answer


def test_a_dry_run_stores_nothing_but_that_it_was_made(cast: Cast, client: Client) -> None:
    learnt(cast)
    client.get(address(cast))
    before = row_counts()
    tried(client, cast)
    assert grown(before) == {"governance_auditevent": 1}
    with project_scope(cast.owner.acting):
        assert AuditEvent.objects.latest("seq").verb == "context.dry_run"


def test_it_finds_what_a_packet_would_hold(cast: Cast, client: Client) -> None:
    learnt(cast)
    [run] = tried(client, cast).context["found"].runs
    assert (run.refused, run.budget.adds_up) == (False, True)
    assert any(line.taken for line in run.budget.layers if line.layer == "memories")


def test_it_looks_at_a_session_that_somebody_works_in(cast: Cast, client: Client) -> None:
    thread = make_thread(cast.dev)
    packet = compiled(cast.dev, QUESTION, session_id=open_session(cast.dev, thread))
    found = tried(client, cast, thread=thread).context["found"]
    assert [side.packet for side in found.beside.sides] == [packet["packet_id"], ""]
    assert [one for one in found.beside.changes if one.layer == "role"] == []


def test_another_text_of_the_role_is_in_the_packet(cast: Cast, client: Client) -> None:
    thread = make_thread(cast.dev)
    compiled(cast.dev, QUESTION, session_id=open_session(cast.dev, thread))
    answer = tried(client, cast, thread=thread, text_of="role", body=ROLE)
    assert "Try the other duty out." in answer.content.decode()
    assert [(one.kind, one.slug) for one in answer.context["changes"]] == [("role", "dev")]


def test_a_what_if_begins_a_proposal(cast: Cast, client: Client) -> None:
    [asked] = tried(client, cast, text_of="role", body=ROLE).context["changes"]
    before = row_counts()
    to = reverse("new_proposal", args=[cast.project.public_id, asked.kind, asked.slug])
    page = client.post(to, {"begin": asked.body})
    assert (page.status_code, "Try the other duty out." in page.content.decode(), grown(before)) == (200, True, {})


def test_the_text_that_holds_comes_into_the_form(cast: Cast, client: Client) -> None:
    page = tried(client, cast, text_of="role", load="text").content.decode()
    assert "do the work of dev" in page


def test_other_caps_hold_in_every_phase(cast: Cast, client: Client) -> None:
    found = tried(client, cast, phase="all", cap_dialogue="1.5").context["found"]
    caps = [line.cap for run in found.runs for line in run.budget.layers if line.layer == "dialogue"]
    assert caps == [run.budget.input_cap * 150 // 10_000 for run in found.runs]


def test_caps_that_were_tried_become_a_proposal_that_says_the_same(cast: Cast, client: Client) -> None:
    [asked] = tried(client, cast, cap_dialogue="1.5").context["changes"]
    assert (asked.kind, "cap: 0.015" in asked.body) == ("budget_profile", True)


def test_such_a_proposal_begins_with_the_profile_that_was_tried(cast: Cast, client: Client) -> None:
    [asked] = tried(client, cast, profile="gpt-5@codex", cap_dialogue="1.5").context["changes"]
    assert (asked.slug, "name: gpt-5@codex" in asked.body) == ("gpt-5@codex", True)


def test_three_phases_stand_beside_each_other(cast: Cast, client: Client) -> None:
    found = tried(client, cast, phase="all").context["found"]
    assert [side.phase for side in found.beside.sides] == ["plan", "execute", "accept"]
    assert all(len(pair.used) == 3 for pair in found.beside.layers)


def test_what_would_be_refused_says_what_falls_short(cast: Cast, client: Client) -> None:
    answer = tried(client, cast, max_input_tokens="40")
    [run] = answer.context["found"].runs
    assert run.refused
    assert run.shortfall[0].needed > run.shortfall[0].available


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"raw_text": ""}, "raw_text"),
        ({"role": "nobody"}, "role"),
        ({"thread": "thr_" + "0" * 32}, "thread"),
        ({"profile": "x@y"}, "profile"),
        ({"max_input_tokens": "-1"}, "max_input_tokens"),
        ({"cap_input": "101"}, "cap_input"),
        ({"text_of": "role", "body": "duties: 3"}, "body"),
        ({"text_of": "policy", "body": "- no"}, "body"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(wrong: dict[str, str], field: str) -> None:
    form = PlaygroundForm(ASKED | wrong, offered=Offered(threads=[], roles=["dev"], profiles=[]))
    assert list(form.errors) == [field]


def test_a_form_with_a_fault_is_shown_again(cast: Cast, client: Client) -> None:
    answer = tried(client, cast, 422, max_input_tokens="-1")
    assert QUESTION in answer.content.decode()


def test_a_private_memory_of_another_is_in_no_dry_run(cast: Cast, client: Client) -> None:
    private_of(cast, cast.dev, "The orchid key is under the mat.")
    page = tried(client, cast, raw_text="where is the orchid key").content.decode()
    assert "under the mat" not in page


def test_a_viewer_may_try_and_is_offered_no_proposal(cast: Cast) -> None:
    client = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    page = tried(client, cast, text_of="role", body=ROLE).content.decode()
    assert ("a change of the role" in page, "Turn it into a proposal" in page) == (True, False)


def test_a_stranger_finds_no_playground(cast: Cast) -> None:
    other = signed_in(join(make_account(), make_cast("beta"), MembershipLevel.OWNER))
    assert other.post(address(cast), ASKED).status_code == 404
