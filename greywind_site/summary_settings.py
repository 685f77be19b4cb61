"""What an operator says of the model that writes work summaries, where one does. Needs no Django."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from greywind_site.outside_settings import check_address


class SummaryModel(BaseModel):
    """A language model that writes summaries; set as GREYWIND_SUMMARY_MODEL__NAME. Without one, rules write them."""

    model_config = ConfigDict(extra="forbid")

    url: str | None = Field(
        default=None,
        description="Address before `/chat/completions` or `/messages` of a server that speaks the wire; unset means"
        " none.",
    )
    wire: Literal["openai", "anthropic"] = Field(
        default="openai", description="What the server speaks: OpenAI's chat completions or Anthropic's messages."
    )
    model: str = Field(default="", max_length=120, description="The model's name there.")
    key: SecretStr | None = Field(default=None, description="The server's key; unset means none.")
    seconds: float = Field(default=60.0, gt=0, le=600, description="Longest wait for one answer, all tries together.")
    tries: int = Field(default=3, ge=1, le=10, description="Most tries of one call.")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.url is None:
            return self
        check_address(self.url, of="a summary model")
        if not self.model:
            raise ValueError("a summary model needs its MODEL as well")
        return self
