"""Who may decide: the table, the database's copy of it, and an oracle that knows only the design."""

import os
import uuid
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from governance.actors import Acting
from governance.contracts import install
from governance.decisions import DecisionWish, decide
from governance.eligibility import FIELD_RULES, NEEDED, UNWEIGHED, Case, Touch, approvals_needed, touch
from governance.errors import Forbidden
from governance.ids import new_id
from governance.models import Actor, Membership, Proposal
from governance.proposal_reading import sight
from governance.proposal_texts import TextWish
from governance.proposals import ProposalWish, edit, propose
from governance.schemas import SCHEMAS, checked_body
from governance.scope import project_scope
from governance.vocabulary import (
    ContractKind,
    DecisionVerb,
    Matter,
    MembershipLevel,
    ProofKind,
    ProposalKind,
    Risk,
    rank,
)
from tests.cast import PERSONA, POLICY, Cast
from tests.governing import joined
from tests.stage import Stage, stage

__all__ = ["stage"]
CASES = int(os.environ.get("GREYWIND_PROPERTY_CASES", "60"))
PROFILE = {"self_id": "me", "preference_model": {"communication": {"tone": "dry"}}}
DEV = {"slug": "dev", "duties": ["do the work of dev"], "hard_boundaries": ["do not merge alone"]}
# A change of each weight that the design names: what it is of, what it says, its risk, and whether an owner decides.
CHANGES: dict[str, tuple[ContractKind, str, dict[str, Any], str, bool]] = {
    "style": (ContractKind.PERSONA, "default", PERSONA | {"speaking_style": "warm"}, "low", False),
    "behaviour": (ContractKind.PERSONA, "default", PERSONA | {"behavior_rules": ["Ask."]}, "medium", False),
    "core": (ContractKind.PERSONA, "default", PERSONA | {"identity_core": {"roles": ["x"]}}, "high", True),
    "duties": (ContractKind.ROLE, "dev", DEV | {"duties": ["other work"]}, "medium", False),
    "permissions": (ContractKind.ROLE, "dev", DEV | {"permissions": ["merge"]}, "high", True),
    "boundaries": (ContractKind.ROLE, "dev", DEV | {"hard_boundaries": []}, "high", True),
    "policy": (ContractKind.POLICY, "default", POLICY | {"rules": []}, "high", True),
    "retention": (ContractKind.POLICY, "default", POLICY | {"retention": {"episode": 9}}, "medium", True),
    "likes": (ContractKind.SELF_PROFILE, "mine", PROFILE | {"preference_model": {}}, "low", True),
    "self": (ContractKind.SELF_PROFILE, "mine", PROFILE | {"identity_core": {"roles": ["x"]}}, "high", True),
}


@dataclass(frozen=True)
class Town:
    """A project with three owners, two maintainers, a viewer, and an agent of one owner and of one maintainer."""

    cast: Cast
    people: dict[str, Acting]
    agents: dict[str, tuple[Acting, str]]

    @property
    def levels(self) -> dict[str, str]:
        return {"o1": "owner", "o2": "owner", "o3": "owner", "m1": "maintainer", "m2": "maintainer", "v": "viewer"}


@pytest.fixture(scope="module")
def town(stage: Stage) -> Town:
    cast = stage.alpha
    people = {"o1": cast.owner.acting}
    for name, level in (("o2", "owner"), ("o3", "owner"), ("m1", "maintainer"), ("m2", "maintainer"), ("v", "viewer")):
        people[name] = joined(cast, f"town-{name}", MembershipLevel(level))
    with project_scope(cast.owner.acting):
        install(
            ContractKind.SELF_PROFILE,
            "mine",
            PROFILE,
            by=cast.owner.actor,
            reason="town",
            now=timezone.now(),
            subject=cast.owner.actor,
        )
        Actor.objects.filter(pk=cast.tester.actor.pk).update(owned_by_id=people["m1"].actor_id)
    return Town(cast, people, {"dev": (cast.dev.acting, "o1"), "tester": (cast.tester.acting, "m1")})


@dataclass(frozen=True)
class Scene:
    """One case: what changes, who wrote it, who is there, and who decides."""

    change: str
    asked_risk: str
    proposer: str
    editor: str | None
    present: frozenset[str]
    decider: str


