"""A process that asks for work as a web process does: `python -m greywind_site.hunting.outage.caller PLAN`."""

import json
import sys

import django


def main(told: str) -> None:
    """Do what the plan says, which is a JSON object."""
    django.setup()
    from greywind_site.hunting.outage.trades import enter_hunted_database
    from greywind_site.hunting.outage.wishes import Plan, carry_out

    enter_hunted_database()
    carry_out(Plan(**json.loads(told)))


if __name__ == "__main__":
    main(sys.argv[1])
