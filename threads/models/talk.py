from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, scoped_fk


class ThreadTalk(ContentRow):
    """The words said in one window of a thread, as sorted 32-bit keys and their counts; what they were is not kept.

    `source` is the session that they were said in: whoever forgets that session forgets them with it. A part takes
    words until it is full, so that a new one costs the same however much was said before.
    """

    PREFIX: ClassVar[str] = "tlk"

    thread = scoped_fk("threads.Thread")
    source = models.UUIDField()
    part = models.PositiveIntegerField()
    keys = models.BinaryField()
    counts = models.BinaryField()
    size = models.PositiveIntegerField()
    matter = models.PositiveIntegerField()
    manner = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "thread", "source", "part"], name="thread_talk_once"),
        ]

    def __str__(self) -> str:
        return f"{self.size} words of {self.thread_id}"
