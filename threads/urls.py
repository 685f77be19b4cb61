"""Addresses of this app's pages, below /p/<project>/."""

from django.urls import URLPattern, path

from threads import task_views, views

urlpatterns: list[URLPattern] = [
    path("threads/new", views.new_thread, name="new_thread"),
    path("threads/<str:thread_id>/rename", views.rename_thread, name="rename_thread"),
    path("threads/<str:thread_id>/vision", views.edit_vision, name="edit_vision"),
    path("threads/<str:thread_id>/archive", views.archive_thread, name="archive_thread"),
    path("threads/<str:thread_id>/reopen", views.reopen_thread, name="reopen_thread"),
    path("threads/<str:thread_id>/tasks/new", task_views.new_task, name="new_task"),
    path("tasks/<str:task_id>/", task_views.task, name="task"),
    path("tasks/<str:task_id>/move", task_views.move_task, name="move_task"),
]
