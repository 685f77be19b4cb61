"""The form that asks for a change of a budget profile, field by field; sums are checked before it is asked."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from governance.errors import Invalid
from governance.forms import ConsoleForm
from governance.proposal_texts import LONGEST_TEXT, LONGEST_TITLE
from governance.vocabulary import Phase, Risk
from sessions.budget_words import COUNT_NAMES, ITEM_NAMES, OVERHEAD_NAMES, READS, THRESHOLD_NAMES, Path
from sessions.context.profile_form import ITEM_CAPS, LARGEST_WINDOW, RESERVES, parse_profile
from sessions.context.tokens import FILES
from sessions.context.vocabulary import CountMethod, Group, Layer
from sessions.packet_sentences import RESERVES as RESERVE_NAMES
from sessions.packet_words import word_of

METHODS = (CountMethod.EXACT, CountMethod.ESTIMATE)
WORDS = frozenset(("title", "rationale"))  # the fields that say what is asked for; the others are figures
SHARED = tuple(group for group in Group if group is not Group.HEADROOM)


@dataclass(frozen=True, slots=True)
class LayerFields:
    """The floor and the cap of one layer, as a row of a table."""

    layer: Layer
    ends: Sequence[forms.BoundField]


def name_of(path: Path) -> str:
    """Return the name of the field that stands for a place in a profile's body."""
    return "__".join(path)


class BudgetForm(ConsoleForm):
    """A changed budget profile. Shares are per cent of the input cap, the rest tokens; `version` is its base."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    title = forms.CharField(label=gettext_lazy("What changes, in a line"), max_length=LONGEST_TITLE)
    rationale = forms.CharField(
        label=gettext_lazy("Why"), widget=forms.Textarea(attrs={"rows": 3}), max_length=LONGEST_TEXT, required=False
    )

    def __init__(self, data: Any, *, body: Mapping[str, Any], version: int) -> None:
        self.base = body
        self.paths: dict[str, Path] = {}
        super().__init__(data, initial={"version": version})
        self.unsaid = {path: value for path, value in _unsaid(body).items() if _at(body, path) is None}
        for path, field in _fields():
            value = self.unsaid.get(path, _at(body, path))
            field.initial = round(value * 100, 2) if isinstance(field, forms.FloatField) and _share(path) else value
            field.widget.attrs.setdefault(
                "class", "form-select" if isinstance(field, forms.ChoiceField) else "form-control"
            )
            self.paths[name_of(path)] = path
            self.fields[name_of(path)] = field

    @property
    def windows(self) -> list[forms.BoundField]:
        return [self[name] for name in ("model_window", "harness_window", "encoding", "method", "factor")]

    @property
    def reserves(self) -> list[forms.BoundField]:
        return self._of("reserves", "overheads")

    @property
    def groups(self) -> list[forms.BoundField]:
        return self._of("groups", "thresholds")

    @property
    def items(self) -> list[forms.BoundField]:
        return self._of("item_caps", "counts", "reads")

    @property
    def layers(self) -> list[LayerFields]:
        return [
            LayerFields(layer, [self[name_of(("layers", layer, end))] for end in ("floor", "cap")]) for layer in Layer
        ]

    def clean(self) -> dict[str, Any]:
        """Check what single fields cannot: sums over the window and over the whole, and floors above caps."""
        sent = super().clean() or {}
        if self.errors.keys() <= WORDS:
            floors = _most_floors(self.body())
            self._check_window(sent)
            self._check_shares(sent, floors)
        return sent

    def figures_are_right(self) -> bool:
        """Whether the figures can be looked at; what is said about them may be missing yet, and is not at fault."""
        for name in self.errors.keys() & WORDS:
            del self.errors[name]
        return not self.errors

    def body(self) -> dict[str, Any]:
        """Return the profile's body as it was changed."""
        changed = copy.deepcopy(dict(self.base))
        for name, path in self.paths.items():
            value = self.cleaned_data[name]
            if path not in self.unsaid or value != self.unsaid[path]:
                _put(changed, path, round(value / 100, 4) if _share(path) else value)
        return changed

    def blame_body(self, refusal: Invalid) -> None:
        """Put what the profile's own reader refused beside the field that it names; the rest above the form."""
        for fault in refusal.faults:
            name = name_of(tuple(fault.pointer.removeprefix("/body/").split("/")))
            self.add_error(name if name in self.fields else None, fault.message)
        if not refusal.faults:
            self.add_error(None, refusal.detail)

    def _of(self, *tops: str) -> list[forms.BoundField]:
        return [self[name] for name, path in self.paths.items() if path[0] in tops]

    def _check_window(self, sent: Mapping[str, Any]) -> None:
        window = min(sent["model_window"], sent["harness_window"])
        reserved = sum(sent[name_of(("reserves", name))] for name in RESERVES)
        if reserved >= window:
            words = gettext(
                "The reserves add up to %(reserved)s tokens, and the window has %(window)s: lower the reserves by "
                "%(over)s or more, so that there is room for input."
            )
            figures = {"reserved": reserved, "window": window, "over": reserved - window + 1}
            self.add_error(None, words % {name: f"{tokens:,}" for name, tokens in figures.items()})
        for name in ITEM_CAPS:
            cap, room = sent[name_of(("item_caps", name))], window - reserved
            if 0 < room < cap:
                words = gettext("This is more than the input cap of %(room)s tokens: the window less the reserves.")
                self.add_error(name_of(("item_caps", name)), words % {"room": f"{room:,}"})
        excerpt = sent["item_caps__excerpt"]
        if 2 * sent["item_caps__title"] > excerpt:
            words = gettext("One line takes at most half of an excerpt, which has %(excerpt)s tokens.")
            self.add_error("item_caps__title", words % {"excerpt": f"{excerpt:,}"})

    def _check_shares(self, sent: Mapping[str, Any], most: tuple[float, Phase, Risk]) -> None:
        groups = round(sum(sent[name_of(("groups", group))] for group in SHARED), 2)
        floors, phase, risk = most
        if groups > 100:
            words = gettext("The groups add up to %(sum)s %% of the input cap: take away %(over)s or more.")
            self.add_error(None, words % {"sum": f"{groups:g}", "over": f"{groups - 100:g}"})
        if floors > 100:
            words = gettext(
                "The floors of the layers add up to %(sum)s %% of the input cap in the phase “%(phase)s” at the risk "
                "“%(risk)s”: take away %(over)s or more."
            )
            named = {"phase": word_of(Phase, phase), "risk": word_of(Risk, risk)}
            self.add_error(None, words % {"sum": f"{floors:g}", "over": f"{floors - 100:g}", **named})
        for layer in Layer:
            if sent[name_of(("layers", layer, "floor"))] > sent[name_of(("layers", layer, "cap"))]:
                words = gettext("The floor of a layer cannot be above its cap.")
                self.add_error(name_of(("layers", layer, "floor")), words)
        if sent["thresholds__soft"] > sent["thresholds__hard"]:
            self.add_error("thresholds__soft", gettext("The soft threshold cannot be above the hard one."))


