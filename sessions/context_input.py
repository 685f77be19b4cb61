"""What `POST /context` and its outcome take, and how a request for context reads to the runtime."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, Strict
from pydantic_core import PydanticCustomError

from governance.ids import parse_id
from governance.input import (
    LARGEST_COUNT,
    Channel,
    ClientId,
    Count,
    Flag,
    Id,
    Input,
    Json,
    Moment,
    OptionalText,
    Page,
    Ref,
    Text,
    Word,
)
from governance.vocabulary import Phase, Risk
from sessions.asking import ContextAsk, Have
from sessions.context.material import InputFact
from sessions.context.vocabulary import Dialect
from sessions.lifecycle import ProviderWish
from sessions.outcomes import LONGEST_FIGURE, MOST_FIGURES
from sessions.profiles import check_name
from sessions.vocabulary import InputType, VerificationState

type Tokens = Annotated[int, Strict(), Field(ge=0, le=LARGEST_COUNT)]


class BindingIn(Input):
    channel: Channel
    """Where the words came in, such as feishu:oc_1; a channel is tied to a thread by POST /threads."""
    page: Page | None = None
    """A page or topic inside the channel, where it has such."""


class ProviderIn(Input):
    """The harness's own session; without a harness it is that of the budget's profile."""

    harness: Word | None = None
    """Which harness runs the session, such as claude-code."""
    id: ClientId
    """The harness's own name for its session."""


def _bare_id(value: Any) -> Any:
    return {"id": value} if isinstance(value, str) else value


# The id alone is enough where the profile names the harness.
type NamedProvider = Annotated[ProviderIn, BeforeValidator(_bare_id, json_schema_input_type=ProviderIn | ClientId)]


class UserInputIn(Input):
    raw_text: Text
    """The user's words of this turn, unchanged. They are compiled and not stored as an entry: post them to the
    session's events.
    """
    input_type: InputType = InputType.TEXT
    """How they came in."""
    timestamp: Moment | None = None
    """When they were said."""
    attached_context: OptionalText | None = None
    """What was attached to them, such as a file's text."""


class ScreenIn(Input):
    app: OptionalText | None = None
    """What the user has in front of them."""
    mode: OptionalText | None = None
    """In which mode it is."""
    summary: OptionalText | None = None
    """What is to be seen there, in words."""


class BudgetIn(Input):
    profile: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    """model@harness, such as claude-sonnet@claude-code: how tokens are counted and shared out; left out, the
    project's.
    """
    max_input_tokens: Count | None = None
    """Most tokens of the whole packet; it can only lower what the profile allows."""


class HaveIn(Input):
    """What the caller's window holds: a packet and what it went on from, a stable prefix, refs, its own entries.

    Nothing named means an empty window whose owner will ask for deltas.
    """

    packet_id: Id | None = None
    """The last packet whose text the caller still holds: the answer adds to it."""
    stable_prefix_hash: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")] | None = None
    """The `stable_prefix_hash` of the last packet, where only its stable part is still held."""
    refs: Annotated[list[Ref], Field(max_length=1000)] = []
    """Refs of single items that are held."""
    transcript: Flag = False
    """Whether the caller itself appended what was said since then."""


class ClientTokensIn(Input):
    """What the harness itself puts into each request, in tokens."""

    system: Tokens = 0
    """Tokens of the harness's own instructions."""
    tools: Tokens = 0
    """Tokens of its tool definitions."""

    @property
    def together(self) -> int:
        return self.system + self.tools


def _bare_refs(value: Any) -> Any:
    return {"refs": value} if isinstance(value, list) else value


def _bare_tokens(value: Any) -> Any:
    return {"system": value} if isinstance(value, int) and not isinstance(value, bool) else value


type Held = Annotated[
    HaveIn,
    BeforeValidator(_bare_refs, json_schema_input_type=HaveIn | Annotated[list[Ref], Field(max_length=1000)]),
]
type ClientTokens = Annotated[
    ClientTokensIn, BeforeValidator(_bare_tokens, json_schema_input_type=ClientTokensIn | Tokens)
]


