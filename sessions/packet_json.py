"""A packet as JSON for a reader: the answer of the API where it can be built again, else what was decided."""

from collections.abc import Mapping
from typing import Any

import orjson

from sessions.packet_opening import Opened
from sessions.replay import answer_again, for_reader


def packet_json(opened: Opened) -> str:
    """Return the packet as indented JSON. Threads that are not open to the reader are left out of the candidates."""
    return orjson.dumps(_payload(opened), option=orjson.OPT_INDENT_2).decode()


def _payload(opened: Opened) -> Mapping[str, Any]:
    packet, again = opened.packet, opened.again
    decisions = for_reader(packet, opened.decisions, opened.readable)
    if again is not None and again.prompt is not None:
        return answer_again(packet, decisions, again)
    facts = {"packet_id": packet.public_id, "trace_id": packet.trace, "packet_hash": packet.packet_hash or None}
    return facts | {"refused": packet.refused, "content": None, **decisions}
