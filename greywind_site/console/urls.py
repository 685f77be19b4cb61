"""Addresses of the console."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path
from django.views.generic import RedirectView
from django.views.i18n import set_language

from governance.project_views import new_project
from greywind_site.console.account_views import SignIn, set_look
from greywind_site.console.agent_views import agent, agents
from greywind_site.console.inbox_item_views import (
    claim_inbox_item,
    inbox_item,
    release_inbox_item,
    snooze_inbox_item,
    wake_inbox_item,
)
from greywind_site.console.inbox_views import inbox, inbox_next, project_inbox
from greywind_site.console.own_account import account, change_password
from greywind_site.console.policy_views import policies
from greywind_site.console.settings_views import project_settings
from greywind_site.console.start_views import start
from greywind_site.console.views import home, project
from memories.own_views import own_memories

urlpatterns = [
    path("", home, name="home"),
    path("sign-in", SignIn.as_view(), name="sign_in"),
    path("sign-out", LogoutView.as_view(next_page="sign_in"), name="sign_out"),
    path("language", set_language, name="set_language"),
    path("look", set_look, name="set_look"),
    path("account", account, name="account"),
    path("account/password", change_password, name="change_password"),
    path("", include("greywind_site.identity.urls")),
    path("inbox", inbox, name="inbox"),
    path("inbox/next", inbox_next, name="inbox_next"),
    path("me/memories", own_memories, name="own_memories"),
    path("projects/new", new_project, name="new_project"),
    path("p/<str:project_id>", RedirectView.as_view(pattern_name="project")),
    path("p/<str:project_id>/", project, name="project"),
    path("p/<str:project_id>/inbox", project_inbox, name="project_inbox"),
    path("p/<str:project_id>/inbox/<str:item_id>/", inbox_item, name="inbox_item"),
    path("p/<str:project_id>/inbox/<str:item_id>/claim", claim_inbox_item, name="claim_inbox_item"),
    path("p/<str:project_id>/inbox/<str:item_id>/release", release_inbox_item, name="release_inbox_item"),
    path("p/<str:project_id>/inbox/<str:item_id>/snooze", snooze_inbox_item, name="snooze_inbox_item"),
    path("p/<str:project_id>/inbox/<str:item_id>/wake", wake_inbox_item, name="wake_inbox_item"),
    path("p/<str:project_id>/policies", policies, name="policies"),
    path("p/<str:project_id>/start", start, name="start"),
    path("p/<str:project_id>/settings", project_settings, name="project_settings"),
    path("p/<str:project_id>/agents/", agents, name="agents"),
    path("p/<str:project_id>/", include("sessions.urls")),
    path("p/<str:project_id>/", include("memories.urls")),
    path("p/<str:project_id>/", include("threads.urls")),
    path("p/<str:project_id>/", include("governance.urls")),
    # Below the rest, so that agents/new is not taken for the id of one.
    path("p/<str:project_id>/agents/<str:agent_id>/", agent, name="agent"),
]
