from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        from governance import refs
        from memories.evidence import find_memories, open_memory

        refs.register("memory", refs.Scheme(resolve=open_memory, find=find_memories))
