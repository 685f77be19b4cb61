"""Addresses of this app's pages, below /p/<project>/."""

from django.urls import URLPattern, path

from sessions.artifact_views import artifact, evidence
from sessions.budget_views import budget, budgets, propose_budget
from sessions.effect_views import proposal_effect
from sessions.handoff_views import handoff
from sessions.lineage_views import merge_thread, split_thread, undo_thread
from sessions.packet_views import (
    compare_contexts,
    context,
    context_json,
    context_layer,
    context_replay,
    context_why,
    contexts,
)
from sessions.playground_views import playground
from sessions.project_state_views import project_state
from sessions.say_views import retire, say
from sessions.send_back_views import send_back_task
from sessions.session_views import session
from sessions.summary_views import renew_summary, restore_summary, summary
from sessions.thread_views import thread, threads

urlpatterns: list[URLPattern] = [
    path("state/", project_state, name="project_state"),
    path("threads/", threads, name="threads"),
    path("threads/<str:thread_id>/", thread, name="thread"),
    path("threads/<str:thread_id>/merge", merge_thread, name="merge_thread"),
    path("threads/<str:thread_id>/split", split_thread, name="split_thread"),
    path("threads/<str:thread_id>/undo", undo_thread, name="undo_thread"),
    path("sessions/<str:session_id>/", session, name="session"),
    path("handoffs/<str:handoff_id>/", handoff, name="handoff"),
    path("summaries/<str:summary_id>/", summary, name="summary"),
    path("summaries/<str:summary_id>/renew", renew_summary, name="renew_summary"),
    path("summaries/<str:summary_id>/restore", restore_summary, name="restore_summary"),
    path("tasks/<str:task_id>/send-back", send_back_task, name="send_back_task"),
    path("threads/<str:thread_id>/say", say, name="say"),
    path("threads/<str:thread_id>/retire", retire, name="retire"),
    path("artifacts/<str:artifact_id>/", artifact, name="artifact"),
    path("evidence/", evidence, name="evidence"),
    path("proposals/<str:proposal_id>/effect", proposal_effect, name="proposal_effect"),
    path("budgets/", budgets, name="budgets"),
    path("budgets/<str:profile>/", budget, name="budget"),
    path("budgets/<str:profile>/propose", propose_budget, name="propose_budget"),
    path("contexts/", contexts, name="contexts"),
    path("playground/", playground, name="playground"),
    path("contexts/compare", compare_contexts, name="compare_contexts"),
    path("contexts/<str:packet_id>/", context, name="context"),
    path("contexts/<str:packet_id>/why", context_why, name="context_why"),
    path("contexts/<str:packet_id>/replay", context_replay, name="context_replay"),
    path("contexts/<str:packet_id>/json", context_json, name="context_json"),
    path("contexts/<str:packet_id>/layers/<str:layer>", context_layer, name="context_layer"),
]
