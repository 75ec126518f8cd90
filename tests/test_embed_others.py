"""Embedders by the same socket: endpoints (a real server on this machine plays them), functions, sentence-transformers."""

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

from recollect.embed import embedder_for
from recollect.embed.callable import CallableEmbedder
from recollect.embed.checked import Checked
from recollect.embed.http import OllamaEmbedder, OpenAIEmbedder
from recollect.embed.sentence_transformers import SentenceTransformersEmbedder
from recollect.errors import ConfigError, EmbedderError, MissingExtra
from recollect.ports import Embedding

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


class TestEndpoints:
    def test_in_order_and_in_batches(self, make, server: Server) -> None:
        texts = ["a" * number + "b" for number in range(7)]
        assert_right(make(batch=3).embed(texts), texts)
        assert [len(body["input"]) for _, _, body in server.requests] == [3, 3, 1]
        assert {body["model"] for _, _, body in server.requests} == {"m"}

    def test_no_texts_no_request(self, make, server: Server) -> None:
        assert make().embed([]) == []
        assert server.requests == []

    def test_key_and_dimensions(self, server: Server) -> None:
        embedder = OpenAIEmbedder("m", base_url=server.url + "/v1", api_key="secret-key", dimensions=3)
        embedder.embed(["x"])
        ((_, headers, body),) = server.requests
        assert headers["Authorization"] == "Bearer secret-key"
        assert body["dimensions"] == 3
        assert embedder.name == "openai:m/3"

    def test_made_by_name(self, server: Server) -> None:
        assert_right(list(embedder_for("ollama:m", base_url=server.url).embed(["x"])), ["x"])
        made = embedder_for("openai:m", base_url=server.url + "/v1", api_key="k").embed(["x"])
        assert_right(list(made), ["x"])
        assert server.requests[-1][1]["Authorization"] == "Bearer k"

    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_trouble_that_passes(self, make, server: Server, status: int) -> None:
        server.troubles = [says(status), says(status)]
        assert_right(make().embed(["x"]), ["x"])
        assert len(server.requests) == 3

    def test_it_waits_as_long_as_it_is_told(self, make, server: Server) -> None:
        server.troubles = [says(429, Retry_After="1")]
        start = time.monotonic()
        make().embed(["x"])
        assert 1 <= time.monotonic() - start < 3

    def test_trouble_that_stays(self, make, server: Server) -> None:
        server.forever = says(500, b'{"error": "out of\n memory"}')
        with pytest.raises(EmbedderError, match=r"answered 500 \(3 attempts\): .*out of memory"):
            make(retries=2).embed(["x"])
        assert len(server.requests) == 3

    def test_a_refusal_is_not_repeated(self, make, server: Server) -> None:
        server.forever = says(401, b"wrong key")
        with pytest.raises(EmbedderError, match="answered 401: wrong key") as raised:
            make().embed(["x"])
        assert len(server.requests) == 1
        assert "secret-key" not in str(raised.value)

    def test_a_redirect_is_not_followed(self, make, server: Server) -> None:
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
            (b'{"data": [{"index": 0, "embedding": [NaN, 1]}], "embeddings": [[NaN, 1]]}', "no number"),
            (b'{"data": [{"index": 0, "embedding": [0, 0]}], "embeddings": [[0, 0]]}', "length zero"),
        ],
        ids=str,
    )
    def test_nonsense(self, make, server: Server, content: bytes, message: str) -> None:
        server.forever = says(200, content)
        with pytest.raises(EmbedderError, match=message):
            make().embed(["x"])

    def test_wrong_count(self, make, server: Server) -> None:
        rows = [{"index": 0, "embedding": [1, 2]}]
        server.forever = says(200, json.dumps({"data": rows, "embeddings": [[1, 2]]}).encode())
        with pytest.raises(EmbedderError, match="1 vector for 2 texts"):
            make().embed(["x", "y"])

    def test_dimensions_that_change_between_batches(self, make, server: Server) -> None:
        rows = [{"index": 0, "embedding": [1, 2]}]
        server.troubles = [says(200, json.dumps({"data": rows, "embeddings": [[1, 2]]}).encode())]
        with pytest.raises(EmbedderError, match="all of one length"):
            make(batch=1).embed(["x", "y"])

    def test_time_out(self, make, server: Server) -> None:
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

    def test_nobody_there(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with pytest.raises(EmbedderError, match=r"cannot be reached: .*refused"):
            OllamaEmbedder("m", base_url=f"http://127.0.0.1:{port}").embed(["x"])

    def test_someone_who_hangs_up(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=lambda: listener.accept()[0].close())
            thread.start()
            with pytest.raises(EmbedderError, match="cannot be reached"):
                OllamaEmbedder("m", base_url=f"http://127.0.0.1:{listener.getsockname()[1]}").embed(["x"])
            thread.join()

    @pytest.mark.parametrize("url", ["", "localhost:11434", "file:///etc/passwd", "ftp://x"])
    def test_no_address(self, url: str) -> None:
        with pytest.raises(ConfigError, match="no address"):
            OllamaEmbedder("m", base_url=url)


class Bad:
    """An embedder of somebody else's, which returns whatever it is told to."""

    name = "bad"

    def __init__(self, *made: Any) -> None:
        self.made = list(made)

    def embed(self, texts: Any, *, asking: bool = False) -> Any:
        return [Embedding(one) if not isinstance(one, Embedding) else one for one in self.made]


class TestChecked:
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
    def test_refused(self, made: tuple[Any, ...], message: str) -> None:
        with pytest.raises(EmbedderError, match=message):
            Checked(Bad(*made)).embed(["x", "y"])

    def test_the_first_call_settles_the_dimensions(self) -> None:
        bad = Bad([1.0, 2.0])
        checked = Checked(bad)
        checked.embed(["x"])
        bad.made = [[1.0, 2.0, 3.0]]
        with pytest.raises(EmbedderError, match="3 dimensions, not of 2"):
            checked.embed(["x"])

    def test_unit_vectors_and_tokens_come_through(self) -> None:
        (made,) = Checked(Bad(Embedding([3.0, 4.0], b"abcd", 4, [(0, 1)])), dimensions=2).embed(["x"])
        assert np.asarray(made.vector).dtype == np.float32
        assert np.allclose(made.vector, [0.6, 0.8])
        assert (made.tokens, made.width, made.spans) == (b"abcd", 4, [(0, 1)])

    def test_any_failure_becomes_ours(self) -> None:
        class Failing:
            name = "failing"

            def embed(self, texts: Any, *, asking: bool = False) -> Any:
                raise ZeroDivisionError("oh")

        with pytest.raises(EmbedderError, match="failing failed: ZeroDivisionError: oh"):
            Checked(Failing()).embed(["x"])

    def test_very_long_vectors_do_not_overflow(self) -> None:
        (made,) = Checked(Bad([1e200, 1e200])).embed(["x"])
        assert np.allclose(made.vector, math.sqrt(0.5))


class TestCallable:
    def test_questions_apart(self) -> None:
        embedder = CallableEmbedder("f", lambda texts: [[1.0, 0.0]] * len(texts), lambda texts: [[0.0, 1.0]] * len(texts))
        assert list(embedder.embed(["x"])[0].vector) == [1, 0]
        assert list(embedder.embed(["x"], asking=True)[0].vector) == [0, 1]
        assert embedder.embed([]) == []

    def test_it_fails(self) -> None:
        with pytest.raises(EmbedderError, match="f failed: KeyError"):
            CallableEmbedder("f", lambda texts: {}[texts[0]]).embed(["x"])

    def test_a_numpy_function(self) -> None:
        made = CallableEmbedder("f", lambda texts: np.full((len(texts), 4), 7, np.float16)).embed(["x", "y"])
        assert np.allclose([one.vector for one in made], 0.5)

    def test_no_name(self) -> None:
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

    def test_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        with pytest.raises(MissingExtra, match="pip install sentence-transformers"):
            SentenceTransformersEmbedder("m").embed(["x"])

    @pytest.mark.usefixtures("_library")
    def test_texts_and_questions(self) -> None:
        embedder = SentenceTransformersEmbedder("m", batch=4)
        assert np.allclose(embedder.embed(["abc"])[0].vector, [0.6, 0.8])
        assert np.allclose(embedder.embed(["ab"], asking=True)[0].vector, [0.6, 0.8])

    @pytest.mark.usefixtures("_library")
    @pytest.mark.parametrize(("model", "device", "message"), [("unknown", None, "no such model"), ("m", "cuda", "no GPU")])
    def test_failures(self, model: str, device: str | None, message: str) -> None:
        with pytest.raises(EmbedderError, match=message):
            SentenceTransformersEmbedder(model, device=device).embed(["x"])
