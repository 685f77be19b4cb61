"""Pages of budget profiles: figures with their origins, what usage taught, and a form that knows its sums."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from governance.models import Proposal, ProposalText, User
from governance.scope import project_scope
from governance.vocabulary import ContractKind, MembershipLevel
from sessions.context.profile_form import ITEM_CAPS
from sessions.context.scripts import Script
from sessions.models import LearntFigures
from sessions.vocabulary import Learning
from tests.api.asking import compiled, grown, make_thread, row_counts
from tests.cast import POLICY, Cast, make_cast
from tests.context.cast import PROFILES
from tests.governing import changed
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, page_of, signed_in
from tests.site.test_packet_pages import plain

NAME = "claude-sonnet@claude-code"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"), ENGLISH)


def at(cast: Cast, rest: str = "") -> str:
    return f"{page_of(cast)}budgets/{rest}"


def learnt(cast: Cast, state: Learning = Learning.LEARNT) -> LearntFigures:
    """Figures as two hundred reports of a provider that takes a third more for Han would teach them."""
    weights = {"token": 1.0, "scripts": [0.4 if script is Script.HAN else 0.0 for script in Script]}
    now = timezone.now()
    with project_scope(cast.dev.acting):
        return LearntFigures.objects.create(
            project_id=cast.dev.acting.project_id,
            slug=NAME,
            version=1,
            encoding="o200k_base",
            state=state,
            figures={"weights": weights, "harness": 21_310, "lift": 0.004},
            usages=200,
            error=0.0123,
            spread=0.009,
            undercount=0.021,
            since=now - timedelta(days=3),
            until=now,
        )


def fields(page: str) -> dict[str, str]:
    """What a browser would send of the form of a page, unchanged."""
    found = {}
    for tag in re.findall(r"<input[^>]*>", page):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name:
            found[name.group(1)] = value.group(1) if value else ""
    chosen = r'<select name="([^"]*)".*?<option value="([^"]*)" selected'
    return found | dict(re.findall(chosen, page, re.DOTALL)) | {"title": "more for the answer", "rationale": ""}


def sent(client: Client, cast: Cast, **changes: Any) -> Any:
    page = client.get(at(cast, f"{NAME}/propose")).content.decode()
    return client.post(at(cast, f"{NAME}/propose"), fields(page) | {k: str(v) for k, v in changes.items()})


def test_every_profile_that_ships_is_in_the_list(owner: Client, cast: Cast) -> None:
    page = plain(owner.get(at(cast)).content.decode())
    assert [name for name in PROFILES if name not in page] == []
    assert "1,048,576" in page


def test_a_profile_shows_where_each_figure_comes_from(owner: Client, cast: Cast) -> None:
    page = plain(owner.get(at(cast, f"{NAME}/")).content.decode())
    assert "for the harness’s own prompt and tools 25,000 the budget profile" in page
    assert "There are too few reports to learn from" in page


def test_the_parts_of_the_window_add_up(owner: Client, cast: Cast) -> None:
    told = json.loads(owner.get(at(cast, f"{NAME}/?download&phase=accept")).content)
    assert sum(told["reserves"].values()) + sum(told["groups"].values()) == told["window"] == 200_000
    assert told["phase"] == "accept"


def test_what_usage_taught_is_shown_with_how_sure_it_is(owner: Client, cast: Cast) -> None:
    learnt(cast)
    page = plain(owner.get(at(cast, f"{NAME}/")).content.decode())
    for words in ("from 200 reports", "error 1.2 %", "21,310 reported usage", "by the provider", "English ≈ 1.0"):
        assert words in page


def test_what_does_not_agree_is_shown_and_not_gone_by(owner: Client, cast: Cast) -> None:
    learnt(cast, Learning.UNSTEADY)
    page = plain(owner.get(at(cast, f"{NAME}/")).content.decode())
    assert "The reports do not agree with each other" in page
    assert "25,000 the budget profile" in page


def test_recent_packets_under_a_profile_are_summed_up(owner: Client, cast: Cast) -> None:
    compiled(cast.dev, "Mend the tide tables.", budget={"profile": NAME})
    assert "1 packet" in plain(owner.get(at(cast)).content.decode())
    assert "Mend the tide tables" in owner.get(at(cast, f"{NAME}/")).content.decode()


def test_an_approved_text_is_the_one_that_is_shown(owner: Client, cast: Cast) -> None:
    changed(cast, ContractKind.BUDGET_PROFILE, NAME, PROFILES[NAME] | {"model_window": 180_000})
    told = json.loads(owner.get(f"{at(cast)}?download").content)
    [line] = [one for one in told["profiles"] if one["profile"] == NAME]
    assert (line["origin"], line["version"], line["window"]) == ("approved", 1, 180_000)


@pytest.mark.parametrize("name", ["no-such@harness", "%00"])
def test_an_unknown_profile_is_not_there(name: str, owner: Client, cast: Cast) -> None:
    assert owner.get(at(cast, f"{name}/")).status_code == 404


def test_a_change_of_one_figure_becomes_a_proposal_of_that_figure(owner: Client, cast: Cast) -> None:
    answer = sent(owner, cast, reserves__output=40_000)
    assert answer.status_code == 303, plain(answer.content.decode())
    with project_scope(cast.owner.acting):
        text = ProposalText.objects.select_related("proposal").get()
    before = owner.get(at(cast, f"{NAME}/?download"))
    body = json.loads(before.content)["body"]
    assert text.body == body | {"reserves": body["reserves"] | {"output": 40_000}}
    assert (text.proposal.slug, text.proposal.kind) == (NAME, ContractKind.BUDGET_PROFILE)


def test_figures_that_a_profile_may_leave_out_are_shown_and_can_be_asked_for(owner: Client, cast: Cast) -> None:
    told = json.loads(owner.get(at(cast, f"{NAME}/?download")).content)
    assert (told["item_caps"]["excerpt"], told["item_caps"]["title"], told["counts"]["next_steps"]) == (240, 64, 3)
    assert told["reads"] == told["room"]
    page = plain(owner.get(at(cast, f"{NAME}/")).content.decode())
    for words in ("one cut to an excerpt 240", "one cut to one line 64", "next steps of the task 3", "in all 96,012"):
        assert words in page
    answer = sent(owner, cast, reads=3_000, item_caps__excerpt=300, counts__next_steps=5)
    assert answer.status_code == 303, plain(answer.content.decode())
    with project_scope(cast.owner.acting):
        body = ProposalText.objects.get().body
    caps, counts = told["body"]["item_caps"] | {"excerpt": 300}, told["body"]["counts"] | {"next_steps": 5}
    assert body == told["body"] | {"reads": 3_000, "item_caps": caps, "counts": counts}


def test_a_floor_that_the_policy_raises_is_shown_as_the_policys(owner: Client, cast: Cast) -> None:
    changed(cast, ContractKind.POLICY, "default", POLICY | {"budget_floors": {"memories": 0.12}})
    told = json.loads(owner.get(at(cast, f"{NAME}/?download")).content)
    [layer] = [one for one in told["layers"] if one["layer"] == "memories"]
    assert (layer["floor"], layer["origin"]) == (told["input_cap"] * 1_200 // 10_000, "policy")
    page = plain(owner.get(at(cast, f"{NAME}/")).content.decode())
    assert re.search(r"memories evidence [\d,]+ 12 % [\d,]+ 15 % the policy", page)


OVER: list[tuple[dict[str, Any], str]] = [
    ({"reserves__output": 150_000}, "The reserves add up to 221,988 tokens, and the window has 200,000"),
    ({"groups__policy": 60}, "The groups add up to 110 % of the input cap"),
    ({"layers__dialogue__floor": 60, "layers__summary__floor": 20}, "The floors of the layers add up to 112 %"),
    ({"layers__policy__floor": 50, "layers__policy__cap": 10}, "The floor of a layer cannot be above its cap."),
    ({"item_caps__title": 121}, "One line takes at most half of an excerpt, which has 240 tokens."),
    ({"reads": -1}, "greater than or equal to 0"),
    ({"item_caps__message": 99_000}, "This is more than the input cap of 96,012 tokens"),
    ({"thresholds__soft": 95}, "The soft threshold cannot be above the hard one."),
    ({"reserves__output": "many"}, "Enter a whole number."),
    ({"factor": 0.5}, "greater than or equal to 1"),
]


@pytest.mark.parametrize(("changes", "words"), OVER, ids=[", ".join(case[0]) for case in OVER])
def test_what_cannot_be_is_refused_in_the_form_with_its_figures(
    owner: Client, cast: Cast, changes: dict[str, Any], words: str
) -> None:
    answer = sent(owner, cast, **changes)
    assert (answer.status_code, words in plain(answer.content.decode())) == (422, True), plain(answer.content.decode())
    with project_scope(cast.owner.acting):
        assert not Proposal.objects.exists()


def test_an_exact_count_takes_no_factor(owner: Client, cast: Cast) -> None:
    answer = sent(owner, cast, method="exact")
    assert "must be 1 when the method is exact" in plain(answer.content.decode())


def preview(client: Client, cast: Cast, **changes: Any) -> Any:
    """The answer to the button that shows the effect, with a form whose title is still empty."""
    page = client.get(at(cast, f"{NAME}/propose")).content.decode()
    said = fields(page) | {"title": ""} | {name: str(value) for name, value in changes.items()}
    return client.post(at(cast, f"{NAME}/propose?preview"), said)


def test_the_effect_is_shown_before_anything_is_asked_for(owner: Client, cast: Cast) -> None:
    compiled(cast.dev, "Mend the tide tables.", budget={"profile": NAME})
    form = owner.get(at(cast, f"{NAME}/propose"))
    before = row_counts()
    answer = preview(owner, cast, factor=2)
    page = plain(answer.content.decode())
    assert (form.status_code, answer.status_code, grown(before)) == (200, 200, {})
    effect = answer.context["effect"]
    assert (len(effect.packets), effect.difference > 0, effect.refusals) == (1, True, 0)
    assert "The last packets, compiled with this text" in page
    assert 'value="2"' in answer.content.decode()


def test_the_effect_is_the_one_that_the_proposal_shows(owner: Client, cast: Cast) -> None:
    compiled(cast.dev, "Mend the tide tables.", budget={"profile": NAME})
    shown = preview(owner, cast, factor=2).context["effect"]
    proposal = sent(owner, cast, factor=2).headers["Location"]
    asked = owner.get(f"{proposal.rstrip('/')}/effect").context["effect"]
    assert (shown.before, shown.after) == (asked.before, asked.after)


def test_a_preview_counts_what_would_be_refused(owner: Client, cast: Cast) -> None:
    compiled(cast.dev, "Mend the tide tables.", budget={"profile": NAME})
    small = {"model_window": 104_040, **{f"item_caps__{name}": 16 for name in ITEM_CAPS}}
    answer = preview(owner, cast, **small)
    assert answer.context["effect"].refusals == 1
    assert "1 would be refused" in plain(answer.content.decode())


def test_a_preview_without_packets_says_so(owner: Client, cast: Cast) -> None:
    page = plain(preview(owner, cast, reserves__output=40_000).content.decode())
    assert "so there is nothing to compare" in page


@pytest.mark.parametrize(("changes", "words"), [*OVER, ({}, "No figure differs from what holds")])
def test_a_preview_of_what_cannot_be_says_why(owner: Client, cast: Cast, changes: dict[str, Any], words: str) -> None:
    answer = preview(owner, cast, **changes)
    assert (answer.status_code, words in plain(answer.content.decode())) == (422, True), plain(answer.content.decode())
    assert answer.context["effect"] is None


def test_a_preview_shows_no_private_packet_of_another(owner: Client, cast: Cast) -> None:
    thread = make_thread(cast.personal, "my own", private=True)
    compiled(cast.personal, thread_id=thread, budget={"profile": NAME})
    assert preview(owner, cast, reserves__output=40_000).context["effect"].packets == []


def test_a_preview_can_be_loaded_in_place(owner: Client, cast: Cast) -> None:
    page = owner.get(at(cast, f"{NAME}/propose")).content.decode()
    said, htmx = fields(page) | {"reserves__output": "40000"}, {"HX-Request": "true"}
    part = owner.post(at(cast, f"{NAME}/propose?preview"), said, headers=htmx).content.decode()
    assert ("<html" in part, 'id="effect-shown"' in part, 'value="40000"' in part) == (False, True, True)


def test_who_may_only_look_is_shown_no_way_to_a_change(cast: Cast) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    assert "/propose" not in viewer.get(at(cast, f"{NAME}/")).content.decode()
    assert viewer.get(at(cast, f"{NAME}/propose")).status_code == 403


@pytest.mark.parametrize("rest", ["", f"{NAME}/", f"{NAME}/propose"])
def test_the_pages_speak_chinese(cast: Cast, rest: str) -> None:
    learnt(cast)
    page = signed_in(User.objects.get(username="owner-alpha"), CHINESE).get(at(cast, rest)).content.decode()
    assert "预算" in plain(page)
    assert not re.search(r"\b(Window|Tokens|Learning|Floor|Reports)\b", plain(page))
