"""Estimated counts through the product's own path: packets compiled, a provider's counts reported, others checked."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from django.utils import timezone

from governance.actors import Acting
from governance.ids import new_id, parse_id
from governance.scope import project_scope
from greywind_site.benching.estimate_texts import Count, Half, Halves, Kind
from greywind_site.benching.world import make_world
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.context.seams import block_body
from sessions.context.tokens import exact_counter, load_encoding
from sessions.models import ContextPacket, Event, LearntFigures
from sessions.outcomes import OutcomeWish, store_outcome
from sessions.profiles import again
from sessions.runtime import prepare_context
from sessions.transcripts import NewEvent, append
from sessions.usage_fit import SMALL
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from threads.lifecycle import ThreadWish, create_thread

PROFILE, EXACT = "claude-sonnet@claude-code", "default@conservative"
CAPS = (3_000, 6_000, 12_000, 24_000)
HARNESS = 21_300  # tokens that the provider counts beside our prompt, on every request
ENCODINGS = ("o200k_base", "cl100k_base")


@dataclass(frozen=True, slots=True)
class Checked:
    """One packet of texts that nothing was learnt from: tokens as estimated, and as the provider counts them."""

    kind: Kind
    estimated: int
    counted: int

    @property
    def error(self) -> float:
        """Share of the provider's count by which the estimate is off; below 0 is too low."""
        return self.estimated / self.counted - 1

    def beyond(self, margin: float) -> bool:
        """Whether it is too low by more than the profile's margin keeps free for a prompt of its size."""
        return self.counted - self.estimated > margin * (self.estimated + SMALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """What one provider's reports taught, and how that did on other texts. `margin` is the profile's, as a share."""

    learnt: LearntFigures | None
    margin: float
    before: Sequence[Checked]
    after: Sequence[Checked]


def bench_provider(count: Count, texts: Halves, *, mark: str, usages: int, unseen: int) -> Estimates:
    """Learn from `usages` packets whose counts are reported, and check on `unseen` packets of each kind.

    The shipped factor is checked on the same texts, in a project of its own where nothing is learnt. `mark` tells the
    people of the projects apart.
    """
    bare, desk = Desk.of(f"{mark}-bare"), Desk.of(mark)
    before = list(bare.checks(texts, count, unseen=unseen))
    for number in range(usages):
        desk.report(texts.learn, texts.kinds[number % len(texts.kinds)], number, count=count)
    after = list(desk.checks(texts, count, unseen=unseen))
    with project_scope(desk.agent, read_only=True):
        learnt = LearntFigures.objects.filter(slug=PROFILE).order_by("-version").first()
        packet = ContextPacket.objects.filter(receipt__profile__0=PROFILE).latest("created_at")
        margin = again(*packet.receipt["profile"][:2]).margin_share
    return Estimates(learnt=learnt, margin=margin, before=before, after=after)


def miscounted(texts: Halves, *, each: int, mark: str = "exact") -> Mapping[str, int]:
    """Return how many exactly counted packets and stored counts there are, and how many differ from the vocabulary."""
    desk, wrong = Desk.of(mark), 0
    for kind in texts.kinds:
        for number in range(each):
            answer = desk.compile(texts.learn, kind, number, profile=EXACT)
            true = len(load_encoding(ENCODINGS[0]).encode_ordinary(answer["prompt"]["text"]))
            wrong += answer["budget"]["used"] != true
    with project_scope(desk.agent, read_only=True):
        stored = [pair for event in Event.objects.all() for pair in _stored(event)]
    return {
        "packets": len(texts.kinds) * each,
        "packets_wrong": wrong,
        "counts": len(stored),
        "counts_wrong": sum(kept != true for kept, true in stored),
    }


def _stored(event: Event) -> Iterator[tuple[int, int]]:
    text = block_body(event.text) + "\n"
    for encoding, kept in zip(ENCODINGS, (event.tokens_o200k, event.tokens_cl100k), strict=True):
        yield kept, exact_counter(encoding).count(text)


class Desk:
    """An agent that asks for context and tells what its provider counted; each kind of text has its own thread."""

    def __init__(self, agent: Acting) -> None:
        self.agent = agent
        self.threads: dict[tuple[str, Kind], uuid.UUID] = {}

    @classmethod
    def of(cls, mark: str) -> Self:
        """Return a desk in a project of its own, whose people's names begin with `mark`."""
        return cls(make_world(now=timezone.now(), mark=mark).first.agent)

    def compile(self, half: Half, kind: Kind, number: int, *, profile: str = PROFILE) -> dict[str, Any]:
        """Return the packet of one turn, and keep the turn in its session, so that later packets carry it."""
        said, now = half.turn(kind, number), timezone.now()
        ask = ContextAsk(
            user_input=InputFact(raw_text=said),
            thread_id=self._thread(half, kind),
            profile=profile,
            # What is said has to be in, whatever it comes to; the rest of the cap is for what was said before.
            max_input_tokens=CAPS[number % len(CAPS)] + 2 * exact_counter(ENCODINGS[1]).count(said),
        )
        answer = prepare_context(ask, acting=self.agent, now=now)
        self._say(answer["session"]["id"], said)
        return answer

    def report(self, half: Half, kind: Kind, number: int, *, count: Count) -> None:
        """Compile a turn and report what the provider counted for it and its harness."""
        answer = self.compile(half, kind, number)
        wish = OutcomeWish(usage={"input_tokens": count(answer["prompt"]["text"]) + HARNESS})
        packet = parse_id("pkt", answer["packet_id"], pointer="")
        store_outcome(self.agent, packet, wish, now=timezone.now())

    def checks(self, texts: Halves, count: Count, *, unseen: int) -> Iterator[Checked]:
        """Compile turns of the other half, and compare."""
        for kind in texts.kinds:
            for number in range(unseen):
                answer = self.compile(texts.check, kind, number)
                yield Checked(kind, answer["budget"]["used"], count(answer["prompt"]["text"]))

    def _thread(self, half: Half, kind: Kind) -> uuid.UUID:
        if (half.name, kind) not in self.threads:
            with project_scope(self.agent):
                made = create_thread(self.agent, ThreadWish(title=f"{half.name} {kind}"), now=timezone.now())
            self.threads[half.name, kind] = made.pk
        return self.threads[half.name, kind]

    def _say(self, session: str, text: str) -> None:
        event = NewEvent(
            client_id=str(new_id()),
            role=EventRole.USER,
            kind=EventKind.MESSAGE,
            text=text,
            attested_by=AttestedBy.HARNESS,
        )
        with project_scope(self.agent):
            append(self.agent, parse_id("ses", session, pointer=""), [event], now=timezone.now())
