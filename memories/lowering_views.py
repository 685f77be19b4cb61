"""The page on which somebody asks that a shared memory counts as less sensitive."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from governance.errors import Clash, Forbidden, Invalid
from governance.forms import ConsoleForm, posted, status_of
from governance.models import Proposal
from governance.pages import Desk, blame, done, id_in_path, project_page, show
from governance.proposal_texts import LONGEST_TEXT
from governance.proposal_words import ASKED
from governance.scope import project_scope
from governance.vocabulary import Deed, Sensitivity, rank
from memories.looking_up import find_memory
from memories.lowering import Lowering, propose_lower
from memories.models import Memory
from memories.reading import worded
from memories.store_words import LEVELS


class LoweringForm(ConsoleForm):
    """What a memory should count as, why, and which state of it was read."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    sensitivity = forms.ChoiceField(label=gettext_lazy("What it should count as"))
    reason = forms.CharField(
        label=gettext_lazy("Why"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy(
            "Everybody in the project may read it. Refs in it, such as event://…, appear as evidence."
        ),
    )

    def see(self, memory: Memory) -> None:
        """Let the form be about the memory as it stands now; what was typed stays."""
        lower = [level for level in Sensitivity if rank(level) < rank(Sensitivity(memory.sensitivity))]
        self.fields["sensitivity"].choices = [(level.value, LEVELS[level]) for level in lower]  # type: ignore[attr-defined]  # django-stubs: of a ChoiceField
        self.initial.update(version=memory.version, sensitivity=lower[-1] if lower else "")

    def wish(self, memory: Memory) -> Lowering:
        """Return what the form asks for; it has to be valid."""
        said = self.cleaned_data
        return Lowering(
            memory=memory, version=said["version"], after=Sensitivity(said["sensitivity"]), why=said["reason"]
        )


@project_page
def lower_memory(request: HttpRequest, desk: Desk, memory_id: str) -> HttpResponse:
    """Ask the project's owners to let a memory count as less sensitive."""
    desk.check(Deed.PROPOSE_CONTRACT)
    pk, form, status = id_in_path("mem", memory_id), LoweringForm(posted(request)), None
    with project_scope(desk.acting, read_only=True):
        found = find_memory(pk)
    form.see(found)
    if form.is_valid():
        try:
            proposal = _asked(desk, pk, form)
        except (Clash, Forbidden, Invalid) as refusal:
            blame(form, refusal)
            form.say_instead(version=str(found.version))
            status = refusal.status
        else:
            return done(request, ASKED, to=reverse("proposal", args=[desk.seat.public_id, proposal.public_id]))
    context: dict[str, Any] = {"memory": found, "text": worded(found.content), "stands": Sensitivity(found.sensitivity)}
    status = status or status_of(form)
    return show(request, desk, "memories/lower.html", status=status, section="memories", form=form, **context)


def _asked(desk: Desk, pk: Any, form: LoweringForm) -> Proposal:
    with project_scope(desk.acting):
        return propose_lower(desk.acting, form.wish(find_memory(pk)), now=timezone.now())
