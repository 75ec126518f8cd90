"""Other embedders: HTTP endpoints (tested against a local server), functions, and sentence-transformers."""

from __future__ import annotations

import json
import math
import socket
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from keepsaid.embed import embedder_for
from keepsaid.embed.callable import CallableEmbedder
from keepsaid.embed.checks import CheckedEmbedder
from keepsaid.embed.http import OllamaEmbedder, OpenAIEmbedder
from keepsaid.embed.sentence_transformers import SentenceTransformersEmbedder
from keepsaid.errors import ConfigError, EmbedderError, MissingExtra
from keepsaid.ports import Embedding

Answer = tuple[int, dict[str, str], bytes]


def vector(text: str) -> list[float]:
    """Something that differs from text to text."""
    return [float(len(text)), float(text.count("a")), 1.0]


class Server:
    """Answers like an embeddings endpoint; `troubles` come first, one for each request."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.troubles: list[Callable[[], Answer]] = []
        self.forever: Callable[[], Answer] | None = None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, dict(self.headers), body))
                trouble = outer.troubles.pop(0) if outer.troubles else outer.forever
                status, headers, content = trouble() if trouble else outer.answer(self.path, body)
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(content)
                except OSError:
                    # The client went away: that is what a time-out is.
                    pass

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def answer(self, path: str, body: dict[str, Any]) -> Answer:
        if path == "/v1/embeddings":
            rows = [{"index": index, "embedding": vector(text)} for index, text in enumerate(body["input"])]
            return 200, {}, json.dumps({"data": rows[::-1]}).encode()
        if path == "/api/embed":
            return 200, {}, json.dumps({"embeddings": [vector(text) for text in body["input"]]}).encode()
        return 404, {}, b"no such page"

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


def says(status: int, content: bytes = b"", **headers: str) -> Callable[[], Answer]:
    return lambda: (status, {name.replace("_", "-"): value for name, value in headers.items()}, content)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture(params=["openai", "ollama"])
def make(request: pytest.FixtureRequest, server: Server) -> Callable[..., OpenAIEmbedder | OllamaEmbedder]:
    def make(**options: Any) -> OpenAIEmbedder | OllamaEmbedder:
        options = {"timeout": 5.0, "pause": 0.01} | options
        if request.param == "openai":
            return OpenAIEmbedder("m", base_url=server.url + "/v1/", api_key="secret-key", **options)
        return OllamaEmbedder("m", base_url=server.url, **options)

    return make


def assert_right(made: list[Embedding], texts: list[str]) -> None:
    assert len(made) == len(texts)
    for one, text in zip(made, texts, strict=True):
        expected = np.array(vector(text))
        assert np.allclose(one.vector, expected / np.linalg.norm(expected), atol=1e-6)


class TestEndpointEmbedders:
    def test_embeddings_are_in_order_and_requested_in_batches(self, make, server: Server) -> None:
        texts = ["a" * number + "b" for number in range(7)]
        assert_right(make(batch=3).embed(texts), texts)
        assert [len(body["input"]) for _, _, body in server.requests] == [3, 3, 1]
        assert {body["model"] for _, _, body in server.requests} == {"m"}

    def test_embedding_no_texts_sends_no_request(self, make, server: Server) -> None:
        assert make().embed([]) == []
        assert server.requests == []

    def test_openai_request_sends_key_and_dimensions(self, server: Server) -> None:
        embedder = OpenAIEmbedder("m", base_url=server.url + "/v1", api_key="secret-key", dimensions=3)
        embedder.embed(["x"])
        ((_, headers, body),) = server.requests
        assert headers["Authorization"] == "Bearer secret-key"
        assert body["dimensions"] == 3
        assert embedder.name == "openai:m/3"

    def test_embedder_for_makes_endpoint_embedder_by_name(self, server: Server) -> None:
        assert_right(list(embedder_for("ollama:m", base_url=server.url).embed(["x"])), ["x"])
        made = embedder_for("openai:m", base_url=server.url + "/v1", api_key="k").embed(["x"])
        assert_right(list(made), ["x"])
        assert server.requests[-1][1]["Authorization"] == "Bearer k"

    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_transient_error_status_is_retried(self, make, server: Server, status: int) -> None:
        server.troubles = [says(status), says(status)]
        assert_right(make().embed(["x"]), ["x"])
        assert len(server.requests) == 3

    def test_retry_waits_for_retry_after_header(self, make, server: Server) -> None:
        server.troubles = [says(429, Retry_After="1")]
        start = time.monotonic()
        make().embed(["x"])
        assert 1 <= time.monotonic() - start < 3

    def test_persistent_error_is_raised_after_all_attempts(self, make, server: Server) -> None:
        server.forever = says(500, b'{"error": "out of\n memory"}')
        with pytest.raises(EmbedderError, match=r"answered 500 \(3 attempts\): .*out of memory"):
            make(retries=2).embed(["x"])
        assert len(server.requests) == 3

    def test_refusal_is_not_retried_and_error_hides_key(self, make, server: Server) -> None:
        server.forever = says(401, b"wrong key")
        with pytest.raises(EmbedderError, match="answered 401: wrong key") as raised:
            make().embed(["x"])
        assert len(server.requests) == 1
        assert "secret-key" not in str(raised.value)

    def test_redirect_is_not_followed(self, make, server: Server) -> None:
        """The key must not go to another host."""
        other = Server()
        try:
            server.forever = says(302, Location=other.url + "/v1/embeddings")
            with pytest.raises(EmbedderError, match="answered 302"):
                make().embed(["x"])
            assert other.requests == []
        finally:
            other.close()

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"<html>busy</html>", "which is not JSON"),
            (b"\xff\xfe", "which is not JSON"),
            (b"", "which is not JSON"),
            (b"{}", "no embeddings"),
            (b"[]", "no embeddings"),
            (b"null", "no embeddings"),
            (b'{"data": 1, "embeddings": 1}', "no embeddings"),
            (b'{"data": [], "embeddings": []}', "0 vectors for 1 text"),
            (b'{"data": [{"index": 0, "embedding": "x"}], "embeddings": ["x"]}', "other than rows of numbers"),
            (b'{"data": [{"index": 0, "embedding": [NaN, 1]}], "embeddings": [[NaN, 1]]}', "not a finite number"),
            (b'{"data": [{"index": 0, "embedding": [0, 0]}], "embeddings": [[0, 0]]}', "length zero"),
        ],
        ids=str,
    )
    def test_malformed_response_raises_embedder_error(self, make, server: Server, content: bytes, message: str) -> None:
        server.forever = says(200, content)
        with pytest.raises(EmbedderError, match=message):
            make().embed(["x"])

    def test_wrong_number_of_vectors_is_rejected(self, make, server: Server) -> None:
        rows = [{"index": 0, "embedding": [1, 2]}]
        server.forever = says(200, json.dumps({"data": rows, "embeddings": [[1, 2]]}).encode())
        with pytest.raises(EmbedderError, match="1 vector for 2 texts"):
            make().embed(["x", "y"])

    def test_dimensions_changing_between_batches_are_rejected(self, make, server: Server) -> None:
        rows = [{"index": 0, "embedding": [1, 2]}]
        server.troubles = [says(200, json.dumps({"data": rows, "embeddings": [[1, 2]]}).encode())]
        with pytest.raises(EmbedderError, match="all of one length"):
            make(batch=1).embed(["x", "y"])

    def test_late_response_raises_timeout_error(self, make, server: Server) -> None:
        gate = threading.Event()

        def late() -> Answer:
            gate.wait(10)
            return 200, {}, b"{}"

        server.forever = late
        start = time.monotonic()
        try:
            with pytest.raises(EmbedderError, match=r"no answer within 0\.2 seconds"):
                make(timeout=0.2).embed(["x"])
        finally:
            gate.set()
        assert time.monotonic() - start < 3

    def test_refused_connection_raises_embedder_error(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with pytest.raises(EmbedderError, match=r"cannot be reached: .*refused"):
            OllamaEmbedder("m", base_url=f"http://127.0.0.1:{port}").embed(["x"])

    def test_closed_connection_raises_embedder_error(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=lambda: listener.accept()[0].close())
            thread.start()
            with pytest.raises(EmbedderError, match="cannot be reached"):
                OllamaEmbedder("m", base_url=f"http://127.0.0.1:{listener.getsockname()[1]}").embed(["x"])
            thread.join()

    @pytest.mark.parametrize("url", ["", "localhost:11434", "file:///etc/passwd", "ftp://x"])
    def test_invalid_base_url_is_rejected(self, url: str) -> None:
        with pytest.raises(ConfigError, match="not the URL"):
            OllamaEmbedder("m", base_url=url)


class Bad:
    """An embedder of somebody else's, which returns whatever it is told to."""

    name = "bad"

    def __init__(self, *made: Any) -> None:
        self.made = list(made)

    def embed(self, texts: Any, *, asking: bool = False) -> Any:
        return [Embedding(one) if not isinstance(one, Embedding) else one for one in self.made]


