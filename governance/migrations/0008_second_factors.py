"""What the application may do with the tables of second factors, linked identities and browser sessions.

They belong to accounts, which belong to no project: no row-level security. Its other tables (addresses of e-mail,
providers, their tokens) hold nothing here, and the application gets no right on them.
"""

from django.db import migrations

from governance.ddl import APP, statement

TABLES = "mfa_authenticator, socialaccount_socialaccount, usersessions_usersession"


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0007_levels"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
        ("usersessions", "0001_initial"),
    ]

    operations = [
        statement(
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON {TABLES} TO {APP}",
            f"REVOKE ALL ON {TABLES} FROM {APP}",
        ),
    ]
