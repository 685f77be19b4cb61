"""Questions to the policy: why an agent may read a memory, and what would happen to one that is made up."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from governance.actors import Acting
from governance.forms import ConsoleForm
from governance.models import Actor
from governance.policies import DisclosureCase, WriteCase
from governance.vocabulary import Audience, Phase, Risk, Sensitivity
from greywind_site.console.policy_reading import Ask, Question, Subject
from greywind_site.console.policy_words import POLICY_KINDS
from memories.memory_words import MEMORY_KINDS
from memories.vocabulary import KnowledgeStatus, MemoryType, SourceRank
from sessions.packet_words import KINDS as PACKET_KINDS

NOT_THERE = gettext_lazy("There is no such memory that you may read.")
ASKS: Mapping[Ask, Promise] = {
    Ask.OWN: gettext_lazy("its own window on a thread of the project"),
    Ask.PRIVATE: gettext_lazy("its own private thread"),
    Ask.CHANNEL: gettext_lazy("a channel that the project reads along"),
    Ask.EXTERNAL: gettext_lazy("outsiders"),
}


def _choices(words: Mapping[Any, Promise]) -> list[tuple[str, Promise]]:
    return [(member.value, text) for member, text in words.items()]


class QuestionForm(ConsoleForm):
    """Which agent asks for a packet, and where it goes."""

    agent = forms.ChoiceField(label=gettext_lazy("Agent"))
    role = forms.ChoiceField(label=gettext_lazy("In the role"), required=False)
    phase = forms.ChoiceField(label=gettext_lazy("Phase"), choices=_choices(PACKET_KINDS[Phase]))
    risk = forms.ChoiceField(label=gettext_lazy("Risk"), choices=_choices(PACKET_KINDS[Risk]))
    to = forms.ChoiceField(label=gettext_lazy("The packet goes to"), choices=_choices(ASKS))

    def __init__(self, *args: Any, agents: Sequence[Actor], **options: Any) -> None:
        options.setdefault("initial", {"phase": Phase.EXECUTE})
        super().__init__(*args, **options)
        self.agents = {agent.public_id: agent for agent in agents}
        roles = sorted({role for agent in agents for role in agent.roles})
        cast("forms.ChoiceField", self.fields["agent"]).choices = [(one.public_id, one.name) for one in agents]
        anyhow = ("", gettext_lazy("its first"))
        cast("forms.ChoiceField", self.fields["role"]).choices = [anyhow, *((role, role) for role in roles)]

    def question(self) -> Question:
        """Return what is asked."""
        said = self.cleaned_data
        agent = self.agents[said["agent"]]
        role = said["role"] or (agent.roles[0] if agent.roles else "")
        return Question(agent=agent, role=role, phase=Phase(said["phase"]), risk=Risk(said["risk"]), to=Ask(said["to"]))


class ExplainForm(QuestionForm):
    """Why may this agent read that memory?"""

    memory = forms.CharField(
        label=gettext_lazy("Memory, by its ref or id"),
        max_length=200,
        widget=forms.TextInput(attrs={"list": "memories", "autocomplete": "off", "spellcheck": "false"}),
    )
    field_order = ("agent", "memory", "role", "phase", "risk", "to")


class WhatIfForm(QuestionForm):
    """What would happen to a memory with these values?"""

    audience = forms.ChoiceField(label=gettext_lazy("Who may read it"), choices=_choices(POLICY_KINDS[Audience]))
    for_role = forms.ChoiceField(label=gettext_lazy("Of which role"), required=False)
    sensitivity = forms.ChoiceField(label=gettext_lazy("Sensitivity"), choices=_choices(MEMORY_KINDS[Sensitivity]))
    certainty = forms.ChoiceField(label=gettext_lazy("How certain"), choices=_choices(PACKET_KINDS[KnowledgeStatus]))
    source = forms.ChoiceField(label=gettext_lazy("Who says it"), choices=_choices(MEMORY_KINDS[SourceRank]))
    type = forms.ChoiceField(label=gettext_lazy("What it is"), choices=_choices(MEMORY_KINDS[MemoryType]))
    identity = forms.BooleanField(label=gettext_lazy("It touches who somebody is"), required=False)

    def __init__(self, *args: Any, agents: Sequence[Actor], **options: Any) -> None:
        first = {"phase": Phase.EXECUTE, "sensitivity": Sensitivity.WORK, "certainty": KnowledgeStatus.INFERRED}
        first |= {"source": SourceRank.TRUSTED_AGENT, "type": MemoryType.SEMANTIC}
        super().__init__(*args, agents=agents, initial=first, **options)
        cast("forms.ChoiceField", self.fields["for_role"]).choices = cast(
            "forms.ChoiceField", self.fields["role"]
        ).choices

    def subject(self, acting: Acting) -> Subject:
        """Return the memory that is made up; a private one is the asking agent's own."""
        said, audience = self.cleaned_data, Audience(self.cleaned_data["audience"])
        question = self.question()
        return Subject(
            project_id=acting.project_id,
            audience=audience,
            role=(said["for_role"] or question.role) if audience is Audience.ROLE else None,
            owner=question.agent.public_id if audience is Audience.PRIVATE else None,
            sensitivity=Sensitivity(said["sensitivity"]),
            knowledge_status=said["certainty"],
        )

    def writing(self) -> WriteCase:
        """Return its writing, as the gate sees it."""
        said = self.cleaned_data
        return WriteCase(
            origin_rank=said["source"],
            type=said["type"],
            sensitivity=Sensitivity(said["sensitivity"]),
            audience=Audience(said["audience"]),
            touches_identity=said["identity"],
        )

    def leaving(self) -> DisclosureCase:
        """Return its way out of the project."""
        said = self.cleaned_data
        return DisclosureCase(
            sensitivity=Sensitivity(said["sensitivity"]),
            audience=Audience(said["audience"]),
            knowledge_status=said["certainty"],
        )
