from django.contrib.auth.models import AbstractUser
from django.db import models

from governance.ids import new_id


class User(AbstractUser):
    """A human's account. What it may do in a project is its membership there."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    time_zone = models.CharField(max_length=64, default="UTC")
    language = models.CharField(max_length=16, default="", blank=True)
    # Set with a password that somebody else has read: it is good for one sign-in, to choose another.
    must_change_password = models.BooleanField(default=False, db_default=False)