class ContextIn(Input):
    thread_id: Id | None = None
    """The line of work (thr_…); left out, it is found by binding, by what was active last and by what is said."""
    binding: BindingIn | None = None
    """The channel that the words came in by."""
    session_id: Id | None = None
    """The session that the work goes on in (ses_…)."""
    attempt_id: Id | None = None
    """The attempt that the caller runs as (att_…)."""
    task_id: Id | None = None
    """The task in hand (tsk_…)."""
    provider_session: NamedProvider | None = None
    """The harness's own session, so that a new one there is a new attempt here."""
    client_event_id: ClientId | None = None
    """The `client_id` under which this input is an event already: it does not stand in the dialogue as well."""
    on_behalf_of: Id | None = None
    """The human (act_…) for whom an agent asks, where it is not its owner."""
    have: Held | None = None
    """What the caller's window holds already: the answer then adds to it."""
    client_tokens: ClientTokens | None = None
    """What the harness puts into each request itself; it is kept free."""
    role: Word | None = None
    """One of the agent's roles; left out, its first."""
    phase: Phase | None = None
    """Each phase gets another packet; left out, the task's."""
    risk: Risk | None = None
    """It can only narrow what may enter."""
    user_input: UserInputIn
    """What the user says now."""
    ui_context: ScreenIn | None = None
    """What the user has on the screen."""
    budget: BudgetIn = BudgetIn()
    """How much may be used, and how it is counted."""
    format: Dialect = Dialect.OPENAI_CHAT
    """The dialect of `prompt`."""
    dry_run: Flag = False
    """Compile without opening a session or keeping a packet."""


def _named_shortly(usage: dict[str, Any]) -> dict[str, Any]:
    if len(usage) > MOST_FIGURES or any(len(name) > LONGEST_FIGURE for name in usage):
        limits = {"most": MOST_FIGURES, "longest": LONGEST_FIGURE}
        raise PydanticCustomError(
            "names_too_long", "takes at most {most} figures, named in {longest} characters", limits
        )
    return usage


class OutcomeIn(Input):
    result: Word | None = None
    """One word for how the turn came out, such as done or failed."""
    verification: VerificationState = VerificationState.UNVERIFIED
    """Whether what was done has been checked, and with what result."""
    usage: Annotated[Json, AfterValidator(_named_shortly)] = {}
    """The provider's own report, as it came: `input_tokens` with `cache_read_input_tokens` and
    `cache_creation_input_tokens`, or `prompt_tokens`, or `promptTokenCount`; `harness_tokens` says how many of them
    are the harness's own.
    """
    cited_refs: Annotated[list[Ref], Field(max_length=200)] = []
    """Refs of the packet that the answer rests on: what is cited was useful."""


def ask_from(body: ContextIn) -> ContextAsk:
    """Return the request in the words of the runtime; raises Invalid for malformed ids and profile names."""
    if body.budget.profile is not None:
        check_name(body.budget.profile)
    ids = {name: _id(prefix, getattr(body, name), name) for name, prefix in ID_PREFIXES.items()}
    spoken = body.user_input
    return ContextAsk(
        **ids,
        user_input=InputFact(
            raw_text=spoken.raw_text,
            input_type=spoken.input_type.value,
            timestamp=spoken.timestamp.isoformat() if spoken.timestamp else None,
            attached_context=spoken.attached_context or None,
        ),
        channel=body.binding.channel if body.binding else None,
        page=(body.binding.page or "") if body.binding else "",
        provider=_provider(body),
        client_event_id=body.client_event_id,
        role=body.role,
        phase=body.phase,
        risk=body.risk,
        screen_context=body.ui_context.model_dump(exclude_none=True) if body.ui_context else None,
        profile=body.budget.profile,
        max_input_tokens=body.budget.max_input_tokens,
        dialect=body.format,
        dry_run=body.dry_run,
        have=_have(body.have),
        client_tokens=body.client_tokens.together if body.client_tokens else None,
    )


ID_PREFIXES = {"thread_id": "thr", "session_id": "ses", "attempt_id": "att", "task_id": "tsk", "on_behalf_of": "act"}


def _id(prefix: str, text: str | None, name: str) -> Any:
    return parse_id(prefix, text, pointer=f"/{name}") if text is not None else None


def _provider(body: ContextIn) -> ProviderWish | None:
    named = body.provider_session
    if named is None:
        return None
    harness = named.harness or (body.budget.profile or "@unnamed").partition("@")[2]
    return ProviderWish(harness=harness, external_id=named.id)


def _have(told: HaveIn | None) -> Have | None:
    if told is None:
        return None
    packet = parse_id("pkt", told.packet_id, pointer="/have/packet_id") if told.packet_id is not None else None
    refs = frozenset(told.refs)
    return Have(packet=packet, prefix_hash=told.stable_prefix_hash, refs=refs, transcript=told.transcript)