class TestCheckedEmbedder:
    @pytest.mark.parametrize(
        ("made", "message"),
        [
            ((), "0 vectors for 2 texts"),
            (([1.0],) * 3, "3 vectors for 2 texts"),
            (([1.0, 2.0], [1.0]), "all of one length"),
            (([1.0, math.nan], [1.0, 2.0]), "NaN"),
            (([1.0, math.inf], [1.0, 2.0]), "infinite"),
            (([0.0, 0.0], [1.0, 2.0]), "length zero"),
            (([], []), "shape"),
            ((1.0, 2.0), "shape"),
            (("ab", "cd"), "rows of numbers"),
            ((None, [1.0]), "rows of numbers"),
            ((Embedding([1.0, 2.0], b"x" * 5, 4, [(0, 1)]), [1.0, 2.0]), "5 bytes for 1 token of 4"),
        ],
    )
    def test_malformed_vectors_are_rejected(self, made: tuple[Any, ...], message: str) -> None:
        with pytest.raises(EmbedderError, match=message):
            CheckedEmbedder(Bad(*made)).embed(["x", "y"])

    @pytest.mark.parametrize("needs_timeout", [True, False])
    def test_wrapped_embedder_tells_whether_it_may_hang(self, needs_timeout: bool) -> None:
        bad = Bad([1.0, 2.0])
        assert CheckedEmbedder(bad).needs_timeout is True
        bad.needs_timeout = needs_timeout  # type: ignore[attr-defined]
        assert CheckedEmbedder(bad).needs_timeout is needs_timeout

    def test_first_call_fixes_dimensions(self) -> None:
        bad = Bad([1.0, 2.0])
        checked = CheckedEmbedder(bad)
        checked.embed(["x"])
        bad.made = [[1.0, 2.0, 3.0]]
        with pytest.raises(EmbedderError, match="3 dimensions, not of 2"):
            checked.embed(["x"])

    def test_vectors_are_normalized_and_tokens_passed_through(self) -> None:
        (made,) = CheckedEmbedder(Bad(Embedding([3.0, 4.0], b"abcd", 4, [(0, 1)])), dimensions=2).embed(["x"])
        assert np.asarray(made.vector).dtype == np.float32
        assert np.allclose(made.vector, [0.6, 0.8])
        assert (made.tokens, made.width, made.spans) == (b"abcd", 4, [(0, 1)])

    def test_any_exception_becomes_embedder_error(self) -> None:
        class Failing:
            name = "failing"

            def embed(self, texts: Any, *, asking: bool = False) -> Any:
                raise ZeroDivisionError("oh")

        with pytest.raises(EmbedderError, match="failing failed: ZeroDivisionError: oh"):
            CheckedEmbedder(Failing()).embed(["x"])

    def test_vectors_with_huge_values_do_not_overflow(self) -> None:
        (made,) = CheckedEmbedder(Bad([1e200, 1e200])).embed(["x"])
        assert np.allclose(made.vector, math.sqrt(0.5))