HUMANS = ("o1", "o2", "o3", "m1", "m2", "v")
WRITERS = ("o1", "o2", "m1", "m2", "dev", "tester")


@st.composite
def scenes(draw: Any) -> Scene:
    change = draw(st.sampled_from(sorted(CHANGES)))
    owners = CHANGES[change][4]
    if draw(st.booleans()):  # alone, or nearly: where the one exception lives
        fitting = ("o1", "o2", "o3") if owners else ("o1", "o2", "m1", "m2")
        decider = draw(st.sampled_from(fitting))
        present = frozenset({decider}) | draw(st.frozensets(st.sampled_from(HUMANS), max_size=1))
    else:
        present = draw(st.frozensets(st.sampled_from(HUMANS), min_size=1))
        decider = draw(st.sampled_from([*sorted(present), *sorted(present), *HUMANS, "dev", "tester"]))
    proposer = draw(st.sampled_from(WRITERS))
    editor = draw(st.sampled_from([None, None, "o1", "o2", "m1", "m2"]))
    risk = draw(st.sampled_from(["low", "low", "medium", "high"]))
    return Scene(change, risk, proposer, editor, present, decider)


def oracle(scene: Scene, town: Town) -> bool | None:
    """Return what the design says: None where the decider may not, else what the row says of self-approval."""
    _, _, _, weight, owners = CHANGES[scene.change]
    order = ["low", "medium", "high"]
    risk = order[max(order.index(weight), order.index(scene.asked_risk))]
    wanted = {"owner"} if owners else {"owner", "maintainer"}
    eligible = {who for who in scene.present if town.levels.get(who) in wanted}
    if scene.decider not in eligible:
        return None
    wrote = {scene.proposer, scene.editor}
    own = scene.decider in wrote or any(town.agents[agent][1] == scene.decider for agent in wrote & set(town.agents))
    if risk == "low" or not own:
        return False
    return True if eligible == {scene.decider} else None


def acting(town: Town, who: str) -> Acting:
    return town.agents[who][0] if who in town.agents else town.people[who]


def staged(town: Town, scene: Scene) -> Proposal:
    """Write the proposal and its edit, then leave only those in the project who are present."""
    kind, slug, body, _, _ = CHANGES[scene.change]
    now = timezone.now()
    risk = Risk(scene.asked_risk)
    with project_scope(acting(town, scene.proposer)) as scope:
        wish = ProposalWish(kind=kind, slug=slug, body=body, title="t", risk=risk)
        proposal = propose(scope.acting, wish, now=now)
    if scene.editor:
        with project_scope(acting(town, scene.editor)) as scope:
            again = TextWish(body=body, title="u", risk=risk)
            edit(scope.acting, proposal, again, expected_version=1, now=now)
    with project_scope(town.cast.owner.acting):
        away = [town.people[who].actor_id for who in HUMANS if who not in scene.present]
        Actor.objects.filter(pk__in=away).update(active=False)
    return proposal


class Undone(Exception):
    """It was done, and is taken back; `word` is what the row said of self-approval."""

    def __init__(self, *, word: bool) -> None:
        super().__init__()
        self.word = word


def by_verb(town: Town, scene: Scene, proposal: Proposal) -> bool | None:
    try:
        with transaction.atomic(), project_scope(acting(town, scene.decider)) as scope:
            seen = sight(Proposal.objects.get(pk=proposal.pk))
            wish = DecisionWish(
                verb=DecisionVerb.APPROVE,
                expected_version=seen.proposal.version,
                seen_hash=seen.seen_hash,
                proof=ProofKind.PASSWORD,
            )
            raise Undone(word=decide(scope.acting, proposal, wish, now=timezone.now()).self_approved)
    except Undone as done:
        return done.word
    except Forbidden:
        return None


INSERT = (
    "INSERT INTO governance_decision (id, project_id, created_at, proposal_id, version, base_id, seen_hash, verb,"
    " reason_code, text, decider_id, self_approved)"
    " VALUES (%s, %s, now(), %s, %s, %s, %s, 'approve', '', '', %s, %s)"
)