def _most_floors(body: Mapping[str, Any]) -> tuple[float, Phase, Risk]:
    """Return the highest sum of floors in per cent that a phase and a risk come to, and which ones these are."""
    sums = []
    for phase in Phase:
        for risk in Risk:
            layers = dict(body["layers"])
            layers |= body.get("phases", {}).get(phase, {}).get("layers", {})
            layers |= body.get("risks", {}).get(risk, {}).get("layers", {})
            sums.append((round(100 * sum(share["floor"] for share in layers.values()), 2), phase, risk))
    return max(sums, key=lambda one: one[0])


def _fields() -> Iterator[tuple[Path, forms.Field]]:
    yield ("model_window",), _tokens(gettext_lazy("Window of the model"), least=1)
    yield ("harness_window",), _tokens(gettext_lazy("Window of the harness"), least=1)
    yield ("encoding",), forms.ChoiceField(label=gettext_lazy("Tokenizer"), choices=[(name, name) for name in FILES])
    methods = [(method.value, word_of(CountMethod, method)) for method in METHODS]
    yield ("method",), forms.ChoiceField(label=gettext_lazy("Counts are"), choices=methods)
    help_text = gettext_lazy("What an estimate is multiplied by until usage has taught better; 1 for exact counts.")
    yield (
        ("factor",),
        forms.FloatField(label=gettext_lazy("Factor"), min_value=1, max_value=10, help_text=help_text),
    )
    for name in RESERVES:
        yield ("reserves", name), _tokens(RESERVE_NAMES[name])
    for name, label in OVERHEAD_NAMES.items():
        yield ("overheads", name), _tokens(label)
    for group in SHARED:
        yield ("groups", group.value), _per_cent(word_of(Group, group))
    for name, label in THRESHOLD_NAMES.items():
        yield ("thresholds", name), _per_cent(label)
    for name, label in ITEM_NAMES.items():
        yield ("item_caps", name), _tokens(label, least=16)
    for path, label in COUNT_NAMES.items():
        yield path, _tokens(label)
    help_text = gettext_lazy("In tokens. Left empty: as much as the input has room for.")
    yield ("reads",), _tokens(READS, required=False, help_text=help_text)
    for layer in Layer:
        for end, label in (("floor", gettext_lazy("Floor")), ("cap", gettext_lazy("Cap"))):
            yield ("layers", layer.value, end), _per_cent(label, of=word_of(Layer, layer))


def _unsaid(body: Mapping[str, Any]) -> Mapping[Path, int | None]:
    """Return the figures that a profile may leave out, as they hold: they come into its text where they are changed."""
    profile = parse_profile(body)
    caps, counts, overheads = profile.item_caps, profile.counts, profile.overheads
    return {
        ("item_caps", "excerpt"): caps.excerpt,
        ("item_caps", "title"): caps.title,
        ("counts", "next_steps"): counts.next_steps,
        ("overheads", "message"): overheads.message,
        ("overheads", "tool"): overheads.tool,
        ("reads",): profile.reads,
    }


def _tokens(label: Any, *, least: int = 0, **more: Any) -> forms.IntegerField:
    widget = forms.NumberInput(attrs={"inputmode": "numeric"})
    return forms.IntegerField(label=label, min_value=least, max_value=LARGEST_WINDOW, widget=widget, **more)


def _per_cent(label: Any, *, of: Any = "") -> forms.FloatField:
    attrs = {"step": "0.01", "inputmode": "decimal"}
    widget = forms.NumberInput(attrs=attrs | ({"aria-label": f"{of}: {label}"} if of else {}))
    return forms.FloatField(label=label, min_value=0, max_value=100, widget=widget)


def _share(path: Path) -> bool:
    return path[0] in ("groups", "thresholds", "layers")


def _at(body: Mapping[str, Any], path: Path) -> Any:
    found: Any = body
    for part in path:
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _put(body: dict[str, Any], path: Path, value: Any) -> None:
    for part in path[:-1]:
        body = body.setdefault(part, {})
    body[path[-1]] = value
