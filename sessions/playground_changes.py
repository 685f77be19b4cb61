"""What would have to be approved for a what-if to be so, and where there is nothing that could be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from governance.actors import Acting
from governance.proposal_forms import RevertForm, as_yaml
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from sessions.attempts import DEFAULT_POLICY
from sessions.playground import Body, OtherText, WhatIf, body_with_caps, standing_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A contract that was to say something else.

    `body` is the text that the form of a proposal begins with. `number` is the revision to go back to instead, which
    `form` asks for. Neither is there where what holds says the same already.
    """

    kind: ContractKind
    slug: str
    body: str = ""
    number: int | None = None
    form: RevertForm | None = None


def slugs_for(*, role: str, profile: str) -> Mapping[ContractKind, str]:
    """Return which contract of each kind a compile goes by."""
    return {
        ContractKind.ROLE: role,
        ContractKind.POLICY: DEFAULT_POLICY,
        ContractKind.BUDGET_PROFILE: profile,
    }


def changes_of(acting: Acting, what_if: WhatIf, slugs: Mapping[ContractKind, str]) -> Sequence[Change]:
    """Return each contract that would have to say something else, in the order in which the form asks for it."""
    asked = dict(what_if.texts)
    with project_scope(acting, read_only=True):
        kinds = [*asked, ContractKind.BUDGET_PROFILE] if what_if.caps else list(asked)
        present = {kind: standing_text(kind, slugs[kind]) for kind in kinds}
    if what_if.caps:
        kind = ContractKind.BUDGET_PROFILE
        text = asked[kind].body if kind in asked else present[kind]
        if text is not None:
            asked[kind] = OtherText(body_with_caps(text, what_if.caps))
    return [_change(kind, slugs[kind], text, present[kind]) for kind, text in asked.items()]


def _change(kind: ContractKind, slug: str, text: OtherText, present: Body | None) -> Change:
    if text.body == present:
        return Change(kind=kind, slug=slug)
    if text.older is not None:
        return Change(kind=kind, slug=slug, number=text.older.number, form=RevertForm(auto_id=f"back_{kind.value}_%s"))
    return Change(kind=kind, slug=slug, body=as_yaml(text.body, kind))
