"""HTTP: the main job. POST /context, and looking at a packet again."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import BeforeValidator, Field, Strict

from governance.actors import Acting
from governance.errors import Invalid
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
from governance.replays import HEADER, REPLAYED, checked_key, claim, fingerprint, known, once
from governance.scope import project_scope
from governance.vocabulary import KeyScope, Phase, Risk
from governance.web import acting_of, answer
from sessions.asking import ContextAsk, Have
from sessions.context.material import InputFact
from sessions.context.vocabulary import Dialect
from sessions.explaining import explain
from sessions.lifecycle import ProviderWish
from sessions.outcomes import OutcomeWish, store_outcome
from sessions.profiles import check_name
from sessions.replay import replay, show_again
from sessions.runtime import prepare_context
from sessions.vocabulary import InputType, VerificationState

router = Router(tags=["context"])


type Tokens = Annotated[int, Strict(), Field(ge=0, le=LARGEST_COUNT)]


class BindingIn(Input):
    channel: Channel
    page: Page | None = None


class ProviderIn(Input):
    """The harness's own session; without a harness it is that of the budget's profile."""

    harness: Word | None = None
    id: ClientId


def _bare_id(value: Any) -> Any:
    return {"id": value} if isinstance(value, str) else value


# The id alone is enough where the profile names the harness.
type NamedProvider = Annotated[ProviderIn, BeforeValidator(_bare_id, json_schema_input_type=ProviderIn | ClientId)]


class UserInputIn(Input):
    raw_text: Text
    input_type: InputType = InputType.TEXT
    timestamp: Moment | None = None
    attached_context: OptionalText | None = None


class ScreenIn(Input):
    app: OptionalText | None = None
    mode: OptionalText | None = None
    summary: OptionalText | None = None


class BudgetIn(Input):
    profile: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    max_input_tokens: Count | None = None


class HaveIn(Input):
    """What the caller's window holds: a packet and what it went on from, a stable prefix, refs, its own entries.

    Nothing named means an empty window whose owner will ask for deltas.
    """

    packet_id: Id | None = None
    stable_prefix_hash: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")] | None = None
    refs: Annotated[list[Ref], Field(max_length=1000)] = []
    transcript: Flag = False


class ClientTokensIn(Input):
    """What the harness itself puts into each request, in tokens."""

    system: Tokens = 0
    tools: Tokens = 0

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
    binding: BindingIn | None = None
    session_id: Id | None = None
    attempt_id: Id | None = None
    task_id: Id | None = None
    provider_session: NamedProvider | None = None
    client_event_id: ClientId | None = None
    on_behalf_of: Id | None = None
    have: Held | None = None
    client_tokens: ClientTokens | None = None
    role: Word | None = None
    phase: Phase | None = None
    risk: Risk | None = None
    user_input: UserInputIn
    ui_context: ScreenIn | None = None
    budget: BudgetIn = BudgetIn()
    format: Dialect = Dialect.OPENAI_CHAT
    dry_run: Flag = False


class OutcomeIn(Input):
    result: Word | None = None
    verification: VerificationState = VerificationState.UNVERIFIED
    usage: Json = {}
    cited_refs: Annotated[list[Ref], Field(max_length=200)] = []


@router.post("/context", operation_id="compile_context")
def post_context(request: HttpRequest, body: ContextIn) -> HttpResponse:
    """Compile the context for one turn: resolve, open, gather, budget, compile, assemble, record."""
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    ask = ask_from(body)
    if HEADER in request.headers and not ask.dry_run:
        return _once(request, acting, ask, now=timezone.now())
    return answer(prepare_context(ask, acting=acting, now=timezone.now()))


@router.get("/context/{packet_id}", operation_id="get_context")
def get_context(request: HttpRequest, packet_id: str) -> HttpResponse:
    """Show a packet again, rebuilt from its refs."""
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    return answer(show_again(acting, packet_uuid(packet_id)))


@router.get("/context/{packet_id}/explain", operation_id="explain_context")
def get_explain(request: HttpRequest, packet_id: str, ref: str) -> HttpResponse:
    """Say why something was in a packet, was cut, was not eligible, or was never considered."""
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    return answer(explain(acting, packet_uuid(packet_id), ref).as_json())


@router.get("/context/{packet_id}/replay", operation_id="replay_context")
def get_replay(request: HttpRequest, packet_id: str) -> HttpResponse:
    """Compile a recorded packet once more: the same bytes, or the parts that are gone; no content is shown."""
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    return answer(replay(acting, packet_uuid(packet_id)))


@router.post("/context/{packet_id}/outcome", operation_id="report_outcome")
def post_outcome(request: HttpRequest, packet_id: str, body: OutcomeIn) -> HttpResponse:
    """Report what became of a packet: usage, cited refs, result, verification."""
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    wish = OutcomeWish(**body.model_dump())

    def act() -> HttpResponse:
        return answer(store_outcome(acting, packet_uuid(packet_id), wish, now=timezone.now()), status=201)

    return once(request, acting, act)


def packet_uuid(packet_id: str) -> Any:
    """Return the UUID of a packet's public id, or None for a text that is none: it then reads as not there."""
    try:
        return parse_id("pkt", packet_id, pointer="{packet_id}")
    except Invalid:
        return None


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


def _once(request: HttpRequest, acting: Acting, ask: ContextAsk, *, now: datetime) -> HttpResponse:
    key, print_ = checked_key(request.headers[HEADER]), fingerprint(request)
    with project_scope(acting, read_only=True):
        stored = known(acting, key, print_)
    if stored is None:
        try:
            return answer(prepare_context(ask, acting=acting, now=now, remember=_remember(acting, key, print_)))
        except AlreadyAnswered as other:
            stored_ref = other.packet_ref
    else:
        stored_ref = stored.packet_ref
    response = answer(show_again(acting, packet_uuid(stored_ref)))
    response[REPLAYED] = "true"
    return response


class AlreadyAnswered(Exception):
    """A request with the same key was answered while this one compiled; nothing of this one was stored."""

    def __init__(self, packet_ref: str) -> None:
        super().__init__(packet_ref)
        self.packet_ref = packet_ref


def _remember(acting: Acting, key: str, print_: str) -> Any:
    def remember(packet_ref: str) -> None:
        stored = claim(acting, key, print_, packet_ref=packet_ref)
        if stored is not None:
            raise AlreadyAnswered(stored.packet_ref)

    return remember
