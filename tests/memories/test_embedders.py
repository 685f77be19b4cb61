"""What makes vectors: by files that are checked, over HTTP with all that may go wrong there, and of any text."""

import json
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx2
import numpy as np
import pytest

from memories.embeddings import offline, queries
from memories.embeddings.embedder import Absent, EmbedderFault, Misfit, Refused, Unreachable, Vectors, literal
from memories.embeddings.hashed import HashedTerms
from memories.embeddings.offline import SentenceEncoder, SmallE5
from memories.embeddings.queries import query_vectors
from memories.embeddings.registry import absent_because, embedder_of, known_models
from memories.embeddings.remote import Endpoint, RemoteEmbedder
from memories.embeddings.wording import MOST_ASKED_CHARS, MOST_CHARS, asked_text, passage_text
from memories.lately import Lately
from tests.memories.embedding import HASHED, embedding_settings

HOSTILE = [
    "\ud800",
    "\x00",
    "",
    " ",
    "\u202e\u2066",
    "👩‍👩‍👧‍👦" * 900,
    "e\u0301" * 2_000,
    "\U000e0041" * 50,
    "a" * 5_000_000,
]
type Answer = Callable[[httpx2.Request], httpx2.Response]


def test_who_is_named_belongs_to_the_text_and_a_mere_role_does_not() -> None:
    assert passage_text(speaker="Caroline", text="I moved") == "Caroline: I moved"
    assert passage_text(speaker="user", text="I moved") == "I moved"


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_becomes_one_that_a_model_can_read(text: str) -> None:
    worded = passage_text(speaker="", text=text)
    assert len(worded.encode()) >= len(worded) <= MOST_CHARS
    assert "\0" not in worded


def test_a_long_text_is_cut_between_what_readers_see_as_characters() -> None:
    family = "👩‍👩‍👧‍👦"
    assert asked_text(family * 200) == family * (MOST_ASKED_CHARS // len(family))


def test_hashed_terms_are_the_same_everywhere_and_have_length_one() -> None:
    rows = HashedTerms().embed_passages(["the tide gauge", "潮位计", "the the", "\u202e"])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert literal(rows[1])[:26] == literal(HashedTerms().embed_queries(["潮位计"])[0])[:26]


def test_the_sentence_encoder_brings_languages_together() -> None:
    made = embedder_of(known_models()[SentenceEncoder.name])
    rows = made.embed_passages(
        ["潮位计在四号码头", "The tide gauge stands at pier four", "I like noodles", *HOSTILE[4:6]]
    )
    assert rows.shape == (5, 512)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_the_small_model_serves_or_says_why_it_cannot() -> None:
    model = known_models()[SmallE5.name]
    if absent_because(model):
        with pytest.raises(Absent):
            embedder_of(model)
    else:
        rows = embedder_of(model).embed_passages(["潮位计在四号码头", "The tide gauge stands at pier four"])
        asked = embedder_of(model).embed_queries(["Where is the tide gauge?"])
        assert (rows.shape, bool((rows @ asked[0] > 0.7).all())) == ((2, 384), True)


@pytest.mark.parametrize("made", [SentenceEncoder, SmallE5])
def test_a_file_that_is_another_makes_no_vectors(made: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "USE_FILES", {"resources/sp.model": "0" * 64})
    monkeypatch.setattr(offline, "E5_FILES", {"__init__.py": "0" * 64})
    with pytest.raises(Absent, match=r"not the file|runs on|needs a processor"):
        made()


def test_a_processor_that_cannot_run_the_engine_is_told_and_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "_processor_flags", lambda: frozenset({"sse2"}))
    with pytest.raises(Absent, match=r"avx2|runs on"):
        SmallE5()


def remote(answer: Answer, **changed: Any) -> RemoteEmbedder:
    """Return an embedder whose server answers as given."""
    told: dict[str, Any] = {"name": "far", "url": "http://127.0.0.1:1/v1/", "model": "far", "dims": 3, "version": "1"}
    endpoint = Endpoint(**(told | {"key": "sk-secret", "passage_seconds": 5.0, "tries": 3} | changed))
    return RemoteEmbedder(endpoint, transport=httpx2.MockTransport(answer))


def vectors(request: httpx2.Request, row: Sequence[float] = (3.0, 0.0, 4.0)) -> httpx2.Response:
    texts = json.loads(request.content)["input"]
    data = [{"index": number, "embedding": row} for number in reversed(range(len(texts)))]
    return httpx2.Response(200, json={"data": data})


