"""Addresses of this app's pages, below /p/<project>/."""

from django.urls import path

from governance.agent_views import new_agent, switch_agent
from governance.audit_views import audit, verify_ledger
from governance.bulk_views import approve_many
from governance.contract_views import new_contract, new_proposal
from governance.job_views import jobs, retry_job
from governance.key_views import new_key, revoke_key, rotate_key
from governance.member_views import invite_member, member, members_page, remove, reset_member
from governance.proposal_views import (
    comment_proposal,
    decide_proposal,
    edit_proposal,
    open_proposal,
    proposal,
    withdraw_proposal,
)
from governance.role_views import revert_revision, revision, roles

urlpatterns = [
    path("agents/new", new_agent, name="new_agent"),
    path("agents/<str:agent_id>/switch", switch_agent, name="switch_agent"),
    path("agents/<str:agent_id>/keys/new", new_key, name="new_key"),
    path("keys/<str:key_id>/rotate", rotate_key, name="rotate_key"),
    path("keys/<str:key_id>/revoke", revoke_key, name="revoke_key"),
    path("members/", members_page, name="members"),
    path("members/invite", invite_member, name="invite_member"),
    path("members/<str:actor_id>/", member, name="member"),
    path("members/<str:actor_id>/reset-password", reset_member, name="reset_member"),
    path("members/<str:actor_id>/remove", remove, name="remove_member"),
    path("proposals/approve-many", approve_many, name="approve_many"),
    path("proposals/<str:proposal_id>/", proposal, name="proposal"),
    path("proposals/<str:proposal_id>/decide", decide_proposal, name="decide_proposal"),
    path("proposals/<str:proposal_id>/comment", comment_proposal, name="comment_proposal"),
    path("proposals/<str:proposal_id>/withdraw", withdraw_proposal, name="withdraw_proposal"),
    path("proposals/<str:proposal_id>/open", open_proposal, name="open_proposal"),
    path("proposals/<str:proposal_id>/edit", edit_proposal, name="edit_proposal"),
    path("audit/", audit, name="audit"),
    path("audit/verify", verify_ledger, name="verify_ledger"),
    path("jobs/", jobs, name="jobs"),
    path("jobs/<str:job_id>/retry", retry_job, name="retry_job"),
    path("roles/", roles, name="roles"),
    path("roles/new", new_contract, name="new_contract"),
    path("roles/<str:kind>/<str:slug>/propose", new_proposal, name="new_proposal"),
    path("roles/<str:kind>/<str:slug>/<str:number>", revision, name="revision"),
    path("roles/<str:kind>/<str:slug>/<str:number>/revert", revert_revision, name="revert_revision"),
]
