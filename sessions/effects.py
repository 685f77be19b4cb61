"""What a change of a contract would do to a recorded packet: compiled twice more in memory, with each of the texts.

Nothing is recorded and nothing counts as a use. Both compiles are today's, of the same material, so that the change is
the only difference between them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from governance.policy_rules import PolicyRules
from governance.vocabulary import ContractKind
from sessions.context.budget import Limit, build_budget
from sessions.context.compiler import Compiled, compile_packet
from sessions.context.floors import floors_of
from sessions.context.material import ContractFact, Material
from sessions.context.profile_form import parse_profile
from sessions.context.profiles import ModelProfile, with_learnt
from sessions.context.vocabulary import Dialect, DropReason, Layer, LimitOrigin
from sessions.models import ContextPacket
from sessions.profiles import again, of_request
from sessions.receipts import limits_in, material_in
from sessions.replay import carried_by, decisions_in
from sessions.vocabulary import ItemChange

NEW = "revision://new"  # what stands for the ref of a contract that no packet carried yet

type Body = Mapping[str, Any]
type Key = tuple[str, str]  # layer and ref
type Taken = tuple[int, str]  # tokens and text


@dataclass(frozen=True, slots=True)
class ContractChange:
    """A contract's text as it holds (None where there is none) and as it is asked for."""

    kind: ContractKind
    before: Body | None
    after: Body


@dataclass(frozen=True, slots=True)
class Moved:
    """An item that is not the same in both compiles, in tokens; None where it is out.

    `reason` says why it is out, or was; None where the text itself no longer holds it, or did not.
    """

    change: ItemChange
    layer: Layer
    ref: str
    before: int | None
    after: int | None
    reason: DropReason | None


def compiled_both(packet: ContextPacket, change: ContractChange) -> tuple[Compiled, Compiled]:
    """Compile a packet's material with the present text and with the new one, in the open scope.

    Raises Gone when some of the material is no longer permitted to this reader, or the budget profile moved on.
    """
    receipt = packet.receipt
    profile = again(*receipt["profile"])
    material = material_in(receipt, packet.session, needed=carried_by(decisions_in(packet)))
    same: dict[str, Any] = {"kind": change.kind, "dialect": Dialect(receipt["dialect"])}
    limits = limits_in(receipt)
    return (
        _compiled(material, profile, limits, body=change.before, **same),
        _compiled(material, profile, limits, body=change.after, **same),
    )


def moved_items(before: Compiled, after: Compiled) -> list[Moved]:
    """Return what falls out, comes in or reads otherwise, layer by layer; nothing where either is a refusal."""
    if before.packet is None or after.packet is None:
        return []
    old, new = _taken(before), _taken(after)
    order = {layer.value: at for at, layer in enumerate(Layer)}
    keys = sorted({**old, **new}, key=lambda key: order[key[0]])
    left = (_left(before), _left(after))
    return [_moved(key, old.get(key), new.get(key), left=left) for key in keys if old.get(key) != new.get(key)]


def _compiled(
    material: Material,
    profile: ModelProfile,
    limits: list[Limit],
    *,
    kind: ContractKind,
    body: Body | None,
    dialect: Dialect,
) -> Compiled:
    if kind is ContractKind.BUDGET_PROFILE:
        profile = profile if body is None else with_figures(profile, body)
    else:
        material = with_text(material, kind, body)
    if kind is ContractKind.ROLE:
        limits = list(_role_limits(limits, body))
    asked: dict[str, Any] = {
        "limits": limits,
        "floors": floors_of(material.policy.body if material.policy else None),
    }
    budget = build_budget(of_request(profile, dialect), phase=material.phase, risk=material.risk, **asked)
    return compile_packet(material, budget, counter=profile.counter())


def with_figures(profile: ModelProfile, body: Body) -> ModelProfile:
    """Put the figures of a budget profile's text in the place of those that were there; what was learnt stays."""
    return with_learnt(parse_profile(body), profile.learnt)


def with_text(material: Material, kind: ContractKind, body: Body | None) -> Material:
    """Put a text in the place of the one that was there; a policy's also says what may enter."""
    there: ContractFact | None = getattr(material, kind.value)
    if body is None:
        fact = None
    else:
        fact = replace(there, body=body) if there else ContractFact(ref=NEW, revision=1, body=body)
    changed: dict[str, Any] = {kind.value: fact}
    if kind is ContractKind.POLICY:
        ceiling = PolicyRules.of(body).ceiling(material.phase, material.risk)
        changed["eligibility"] = replace(
            material.eligibility,
            highest_sensitivity=ceiling.highest_sensitivity,
            lowest_knowledge_status=ceiling.lowest_knowledge_status,
        )
    return replace(material, **changed)


def _role_limits(limits: list[Limit], body: Body | None) -> Iterator[Limit]:
    yield from [limit for limit in limits if limit.origin is not LimitOrigin.ROLE]
    own = body.get("max_input_tokens") if body else None
    if own is not None:
        yield Limit(LimitOrigin.ROLE, own)


def _taken(compiled: Compiled) -> dict[Key, Taken]:
    """Return what is in, by its place, with its text: another text of the same cost is a change as well."""
    items = [item for section in compiled.sections for item in section.items]
    return {(item.layer.value, item.ref): (item.tokens, item.text) for item in items}


def _left(compiled: Compiled) -> dict[Key, str]:
    return {(layer.layer.value, item["ref"]): item["reason"] for layer in compiled.layers for item in layer.dropped}


def _moved(
    key: Key, before: Taken | None, after: Taken | None, *, left: tuple[Mapping[Key, str], Mapping[Key, str]]
) -> Moved:
    change = ItemChange.ADDED if before is None else ItemChange.GONE if after is None else ItemChange.CHANGED
    why = left[0 if before is None else 1].get(key)
    tokens = (before and before[0], after and after[0])
    return Moved(change, Layer(key[0]), key[1], *tokens, DropReason(why) if why else None)