class TestCallableEmbedder:
    def test_questions_use_their_own_function(self) -> None:
        embedder = CallableEmbedder("f", lambda texts: [[1.0, 0.0]] * len(texts), lambda texts: [[0.0, 1.0]] * len(texts))
        assert list(embedder.embed(["x"])[0].vector) == [1, 0]
        assert list(embedder.embed(["x"], asking=True)[0].vector) == [0, 1]
        assert embedder.embed([]) == []

    def test_failing_function_raises_embedder_error(self) -> None:
        with pytest.raises(EmbedderError, match="f failed: KeyError"):
            CallableEmbedder("f", lambda texts: {}[texts[0]]).embed(["x"])

    def test_function_may_return_numpy_array(self) -> None:
        made = CallableEmbedder("f", lambda texts: np.full((len(texts), 4), 7, np.float16)).embed(["x", "y"])
        assert np.allclose([one.vector for one in made], 0.5)

    def test_empty_name_is_rejected(self) -> None:
        with pytest.raises(ConfigError, match="needs a name"):
            CallableEmbedder("", lambda texts: [])


LIBRARY = """
    class SentenceTransformer:
        def __init__(self, path, device=None):
            if path == "unknown":
                raise OSError("no such model")
            self.device = device

        def encode(self, texts, batch_size, show_progress_bar):
            if self.device == "cuda":
                raise RuntimeError("no GPU")
            return [[float(len(text)), float(batch_size)] for text in texts]

        def encode_query(self, texts, **options):
            return self.encode(["?" + text for text in texts], **options)
    """


class TestSentenceTransformers:
    """The library is a gigabyte with torch, so a module of the same shape stands in for it."""

    @pytest.fixture
    def _library(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        (tmp_path / "sentence_transformers.py").write_text(textwrap.dedent(LIBRARY))
        monkeypatch.syspath_prepend(str(tmp_path))
        yield
        sys.modules.pop("sentence_transformers", None)

    def test_missing_library_raises_missing_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        with pytest.raises(MissingExtra, match="pip install sentence-transformers"):
            SentenceTransformersEmbedder("m").embed(["x"])

    @pytest.mark.usefixtures("_library")
    def test_questions_are_encoded_with_encode_query(self) -> None:
        embedder = SentenceTransformersEmbedder("m", batch=4)
        assert np.allclose(embedder.embed(["abc"])[0].vector, [0.6, 0.8])
        assert np.allclose(embedder.embed(["ab"], asking=True)[0].vector, [0.6, 0.8])

    @pytest.mark.usefixtures("_library")
    @pytest.mark.parametrize(("model", "device", "message"), [("unknown", None, "no such model"), ("m", "cuda", "no GPU")])
    def test_library_errors_become_embedder_errors(self, model: str, device: str | None, message: str) -> None:
        with pytest.raises(EmbedderError, match=message):
            SentenceTransformersEmbedder(model, device=device).embed(["x"])
