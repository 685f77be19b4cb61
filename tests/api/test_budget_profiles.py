"""Budget profiles change by proposal and decision like every contract, and the next attempt compiles by them."""

from typing import Any

import pytest

from governance.ids import parse_id
from governance.models import Proposal, Revision
from governance.scope import project_scope
from governance.vocabulary import ContractKind, DecisionVerb, MembershipLevel
from tests.api.asking import ask, compiled, ok, refused
from tests.cast import Cast, make_cast
from tests.context.cast import PROFILES
from tests.governing import asked, changed, decided, joined

NAME = "gpt-5@codex"
SMALL = PROFILES[NAME] | {"model_window": 250_000}
SMALLER = PROFILES[NAME] | {"model_window": 240_000}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def approve(cast: Cast, body: Any = SMALL, name: str = NAME) -> Revision:
    return changed(cast, ContractKind.BUDGET_PROFILE, name, body)


def budget(cast: Cast, name: str | None = NAME, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = compiled(cast.dev, budget={"profile": name}, **more)["budget"]
    return found


def found_proposal(cast: Cast, proposal_id: str) -> Proposal:
    with project_scope(cast.owner.acting):
        return Proposal.objects.get(pk=parse_id("prp", proposal_id, pointer="/id"))


def new_attempt(cast: Cast, session: str) -> None:
    ok(cast.dev.client().post(f"/sessions/{session}/attempts", {}))


def test_what_ships_is_used_until_something_is_approved(cast: Cast) -> None:
    asked(cast.dev.acting, ContractKind.BUDGET_PROFILE, NAME, SMALL)
    found = budget(cast)
    assert (found["window"], found["profile_origin"], found["profile_revision"]) == (
        400_000,
        "shipped gpt-5@codex@3",
        None,
    )


def test_an_approved_profile_is_the_next_compiles_and_the_packet_says_so(cast: Cast) -> None:
    revision = approve(cast)
    found = budget(cast)
    assert (found["profile"], found["window"], found["input_cap"]) == (NAME, 250_000, 30_000)
    assert (found["profile_origin"], found["profile_revision"]) == (
        "profile gpt-5@codex@1",
        f"revision://{revision.public_id}",
    )


@pytest.mark.parametrize("verb", [DecisionVerb.REJECT, DecisionVerb.REQUEST_CHANGES])
def test_what_was_not_approved_is_not_used(cast: Cast, verb: DecisionVerb) -> None:
    decided(cast.owner.acting, asked(cast.dev.acting, ContractKind.BUDGET_PROFILE, NAME, SMALL), verb)
    assert budget(cast)["window"] == 400_000


def test_a_running_attempt_keeps_its_profile_and_the_next_has_the_new_one(cast: Cast) -> None:
    session = compiled(cast.dev)["session"]["id"]
    windows = [budget(cast, session_id=session)["window"]]
    for body in (SMALL, SMALLER):
        approve(cast, body)
        windows.append(budget(cast, session_id=session)["window"])
        new_attempt(cast, session)
        windows.append(budget(cast, session_id=session)["window"])
    assert windows == [400_000, 400_000, 250_000, 250_000, 240_000]


def test_a_packet_is_shown_again_as_it_was_after_its_profile_has_changed(cast: Cast) -> None:
    approve(cast)
    first = compiled(cast.dev, budget={"profile": NAME})
    approve(cast, SMALLER)
    assert ok(cast.dev.client().get(f"/context/{first['packet_id']}")) == first


def test_a_profile_of_the_projects_own_is_known(cast: Cast) -> None:
    approve(cast, PROFILES["default@conservative"] | {"name": "ours@here"}, "ours@here")
    answer = compiled(cast.dev, budget={"profile": "ours@here"})
    assert answer["budget"]["profile_origin"] == "profile ours@here@1"
    assert "unknown_profile" not in {warning["code"] for warning in answer["warnings"]}


def test_a_profile_that_is_newer_than_the_attempt_is_not_called_unknown(cast: Cast) -> None:
    session = compiled(cast.dev)["session"]["id"]
    approve(cast, PROFILES["default@conservative"] | {"name": "ours@here"}, "ours@here")
    asked_for = {"session_id": session, "budget": {"profile": "ours@here"}}
    warnings = [compiled(cast.dev, **asked_for)["warnings"]]
    new_attempt(cast, session)
    warnings.append(compiled(cast.dev, **asked_for)["warnings"])
    codes = [[one["code"] for one in each if "profile" in one["code"]] for each in warnings]
    assert codes == [["newer_profile"], []]


def test_who_names_no_profile_gets_the_approved_conservative_one(cast: Cast) -> None:
    approve(cast, PROFILES["default@conservative"] | {"model_window": 90_000}, "default@conservative")
    assert budget(cast, None)["window"] == 90_000


def test_another_project_goes_on_with_what_ships(cast: Cast) -> None:
    approve(cast)
    assert budget(make_cast("beta"))["window"] == 400_000


def test_a_profile_bears_the_name_that_it_is_found_by(cast: Cast) -> None:
    wish = {"kind": "budget_profile", "slug": "gpt-5@cursor", "body": SMALL, "title": "t"}
    problem = refused(cast.dev.client().post("/proposals", wish), 422, "invalid_body")
    assert problem["errors"][0]["pointer"] == "/body/name"


def test_floors_over_the_window_are_refused_with_their_figures(cast: Cast) -> None:
    layers = SMALL["layers"] | {"dialogue": {"floor": 0.9, "cap": 1}}
    wish = {"kind": "budget_profile", "slug": NAME, "body": SMALL | {"layers": layers}, "title": "t"}
    problem = refused(cast.dev.client().post("/proposals", wish), 422, "invalid_body")
    assert (problem["errors"][0]["pointer"], "30000" in problem["errors"][0]["message"]) == ("/body/layers", True)


def reads(cast: Cast, session: str) -> int:
    """What the reads of a session may bring in, as a read of its own says it."""
    path = f"/artifacts/{ok(cast.dev.client().post('/artifacts', {'session_id': session, 'content': 'log'}))['id']}"
    found: int = ok(cast.dev.client().get(f"{path}?session_id={session}"))["read_budget"]["budget"]
    return found


def test_larger_reads_are_proposed_and_the_next_attempt_reads_by_them(cast: Cast) -> None:
    session = compiled(cast.dev, budget={"profile": NAME})["session"]["id"]
    before = reads(cast, session)
    wish = {"kind": "budget_profile", "slug": NAME, "body": PROFILES[NAME] | {"reads": 1_234_567}, "title": "more"}
    proposal = ok(cast.dev.client().post("/proposals", wish))
    decided(cast.owner.acting, found_proposal(cast, proposal["id"]))
    running = reads(cast, session)
    new_attempt(cast, session)
    assert (before < 1_234_567, running, reads(cast, session)) == (True, before, 1_234_567)


def test_reads_that_nothing_is_said_of_are_not_in_the_text(cast: Cast) -> None:
    assert approve(cast, SMALL | {"reads": None}).body == SMALL | {"overheads": {}}


@pytest.mark.parametrize("wrong", [-1, "many", 1.5])
def test_wrong_reads_are_refused_at_their_field(cast: Cast, wrong: Any) -> None:
    wish = {"kind": "budget_profile", "slug": NAME, "body": SMALL | {"reads": wrong}, "title": "t"}
    problem = refused(cast.dev.client().post("/proposals", wish), 422, "invalid_body")
    assert problem["errors"][0]["pointer"] == "/body/reads"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model_window", "32000"),
        ("model_window", True),
        ("factor", "1"),
        ("thresholds", SMALL["thresholds"] | {"soft": "0.5"}),
        ("reserves", SMALL["reserves"] | {"output": True}),
    ],
)
def test_what_only_reads_like_a_figure_is_none(cast: Cast, field: str, value: Any) -> None:
    wish = {"kind": "budget_profile", "slug": NAME, "body": SMALL | {field: value}, "title": "t"}
    [fault] = refused(cast.dev.client().post("/proposals", wish), 422, "invalid_body")["errors"]
    assert (fault["pointer"].startswith(f"/body/{field}"), "valid" in fault["message"]) == (True, True)


@pytest.mark.parametrize("name", ["01-ai.yi@api", "m" * 50 + "@" + "h" * 13])
def test_a_name_that_a_request_may_give_can_be_proposed(cast: Cast, name: str) -> None:
    approve(cast, PROFILES["default@conservative"] | {"name": name}, name)
    assert budget(cast, name)["profile"] == name


def test_a_name_that_cannot_be_proposed_cannot_be_asked_for(cast: Cast) -> None:
    name = "m" * 50 + "@" + "h" * 14
    problem = refused(cast.dev.client().post("/context", ask(budget={"profile": name})), 422, "malformed_profile")
    assert "64 at most" in problem["errors"][0]["message"]


def test_a_maintainer_does_not_decide_on_a_profile(cast: Cast) -> None:
    keeper = joined(cast, "keeper", MembershipLevel.MAINTAINER)
    proposal = asked(cast.dev.acting, ContractKind.BUDGET_PROFILE, NAME, SMALL)
    with pytest.raises(Exception, match="decided by an active owner"):
        decided(keeper, proposal)
