"""Who decides, and where: the part of an answer that keeps an agent from waiting for itself."""

from pydantic import BaseModel, Field

from greywind_site.client.http import GreyWind, Refused, Unreachable

MUST = (
    "A maintainer or owner of the project decides, in the console; no tool and no key can. "
    "由项目的维护者或所有者在控制台裁决。"
)


class Human(BaseModel):
    """What a human must do, and at which address."""

    must: str = Field(description="What a human has to do. Tell your user; asking again changes nothing.")
    where: str = Field(description="Address of the console page where it is done.")


def must_decide(greywind: GreyWind, must: str = MUST) -> Human:
    """Return what a human must do, with the address of the key's project in the console."""
    return Human(must=must, where=_console(greywind))


def _console(greywind: GreyWind) -> str:
    try:
        project = greywind.call("GET", "/key")["project"]["id"]
    except (Refused, Unreachable, LookupError, TypeError):
        # What the address belongs to stands already; without the project the console's first page still leads there.
        return f"{greywind.url}/"
    return f"{greywind.url}/p/{project}/"
