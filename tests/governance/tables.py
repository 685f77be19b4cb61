"""What the tables of a project are, and what the application may do with each: written by hand, from the design."""

APPEND_ONLY = (
    "agent_sessions_artifact",
    "agent_sessions_contextpacket",
    "agent_sessions_event",
    "agent_sessions_handoff",
    "agent_sessions_learntfigures",
    "agent_sessions_packetoutcome",
    "agent_sessions_summaryrefusal",
    "agent_sessions_usagereport",
    "agent_sessions_worksummary",
    "governance_auditevent",
    "governance_comment",
    "governance_decision",
    "governance_proposaltext",
    "memories_conflictside",
    "memories_feedback",
    "memories_gateverdict",
    "memories_injection",
    "memories_memoryevidence",
    "memories_memorymove",
    "memories_memoryparent",
    "memories_memoryread",
    "memories_memoryversion",
    "threads_vision",
)
UNDELETABLE = (
    "governance_proposal",
    "governance_revision",
    "memories_conflict",
    "memories_offer",
    "memories_settlement",
)
CHANGEABLE = (
    "agent_sessions_attempt",
    "agent_sessions_providersession",
    "agent_sessions_session",
    "governance_actor",
    "governance_apikey",
    "governance_contract",
    "governance_inboxitem",
    "governance_job",
    "governance_membership",
    "governance_storedanswer",
    "memories_claim",
    "memories_consolidation",
    "memories_embedding",
    "memories_memory",
    "memories_passage",
    "memories_passagetally",
    "threads_binding",
    "threads_task",
    "threads_taskedge",
    "threads_thread",
    "threads_threadtalk",
    "threads_threaduse",
)
# Of accounts, which belong to no project: second factors, linked identities, signed-in browsers.
OF_ACCOUNTS = ("mfa_authenticator", "socialaccount_socialaccount", "usersessions_usersession")
# Made by a library and not used: the application has no right on them.
UNUSED = (
    "account_emailaddress",
    "account_emailconfirmation",
    "socialaccount_socialapp",
    "socialaccount_socialtoken",
)
# The framework's own: accounts and browser sessions change, the rest is read.
FRAMEWORK_CHANGED = (
    "django_session",
    "governance_user",
    "governance_user_groups",
    "governance_user_user_permissions",
)
FRAMEWORK_READ = (
    "auth_group",
    "auth_group_permissions",
    "auth_permission",
    "django_content_type",
    "django_migrations",
)
SHIPPED = "agent_sessions_budgetprofile"  # the same for every project, and read alone
LEDGER_HEADS = "governance_audithead"  # the ledger's own; the application neither reads nor writes it
READABLE = tuple(sorted((*APPEND_ONLY, *UNDELETABLE, *CHANGEABLE)))
ALL = tuple(sorted((*READABLE, LEDGER_HEADS)))
WITHOUT_AUDIENCE = frozenset(
    {
        "agent_sessions_learntfigures",
        "agent_sessions_usagereport",
        "governance_actor",
        "governance_apikey",
        "governance_auditevent",
        "governance_comment",
        "governance_decision",
        "governance_membership",
        "governance_proposal",
        "governance_proposaltext",
        "governance_storedanswer",
        "memories_offer",
    }
)
WITH_AUDIENCE = tuple(table for table in READABLE if table not in WITHOUT_AUDIENCE)
# A child takes the audience of what it hangs on.
INHERITING = (
    "agent_sessions_attempt",
    "agent_sessions_event",
    "agent_sessions_handoff",
    "agent_sessions_packetoutcome",
    "agent_sessions_providersession",
    "agent_sessions_session",
    "agent_sessions_summaryrefusal",
    "agent_sessions_worksummary",
    "memories_claim",
    "memories_conflictside",
    "memories_embedding",
    "memories_feedback",
    "memories_gateverdict",
    "memories_memoryevidence",
    "memories_memorymove",
    "memories_memoryparent",
    "memories_memoryread",
    "memories_memoryversion",
    "memories_settlement",
    "threads_binding",
    "threads_task",
    "threads_taskedge",
    "threads_threadtalk",
    "threads_threaduse",
    "threads_vision",
)
# Values under which a copy of a seeded row breaks no uniqueness, so that only what a test changes can be refused.
FRESH = {
    "agent_sessions_artifact": {"sha256": "0" * 64},
    "agent_sessions_attempt": {"number": 99, "state": "ended"},
    "agent_sessions_event": {"seq": 4, "client_id": "copy"},
    "agent_sessions_learntfigures": {"version": 99},
    "agent_sessions_providersession": {"external_id": "copy"},
    "agent_sessions_session": {"role": "copied", "head_seq": 0},
    "agent_sessions_worksummary": {"version": 99},
    "governance_actor": {"name": "copy", "user_id": None},
    "governance_apikey": {"prefix": "copycopy"},
    "governance_contract": {"slug": "copy"},
    "governance_decision": {"version": 99},
    "governance_inboxitem": {"ref": "copy", "state": "open"},
    "governance_job": {"subject": "copy", "state": "waiting", "holder": None, "lease_until": None},
    "governance_proposal": {"state": "draft", "version": 0},
    "governance_proposaltext": {"version": 99},
    "governance_revision": {"number": 99, "state": "draft", "proposal_id": None},
    "governance_storedanswer": {"idempotency_key": "copy"},
    "memories_claim": {"ordinal": 99},
    "memories_conflict": {"state": "open", "key": "copy"},
    "memories_consolidation": {"work": "copy"},
    "memories_embedding": {"version": "copy"},
    "memories_feedback": {"kind": "outdated"},
    "memories_gateverdict": {"gate": "copy"},
    "memories_injection": {"packet_id": "00000000-0000-0000-0000-000000000001"},
    "memories_memory": {"status": "candidate", "dedupe_key": "copy"},
    "memories_memoryevidence": {"ordinal": 99},
    "memories_memoryversion": {"version": 99},
    "memories_offer": {"state": "asked", "proposal_id": None},
    "memories_passage": {"ref": "copy"},
    "memories_passagetally": {"audience": "role", "audience_role": "copied"},
    "memories_settlement": {"seen_version": 99},
    "threads_binding": {"page": "copy"},
    "threads_task": {"state": "planned"},
    "threads_threadtalk": {"part": 99},
    "threads_threaduse": {"role": "copied"},
    "threads_vision": {"version": 99},
}
