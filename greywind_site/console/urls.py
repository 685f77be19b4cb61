"""Addresses of the console."""

from django.contrib.auth.views import LogoutView
from django.urls import path
from django.views.generic import RedirectView
from django.views.i18n import set_language

from greywind_site.console.account_views import SignIn, set_look
from greywind_site.console.views import home, project

urlpatterns = [
    path("", home, name="home"),
    path("sign-in", SignIn.as_view(), name="sign_in"),
    path("sign-out", LogoutView.as_view(next_page="sign_in"), name="sign_out"),
    path("language", set_language, name="set_language"),
    path("look", set_look, name="set_look"),
    path("p/<str:project_id>", RedirectView.as_view(pattern_name="project")),
    path("p/<str:project_id>/", project, name="project"),
]
