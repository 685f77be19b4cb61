"""What the compiler knows of a contract: the tokens that its texts cost, and whether a budget profile can be read."""

from collections.abc import Iterator, Mapping
from typing import Any

from governance.errors import FieldFault, Invalid
from governance.gauges import check_with, measure_with
from governance.vocabulary import ContractKind
from sessions.context.floors import floor_faults
from sessions.context.profile_form import check_room, parse_profile
from sessions.context.profiles import ProfileFault
from sessions.context.tokens import STORED_ENCODING, exact_counter


def register_gauges() -> None:
    """Tell governance how contracts are measured and budget profiles are read."""
    measure_with(contract_tokens)
    check_with(ContractKind.BUDGET_PROFILE, check_profile)
    check_with(ContractKind.POLICY, check_floors)


def contract_tokens(body: Mapping[str, Any]) -> int:
    """Return the o200k_base tokens of a body's texts, a line each."""
    return exact_counter(STORED_ENCODING).count("\n".join(_texts(body)))


def check_profile(body: Mapping[str, Any]) -> None:
    """Raise Invalid (invalid_body) that names the field at which a budget profile cannot be used."""
    try:
        check_room(parse_profile(body))
    except ProfileFault as fault:
        pointer = "/body/" + fault.field.replace(".", "/")
        raise Invalid.at(pointer, fault.message, code="invalid_body") from fault


def check_floors(body: Mapping[str, Any]) -> None:
    """Raise Invalid (invalid_body) that names each floor of a policy which no budget can keep."""
    faults = tuple(
        FieldFault(f"/body/{one.field}", "invalid_body", one.message, rule=one.rule, bounds=one.bounds)
        for one in floor_faults(body)
    )
    if faults:
        raise Invalid.of(faults, code="invalid_body")


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            if value:
                yield value
        case Mapping():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)
