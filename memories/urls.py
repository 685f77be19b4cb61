"""Addresses of this app's pages, below /p/<project>/."""

from django.urls import URLPattern, path

from memories.conflict_views import (
    conflict,
    conflicts,
    settle_conflict,
    snooze_conflict,
    undo_conflict,
    wake_conflict,
)
from memories.lowering_views import lower_memory
from memories.memory_views import memory, memory_diff, say_of_memory
from memories.offer_views import answer_offer, decline_offer, offer_memory
from memories.store_views import admit_many, candidates, memories
from memories.views import propose_memory
from memories.way_views import change_memory, edit_memory

urlpatterns: list[URLPattern] = [
    path("memories/", memories, name="memories"),
    path("memories/new", propose_memory, name="propose_memory"),
    path("memories/<str:memory_id>/", memory, name="memory"),
    path("memories/<str:memory_id>/diff", memory_diff, name="memory_diff"),
    path("memories/<str:memory_id>/edit", edit_memory, name="edit_memory"),
    path("memories/<str:memory_id>/say", say_of_memory, name="say_of_memory"),
    path("memories/<str:memory_id>/do/<str:way>", change_memory, name="change_memory"),
    path("memories/<str:memory_id>/offer", offer_memory, name="offer_memory"),
    path("memories/<str:memory_id>/lower", lower_memory, name="lower_memory"),
    path("offers/<str:offer_id>/", answer_offer, name="answer_offer"),
    path("offers/<str:offer_id>/decline", decline_offer, name="decline_offer"),
    path("candidates/", candidates, name="candidates"),
    path("candidates/admit", admit_many, name="admit_many"),
    path("conflicts/", conflicts, name="conflicts"),
    path("conflicts/<str:conflict_id>/", conflict, name="conflict"),
    path("conflicts/<str:conflict_id>/settle", settle_conflict, name="settle_conflict"),
    path("conflicts/<str:conflict_id>/snooze", snooze_conflict, name="snooze_conflict"),
    path("conflicts/<str:conflict_id>/undo", undo_conflict, name="undo_conflict"),
    path("conflicts/<str:conflict_id>/wake", wake_conflict, name="wake_conflict"),
]
