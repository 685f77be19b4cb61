import hashlib
from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow

EMPTY = hashlib.sha256(b"").hexdigest()


class Artifact(ContentRow):
    """Large content, addressed by its hash inside its audience, and read in bounded pieces.

    `sha256` is the hex digest of the UTF-8 bytes of `content`; `size` counts those bytes, `lines` its lines.
    """

    PREFIX: ClassVar[str] = "art"

    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    lines = models.PositiveIntegerField()
    tokens_o200k = models.PositiveIntegerField()
    media_type = models.CharField(max_length=100, default="text/plain")
    content = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "sha256", "audience", "audience_role", "owner"],
                nulls_distinct=False,
                name="artifact_content_once",
            ),
        ]

    @property
    def erased(self) -> bool:
        """Whether its content was erased: then its address is no longer that of any content."""
        return self.size == 0 and self.sha256 != EMPTY

    def __str__(self) -> str:
        return f"{self.public_id} {self.size} bytes"
