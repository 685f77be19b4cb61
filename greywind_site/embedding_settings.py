"""What an operator says of the models that passages and questions become vectors by. Needs no Django."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from greywind_site.outside_settings import check_address

OFFLINE = ("use-multilingual-v3", "multilingual-e5-small", "hashed-terms")
MOST_DIMS = 4000  # that pgvector draws a graph of, in half precision


class RemoteModel(BaseModel):
    """A model behind an address that speaks OpenAI's embeddings API; set as GREYWIND_EMBEDDINGS__REMOTE__NAME."""

    model_config = ConfigDict(extra="forbid")

    url: str | None = Field(
        default=None,
        description="Address before `/embeddings` of a server that speaks OpenAI's embeddings API; unset means none.",
    )
    model: str = Field(default="", max_length=80, description="The model's name there, and in GREYWIND_EMBEDDINGS.")
    dims: int = Field(default=0, ge=0, le=MOST_DIMS, description="How many numbers its vectors have.")
    version: str = Field(
        default="1",
        max_length=40,
        pattern=r"^[\w-]+$",
        description="Which vectors are comparable: name another when the server's model changes, and passages are"
        " embedded anew.",
    )
    key: SecretStr | None = Field(default=None, description="Sent as a bearer token; unset means none.")
    batch: int = Field(default=64, ge=1, le=2048, description="Most texts of one call.")
    passage_seconds: float = Field(
        default=30.0, gt=0, le=300, description="Longest wait for one batch of passages, all tries together."
    )
    query_seconds: float = Field(
        default=2.0, gt=0, le=30, description="Longest wait for a question's vector before a search goes on without it."
    )
    tries: int = Field(default=4, ge=1, le=10, description="Most tries of one call.")
    passage_prefix: str = Field(default="", max_length=80, description="Put before a passage, as some models want.")
    query_prefix: str = Field(default="", max_length=80, description="Put before a question, as some models want.")
    ask_dims: bool = Field(default=False, description="Whether the server is asked for vectors of that many numbers.")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.url is None:
            return self
        check_address(self.url, of="a remote model")
        if not self.model or not self.dims:
            raise ValueError("a remote model needs its MODEL and DIMS as well")
        if self.model in OFFLINE:
            raise ValueError(f"{self.model} is the name of a model that comes along; call the remote one otherwise")
        return self


class EmbeddingSettings(BaseModel):
    """Which models make vectors; set as GREYWIND_EMBEDDINGS__NAME. memories.embeddings says what each is good for."""

    model_config = ConfigDict(extra="forbid")

    models: list[str] = Field(
        default=["use-multilingual-v3"],
        description=f"Models by which passages are embedded and searched, as a JSON list: {', '.join(OFFLINE)} or the"
        " remote one; an empty list means search by words alone.",
    )
    leaving: list[str] = Field(
        default=[],
        description="Models by which passages are still searched until those above have embedded them; their vectors"
        " are dropped one by one.",
    )
    exact_up_to: int = Field(
        default=20_000,
        ge=0,
        le=1_000_000,
        description="Vectors of one scope that are all compared with a question; a larger scope is searched by a"
        " graph.",
    )
    wake: bool = Field(
        default=True,
        description="Whether a worker is woken as soon as a passage is stored; else it looks every few seconds.",
    )
    remote: RemoteModel = Field(default_factory=RemoteModel, description="A model behind an address.")
    former: RemoteModel = Field(default_factory=RemoteModel, description="The remote model that is leaving.")

    @field_validator("models", "leaving")
    @classmethod
    def _each_once(cls, names: list[str]) -> list[str]:
        if len(names) != len(set(names)):
            raise ValueError("a model is named once")
        return names

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        remote = [each.model for each in (self.remote, self.former) if each.url]
        if len(set(remote)) != len(remote):
            raise ValueError("the remote model and the former one need different MODEL names")
        unknown = [name for name in (*self.models, *self.leaving) if name not in (*OFFLINE, *remote)]
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: no such model; there are {', '.join((*OFFLINE, *remote))}")
        if both := sorted(set(self.models) & set(self.leaving)):
            raise ValueError(f"{', '.join(both)} cannot be used and leaving at once")
        return self
