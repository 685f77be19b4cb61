"""Putting a scene on the stage: by the verbs where people act, and by hand where the scene needs what no verb does."""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.contracts import active_revision
from governance.decisions import DecisionWish, decide
from governance.models import Actor, Proposal
from governance.proposal_desk import close
from governance.proposal_reading import Sight, sight
from governance.proposal_texts import TextWish
from governance.proposals import ProposalWish, edit, propose, withdraw
from governance.schemas import checked_body
from governance.scope import project_scope
from governance.vocabulary import (
    ActorKind,
    DecisionReason,
    DecisionVerb,
    ProofKind,
    ProposalKind,
    ProposalState,
    Risk,
)
from greywind_site.hunting.authority.oracle import Matter, decides
from greywind_site.hunting.authority.people import HUMANS, POLICY, Person
from greywind_site.hunting.authority.scenes import CHANGES, Change, Scene
from greywind_site.hunting.authority.sql import Stood, decision, enter
from sessions.models import BudgetProfile
from threads.models import Vision
from threads.vision_edits import body_of

OWNERS = ("o1", "o2", "o3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A scene on the stage: its proposal as the code sees it, as the oracle does, and what may be referred to."""

    scene: Scene
    proposal: uuid.UUID
    seen: Sight
    matter: Matter
    now: Stood
    older: Stood | None
    next_text: Mapping[str, Any]


@contextmanager
def staged(people: Mapping[str, Person], scene: Scene) -> Iterator[Staged]:
    """Stage a scene in the open transaction, and take it away at the end."""
    with transaction.atomic():
        proposal, older = _written(people, scene)
        _brought_to(people, scene, proposal)
        if scene.moved:
            _overtaken(people, scene)
        _left_with(people, scene.present)
        yield _looked_at(people, scene, proposal, older)
        transaction.set_rollback(True)


def ask_for_two(people: Mapping[str, Person]) -> None:
    """Let the policy ask for two deciders at every risk, in the open transaction."""
    body = POLICY | {"two_deciders_for": [str(risk) for risk in Risk]}
    _approve(people, _propose(people["o1"].acting, CHANGES["retention"], body))


def _written(people: Mapping[str, Person], scene: Scene) -> tuple[Proposal, Stood | None]:
    change, asked = CHANGES[scene.change], Risk(scene.asked)
    author = people[scene.proposer].acting
    proposal = _propose(author, change, _body(author, scene, 0), risk=asked, draft=scene.state == "draft")
    if scene.editor is None:
        return proposal, None
    with project_scope(people[scene.editor].acting) as scope:
        older = _stood(sight(Proposal.objects.get(pk=proposal.pk)))
        text = TextWish(body=_body(scope.acting, scene, 1), risk=asked)
        edit(scope.acting, proposal, text, expected_version=1, now=timezone.now())
    return proposal, older


def _propose(author: Acting, change: Change, body: Mapping[str, Any], **more: Any) -> Proposal:
    with project_scope(author):
        slug = str(body["thread"]) if change.kind == ProposalKind.VISION else change.slug
        wish = ProposalWish(kind=change.kind, slug=slug, body=dict(body), title="hunted", **more)
        return propose(author, wish, now=timezone.now())


def _body(acting: Acting, scene: Scene, place: int) -> dict[str, Any]:
    """Return the scene's text of that place, upon what holds."""
    change = CHANGES[scene.change]
    with project_scope(acting):
        return _upon(change, _holds(change), place)


def _holds(change: Change) -> dict[str, Any]:
    if change.kind == ProposalKind.VISION:
        return body_of(Vision.objects.latest("version"))
    base = active_revision(change.kind, change.slug)
    body: dict[str, Any] = base.body if base else BudgetProfile.objects.newest().get(slug=change.slug).body
    return body


def _upon(change: Change, before: Mapping[str, Any], place: int = 2) -> dict[str, Any]:
    return checked_body(change.kind, {**before, **change.texts[place]})


def _brought_to(people: Mapping[str, Person], scene: Scene, proposal: Proposal) -> None:
    match scene.state:
        case "approved":
            _approve(people, proposal)
        case "rejected" | "changes_requested":
            verb = DecisionVerb.REJECT if scene.state == "rejected" else DecisionVerb.REQUEST_CHANGES
            _say(people[_free(people, proposal)[0]].acting, proposal, verb)
        case "withdrawn":
            with project_scope(people[scene.proposer].acting) as scope:
                withdraw(scope.acting, proposal, reason="", now=timezone.now())
        case "expired":
            _end(people["o1"].acting, proposal)


def _free(people: Mapping[str, Person], proposal: Proposal) -> list[str]:
    """Return owners who wrote nothing of it."""
    with project_scope(people["o1"].acting):
        authors = sight(Proposal.objects.get(pk=proposal.pk)).case.authors
    return [name for name in OWNERS if people[name].acting.actor_id not in authors]


def _approve(people: Mapping[str, Person], proposal: Proposal) -> None:
    for name in _free(people, proposal):
        _say(people[name].acting, proposal, DecisionVerb.APPROVE)
        with project_scope(people["o1"].acting):
            if Proposal.objects.get(pk=proposal.pk).state == ProposalState.APPROVED:
                return


def _say(who: Acting, proposal: Proposal, verb: DecisionVerb) -> None:
    with project_scope(who):
        decide(who, proposal, wish_on(sight(Proposal.objects.get(pk=proposal.pk)), verb), now=timezone.now())


def wish_on(seen: Sight, verb: DecisionVerb, **other: Any) -> DecisionWish:
    """Return a decision on what is seen; `other` changes what it refers to."""
    bound: dict[str, Any] = {"expected_version": seen.proposal.version, "seen_hash": seen.seen_hash}
    said = {"reason_code": DecisionReason.WRONG, "text": "so", "proof": ProofKind.PASSWORD}
    return DecisionWish(verb=verb, **(bound | said | other))


def _end(owner: Acting, proposal: Proposal) -> None:
    with project_scope(owner):
        system = acting_as(Actor.objects.get(kind=ActorKind.SYSTEM))
    with project_scope(system):
        held = Proposal.objects.get(pk=proposal.pk)
        close(held, ProposalState.EXPIRED, verb="proposal.expire", reason="late", now=timezone.now())


def _overtaken(people: Mapping[str, Person], scene: Scene) -> None:
    """Let another proposal for the same contract be approved."""
    change = CHANGES[scene.change]
    _approve(people, _propose(people["o1"].acting, change, _body(people["o1"].acting, scene, 2)))


def _left_with(people: Mapping[str, Person], present: frozenset[str]) -> None:
    gone = [people[name].acting.actor_id for name in HUMANS if name not in present]
    with project_scope(people["o1"].acting):
        Actor.objects.filter(pk__in=gone).update(active=False)


def _looked_at(people: Mapping[str, Person], scene: Scene, proposal: Proposal, older: Stood | None) -> Staged:
    owner = people["o1"].acting
    with project_scope(owner):
        held = Proposal.objects.select_related("proposer__owned_by").get(pk=proposal.pk)
        stood = _stood(sight(held))
    given = _given(people, scene, held, stood)
    change = CHANGES[scene.change]
    with project_scope(owner):
        seen = sight(held)
        next_text = _upon(change, seen.before or _holds(change))
    return Staged(
        scene=scene,
        proposal=proposal.pk,
        seen=seen,
        matter=matter_of(people, scene, approved=given),
        now=stood,
        older=older,
        next_text=next_text,
    )


def _given(people: Mapping[str, Person], scene: Scene, held: Proposal, stood: Stood) -> frozenset[str]:
    """Write approvals by hand: by the verb, the one that suffices would end the matter."""
    matter, given = matter_of(people, scene), given_in(people, scene)
    for name in given:
        acting, word = people[name].acting, bool(decides(people[name].someone, matter))
        enter(acting)
        with transaction.get_connection().cursor() as cursor:
            cursor.execute(*decision(acting, held.pk, stood, verb="approve", word=word))
    return frozenset(given)


def given_in(people: Mapping[str, Person], scene: Scene) -> list[str]:
    """Return whose approvals lie there already."""
    matter = matter_of(people, scene)
    able = [name for name in sorted(scene.present) if decides(people[name].someone, matter) is not None]
    return able[: scene.given]


def matter_of(people: Mapping[str, Person], scene: Scene, *, approved: frozenset[str] = frozenset()) -> Matter:
    """Return the scene in the oracle's words."""
    humans = tuple(people[name].someone for name in sorted(scene.present))
    writers = [scene.proposer, *([scene.editor] if scene.editor else [])]
    risk, level = scene.weight
    return Matter(
        project="home",
        risk=risk,
        level=level,
        writers=tuple(people[name].someone for name in writers),
        humans=humans,
        two=scene.two,
        state=scene.state,
        moved=scene.moved,
        approved=approved,
        decided=approved,
    )


def _stood(seen: Sight) -> Stood:
    return Stood(seen.text.version, seen.text.base_id, seen.seen_hash)
