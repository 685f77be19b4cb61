"""`manage.py agent` and `manage.py key`: who works in a project, and with which keys."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from governance.agents import add_agent, agents, find_agent, rename_agent, set_active
from governance.keys import KeyFacts, MintedKey, find_key, issue, keys_of_project, revoke, rotate
from governance.models import Actor
from governance.scope import project_scope
from governance.vocabulary import PRESET_SCOPES, KeyPreset
from greywind_site.embedded.running import address_of
from greywind_site.operating.command import Told, lines, owner_of, table
from threads.models import ThreadUse

ONCE = "The key is shown this once; it is kept as a hash only."


def make_agent(options: dict[str, Any]) -> Told:
    """Make an agent, and a key for it where one is asked for."""
    acting, now = owner_of(options), timezone.now()
    with project_scope(acting):
        agent = add_agent(acting, options["name"], roles=options["role"], now=now)
        scopes = PRESET_SCOPES[KeyPreset(options["preset"])]
        minted = issue(acting, agent, scopes=scopes, now=now, name=options["name"]) if options["key"] else None
    facts: dict[str, Any] = {"id": agent.public_id, "name": agent.name, "roles": agent.roles}
    if minted is None:
        then = [f"Next: python3 manage.py key mint --agent {agent.public_id}"]
        return Told(facts=facts, shown=lines(facts, then=then))
    return Told(facts=facts | _minted(minted), shown=lines(facts | _minted(minted), then=how_to_call(minted)))


def show_agents(options: dict[str, Any]) -> Told:
    """List the agents of a project, with when each of them last worked on a thread."""
    with project_scope(owner_of(options), read_only=True):
        seen = dict(ThreadUse.objects.values_list("actor_id").annotate(Max("last_used_at")))
        facts = [_agent(agent, seen=seen.get(agent.pk)) for agent in agents()]
    cells = [list(fact.values()) for fact in facts]
    return Told(facts={"agents": facts}, shown=table("id", "name", "roles", "active", "last seen", rows=cells))


def switch_agent(options: dict[str, Any]) -> Told:
    """Switch an agent off or on."""
    acting, active = owner_of(options), options["act"] == "reactivate"
    with project_scope(acting):
        agent = find_agent(options["agent"], pointer="AGENT")
        set_active(acting, agent, active=active)
    facts = {"id": agent.public_id, "name": agent.name, "active": active}
    what = "Its keys open again." if active else "None of its keys opens anything until it is reactivated."
    return Told(facts=facts, shown=lines(facts, then=[what]))


def name_agent(options: dict[str, Any]) -> Told:
    """Give an agent another name."""
    acting = owner_of(options)
    with project_scope(acting):
        agent = find_agent(options["agent"], pointer="AGENT")
        rename_agent(acting, agent, options["name"])
    facts = {"id": agent.public_id, "name": agent.name}
    return Told(facts=facts, shown=lines(facts))


def mint_key(options: dict[str, Any]) -> Told:
    """Make a key for an agent."""
    acting = owner_of(options)
    scopes = options["scope"] or PRESET_SCOPES[KeyPreset(options["preset"])]
    with project_scope(acting):
        agent = find_agent(options["agent"], pointer="--agent")
        minted = issue(
            acting, agent, scopes=scopes, now=timezone.now(), name=options["name"], lifetime=options["expires"]
        )
    facts = {"agent": agent.name, **_minted(minted)}
    return Told(facts=facts, shown=lines(facts, then=how_to_call(minted)))


def show_keys(options: dict[str, Any]) -> Told:
    """List the keys of a project; a list opens nothing."""
    now = timezone.now()
    with project_scope(owner_of(options), read_only=True):
        agent = find_agent(options["agent"], pointer="--agent") if options["agent"] else None
        facts = [_key(row) for row in keys_of_project(now=now, agent=agent)]
    columns = ("id", "key", "name", "agent", "state", "created", "expires", "revoked")
    cells = [[fact[column] for column in columns] for fact in facts]
    return Told(facts={"keys": facts}, shown=table(*columns, rows=cells))


def rotate_key(options: dict[str, Any]) -> Told:
    """Put a new key in the place of an old one."""
    acting = owner_of(options)
    with project_scope(acting):
        old = find_key(options["key"], pointer="KEY")
        minted = rotate(acting, old, now=timezone.now(), overlap=options["overlap"])
    facts = {"replaces": old.public_id, **_minted(minted)}
    end = (
        "The old key opens nothing from now on." if not options["overlap"] else "The old key lapses after the overlap."
    )
    return Told(facts=facts, shown=lines(facts, then=[end, *how_to_call(minted)]))


def revoke_key(options: dict[str, Any]) -> Told:
    """End a key at once."""
    acting = owner_of(options)
    with project_scope(acting):
        key = find_key(options["key"], pointer="KEY")
        revoke(acting, key, reason=options["reason"], now=timezone.now())
    facts = {"id": key.public_id, "revoked": True}
    return Told(facts=facts, shown=lines(facts, then=["The next request with it is answered 401."]))


def how_to_call(minted: MintedKey) -> list[str]:
    """Return what to do with a fresh key: the first call, ready to be copied."""
    address = address_of(settings.GREYWIND.instance.folder)
    return [
        ONCE,
        "",
        f"curl -s {address}/api/v1/context -H 'Authorization: Bearer {minted.secret}' \\",
        '  -H \'Content-Type: application/json\' -d \'{"user_input": {"raw_text": "hello"}}\'',
    ]


def _minted(minted: MintedKey) -> dict[str, Any]:
    return {
        "key_id": minted.key.public_id,
        "key": minted.secret,
        "scopes": minted.key.scopes,
        "expires": minted.key.expires_at,
    }


def _agent(agent: Actor, *, seen: datetime | None) -> dict[str, Any]:
    return {
        "id": agent.public_id,
        "name": agent.name,
        "roles": agent.roles,
        "active": agent.active,
        "last_seen": seen,
    }


def _key(row: KeyFacts) -> dict[str, Any]:
    return {
        "id": row.key.public_id,
        "key": row.shown,
        "name": row.key.name,
        "agent": row.agent.name,
        "state": row.state,
        "scopes": row.key.scopes,
        "created": row.key.created_at,
        "expires": row.key.expires_at,
        "revoked": row.key.revoked_at,
    }
