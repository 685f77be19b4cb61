"""The write gate: ordered checks over plain values. Nothing here reads a row, a setting or a clock.

Every gate is asked, so that a later refusal is not hidden by an earlier wait: a refusal decides, else the first gate
that does not pass. How far the memory moves is where the unbroken run of passes ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from governance.policies import Decision, Reason, WriteCase, judge_write
from governance.policies import Verdict as PolicyVerdict
from governance.policy_rules import Handling
from governance.vocabulary import ActorKind, Audience, Sensitivity, rank
from memories.gate_cases import Candidate, CitedFact, Judged, Ruling, Say
from memories.screening import Category
from memories.screening import Verdict as ScreeningVerdict
from memories.vocabulary import (
    SPOKEN,
    Gate,
    MemoryStatus,
    Origin,
    ReasonCode,
    SourceRank,
    WriteAction,
    WriteMode,
    WriteOutcome,
)

LONGEST = 20_000  # characters of a memory: more is a document, which is stored as an artifact and cited
TRUSTED = 0.5  # weight of a source below which a human looks, whatever it says
PASS = Ruling(Say.PASS)
_STEERS = "it speaks of who somebody is or what they may do, or tells an agent what to do where people decide"
# The states that a proposal stands in after the gates before them have passed.
STEPS: Sequence[tuple[MemoryStatus, tuple[Gate, ...]]] = (
    (MemoryStatus.SCREENED, (Gate.SCHEMA, Gate.SCREENING)),
    (MemoryStatus.EVIDENCE_CHECKED, (Gate.EVIDENCE,)),
    (MemoryStatus.POLICY_CHECKED, (Gate.IDENTITY, Gate.SOURCE_WEIGHT, Gate.SENSITIVITY)),
    (MemoryStatus.USER_ALIGNED, (Gate.ALIGNMENT,)),
)


def judge(candidate: Candidate) -> Judged:
    """Return what becomes of a proposal, and what each gate said of it."""
    rulings = []
    for gate, check in CHECKS.items():
        ruling = replace(check(candidate), gate=gate)
        rulings.append(ruling)
        if ruling.say is Say.REJECT:
            return _judged(rulings, ruling, WriteOutcome.REJECTED)
    stopped = next((ruling for ruling in rulings if not ruling.passed), None)
    if stopped is None:
        return Judged(rulings=rulings, outcome=WriteOutcome.ACTIVE, reached=MemoryStatus.ACTIVE)
    clash = next((ruling for ruling in rulings if ruling.say is Say.CONFLICT), None)
    # A text that a human has to look at first disputes nothing: whoever can write would silence what is known.
    quiet = stopped.gate in (Gate.SCREENING, Gate.IDENTITY)
    if clash is not None and not quiet:
        return _judged(rulings, clash, WriteOutcome.CONFLICT)
    return _judged(rulings, stopped, WriteOutcome.HELD)


def rank_of(candidate_origin: Origin, *, signed: bool, cited: Sequence[tuple[SourceRank, bool]]) -> SourceRank:
    """Return the weight of a source: its own, lowered to the weakest that it cites; nothing raises it.

    `signed` is a human who speaks for themselves, and stands behind what they cite. `cited` holds the source of each
    ref, and whether a tool gave it: with a passed verification beside it, what a tool gave is verified.
    """
    if signed and candidate_origin is Origin.USER_EXPLICIT:
        return SourceRank.USER_EXPLICIT
    verified = SourceRank.VERIFIED_TOOL_OUTPUT
    proven = candidate_origin is Origin.TOOL_OUTPUT and any(source is verified for source, _ in cited)
    own = {
        Origin.USER_EXPLICIT: SourceRank.USER_EXPLICIT,
        Origin.AGENT_INFERRED: SourceRank.TRUSTED_AGENT,
        Origin.EXTERNAL_AGENT: SourceRank.UNTRUSTED_EXTERNAL,
        Origin.TOOL_OUTPUT: verified if proven else SourceRank.UNTRUSTED_EXTERNAL,
    }[candidate_origin]
    sources = [verified if proven and from_tool else source for source, from_tool in cited]
    return min([own, *sources], key=rank)


def outranks(new: SourceRank, old: SourceRank, *, same_voice: bool) -> bool:
    """Return whether a new statement may take an old one's place by itself.

    A user's word takes the place of what no user said, and of what the same user said before.
    """
    return new in SPOKEN and (old not in SPOKEN or same_voice)


def _judged(rulings: Sequence[Ruling], decided: Ruling, outcome: WriteOutcome) -> Judged:
    return Judged(
        rulings=rulings,
        outcome=outcome,
        reached=_reached({ruling.gate for ruling in rulings if ruling.passed}),
        code=decided.code,
        missing=decided.missing,
    )


def _reached(passed: set[Gate]) -> MemoryStatus:
    here = MemoryStatus.CANDIDATE
    for state, gates in STEPS:
        if not passed.issuperset(gates):
            break
        here = state
    return here


def _schema(candidate: Candidate) -> Ruling:
    if not candidate.text.strip():
        return _reject(ReasonCode.CONTENT_EMPTY, "say something; spaces alone say nothing")
    if len(candidate.text) > LONGEST:
        told = f"a memory holds at most {LONGEST} characters; store the text as an artifact and cite it"
        return _reject(ReasonCode.CONTENT_TOO_LONG, told)
    if candidate.valid_from and candidate.valid_to and candidate.valid_to < candidate.valid_from:
        return _reject(ReasonCode.VALIDITY_BACKWARD, "valid_to lies before valid_from")
    return PASS


def _screening(candidate: Candidate) -> Ruling:
    screened = candidate.screening
    if screened.kinds(Category.SECRET):
        kinds = ", ".join(screened.kinds(Category.SECRET))
        return _reject(ReasonCode.SCREENING_CREDENTIAL, f"it holds a secret ({kinds}); say where it is kept instead")
    found = ", ".join((*screened.kinds(Category.INJECTION), *screened.kinds(Category.INVISIBLE)))
    if screened.verdict is ScreeningVerdict.REJECT:
        told = f"it reads like an instruction to whoever remembers it ({found})"
        return _reject(ReasonCode.SCREENING_INJECTION, told)
    if screened.verdict is ScreeningVerdict.HOLD:
        return _hold(ReasonCode.SCREENING_SUSPICIOUS, f"a human has to read it first ({found})")
    if candidate.echoes:
        told = "a packet carried this just before; cite a user, or a verified result, that says it anew"
        return _reject(ReasonCode.ECHO_OF_INJECTED, told)
    return PASS


def _evidence(candidate: Candidate) -> Ruling:
    broken = next(filter(None, (_broken(n, cited) for n, cited in enumerate(candidate.cited, 1))), None)
    if broken is not None:
        return broken
    if candidate.actor_kind is ActorKind.HUMAN:
        return PASS  # who signed in and says so is the evidence
    if not candidate.cited:
        return _reject(ReasonCode.EVIDENCE_MISSING, "cite at least one ref that opens for you now")
    if all(cited.own_words for cited in candidate.cited):
        told = "cite what a user said, or what a tool gave; an agent's own words do not bear themselves out"
        return _reject(ReasonCode.EVIDENCE_OWN_WORDS, told)
    if candidate.outlived:
        told = "it was taken out of use after what you cite was said; cite a user who says it again"
        return _reject(ReasonCode.SUPERSEDED_BEFORE, told)
    return PASS


def _broken(number: int, cited: CitedFact) -> Ruling | None:
    if not cited.opens:
        return _reject(ReasonCode.EVIDENCE_UNRESOLVABLE, f"evidence {number} does not open for you now")
    if not cited.quoted:
        return _reject(ReasonCode.EVIDENCE_QUOTE_NOT_FOUND, f"the words quoted from evidence {number} are not in it")
    return None


def _identity(candidate: Candidate) -> Ruling:
    if candidate.touches_identity or candidate.scope_type == "identity":
        return _hold(ReasonCode.IDENTITY_NEEDS_HUMAN, _STEERS)
    return PASS


def _source_weight(candidate: Candidate) -> Ruling:
    if candidate.rules.weight(candidate.rank) <= 0:
        return _reject(ReasonCode.SOURCE_NOT_ACCEPTED, f"the policy accepts nothing from {candidate.rank}")
    target = candidate.target
    if target is not None:
        if not target.in_use:
            return _reject(ReasonCode.TARGET_GONE, "the memory that it is about is not in use")
        if target.write_mode is WriteMode.IMMUTABLE:
            return _reject(ReasonCode.TARGET_IMMUTABLE, "the memory that it is about never changes")
        if _weaker(candidate.rank, target.rank, same_voice=target.same_voice):
            told = f"a source of rank {candidate.rank} does not change what {target.rank} said"
            return Ruling(Say.CONFLICT, ReasonCode.WEAKER_SOURCE, told)
    if any(not outranks(candidate.rank, rival.rank, same_voice=rival.same_voice) for rival in candidate.rivals):
        told = "it says otherwise than what is known; somebody has to settle which holds"
        return Ruling(Say.CONFLICT, ReasonCode.CONFLICT_OPEN, told)
    return PASS


def _weaker(new: SourceRank, old: SourceRank, *, same_voice: bool) -> bool:
    return rank(new) < rank(old) and not outranks(new, old, same_voice=same_voice)


def _sensitivity(candidate: Candidate) -> Ruling:
    shared, level = candidate.audience is not Audience.PRIVATE, sensitivity_of(candidate)
    handling = candidate.rules.writing[level]
    if handling is Handling.REFUSE or (shared and handling is Handling.PRIVATE):
        told = f"{level} content is kept only where its owner alone reads it"
        return _reject(ReasonCode.LEAVES_ITS_DOMAIN, told)
    if shared and any(cited.private for cited in candidate.cited):
        told = "it rests on what its owner alone may read, and everybody would read it"
        return _hold(ReasonCode.PRIVATE_TO_SHARED_NEEDS_HUMAN, told)
    if shared and handling is Handling.HOLD:
        return _hold(ReasonCode.SENSITIVITY_NEEDS_HUMAN, f"a human decides whether {level} content is shared")
    return PASS


def sensitivity_of(candidate: Candidate) -> Sensitivity:
    """Return how sensitive a proposal is: the most of what it says, what was found in it, and what it changes.

    To change a memory is no way to lower how sensitive it is.
    """
    found, target = candidate.screening, candidate.target
    telling = found.kinds(Category.PERSONAL) or found.kinds(Category.SECRET)
    levels = [
        candidate.sensitivity,
        *([found.sensitivity] if telling else []),
        *([target.sensitivity] if target else []),
    ]
    return max(levels, key=rank)


def _alignment(candidate: Candidate) -> Ruling:
    decision = judge_write(write_case(candidate), candidate.rules)
    if decision.verdict is PolicyVerdict.ALLOW:
        return PASS
    if decision.verdict is PolicyVerdict.REFUSE:
        return _reject(ReasonCode.SOURCE_NOT_ACCEPTED, decision.explanation)
    # A human who says it has had their say, and where nobody else reads it nobody else could have one.
    settled = candidate.signed or (candidate.alone and candidate.rules.weight(candidate.rank) >= TRUSTED)
    if settled and decision.reason is Reason.MODE_ASKS_A_HUMAN:
        return PASS
    return _waits(candidate, decision)


def _waits(candidate: Candidate, decision: Decision) -> Ruling:
    """Return why a human decides: that the source weighs too little, where nothing in what is said asks for one."""
    by_mode = decision.reason in (Reason.MODE_ASKS_A_HUMAN, Reason.RISK_ASKS_A_HUMAN)
    if by_mode and candidate.rules.weight(candidate.rank) < TRUSTED:
        told = f"a source of rank {candidate.rank} is not trusted enough to go without a human"
        return _hold(ReasonCode.LOW_SOURCE_NEEDS_HUMAN, told)
    code = {
        Reason.MODE_ASKS_A_HUMAN: ReasonCode.REVIEW_MODE_NEEDS_HUMAN,
        Reason.APPROVAL_REQUIRED: ReasonCode.APPROVAL_NEEDS_HUMAN,
        Reason.IDENTITY_ASKS_A_HUMAN: ReasonCode.IDENTITY_NEEDS_HUMAN,
        Reason.SENSITIVITY_ASKS_A_HUMAN: ReasonCode.SENSITIVITY_NEEDS_HUMAN,
    }.get(decision.reason, ReasonCode.RISK_NEEDS_HUMAN)
    return _hold(code, decision.explanation)


def write_case(candidate: Candidate) -> WriteCase:
    """Return a proposal as the policy judges it."""
    return WriteCase(
        origin_rank=candidate.rank,
        type=candidate.type,
        kind=candidate.kind,
        scope_type=candidate.scope_type,
        sensitivity=sensitivity_of(candidate),
        audience=candidate.audience,
        touches_identity=candidate.touches_identity,
        actor_kind=candidate.actor_kind,
        action=WriteAction(candidate.action),
        widens=candidate.audience is not Audience.PRIVATE and any(cited.private for cited in candidate.cited),
    )


def _hold(code: ReasonCode, missing: str) -> Ruling:
    return Ruling(Say.HOLD, code, missing)


def _reject(code: ReasonCode, missing: str) -> Ruling:
    return Ruling(Say.REJECT, code, missing)


CHECKS: dict[Gate, Callable[[Candidate], Ruling]] = {
    Gate.SCHEMA: _schema,
    Gate.SCREENING: _screening,
    Gate.EVIDENCE: _evidence,
    Gate.IDENTITY: _identity,
    Gate.SOURCE_WEIGHT: _source_weight,
    Gate.SENSITIVITY: _sensitivity,
    Gate.ALIGNMENT: _alignment,
}
