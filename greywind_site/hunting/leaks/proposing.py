"""Planting what waits for a human's word, and what one said to it."""

from datetime import datetime

from governance.decisions import DecisionWish, decide
from governance.proposal_reading import sight
from governance.proposals import ProposalWish, comment
from governance.proposals import propose as propose_contract
from governance.scope import project_scope, record
from governance.vocabulary import ContractKind, DecisionVerb, ProofKind
from greywind_site.hunting.leaks.marks import Mint, Mints, Place
from greywind_site.hunting.leaks.people import Crew
from threads.models import Thread, Vision
from threads.vision_edits import propose_vision
from threads.visions import VisionWish


def plant_proposals(crew: Crew, thread: Thread, *, mints: Mints, now: datetime) -> None:
    """Propose two roles, of which a human answers the second, and an edit of what is wanted of a shared thread."""
    agent, said = crew.agents["dev"].acting, mints.of(Place(crew.number))
    slugs = ("keeper", "keeper-again")
    with project_scope(agent):
        made = [propose_contract(agent, _role(said, slug), now=now) for slug in slugs]
        seen = Vision.objects.filter(thread=thread).latest("version").version
        propose_vision(agent, thread, _more(said), seen=seen, now=now, why=said.say("it got dark"))
        comment(agent, made[0], said.say("this is needed"), now=now)
        record("hunt.plant", made[0].public_id, reason=said.say("so that something is told"))
    with project_scope(crew.maintainer.acting):
        asked = sight(made[1])
        wish = DecisionWish(
            verb=DecisionVerb.REQUEST_CHANGES,
            expected_version=1,
            seen_hash=asked.seen_hash,
            text=said.say("say more"),
            proof=ProofKind.PASSWORD,
        )
        decide(crew.maintainer.acting, made[1], wish, now=now)


def _role(said: Mint, slug: str) -> ProposalWish:
    body = {"slug": slug, "duties": [said.say("keep the lights")]}
    return ProposalWish(
        kind=ContractKind.ROLE, slug=slug, body=body, title=said.say("a keeper"), rationale=said.say("for the lights")
    )


def _more(said: Mint) -> VisionWish:
    return VisionWish(origin_goal=said.say("brighter lights"), done_when=[said.say("seen from the sea")])
