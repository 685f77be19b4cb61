from django.db import migrations

from governance import ddl


class Migration(migrations.Migration):
    """Find passages through the index of their terms, whatever the planner believes about their number.

    After an import the table has no statistics yet, and reading every passage looks cheaper than it is: comparing
    two arrays of texts costs a hundred times what the planner thinks.
    """

    dependencies = [("memories", "0001_initial")]

    operations = [
        ddl.changed_door(
            "search_passages(text[], integer)",
            "SET enable_seqscan = off",
            "RESET enable_seqscan",
            owner="gw_search",
        ),
    ]
