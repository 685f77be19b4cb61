"""Addresses of this app's pages, below /p/<project>/."""

from django.urls import path

from governance.agent_views import new_agent, switch_agent
from governance.key_views import new_key, revoke_key, rotate_key
from governance.member_views import invite_member, member, members_page, remove, reset_member

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
]
