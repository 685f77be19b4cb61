from django.apps import AppConfig


class ThreadsConfig(AppConfig):
    name = "threads"
    verbose_name = "Threads"

    def ready(self) -> None:
        from threads.vision_edits import register_visions

        register_visions()
