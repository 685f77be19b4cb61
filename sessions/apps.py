from django.apps import AppConfig


class SessionsConfig(AppConfig):
    # django.contrib.sessions owns the label "sessions", so ours carries a prefix.
    name = "sessions"
    label = "agent_sessions"
    verbose_name = "Agent sessions"

    def ready(self) -> None:
        from sessions.citing import register_citations
        from sessions.consolidation_due import take_on_summaries
        from sessions.contract_gauges import register_gauges
        from sessions.cooling_due import take_on_cooling
        from sessions.evidence import register_schemes

        register_schemes()
        register_gauges()
        register_citations()
        take_on_summaries()
        take_on_cooling()
