from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        from governance import gauges, refs
        from governance.vocabulary import ContractKind
        from memories.erasing import erase_ref
        from memories.evidence import find_memories, open_memory
        from memories.lowering import register_lowering
        from memories.policy import check_claim_words
        from memories.sharing import register_offers

        refs.register("memory", refs.Scheme(resolve=open_memory, erase=erase_ref, find=find_memories))
        register_offers()
        register_lowering()
        gauges.check_with(ContractKind.POLICY, check_claim_words)
