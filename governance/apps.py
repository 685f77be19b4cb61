from django.apps import AppConfig


class GovernanceConfig(AppConfig):
    name = "governance"
    verbose_name = "Governance"

    def ready(self) -> None:
        from governance import refs
        from governance.proposal_refs import find_proposals, open_proposal

        refs.register("proposal", refs.Scheme(resolve=open_proposal, find=find_proposals))
