"""Proposals for the pages to show: who asked for what, and how a browser answers."""

import re
from typing import Any

from django.test import Client

from governance.models import Proposal
from governance.vocabulary import ContractKind
from tests.cast import PERSONA, Cast, Member
from tests.governing import asked
from tests.site.console_cast import page_of

SOFTER = {**PERSONA, "speaking_style": "calm and warm"}  # low risk, a maintainer decides
BOLDER = {**PERSONA, "identity_core": {"hard_boundaries": ["Ask before deleting."]}}  # high risk, an owner decides
HIDDEN = re.compile(r'name="(version|seen_hash|within)" value="([^"]*)"')


def softer(by: Member, **more: Any) -> Proposal:
    """A change of the persona's style."""
    return asked(by.acting, ContractKind.PERSONA, "default", SOFTER, **more)


def bolder(by: Member, **more: Any) -> Proposal:
    """A change of the persona's core."""
    return asked(by.acting, ContractKind.PERSONA, "default", BOLDER, **more)


def page_at(cast: Cast, proposal: Proposal, rest: str = "") -> str:
    """Address of a proposal's page, or of what lies below it."""
    return f"{page_of(cast)}proposals/{proposal.public_id}/{rest}"


def seen_on(client: Client, path: str) -> dict[str, str]:
    """What the page binds a decision to."""
    return dict(HIDDEN.findall(client.get(path).content.decode()))
