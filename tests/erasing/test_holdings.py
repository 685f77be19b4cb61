"""Every column that can hold a text is emptied with a person's words, or stands here with what it holds instead."""

import pytest
from django.db import connection

from greywind_site.erasing.holdings import BLANKS, DELETED
from greywind_site.erasing.theirs import table_of

# Every column of every table but ids, flags, figures and moments: also what no project has, vectors, and bare bytes.
TEXTS = """
SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
  AND a.atttypid <> ALL (ARRAY['uuid', 'boolean', 'smallint', 'integer', 'bigint', 'real', 'double precision',
                               'timestamptz', 'date', 'int4[]']::regtype[])
"""
# Words from a list of ours, hashes, refs and ids, wherever they stand.
CODES = {
    "audience", "audience_role", "state", "status", "role", "kind", "type", "action", "risk", "level", "verb", "gate",
    "origin", "source_rank", "sensitivity", "write_mode", "knowledge_status", "reason_code", "archived_for",
    "scope_type",
    "source", "source_type", "attested_by", "destination", "through", "here", "there", "code", "suggestion",
    "suggestion_reason", "knowledge_before", "phase", "verification", "dialect", "ref", "origin_ref", "seen_hash",
    "packet_hash", "trace", "scopes", "prefix", "roles", "next_actor", "recovery", "occasion",
}  # fmt: skip
# Emptied by a rule of its own, row by row.
BY_RULE = {
    "agent_sessions_artifact": {"sha256"},
    "agent_sessions_contextpacket": {"receipt"},
    "agent_sessions_event": {"content_hash"},
    "governance_actor": {"name"},
    "governance_contract": {"slug"},
    "governance_proposal": {"slug"},
    "governance_proposaltext": {"body", "body_hash"},
    "governance_revision": {"body", "body_hash"},
    "memories_conflict": {"key"},
    "memories_memory": {"content_hash"},
    "threads_binding": {"channel"},
    "threads_threadtalk": {"keys", "counts"},
    # With the account: see `person`.
    "governance_user": {"username", "first_name", "last_name", "email", "password", "time_zone", "language"},
}
GONE_WITH_THE_ACCOUNT = {
    "account_emailaddress",
    "account_emailconfirmation",
    "django_session",
    "mfa_authenticator",
    "socialaccount_socialaccount",
    "socialaccount_socialtoken",
    "usersessions_usersession",
}
# Nobody's words: what programs called things, figures, and what a packet decided.
KEPT = {
    "agent_sessions_artifact": {"media_type"},
    "agent_sessions_contextpacket": {"decisions"},
    "agent_sessions_event": {"client_id", "tool"},
    "agent_sessions_attempt": {"missing"},
    "agent_sessions_handoff": {"pins"},
    "agent_sessions_learntfigures": {"slug", "encoding", "figures"},
    "agent_sessions_packetoutcome": {"usage"},
    "agent_sessions_providersession": {"harness", "external_id"},
    "agent_sessions_session": {"seal", "resume_failure"},
    "agent_sessions_summaryrefusal": {"trigger", "problems"},
    "agent_sessions_usagereport": {"slug", "encoding", "fate", "mix"},
    "agent_sessions_worksummary": {"trigger"},
    "governance_apikey": {"name", "digest"},
    "governance_audithead": {"prev", "hash"},
    "governance_auditevent": {"actor", "on_behalf_of", "target", "reason", "before", "after", "detail", "prev", "hash"},
    "governance_job": {"subject", "error"},
    "governance_storedanswer": {"idempotency_key", "fingerprint", "packet_ref"},
    "governance_project": {"name", "default_profile"},
    "memories_consolidation": {"work", "policy", "counts"},
    "memories_embedding": {"model", "version", "error"},
    "memories_offer": {"about"},
    "memories_settlement": {"effects"},
    "threads_lineage": {"moved", "before"},
}


# Of the framework and of what is shipped: no person wrote there.
OF_NOBODY = {
    "agent_sessions_budgetprofile",
    "auth_group",
    "auth_permission",
    "django_content_type",
    "django_migrations",
    "django_site",
    "socialaccount_socialapp",
}


@pytest.mark.django_db
def test_no_text_is_forgotten() -> None:
    emptied = {table_of(model): set(values) for model, values in BLANKS.items()}
    passed = {table_of(model) for model in DELETED} | GONE_WITH_THE_ACCOUNT | OF_NOBODY
    with connection.cursor() as cursor:
        cursor.execute(TEXTS)
        found = cursor.fetchall()
    assert len(found) > 100
    known = [emptied, BY_RULE, KEPT]
    unknown = [
        f"{table}.{column}"
        for table, column in found
        if table not in passed and column not in CODES and not any(column in one.get(table, ()) for one in known)
    ]
    assert unknown == []
