"""The policy in words, and the answers to who may read what: by the same rules that the compiler follows."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import override

from governance.errors import Invalid
from governance.models import Actor, Membership, User
from governance.policies import Reason
from governance.policy_reasons import EXPLANATIONS
from governance.scope import project_scope
from governance.vocabulary import ContractKind, MembershipLevel, Sensitivity
from greywind_site.console.policy_words import REASONS
from memories.models import Memory
from memories.vocabulary import MemoryType
from memories.writes import EvidenceWish, MemoryWish, admit, propose
from tests.cast import POLICY, Cast, Member, make_cast
from tests.governing import asked, changed
from tests.memories.learning import Desk
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in

RULES = [
    {"phase": "execute", "risk": "high", "highest_sensitivity": "public", "lowest_knowledge_status": "confirmed"},
    {"phase": "plan", "highest_sensitivity": "personal", "lowest_knowledge_status": "open"},
]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(User.objects.get(username="owner-alpha"))


# About different things, so that none contradicts another.
TEXTS = [
    "Invoices are archived in Lisbon.",
    "Reviews happen before merging.",
    "潮汐表放在文档目录里。",
    "The pier café sells rye bread.",
    "Backups run every night.",
    "Anna prefers short answers.",
]


def learnt(cast: Cast, by: Member, **more: Any) -> Memory:
    """A memory that is in use, unlike every other; a private one is held, since nobody admits it."""
    with project_scope(cast.owner.acting):
        text = TEXTS[Memory.objects.count()]
    evidence = [EvidenceWish(ref=Desk(by).said(text))]
    wish = MemoryWish(content=text, type=MemoryType.SEMANTIC, evidence=evidence, **more)
    now = timezone.now()
    with project_scope(by.acting):
        memory = propose(by.acting, wish, now=now)
    if not more.get("private"):
        with project_scope(cast.owner.acting):
            admit(cast.owner.acting, Memory.objects.get(pk=memory.pk), reason="known", now=now)
    return memory


def why(client: Client, cast: Cast, memory: str, *, agent: Member | None = None, **more: str) -> Any:
    """Ask why an agent may read a memory."""
    query = {"ask": "memory", "agent": (agent or cast.dev).actor.public_id, "memory": memory, "role": "dev"}
    query |= {"phase": "execute", "risk": "low", "to": "own"} | more
    return client.get(f"{page_of(cast)}policies", query)


def tried(client: Client, cast: Cast, **more: str) -> Any:
    """Try a memory that is made up."""
    query = {"ask": "case", "agent": cast.dev.actor.public_id, "role": "dev", "phase": "execute", "risk": "low"}
    query |= {"to": "own", "audience": "project", "for_role": "", "sensitivity": "work", "certainty": "inferred"}
    query |= {"source": "trusted_agent", "type": "semantic"} | more
    return client.get(f"{page_of(cast)}policies", query)


def fails(page: Any) -> list[int]:
    """The steps of the answer that do not hold, by their number."""
    return [n for n, step in enumerate(page.context["answer"].steps, 1) if not step.holds]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_the_same_blanks_in_both_languages(reason: Reason, language: str) -> None:
    blanks = set(re.findall(r"{(\w+)}", EXPLANATIONS[reason]))
    with override(language):
        shown = set(re.findall(r"%\((\w+)\)s", str(REASONS[reason])))
    assert shown <= blanks


def test_the_policy_stands_there_in_words(cast: Cast, owner: Client) -> None:
    body = POLICY | {"review_mode": "low-risk-auto", "injection_rules": RULES, "retention": {"sop": 30}}
    changed(cast, ContractKind.POLICY, "default", body)
    page = owner.get(f"{page_of(cast)}policies")
    words = page.content.decode()
    assert all(said in words for said in ("low risk goes through by itself", "30 days", "owner-alpha", "revision 2"))
    cells = {(cell.phase, cell.risk): cell.rule for row in page.context["page"].cells for cell in row}
    assert (cells["execute", "high"], cells["plan", "low"], cells["accept", "low"]) == (1, 2, 0)


def test_a_memory_that_may_enter_holds_at_every_step(cast: Cast, owner: Client) -> None:
    page = why(owner, cast, learnt(cast, cast.dev).public_id)
    assert (page.status_code, fails(page), "Yes, it may enter" in page.content.decode()) == (200, [], True)


def test_the_rule_that_keeps_it_out_is_named(cast: Cast, owner: Client) -> None:
    changed(cast, ContractKind.POLICY, "default", POLICY | {"injection_rules": RULES})
    page = why(owner, cast, f"memory://{learnt(cast, cast.dev).public_id}@1", risk="high")
    assert (fails(page), "rule 1 of the policy" in page.content.decode()) == ([6, 7], True)


def test_where_the_packet_goes_and_how_sensitive_it_is(cast: Cast, owner: Client) -> None:
    cells = {
        (level, to): fails(why(owner, cast, learnt(cast, cast.dev, sensitivity=level).public_id, to=to))
        for level in Sensitivity
        if level != "secret"
        for to in ("own", "external")
    }
    assert cells == {
        ("public", "own"): [],
        ("public", "external"): [],
        ("work", "own"): [],
        ("work", "external"): [6],
        ("personal", "own"): [6],
        ("personal", "external"): [6],
    }


def test_a_candidate_is_not_in_use(cast: Cast, owner: Client) -> None:
    with project_scope(cast.dev.acting):
        wish = MemoryWish(content="a guess", type=MemoryType.SEMANTIC)
        held = propose(cast.dev.acting, wish, now=timezone.now())
    assert fails(why(owner, cast, held.public_id)) == [4]


def test_a_role_that_is_not_held_fails(cast: Cast, owner: Client) -> None:
    memory = learnt(cast, cast.dev)
    assert fails(why(owner, cast, memory.public_id, agent=cast.tester)) == [2]


def bare(page: Any, asked_for: str) -> str:
    """The page without what was typed, and without what each answer has of its own."""
    text = page.content.decode().replace(asked_for, "REF")
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", text)


def test_foreign_private_random_and_malformed_refs_give_the_same_answer(cast: Cast, owner: Client) -> None:
    other = make_cast("beta")
    foreign = learnt(other, other.dev).public_id
    private = learnt(cast, cast.personal, private=True).public_id
    refs = [foreign, private, f"mem_{'0' * 32}", "mem_x", "hello", f"evt_{'0' * 32}"]
    pages = [why(owner, cast, ref) for ref in refs]
    assert {page.status_code for page in pages} == {422}
    assert len({bare(page, ref) for page, ref in zip(pages, refs, strict=True)}) == 1


def test_a_foreign_agent_is_no_choice(cast: Cast, owner: Client) -> None:
    other = make_cast("beta")
    memory = learnt(cast, cast.dev)
    page = why(owner, cast, memory.public_id, agent=other.dev)
    assert (page.status_code, page.context["answer"]) == (422, None)


CASES = [
    ({}, [], "mode_asks_a_human", "leaving_asks_a_human"),
    ({"audience": "private"}, [5], "mode_asks_a_human", "not_shared"),
    ({"audience": "private", "to": "private"}, [], "mode_asks_a_human", "not_shared"),
    ({"audience": "role", "for_role": "chief"}, [5], "mode_asks_a_human", "not_shared"),
    ({"audience": "role", "for_role": "dev"}, [], "mode_asks_a_human", "not_shared"),
    ({"audience": "role", "for_role": "dev", "to": "channel"}, [5], "mode_asks_a_human", "not_shared"),
    ({"sensitivity": "secret"}, [6], "sensitivity_stays_private", "sensitivity_refused"),
    ({"certainty": "disputed"}, [7], "mode_asks_a_human", "not_certain_enough"),
    ({"identity": "on"}, [], "identity_asks_a_human", "leaving_asks_a_human"),
]


def test_a_case_is_tried_without_being_stored(cast: Cast, owner: Client) -> None:
    found = []
    for case, *_ in CASES:
        page = tried(owner, cast, **case)
        answer = page.context["answer"]
        found.append((case, fails(page), answer.writing[0].reason_code, answer.leaving[0].reason_code))
    with project_scope(cast.owner.acting):
        assert (found, Memory.objects.count()) == (CASES, 0)


def test_a_stranger_finds_no_policy_and_a_viewer_reads_it(cast: Cast) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER), CHINESE)
    page = viewer.get(f"{page_of(cast)}policies")
    assert (page.status_code, "生效中的策略" in page.content.decode()) == (200, True)
    assert "propose" not in page.content.decode()
    assert signed_in(make_account()).get(f"{page_of(cast)}policies").status_code == 404


def test_a_word_that_no_rule_follows_is_refused(cast: Cast) -> None:
    with pytest.raises(Invalid) as refusal:
        asked(cast.owner.acting, ContractKind.POLICY, "default", POLICY | {"review_mode": "humen"})
    assert [fault.pointer for fault in refusal.value.faults] == ["/body/review_mode"]


@pytest.mark.parametrize(
    ("asks", "field"),
    [({"review_mode": "low_risk_auto"}, "review_mode"), ({"vision_editors": "nobody"}, "vision_editors")],
)
def test_a_policy_under_which_nobody_could_decide_is_refused(cast: Cast, asks: dict[str, str], field: str) -> None:
    with project_scope(cast.owner.acting):
        Membership.objects.filter(actor=cast.owner.actor).update(level=MembershipLevel.MAINTAINER)
    with pytest.raises(Invalid) as refusal:
        asked(cast.dev.acting, ContractKind.POLICY, "default", POLICY | {"review_mode": "auto"} | asks)
    assert (refusal.value.code, refusal.value.faults[0].pointer) == ("nobody_could_decide", f"/body/{field}")


def test_more_memories_and_agents_take_no_more_queries(cast: Cast, owner: Client) -> None:
    taken = []
    for n in range(2):
        memory = learnt(cast, cast.dev)
        with project_scope(cast.owner.acting):
            Actor.objects.create(project=cast.project, kind="agent", name=f"more {n}", roles=["dev"])
        with CaptureQueriesContext(connection) as seen:
            why(owner, cast, memory.public_id)
        taken.append(len([one for one in seen if one["sql"] not in ("BEGIN", "COMMIT")]))
    assert (taken[0] == taken[1], taken[0] <= 12) == (True, True)
