"""Materials and profiles to compile in tests: a bare one, and one with everything in it."""

import importlib
from dataclasses import replace
from typing import Any

import tiktoken

from governance.vocabulary import Phase, Risk
from sessions.context.budget import Budget, Limit, ModelProfile, build_budget, parse_profile
from sessions.context.compiler import Compiled, compile_packet
from sessions.context.material import (
    ConstraintFact,
    ContractFact,
    Eligibility,
    EventFact,
    HandoffFact,
    HitFact,
    InputFact,
    Material,
    SessionFact,
    SummaryFact,
    TaskFact,
    ThreadFact,
    VisionFact,
)
from sessions.context.seams import body_tokens
from sessions.context.tokens import exact_counter
from sessions.context.vocabulary import LimitOrigin

PROFILES: dict[str, dict[str, Any]] = {
    body["name"]: body for body in importlib.import_module("sessions.migrations.0002_shipped_profiles").PROFILES
}
O200K = exact_counter("o200k_base")


def default_profile(**changes: Any) -> ModelProfile:
    """The conservative profile with some fields of its body changed."""
    return parse_profile(PROFILES["default@conservative"] | changes)


def budget_of(
    tokens: int | None = None, *, phase: Phase = Phase.EXECUTE, risk: Risk = Risk.LOW, **changes: Any
) -> Budget:
    """The default profile's budget, lowered to `tokens`."""
    limits = () if tokens is None else (Limit(LimitOrigin.REQUEST, tokens),)
    return build_budget(default_profile(**changes), phase=phase, risk=risk, limits=limits)


def compiled_of(material: Material, tokens: int | None = None, **changes: Any) -> Compiled:
    """A compile with the default profile, exactly counted."""
    return compile_packet(material, budget_of(tokens, phase=material.phase, **changes), counter=O200K)


def event(seq: int, text: str, *, role: str = "user", kind: str = "message", **more: Any) -> EventFact:
    """An event with its true stored count."""
    ref = f"event://ses_1/{seq}"
    return EventFact(ref=ref, seq=seq, role=role, kind=kind, text=text, tokens=body_tokens(text, O200K), **more)


def hit(name: str, content: str, *, score: float = 0.5, status: str = "confirmed", **more: Any) -> HitFact:
    """A retrieved lesson."""
    return HitFact(
        ref=f"memory://mem_{name}@1",
        source_type="lesson",
        source_id=f"mem_{name}",
        relevance_reason="shares words with the request",
        content=content,
        score=score,
        confidence=0.8,
        knowledge_status=status,
        origin="user_explicit",
        as_of="2026-03-01T00:00:00Z",
        **more,
    )


def contract(kind: str, **body: Any) -> ContractFact:
    """Revision 3 of a contract."""
    return ContractFact(ref=f"revision://{kind}@3", revision=3, body=body)


def bare_material(**changes: Any) -> Material:
    """The least that compiles: a name, a request, nothing else."""
    least = Material(
        persona=contract("persona", name="灰风"),
        role=contract("role", slug="dev", duties=["Write code."]),
        policy=None,
        self_profile=None,
        vision=None,
        thread=ThreadFact(ref="thread://thr_1", thread_id="thr_1", title="", type="small_talk"),
        session=SessionFact(ref="session://ses_1", session_id="ses_1", state="active"),
        summary=None,
        handoff=None,
        user_input=InputFact(raw_text="你好"),
        eligibility=Eligibility(),
        trace_id="trc_1",
        now="2026-03-11T05:10:00Z",
    )
    return replace(least, **changes)


def full_material(**changes: Any) -> Material:
    """A design thread in Chinese with everything in it."""
    task = TaskFact(
        ref="task://tsk_1",
        task_id="tsk_1",
        title="画预算面板",
        state="doing",
        phase=Phase.EXECUTE,
        risk=Risk.MEDIUM,
        depends_on=("tsk_0",),
        next_steps=("对齐三列栅格", "Check contrast in dark mode"),
    )
    return bare_material(
        persona=contract(
            "persona",
            name="灰风",
            role="总设计师的同事",
            speaking_style="先结论，后理由。",
            behavior_rules=["Say what is unknown."],
            relationship_to_user="直接、平等",
            stable_preferences=["喜欢表格"],
            identity_core={"hard_boundaries": ["不替人批准任何事"]},
        ),
        role=contract("role", slug="dev", duties=["实现界面"], permissions=["read"], hard_boundaries=["Never deploy."]),
        policy=contract("policy", rules=["引用要可解析"], approval_required_for=["payment"], risk_threshold="medium"),
        self_profile=contract("self_profile", preference_model={"communication": {"tone": "calm"}}),
        vision=VisionFact(
            ref="vision://vis_1@2",
            version=2,
            source="first_request",
            origin_goal="做一个让人一眼看懂上下文预算的面板。",
            done_when=("三位同事不用解释就看懂",),
            non_goals=("不做计费",),
            user_priorities=("可读性",),
            quality_bar="No number without its origin.",
        ),
        thread=ThreadFact(
            ref="thread://thr_1",
            thread_id="thr_1",
            title="预算面板",
            type="work",
            summary="界面定稿中",
            tags=("ui",),
            task=task,
        ),
        session=SessionFact(
            ref="session://ses_1",
            session_id="ses_1",
            state="active",
            resume_point="第二列的对齐",
            interruptions=("网络断开",),
            screen_context={"app": "Figma", "zoom": 1.5},
        ),
        summary=SummaryFact(
            ref="summary://sum_1@4",
            version=4,
            covers="event://ses_1/1-2",
            sections={"constraints": ("不要红色",), "conclusions": ("栅格用 12 列",), "next_steps": ("画图例",)},
        ),
        handoff=HandoffFact(
            ref="handoff://hnd_1",
            from_session_id="ses_0",
            to_session_id="ses_1",
            summary="图标已交付。",
            unfinished_items=("图例",),
            risks=("字体许可未确认",),
            resume_suggestion="从图例开始",
            next_actor="dev",
        ),
        user_input=InputFact(raw_text="继续", timestamp="2026-03-11T14:10:00+09:00", attached_context="附件：草图"),
        constraints=(ConstraintFact(ref="event://ses_1/9", text="Keep the legend on the left."),),
        events=(
            event(3, "先看第二列"),
            event(4, '{"name": "read", "path": "grid.css"}', role="assistant", kind="tool_call", tool="read"),
            event(5, ".grid { display: grid }", role="tool", kind="tool_result", tool="read"),
            event(6, "第二列偏了 4px。", role="assistant"),
        ),
        hits=(hit("a", "图例放左边更好读", score=0.9), hit("b", "Contrast below 4.5 was rejected.", score=0.4)),
        **changes,
    )


def recount(text: str, encoding: str = "o200k_base") -> int:
    """The tokenizer's own count of a text, past everything of ours."""
    return len(tiktoken.get_encoding(encoding).encode_ordinary(text))
