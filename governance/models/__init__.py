"""Who acts, under which contracts, and what was recorded."""

from governance.models.account import User
from governance.models.actor import Actor, Membership
from governance.models.contract import Contract, Revision
from governance.models.decision import Decision
from governance.models.inbox import InboxItem
from governance.models.job import Job
from governance.models.key import ApiKey
from governance.models.ledger import AuditEvent, AuditHead
from governance.models.project import Project
from governance.models.proposal import Comment, Proposal, ProposalText
from governance.models.replay import StoredAnswer

__all__ = [
    "Actor",
    "ApiKey",
    "AuditEvent",
    "AuditHead",
    "Comment",
    "Contract",
    "Decision",
    "InboxItem",
    "Job",
    "Membership",
    "Project",
    "Proposal",
    "ProposalText",
    "Revision",
    "StoredAnswer",
    "User",
]
