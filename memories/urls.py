"""Addresses of this app's pages, below /p/<project>/."""

from django.urls import URLPattern, path

from memories.views import memory, propose_memory

urlpatterns: list[URLPattern] = [
    path("memories/new", propose_memory, name="propose_memory"),
    path("memories/<str:memory_id>/", memory, name="memory"),
]
