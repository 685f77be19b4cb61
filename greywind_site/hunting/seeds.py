"""The seed of a hunt's dice: given by whoever runs it, or a new one that the report names."""

import random
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

LARGEST = 2**32


def add_seed_option(parser: CommandParser) -> None:
    """Let the command be told its seed."""
    parser.add_argument("--seed", type=int, help="seed of the dice; without it a new one, which the report names")


def seed_of(options: Mapping[str, Any]) -> int:
    """Return the seed that was given, else one that was hardly used before."""
    given: int | None = options["seed"]
    return random.SystemRandom().randrange(LARGEST) if given is None else given
