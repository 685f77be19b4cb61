"""The playground with a task in hand, and with what contracts said before: both chosen, tried, and asked for."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from governance.errors import Invalid
from governance.models import Proposal, Revision, User
from governance.scope import project_scope
from governance.vocabulary import ContractKind, MembershipLevel
from sessions.models import BudgetProfile
from sessions.playground_forms import Offered, PlaygroundForm
from tests.api.asking import compiled, grown, make_thread, ok, open_session, row_counts
from tests.cast import POLICY, Cast, make_cast
from tests.governing import changed
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in
from tests.site.test_packet_pages import plain
from tests.site.test_playground import ROLE, tried

FIRST = {"slug": "dev", "duties": ["do the work of dev"], "hard_boundaries": ["do not merge alone"]}
LATER = {"slug": "dev", "duties": ["Write the tests first."]}
PROFILE = "default@conservative"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def maintainer(cast: Cast) -> User:
    return join(make_account(), cast, MembershipLevel.MAINTAINER)


@pytest.fixture
def client(maintainer: User) -> Client:
    return signed_in(maintainer)


def make_task(cast: Cast, thread: str, title: str, **more: Any) -> str:
    return str(ok(cast.dev.client().post("/tasks", {"thread_id": thread, "title": title, **more}))["id"])


def offered(answer: Any, field: str) -> list[str]:
    """What can be chosen in a field, without the first choice, which is none."""
    return [value for value, _ in answer.context["form"].fields[field].choices][1:]


def faults(answer: Any) -> dict[str, list[str]]:
    return {name: list(said) for name, said in answer.context["form"].errors.items()}


def older(cast: Cast, kind: ContractKind, number: int = 1) -> str:
    with project_scope(cast.owner.acting):
        return Revision.objects.get(
            contract__kind=kind, number=number, contract__slug__in=("dev", "default", PROFILE)
        ).public_id


def test_the_tasks_of_the_chosen_thread_can_be_chosen(cast: Cast, client: Client) -> None:
    thread, other = make_thread(cast.dev), make_thread(cast.dev, "the harbour")
    own, _ = make_task(cast, thread, "write the lexer"), make_task(cast, other, "dredge")
    done = make_task(cast, thread, "given up")
    ok(cast.dev.client().call("PATCH", f"/tasks/{done}", {"state": "cancelled"}, If_Match='"1"'))
    answer = tried(client, cast, thread=thread, load="choices")
    assert (offered(answer, "task"), "write the lexer · planned" in answer.content.decode()) == ([own], True)
    assert answer.context["found"] is None


@pytest.mark.parametrize(
    ("thread", "words"),
    [(False, "A task belongs to a thread: choose one first."), (True, "This thread has no open task.")],
)
def test_where_no_task_can_be_chosen_it_says_why(cast: Cast, client: Client, thread: bool, words: str) -> None:
    said = {"thread": make_thread(cast.dev)} if thread else {}
    assert words in plain(tried(client, cast, load="choices", **said).content.decode())


def test_the_task_in_hand_is_the_one_that_was_chosen(cast: Cast, client: Client) -> None:
    thread = make_thread(cast.dev)
    make_task(cast, thread, "write the lexer")
    task = make_task(cast, thread, "accept the parser", phase="accept")
    before = row_counts()
    answer = tried(client, cast, thread=thread, task=task)
    [run] = answer.context["found"].runs
    assert (run.task, run.phase, grown(before)) == ("accept the parser", "accept", {"governance_auditevent": 1})


def test_a_task_is_compared_with_its_own_packets(cast: Cast, client: Client) -> None:
    thread = make_thread(cast.dev)
    task, other = make_task(cast, thread, "write the lexer"), make_task(cast, thread, "accept the parser")
    packet = compiled(cast.dev, session_id=open_session(cast.dev, thread, task_id=task))
    compared = tried(client, cast, thread=thread, task=task).context["found"].beside
    assert [side.packet for side in compared.sides] == [packet["packet_id"], ""]
    page = plain(tried(client, cast, thread=thread, task=other).content.decode())
    assert "This role has no packet for that task yet" in page


def test_a_task_of_another_thread_is_refused_beside_its_field(cast: Cast, client: Client) -> None:
    task = make_task(cast, make_thread(cast.dev, "the harbour"), "dredge")
    for thread in (make_thread(cast.dev), ""):
        answer = tried(client, cast, 422, thread=thread, task=task)
        assert faults(answer) == {"task": ["This is no open task of that thread; choose another one."]}


def test_what_a_role_said_before_is_tried(cast: Cast, client: Client) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)
    assert "Write the tests first." in tried(client, cast).content.decode()
    before = row_counts()
    answer = tried(client, cast, role_revision=older(cast, ContractKind.ROLE))
    page = answer.content.decode()
    assert ("do the work of dev" in page, "Write the tests first." in page) == (True, False)
    assert grown(before) == {"governance_auditevent": 1}


def test_another_revision_of_a_contract_is_a_change_of_it(cast: Cast, client: Client) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)
    thread = make_thread(cast.dev)
    compiled(cast.dev, session_id=open_session(cast.dev, thread))
    answer = tried(client, cast, thread=thread, role_revision=older(cast, ContractKind.ROLE))
    changes = answer.context["found"].beside.changes
    moved = [(move.change, one.source.ref.partition("#")[2]) for one in changes for move in one.moves]
    assert ("changed", "duties") in moved, moved
    assert not [one for one in moved if one[0] == "gone"], moved


def test_going_back_to_it_is_what_would_be_proposed(cast: Cast, client: Client) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)
    revision = older(cast, ContractKind.ROLE)
    answer = tried(client, cast, role_revision=revision)
    [change] = answer.context["changes"]
    to = reverse("revert_revision", args=[cast.project.public_id, "role", "dev", 1])
    assert (change.number, f'action="{to}"' in answer.content.decode()) == (1, True)
    assert client.post(to, {"rationale": "it was better"}).status_code == 303
    with project_scope(cast.owner.acting):
        made = Proposal.objects.select_related("reverts").get(kind="role", state="open")
        assert made.reverts is not None
        assert made.reverts.public_id == revision


def test_what_the_policy_said_before_is_tried_beside_another_text_of_the_role(cast: Cast, client: Client) -> None:
    changed(cast, ContractKind.POLICY, "default", {**POLICY, "rules": ["Whisper."]})
    answer = tried(client, cast, policy_revision=older(cast, ContractKind.POLICY), text_of="role", body=ROLE)
    page = answer.content.decode()
    assert ("Whisper." in page, "Try the other duty out." in page) == (False, True)
    assert [(one.kind, one.number) for one in answer.context["changes"]] == [("policy", 1), ("role", None)]


def test_what_a_profile_said_before_is_tried_and_caps_stand_above_it(cast: Cast, client: Client) -> None:
    with project_scope(cast.owner.acting):
        body = BudgetProfile.objects.newest().get(slug=PROFILE).body
    changed(cast, ContractKind.BUDGET_PROFILE, PROFILE, body | {"model_window": 60_000})
    changed(cast, ContractKind.BUDGET_PROFILE, PROFILE, body | {"model_window": 90_000})
    first = older(cast, ContractKind.BUDGET_PROFILE)
    answer = tried(client, cast, budget_profile_revision=first)
    budget = answer.context["found"].runs[0].budget
    assert (budget.window, budget.revision) == (60_000, "1")
    assert [(one.slug, one.number) for one in answer.context["changes"]] == [(PROFILE, 1)]
    [change] = tried(client, cast, budget_profile_revision=first, cap_dialogue="1.5").context["changes"]
    assert (change.number, "model_window: 60000" in change.body, "cap: 0.015" in change.body) == (None, True, True)


def test_what_holds_already_is_nothing_to_propose(cast: Cast, client: Client) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)
    changed(cast, ContractKind.ROLE, "dev", FIRST)
    answer = tried(client, cast, role_revision=older(cast, ContractKind.ROLE))
    [change] = answer.context["changes"]
    assert (change.number, change.body) == (None, "")
    assert "says this already, so there is nothing to propose" in plain(answer.content.decode())


def test_where_nothing_was_otherwise_it_says_that_nothing_is_to_be_approved(cast: Cast, client: Client) -> None:
    page = plain(tried(client, cast, phase="plan").content.decode())
    assert "Nothing: no text and no cap was to be otherwise" in page


def test_who_may_not_propose_is_told_and_offered_nothing(cast: Cast) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    page = tried(viewer, cast, role_revision=older(cast, ContractKind.ROLE), cap_dialogue="1").content.decode()
    assert "Proposing takes a maintainer of the project" in plain(page)
    assert ("/revert" in page, "Turn it into a proposal" in page) == (False, False)


def test_of_one_contract_one_text_is_tried(cast: Cast, client: Client) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)
    answer = tried(client, cast, 422, role_revision=older(cast, ContractKind.ROLE), text_of="role", body=ROLE)
    assert list(faults(answer)) == ["role_revision"]


def test_a_revision_of_another_role_is_none_of_this_one(cast: Cast, client: Client) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)
    answer = tried(client, cast, 422, role="tester", role_revision=older(cast, ContractKind.ROLE))
    assert list(faults(answer)) == ["role_revision"]
    assert offered(answer, "role_revision") == []
    assert "It has no older revision than the one in force." in plain(answer.content.decode())


def test_a_revision_that_may_hold_no_more_is_not_tried(
    cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)

    def refuse(*_: object) -> None:
        raise Invalid.at("/body/duties", "are no longer said so", code="invalid_body")

    monkeypatch.setattr("sessions.playground_views.checked_body", refuse)
    answer = tried(client, cast, 422, role_revision=older(cast, ContractKind.ROLE))
    assert "so it can neither be tried nor hold again" in faults(answer)["role_revision"][0]


def test_an_older_revision_leads_to_the_playground(cast: Cast, client: Client) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)
    page = client.get(f"{page_of(cast)}roles/role/dev/1").content.decode()
    link = re.search(r'href="([^"]*/playground/[^"]*)"', page)
    assert link
    form = client.get(link[1].replace("&amp;", "&")).context["form"]
    assert (form["role"].value(), form["role_revision"].value()) == ("dev", older(cast, ContractKind.ROLE))


def test_a_text_of_nothing_or_none_of_something_is_said(cast: Cast, client: Client) -> None:
    assert list(faults(tried(client, cast, 422, text_of="role", body=" "))) == ["body"]
    assert "This text was not tried" in plain(tried(client, cast, body=ROLE).content.decode())
    assert "Say first whose text it is." in plain(tried(client, cast, load="text").content.decode())


def test_choices_can_be_loaded_in_place(cast: Cast, client: Client) -> None:
    thread = make_thread(cast.dev)
    task = make_task(cast, thread, "write the lexer")
    said = {"role": "dev", "thread": thread, "raw_text": "", "phase": "plan"}
    answer = client.post(f"{page_of(cast)}playground/?load=choices", said, headers={"HX-Request": "true"})
    part = answer.content.decode()
    assert ("<html" in part, task in part, 'value="plan" selected' in part) == (False, True, True)


@pytest.mark.parametrize(
    "wrong", [{"role": "\0"}, {"thread": "\0"}, {"thread": "thr_x"}, {"profile": "\0", "task": "\0"}]
)
@pytest.mark.parametrize("load", ["choices", "text"])
def test_what_cannot_be_chosen_offers_nothing(cast: Cast, client: Client, wrong: dict[str, str], load: str) -> None:
    assert offered(tried(client, cast, load=load, text_of="role", **wrong), "task") == []


def test_an_address_may_say_what_to_begin_with(cast: Cast, client: Client) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)
    revision = older(cast, ContractKind.ROLE)
    page = client.get(f"{page_of(cast)}playground/", {"role": "dev", "role_revision": revision}).content.decode()
    assert f'value="{revision}" selected' in page


def test_without_a_role_it_says_what_is_missing() -> None:
    form = PlaygroundForm({}, offered=Offered(threads=[], roles=[], profiles=[]))
    assert "No role contract holds yet" in str(form["role"].help_text)


def test_it_speaks_chinese(cast: Cast, maintainer: User) -> None:
    changed(cast, ContractKind.ROLE, "dev", LATER)
    client = signed_in(maintainer, CHINESE)
    page = plain(tried(client, cast, role_revision=older(cast, ContractKind.ROLE)).content.decode())
    assert ("需要批准的内容" in page, "Revision" in page) == (True, False)
