"""The numbers of the thread resolver that an operator may set. Needs no Django."""

from pydantic import BaseModel, Field


class ResolverSettings(BaseModel):
    """Numbers of the thread resolver; set as GREYWIND_RESOLVER__NAME. threads.matching says why each is what it is."""

    recent_window_hours: float = Field(
        default=168,
        gt=0,
        description="How long ago a thread may have been used for a plain go-on to mean it, in hours.",
    )
    lean_window_minutes: float = Field(
        default=120, gt=0, description="How long a thread stays before one's eyes, so that 'it' means it, in minutes."
    )
    recent_tie_minutes: float = Field(
        default=10, ge=0, description="Threads used closer together than this cannot be told apart, in minutes."
    )
    takeover_lead_hours: float = Field(
        default=24, ge=0, description="Lead by which another actor's thread must be the latest to be taken, in hours."
    )
    semantic_floor: float = Field(default=0.28, ge=0, le=1, description="Least likeness, 0 to 1, that names a thread.")
    semantic_sure: float = Field(default=0.5, ge=0, le=1, description="Likeness, 0 to 1, that outweighs a mere 'it'.")
    ambiguity_margin: float = Field(
        default=0.08, ge=0, le=1, description="Likenesses closer than this, 0 to 1, are put to the caller."
    )
    lean_words: float = Field(default=3.0, ge=0, description="Own words with which 'it' still means the recent matter.")
    add_words: float = Field(default=1.0, ge=0, description="The same for 'also' and 'again'.")