def test_a_remote_model_is_asked_in_batches_with_its_key_and_gives_normalised_rows() -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return vectors(request)

    rows = remote(answer, batch=2, passage_prefix="passage: ").embed_passages(["a", "b", "c"])
    assert np.allclose(rows, [[0.6, 0, 0.8]] * 3)
    assert [json.loads(each.content)["input"] for each in seen] == [["passage: a", "passage: b"], ["passage: c"]]
    assert {(str(each.url), each.headers["Authorization"]) for each in seen} == {
        ("http://127.0.0.1:1/v1/embeddings", "Bearer sk-secret")
    }


def test_a_remote_model_that_is_busy_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("governance.outside.PACE_SECONDS", 0.0)
    answers = iter([httpx2.Response(503), httpx2.Response(429)])
    rows = remote(lambda request: next(answers, None) or vectors(request)).embed_queries(["a"])
    assert rows.shape == (1, 3)


def failing(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("refused", request=request)


FAULTS: list[tuple[Answer, type[EmbedderFault]]] = [
    (failing, Unreachable),
    (lambda _: httpx2.Response(502), Unreachable),
    (lambda _: httpx2.Response(401), Unreachable),
    (lambda _: httpx2.Response(400, text="the words of somebody"), Refused),
    (lambda _: httpx2.Response(200, text="<html>"), Misfit),
    (lambda _: httpx2.Response(200, json={"data": []}), Misfit),
    (lambda request: vectors(request, [1.0, 2.0]), Misfit),
    (lambda request: vectors(request, [0.0, 0.0, 0.0]), Refused),
    (lambda _: httpx2.Response(429, headers={"Retry-After": "3600"}), Unreachable),
]


@pytest.mark.parametrize(("answer", "fault"), FAULTS)
def test_whatever_a_server_does_has_a_name_and_tells_nothing(
    answer: Answer, fault: type[EmbedderFault], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("governance.outside.PACE_SECONDS", 0.0)
    with pytest.raises(fault) as said:
        remote(answer).embed_passages(["a private text"])
    assert not any(word in str(said.value) for word in ("sk-secret", "private", "somebody"))


class _Far(BaseHTTPRequestHandler):
    """A server that is busy at first, as real ones are."""

    asked = 0

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        type(self).asked += 1
        data = [{"index": number, "embedding": [1, 2, 2]} for number in range(len(texts))]
        body = b"busy" if self.asked == 1 else json.dumps({"data": data}).encode()
        self.send_response(503 if self.asked == 1 else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nobody reads along."""


def test_a_server_on_this_machine_is_asked_over_a_real_connection() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Far) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        rows = RemoteEmbedder(Endpoint(name="far", url=url, model="far", dims=3, version="1")).embed_passages(
            ["a", "b"]
        )
        server.shutdown()
    assert np.allclose(rows, [[1 / 3, 2 / 3, 2 / 3]] * 2)


class Counting(HashedTerms):
    """Counts what it is asked."""

    asked = 0

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        return super().embed_queries(texts)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    embedder = Counting()
    monkeypatch.setattr(queries, "embedder_of", lambda _model: embedder)
    queries.kept.clear()
    return embedder


def test_a_question_is_embedded_once(counting: Counting) -> None:
    first = query_vectors(["where is it?", "when?"])
    again = query_vectors(["when?", "where is it?", " where  is it? "])
    assert counting.asked == 2
    assert next(iter(again.vectors.values())) == tuple(reversed(next(iter(first.vectors.values()))))


def test_only_the_last_questions_are_kept(counting: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "kept", Lately(2))
    for question in ("a1", "b1", "c1", "a1"):
        query_vectors([question])
    assert counting.asked == 4


def test_a_question_without_a_word_has_no_vector(counting: Counting) -> None:
    assert query_vectors(["", " \x00 "]).vectors == {}


def test_a_model_that_fails_leaves_the_search_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_model: object) -> None:
        raise Absent("not here")

    queries.kept.clear()
    monkeypatch.setattr(queries, "embedder_of", absent)
    asked = query_vectors(["where is it?"])
    assert (asked.vectors, asked.missing) == ({}, {HASHED: "absent"})


def test_without_a_model_there_is_nothing_to_ask() -> None:
    with embedding_settings(models=[]):
        assert query_vectors(["where is it?"]).vectors == {}
