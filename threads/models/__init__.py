"""Long-lived belonging: threads, what ties the outside to them, their intent and their tasks."""

from threads.models.lineage import Lineage
from threads.models.talk import ThreadTalk
from threads.models.task import Task, TaskEdge
from threads.models.thread import Binding, Thread, ThreadUse
from threads.models.vision import Vision

__all__ = ["Binding", "Lineage", "Task", "TaskEdge", "Thread", "ThreadTalk", "ThreadUse", "Vision"]