def by_sql(town: Town, scene: Scene, proposal: Proposal) -> set[bool]:
    """Return with which word on self-approval the database takes the decider's row."""
    return {word for word in (False, True) if _taken(acting(town, scene.decider), proposal, word)}


def _taken(who: Acting, proposal: Proposal, word: bool) -> bool:
    with project_scope(who):
        seen = sight(Proposal.objects.get(pk=proposal.pk))
        bound = [proposal.pk, seen.proposal.version, seen.text.base_id, seen.seen_hash]
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(INSERT, [new_id(), who.project_id, *bound, who.actor_id, word])
                raise Undone(word=word)
        except Undone:
            return True
        except DatabaseError as error:
            if getattr(error.__cause__, "sqlstate", "") != "GW006":
                raise
            return False


def test_verb_database_and_oracle_agree_on_who_may_decide(town: Town, django_db_blocker: Any) -> None:
    heard: list[bool | None] = []

    @settings(max_examples=CASES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(scenes())
    def agree(scene: Scene) -> None:
        with django_db_blocker.unblock(), transaction.atomic():
            proposal = staged(town, scene)
            expected = oracle(scene, town)
            heard.append(expected)
            said = by_verb(town, scene, proposal), by_sql(town, scene, proposal)
            transaction.set_rollback(True)
        assert said == (expected, set() if expected is None else {expected}), scene

    agree()
    assert sum(word is not None for word in heard) >= 0.3 * len(heard)
    assert {None, False, True} <= set(heard)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_weighed_as_the_design_says(change: str) -> None:
    kind, slug, body, risk, owners = CHANGES[change]
    before = {"default": PERSONA if kind == ContractKind.PERSONA else POLICY, "dev": DEV, "mine": PROFILE}[slug]
    found = touch(kind, checked_body(kind, before), checked_body(kind, body))
    assert (found.risk, found.level == MembershipLevel.OWNER) == (risk, owners)


def test_every_field_of_every_contract_is_weighed() -> None:
    weighed = {kind: set(FIELD_RULES[kind]) for kind in (ContractKind.PERSONA, ContractKind.ROLE)}
    assert weighed == {kind: set(SCHEMAS[kind].model_fields) for kind in weighed}


@pytest.mark.parametrize("matter", Matter)
def test_only_plain_persona_role_and_vision_are_a_maintainers(matter: Matter) -> None:
    maintainers = {Matter.PERSONA, Matter.ROLE, Matter.VISION}
    assert (NEEDED[matter] == MembershipLevel.MAINTAINER) == (matter in maintainers)


FIELDS = [(kind, name) for kind in ProposalKind for name in [*SCHEMAS[kind].model_fields, "forgotten"]]


@pytest.mark.parametrize(("kind", "name"), FIELDS)
def test_the_database_weighs_a_field_like_the_table(stage: Stage, app: Any, kind: ProposalKind, name: str) -> None:
    found = app.execute("SELECT * FROM greywind_touched(%s, %s, %s)", [kind, Jsonb({}), Jsonb({name: ["x"]})])
    rule = FIELD_RULES[kind].get(name, UNWEIGHED[kind])
    assert found.fetchone() == (rank(rule.risk), NEEDED[rule.matter] == MembershipLevel.OWNER)


BLANKS: list[Any] = [None, "", [], {}, [""], {"a": [{}, ""]}, 0, False, "x", ["x"], {"a": {"b": ["x"]}}, ["", "x"]]


@pytest.mark.parametrize("before", BLANKS, ids=repr)
@pytest.mark.parametrize("after", BLANKS, ids=repr)
def test_the_database_sees_a_change_where_the_table_does(stage: Stage, app: Any, before: Any, after: Any) -> None:
    body = {"permissions": before}, {"permissions": after}
    [found] = app.execute("SELECT owner FROM greywind_touched('role', %s, %s)", [Jsonb(each) for each in body])
    assert found[0] == bool(touch(ContractKind.ROLE, *body).fields)


LISTS: list[Any] = [None, [], ["a"], ["b", "a"], ["a", "b"], ["ab"]]
TEXTS: list[Any] = ["", "a", "ab"]
STEPS = [(name, *step) for name in ("non_goals", "done_when") for step in product(LISTS, LISTS)]
STEPS += [(name, *step) for name in ("origin_goal", "quality_bar") for step in product(TEXTS, TEXTS)]


def test_the_database_weighs_what_a_vision_loses_like_the_table(stage: Stage, app: Any) -> None:
    for name, before, after in STEPS:
        body = {name: before}, {name: after}
        [found] = app.execute("SELECT risk FROM greywind_touched('vision', %s, %s)", [Jsonb(each) for each in body])
        assert found[0] == rank(touch(ProposalKind.VISION, *body).risk), (name, before, after)


@pytest.mark.parametrize(
    ("before", "after", "risk"),
    [
        ({}, {"origin_goal": "a", "non_goals": ["b"]}, Risk.LOW),
        ({"non_goals": ["a"]}, {"non_goals": ["b", "a"]}, Risk.LOW),
        ({"done_when": ["a"]}, {"done_when": ["b"]}, Risk.MEDIUM),
        ({"non_goals": ["a", "b"]}, {"non_goals": ["a"]}, Risk.HIGH),
        ({"origin_goal": "a"}, {"origin_goal": "a b"}, Risk.HIGH),
    ],
)
def test_a_vision_weighs_what_it_loses(before: dict[str, Any], after: dict[str, Any], risk: Risk) -> None:
    assert touch(ProposalKind.VISION, before, after).risk == risk


def test_nothing_changed_touches_nothing() -> None:
    assert touch(ContractKind.ROLE, DEV, DEV) == Touch((), frozenset(), Risk.LOW, MembershipLevel.MAINTAINER)


A, B, C = (uuid.uuid4() for _ in range(3))


@pytest.mark.parametrize(
    ("authors", "deciders", "two", "needed"),
    [
        ({A}, {A}, True, 1),
        ({A}, {A, B}, True, 1),
        ({A}, {A, B, C}, True, 2),
        (set(), {A, B}, True, 2),
        (set(), {A, B, C}, False, 1),
    ],
)
def test_two_approvals_are_needed_where_the_policy_asks_and_two_may(
    authors: set[uuid.UUID], deciders: set[uuid.UUID], two: bool, needed: int
) -> None:
    case = Case(level=MembershipLevel.OWNER, risk=Risk.HIGH, authors=authors, deciders=deciders, two=two)
    assert approvals_needed(case) == needed


def test_a_closed_account_decides_nothing(town: Town, django_db_blocker: Any) -> None:
    scene = Scene("duties", "low", "dev", None, frozenset(HUMANS), "o2")
    with django_db_blocker.unblock(), transaction.atomic():
        proposal = staged(town, scene)
        with project_scope(town.cast.owner.acting):
            account = Actor.objects.select_related("user").get(pk=town.people["o2"].actor_id).user
            type(account).objects.filter(pk=account.pk).update(is_active=False)
        said = by_verb(town, scene, proposal), by_sql(town, scene, proposal)
        transaction.set_rollback(True)
    assert said == (None, set())


def test_whoever_lost_their_level_decides_nothing(town: Town, django_db_blocker: Any) -> None:
    scene = Scene("duties", "low", "dev", None, frozenset(HUMANS), "m2")
    with django_db_blocker.unblock(), transaction.atomic():
        proposal = staged(town, scene)
        with project_scope(town.cast.owner.acting):
            Membership.objects.filter(actor_id=town.people["m2"].actor_id).update(level=MembershipLevel.VIEWER)
        said = by_verb(town, scene, proposal), by_sql(town, scene, proposal)
        transaction.set_rollback(True)
    assert said == (None, set())


def test_an_agent_that_calls_itself_human_decides_nothing(town: Town, django_db_blocker: Any) -> None:
    scene = Scene("duties", "low", "o1", None, frozenset(HUMANS), "dev")
    posing = replace(town.agents["dev"][0], kind=town.people["o1"].kind)
    disguised = replace(town, agents=town.agents | {"dev": (posing, "o1")})
    with django_db_blocker.unblock(), transaction.atomic():
        proposal = staged(town, scene)
        said = by_verb(disguised, scene, proposal), by_sql(disguised, scene, proposal)
        transaction.set_rollback(True)
    assert said == (None, set())
