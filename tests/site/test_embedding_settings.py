"""Settings of models: whole, known, and each named once."""

from typing import Any

import pytest
from pydantic import ValidationError

from greywind_site.embedding_settings import EmbeddingSettings

REMOTE = {"url": "https://models.example/v1", "model": "far", "dims": 1024}


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        ({"models": ["far"]}, "no such model"),
        ({"models": ["hashed-terms", "hashed-terms"]}, "named once"),
        ({"models": ["hashed-terms"], "leaving": ["hashed-terms"]}, "at once"),
        ({"remote": {"url": "ftp://models.example", "model": "far", "dims": 3}}, "http"),
        ({"remote": {"url": "https://models.example", "model": "far"}}, "DIMS"),
        ({"remote": REMOTE | {"model": "hashed-terms"}}, "comes along"),
        ({"remote": REMOTE, "former": REMOTE}, "different MODEL names"),
        ({"remote": REMOTE | {"dims": 5000}}, "4000"),
        ({"modles": []}, "modles"),
    ],
)
def test_what_cannot_be_meant_is_refused(told: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        EmbeddingSettings.model_validate(told)


def test_a_remote_model_is_one_to_choose() -> None:
    told = EmbeddingSettings.model_validate({"remote": REMOTE | {"key": "s3cr3t"}, "models": ["far"]})
    assert (told.models, "s3cr3t" in repr(told)) == (["far"], False)
